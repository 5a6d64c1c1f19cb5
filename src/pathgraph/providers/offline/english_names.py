"""Names in a parsed English sentence: where they are, what they are called, what type they have.

Belongs here: segmentation and typing of names and concept phrases. Does not: relations (`english_verbs`,
`english_nouns`), the model (`english`).

`Doc`, `Token` and `Span` are spaCy's; they are typed as Any because spaCy is imported only where the model is loaded.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from pathgraph.providers.offline.english_words import (
    EMPTY_ADJECTIVES,
    EMPTY_NOUNS,
    INNER_OWNERS,
    LEMMAS,
    PLACE_CLASSES,
    PRODUCT_NOUNS,
    ROLE_ADJECTIVES,
    ROLES,
    TITLES,
    TYPE_BY_FIRST_WORD,
    TYPE_BY_LAST_WORD,
)
from pathgraph.providers.offline.facts import CONCEPT, EVENT, LAW, ORGANISATION, PERSON, PLACE, PRODUCT, Name

TYPES = {
    "PERSON": PERSON,
    "ORG": ORGANISATION,
    "GPE": PLACE,
    "LOC": PLACE,
    "FAC": PLACE,
    "PRODUCT": PRODUCT,
    "WORK_OF_ART": PRODUCT,
    "EVENT": EVENT,
    "LAW": LAW,
}
_NUMERIC = {"DATE", "TIME", "CARDINAL", "ORDINAL", "PERCENT", "MONEY", "QUANTITY"}
_INNER = {"-", "&", "/", ".", "'s", "’s"}
_EDGE = set(re.findall(r"\S+", "the a an this that these those its his her their our my your 's ’s née nee aka"))
_AFTER_COMMA = {"inc", "inc.", "ltd", "ltd.", "llc", "llp", "plc", "jr", "jr.", "sr", "sr.", "and"}
_NAMELIKE = re.compile(r"[^\Wa-z_]")
_PERIOD = re.compile(r"(?:[QH][1-4]|FY|CY)(?:[ -]?\d{2,4})?")


@dataclass(frozen=True)
class Frame:
    """Where the tokens of a parse stand in the sentence, which differs from the parse's text where names are known.

    Attributes:
        text: the sentence.
        spans: per token, its place in the sentence.
        known: index -> type of the tokens that stand for a name known before parsing.
    """

    text: str
    spans: tuple[tuple[int, int], ...]
    known: dict[int, str]


class Names:
    """The names of one sentence, found once; tokens are looked up by their index."""

    def __init__(self, doc: Any, frame: Frame) -> None:
        self.doc = doc
        self.frame = frame
        self.of_token: dict[int, Name] = {}
        for first, last, kind in sorted(_segments(doc, frame.known)):
            start, end = self.start(doc[first]), self.end(doc[last - 1])
            name = Name(frame.text[start:end], kind, start, end)
            self.of_token.update(dict.fromkeys(range(first, last), name))

    def start(self, token: Any) -> int:
        """Return where a token starts in the sentence."""
        return self.frame.spans[int(token.i)][0]

    def end(self, token: Any) -> int:
        """Return where a token ends in the sentence."""
        return self.frame.spans[int(token.i)][1]

    def all(self) -> list[Name]:
        """Return the names in order of the sentence."""
        return sorted(set(self.of_token.values()), key=lambda n: n.start)

    def at(self, token: Any) -> Name | None:
        """Return the name that the noun phrase headed by a token stands for, None when it stands for no name."""
        name = self.of_token.get(token.i)
        if name is not None:
            return name if self._heads(token, name) else None
        if token.pos_ not in {"NOUN", "PROPN"}:
            return None
        if token.lower_ in PLACE_CLASSES:
            # "the city of Busan" is Busan.
            inner = [p for c in token.children if c.lower_ == "of" for p in c.children if c.i == token.i + 1]
            return self.of_token.get(inner[0].i) if len(inner) == 1 else None
        for child in token.children:
            # "the president Koji Sato", "the firm Gimlet Media": the name stands right after its class.
            if (
                child.dep_ == "appos"
                and child.i in self.of_token
                and 0 <= self.of_token[child.i].start - self.end(token) <= 2
            ):
                return self.of_token[child.i]
        if token.lower_ in PRODUCT_NOUNS and token.tag_ in {"NN", "NNP"}:
            before = self.of_token.get(token.i - 1)
            # "the Blackwell chip", not "Google's chip".
            if before is not None and self.doc[token.i - 1].dep_ in {"compound", "nmod", "amod"}:
                return before
        return None

    def _heads(self, token: Any, name: Name) -> bool:
        """Tell whether a token inside a name is its head, so that "Google" in "Google executives" is no argument."""
        head = token.head
        inside = self.of_token.get(head.i) is name
        return inside or token.dep_ not in {"compound", "nmod", "amod"} or head.i == token.i

    def concept(self, token: Any) -> Name | None:
        """Return the concept a noun phrase names: a bare plural, a mass noun or a compound, never a definite one."""
        if token.pos_ != "NOUN" or token.i in self.of_token:
            return None
        left = [c for c in token.lefts if c.dep_ not in {"punct", "cc", "preconj", "predet"}]
        if any(c.dep_ in {"det", "poss", "nummod", "quantmod"} or c.pos_ in {"NUM", "PRON"} for c in left):
            return None
        return self.phrase(token)

    def phrase(self, token: Any) -> Name | None:
        """Return the noun with its modifiers in dictionary form; None when nothing of it is worth a node."""
        if token.ent_type_ in _NUMERIC or any(c.dep_ == "nummod" for c in token.lefts):
            return None
        start = token.i
        while start > 0 and self._modifies(self.doc[start - 1], token):
            start -= 1
        start = self._hyphenated(start, token.i)
        while start < token.i and _empty_modifier(self.doc[start]):
            start += 1
        compound = any(t.dep_ == "compound" for t in self.doc[start : token.i])
        if (token.lemma_.lower() in EMPTY_NOUNS and not compound) or (start == token.i and len(token.text) < 3):
            return None
        if not token.text[0].isalpha() or token.like_url or token.like_email:
            return None
        words = self.doc[start : token.i]
        lemma = singular(token)
        text = "".join((w.text if w.i else w.lower_) + w.whitespace_ for w in words) + lemma
        return Name(text, CONCEPT, self.start(self.doc[start]), self.end(token))

    def _hyphenated(self, start: int, end: int) -> int:
        """Return the start with the whole of a hyphenated first word, or without it when a name is in it."""
        start += self.doc[start].tag_ == "HYPH"
        while 2 <= start < end and self.doc[start - 1].tag_ == "HYPH":
            if start - 2 in self.of_token:
                return start + 1
            start -= 2
        return start

    def _modifies(self, left: Any, head: Any) -> bool:
        if left.i in self.of_token or left.ent_type_ in _NUMERIC:
            return False
        if left.tag_ == "HYPH":
            return True
        return left.dep_ in {"compound", "amod", "nmod"} and (left.head.i <= head.i and left.head.i > left.i)


def _empty_modifier(token: Any) -> bool:
    """Tell whether a word before a noun says nothing about its kind: "many users", "helping businesses"."""
    if token.nbor(1).tag_ == "HYPH" and token.nbor(1).i + 1 < len(token.doc):
        return False
    return token.lower_ in EMPTY_ADJECTIVES or not token.is_alpha or (token.tag_ == "VBG" and token.dep_ == "amod")


def singular(token: Any) -> str:
    """Return a noun's dictionary form, also where the lemmatizer leaves a plural as it is."""
    lemma = LEMMAS.get(token.lower_, token.lemma_.lower())
    if lemma == token.lower_ and token.tag_ == "NNS" and re.search(r"[^siu]s$", lemma) and lemma not in LEMMAS:
        lemma = lemma[:-1]
    return str(lemma)


def _segments(doc: Any, fixed: dict[int, str]) -> Iterator[tuple[int, int, str]]:
    """Yield (first token, last token + 1, type) of each name, without overlap."""
    entities = [part for e in doc.ents if e.label_ in TYPES for part in _unlisted(doc, e)]
    entities = [e for e in entities if not any(i in fixed for i in range(e[0], e[1]))]
    spans = _grow(doc, [_trim(doc, *entity) for entity in entities], set(fixed))
    yield from ((i, i + 1, kind) for i, kind in fixed.items())
    for start, end, label in _join_of(doc, spans):
        text = doc[start:end].text
        if _NAMELIKE.search(text) and not _PERIOD.fullmatch(text):
            yield start, end, _type(doc[start:end], label)


def _unlisted(doc: Any, entity: Any) -> Iterator[tuple[int, int, str]]:
    """Yield the parts of an entity that is a list ("Windows, Devices"); "Apple, Inc." and titles are none."""
    start = entity.start
    for i in range(entity.start + 1, entity.end - 1):
        if doc[i].text == "," and entity.label_ not in {"WORK_OF_ART", "LAW"} and doc[i + 1].lower_ not in _AFTER_COMMA:
            yield start, i, entity.label_
            start = i + 1
    yield start, entity.end, entity.label_


def _trim(doc: Any, start: int, end: int, label: str) -> tuple[int, int, str]:
    """Cut determiners, titles, possessive endings and stray punctuation off both ends."""
    while start < end and (_edge(doc[start]) or doc[start].is_punct or _title(doc, start, end)):
        start += 1
    opened = [i for i in range(start, end) if doc[i].text == "("]
    if opened and not any(t.text == ")" for t in doc[opened[-1] : end]):
        end = opened[-1]
    while start < end and (_edge(doc[end - 1]) or _loose(doc[end - 1])):
        end -= 1
    return start, end, label


def _edge(token: Any) -> bool:
    """Tell whether a word at a name's edge is none of it; "A" in "A-Teens" is."""
    last = token.i + 1 == len(token.doc)
    return bool(token.is_space) or (
        token.lower_ in _EDGE
        and (last or (bool(token.whitespace_) and token.nbor(1).text != "&") or token.tag_ == "POS")
    )


def _loose(token: Any) -> bool:
    return bool(token.is_punct) and token.text not in {")", "!"}


def _title(doc: Any, i: int, end: int) -> bool:
    """Tell whether a word is a title before a name: a title alone or before "of" is left to the other rules."""
    return doc[i].lower_ in TITLES and i + 1 < end and doc[i + 1].lower_ not in {"of", "for"}


def _proper(token: Any) -> bool:
    """Tell whether a word is a proper noun; a capitalised noun the tagger takes for a common one is one, too."""
    if token.ent_type_ in _NUMERIC or token.ent_type_ == "NORP":
        return False
    if token.dep_ == "compound" and token.text[0].isupper() and token.head.tag_ in {"NNP", "NNPS"}:
        return True
    return token.tag_ in {"NNP", "NNPS"} or (token.tag_ in {"NN", "NNS"} and _capitalised(token))


def _capitalised(token: Any) -> bool:
    """Tell whether capitals mark a noun as a name: inside a sentence, inside the word, or by what it is joined to."""
    if not token.text[0].isupper() or token.lower_ in ROLES or len(token) < 2:
        return any(c.isupper() for c in token.text[1:]) and token.text[0].islower() and token.is_alpha
    if token.i > 0 and token.nbor(-1).text.isalpha() and not is_heading(token.doc):
        return True
    inner = any(c.isupper() for c in token.text[1:]) and not token.text.isupper()
    return inner or any(c.dep_ == "conj" and c.tag_ in {"NNP", "NN"} and c.text[0].isupper() for c in token.children)


def is_heading(doc: Any) -> bool:
    """Tell whether most words are capitalised, so that capitals mark nothing."""
    words = [t for t in doc if t.is_alpha and not t.is_stop]
    return bool(sum(t.text[0].isupper() for t in words) * 3 > len(words) * 2)


def _grow(doc: Any, entities: list[tuple[int, int, str]], fixed: set[int]) -> list[tuple[int, int, str]]:
    """Join entity spans with the proper nouns of their noun phrase and add the proper nouns without an entity."""
    owner = {i: n for n, (start, end, _) in enumerate(entities) for i in range(start, end)}
    spans: list[tuple[int, int, str]] = []
    for start, end in _runs(doc, owner, fixed):
        inside = sorted({owner[i] for i in range(start, end) if i in owner})
        if not inside:
            spans.append(_trim(doc, start, end, ""))
        elif len(inside) == 1:
            _, entity_end, label = entities[inside[0]]
            spans.append(_trim(doc, start, _without_roles(doc, end, entity_end), label))
        else:
            spans.extend(entities[n] for n in inside)
    return [s for s in spans if not _only_roles(doc, s[0], s[1])]


def _without_roles(doc: Any, end: int, entity_end: int) -> int:
    """Return the end without role words after the entity: "Nvidia CEO", but "Dairy Queen"."""
    while end > entity_end and doc[end - 1].lower_ in ROLES:
        end -= 1
    return end


def _only_roles(doc: Any, start: int, end: int) -> bool:
    return all(t.lower_ in TITLES or t.lower_ in ROLE_ADJECTIVES for t in doc[start:end])


def _runs(doc: Any, owner: dict[int, int], fixed: set[int]) -> Iterator[tuple[int, int]]:
    """Yield the maximal token ranges that are proper nouns, parts of entities, or glue between two of them."""
    i = 0
    while i < len(doc):
        if i in fixed or not (i in owner or _proper(doc[i])):
            i += 1
            continue
        end = i + 1
        while end < len(doc) and end not in fixed and _continues(doc, end, owner):
            end += 1
        yield i, end
        i = end


def _continues(doc: Any, i: int, owner: dict[int, int]) -> bool:
    token, before = doc[i], doc[i - 1]
    if before.tag_ == "POS":
        return i in owner or _proper(token)  # reached only inside a name: "World Women's Cup"
    if i in owner:
        return owner.get(i - 1) == owner[i] or _same_phrase(before, token)
    if token.tag_ == "POS":
        return before.lower_ in INNER_OWNERS and i + 1 < len(doc) and (_proper(doc[i + 1]) or i + 1 in owner)
    if _proper(token):
        return _same_phrase(before, token)
    if token.tag_ == "CD" and token.ent_type_ not in {"DATE", "MONEY", "PERCENT", "TIME"}:
        return bool(token.dep_ == "nummod" and token.head.i == i - 1)  # "PlayStation 5"
    nxt = doc[i + 1] if i + 1 < len(doc) else None
    glued = nxt is not None and not before.whitespace_ and not token.whitespace_ and token.text in _INNER
    return bool(glued and (_proper(nxt) or i + 1 in owner)) or (token.text == "&" and nxt is not None and _proper(nxt))


def _same_phrase(before: Any, token: Any) -> bool:
    """Tell whether two neighbours belong to one base noun phrase, so that "Google Brazil-born" or lists do not join."""
    if before.is_punct and before.text not in _INNER:
        return False
    if before.lower_ in ROLES:
        return False
    joined = {"compound", "nmod", "flat", "amod", "nummod", "punct"}
    if before.head == token.head:
        return before.dep_ in joined
    return (
        (before.head == token and before.dep_ in joined)
        or before.text in _INNER
        or (token.head == before and token.dep_ in joined)
    )


def _join_of(doc: Any, spans: list[tuple[int, int, str]]) -> list[tuple[int, int, str]]:
    """Join "Treaty" and "Versailles" across "of": a capitalised common noun is no name by itself."""
    out: list[tuple[int, int, str]] = []
    for start, end, label in sorted(spans):
        if out and _joins(doc, out[-1], start):
            out[-1] = (out[-1][0], end, out[-1][2] or "")
        elif not out or start >= out[-1][1]:
            out.append((start, end, label))
    return out


def _joins(doc: Any, before: tuple[int, int, str], start: int) -> bool:
    gap = doc[before[1] : start]
    words = [t.lower_ for t in gap]
    first = doc[before[1] - 1]
    return words in (["of"], ["of", "the"]) and not before[2] and first.lower_ not in ROLES and gap[0].head == first


def _type(span: Any, label: str) -> str:
    words = [t.lower_.rstrip(".") for t in span]
    by_word = TYPE_BY_LAST_WORD.get(words[-1]) or TYPE_BY_FIRST_WORD.get(words[0], "") if len(words) > 1 else ""
    return by_word or TYPES.get(label, "")
