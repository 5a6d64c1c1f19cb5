"""Korean noun phrases: which words are a name, of what type, and what titles and appositions say.

Belongs here: everything that is decided inside one run of nouns ("삼성전자 이재용 회장"). Does not: particles and
predicates (`korean_items`, `korean_clauses`).
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from pathgraph.providers.offline.facts import CONCEPT, LAW, ORGANISATION, PERSON, PLACE, Fact, Name
from pathgraph.providers.offline.korean_lexicon import lexicon
from pathgraph.providers.offline.korean_morphemes import PROPER_TAGS, Morpheme, Word

TITLE_CONFIDENCE = 0.9
APPOSITION_CONFIDENCE = 0.8
MEMBER_CONFIDENCE = 0.7
_DEICTIC = frozenset(
    {"해당", "당해", "상기", "동", "본", "이", "그", "저", "이런", "그런", "어떤", "모든", "각", "여러"}
)
# Last syllables that hardly end a given name but often a place's.
_PLACE_ENDS = frozenset("시군구읍면도")
# A single common noun that ends so is a quality, a quantity or any person: "책임감", "사업량", "소비자".
_ABSTRACT_ENDS = frozenset("력감량률율액권심자성")
# "전라남도지사" is 전라남도 + 지사, "동구청장" 동구 + 청장.
_NEVER_CUT = frozenset({"도지사", "구청장"})
_ARTICLE = re.compile(r"제\d+(?:조|항|호|장)(?:의\d+)?")
_MAX_NAME = 60


@dataclass(frozen=True)
class NounPhrase:
    """What one run of nouns stands for.

    Attributes:
        name: the node, None when the phrase is none (pronoun, light noun, bare definite, folded object).
        head: its last noun, particles cut off: what a relation may be named by.
        owners: names that own the head ("카카오의 자회사" -> 카카오).
        facts: what titles and appositions inside the phrase state.
        proper: whether the name is a proper one.
        extra: further names inside the phrase.
        common: the span of a common noun that is no node by itself but may be the value of an attribute ("교수").
        weak: one common noun, good enough to stand in a fact beside a proper name, not to be a node by itself.
    """

    name: Name | None
    head: str
    owners: tuple[Name, ...] = ()
    facts: tuple[Fact, ...] = ()
    proper: bool = False
    date: bool = False
    extra: tuple[Name, ...] = ()
    weak: bool = False
    common: Name | None = None


def noun_phrase(words: Sequence[Word], text: str, owners: tuple[Name, ...] = (), definite: bool = False) -> NounPhrase:
    """Read a run of nouns.

    Args:
        words: the run, never empty.
        text: the sentence.
        owners: names of a genitive before it.
        definite: a demonstrative stands before it, so that a common noun points back and is no name.
    """
    definite = definite or words[0].text in _DEICTIC
    words = _without_light_ends(words)
    head = _head(words[-1])
    if words[-1].adjectival:
        return NounPhrase(None, head)
    if words[-1].known is None:
        split = _title_split(words, text)
        if split:
            return _titled(*split, words[-1], text, owners if not definite else ())
    cut = _apposition(words)
    if cut:
        return _apposed(words, cut, text, owners)
    proper = [w for w in words if w.proper]
    if not proper and (definite or not _worth(words)):
        return NounPhrase(None, head, owners, common=None if definite else make_name(words, text))
    return _plain(words, text, owners, head)


def _without_light_ends(words: Sequence[Word]) -> Sequence[Word]:
    """Drop deictic, time and quantity words at the front: "지난주 카카오" is 카카오."""
    light = lexicon().passing | _DEICTIC
    first = 0
    while first < len(words) - 1 and words[first].known is None and _is_light(words[first], light):
        first += 1
    return words[first:]


def _is_light(word: Word, light: frozenset[str]) -> bool:
    return word.text in light or word.adjectival


def _head(word: Word) -> str:
    """The last noun of a word as a relation would name it: a listed compound whole, else its last noun."""
    lex = lexicon()
    for start in range(len(word.morphemes)):
        tail = "".join(m.form for m in word.morphemes[start:])
        if lex.is_relational(tail) or tail in lex.fold:
            return tail
    return word.text if len(word.morphemes) <= 2 else word.morphemes[-1].form


def _worth(words: Sequence[Word]) -> bool:
    """Whether common nouns are a term worth a node: a compound, or one long or marked noun."""
    lex = lexicon()
    if _head(words[-1]) in lex.fold or words[-1].text in lex.light | lex.passing:
        return False
    if len(words) == 1 and (lex.is_relational(words[-1].text) or words[-1].adjectival):
        return False
    if sum(w.nouns for w in words) >= 2:
        return True
    word = words[-1].text
    long = len(word) >= 3 and word[-1] not in _ABSTRACT_ENDS
    return long or word in lex.names or bool(_suffix_type(words[-1]))


def _person_last(words: Sequence[Word], text: str) -> NounPhrase:
    """Read "새누리당 조원진", "김준호 김대희": the last is a person, the names before it are other names."""
    person = make_name(words[-1:], text, PERSON)
    others = [make_name([w], text) for w in words[:-1]]
    if not all(_person_shaped(w) for w in words[:-1]):
        others = [make_name(words[:-1], text)]
    extra = tuple(n for n in others if n is not None)
    facts = tuple(Fact(person, "소속", n, MEMBER_CONFIDENCE) for n in extra if person and n.type == ORGANISATION)
    return NounPhrase(person, words[-1].text, facts=facts, proper=True, extra=extra)


def _plain(words: Sequence[Word], text: str, owners: tuple[Name, ...], head: str) -> NounPhrase:
    lex = lexicon()
    if len(words) > 1 and _person_shaped(words[-1]) and all(w.proper for w in words[:-1]):
        return _person_last(words, text)
    lead = _leading_proper(words)
    inner = tuple(n for n in [make_name(lead, text)] if n) if lead and len(lead) < len(words) else ()
    last = words[-1]
    common_tail = bool(inner) and not last.proper
    if common_tail and (lex.is_relational(last.text) or head in lex.fold or _light_tail(words)):
        owner = make_name(words[:-1], text)
        return NounPhrase(None, head, (owner,) if owner else owners, extra=(owner,) if owner else ())
    name = make_name(words, text)
    extra = tuple(n for n in _known_inside(words, text) if n != name)
    proper = any(w.proper for w in words)
    weak = not proper and sum(w.nouns for w in words) == 1 and name is not None and name.type == CONCEPT
    return NounPhrase(name, head, inner if common_tail else owners, proper=proper, extra=extra, weak=weak)


def _light_tail(words: Sequence[Word]) -> bool:
    """Whether the last word only points at a part or a member of the name before it ("네이버 관계자")."""
    return words[-1].text in lexicon().light | lexicon().passing and not _suffix_type(words[-1], within=True)


def _leading_proper(words: Sequence[Word]) -> Sequence[Word]:
    n = 0
    while n < len(words) and words[n].proper:
        n += 1
    return words[:n]


def _known_inside(words: Sequence[Word], text: str) -> list[Name]:
    return [Name(text[m.start : m.end], m.known, m.start, m.end) for w in words for m in w.morphemes if m.known]


def _title_split(words: Sequence[Word], text: str) -> tuple[list[Word], str] | None:
    """Return the words before a final title, and the title; a fused one is cut: "전라남도지사" -> 전라남도, 지사."""
    lex = lexicon()
    last, before = words[-1], list(words[:-1])
    if last.text in lex.titles:
        return before, last.text
    if last.single_proper and last.text.endswith("씨") and len(last.text) >= 3:
        return [*before, _part(last, text, last.start, last.end - 1)], "씨"
    if not any(_person_shaped(w) for w in before):
        return None
    fused = [t for t in lex.titles if len(t) >= 2 and last.text.endswith(t) and len(last.text) >= len(t) + 2]
    fused = sorted((t for t in fused if t not in _NEVER_CUT), key=lambda t: (-len(t), t))
    if not fused:
        return None
    end = last.end - len(fused[0])
    return [*before, _part(last, text, last.start, end)], fused[0]


def _part(word: Word, text: str, start: int, end: int) -> Word:
    return Word((Morpheme(text[start:end], "NNP", start, end),), text[start:end])


def _person_shaped(word: Word) -> bool:
    if word.known is not None:
        return word.known == PERSON
    if word.morphemes[0].tag != "NNP" or not lexicon().is_person_name(word.text) or word.text in lexicon().names:
        return False
    return word.text[-1] not in _PLACE_ENDS and not any(
        word.text.endswith(end) for end, _ in lexicon().suffixes if len(end) > 1
    )


def _titled(before: list[Word], title: str, last: Word, text: str, owners: tuple[Name, ...]) -> NounPhrase:
    """Read "삼성전자 이재용 회장", "최수연 네이버 대표이사", "한국은행 총재", "회장"."""
    lex = lexicon()
    rest = list(before)
    while rest and not rest[-1].proper:
        rest.pop()
    person, organisation = _split_person(rest)
    holder = make_name(person, text, PERSON) if person else None
    office = make_name(organisation, text) if organisation else None
    offices = (office,) if office else owners
    if holder is None:
        common = None if office else make_name([last], text)
        return NounPhrase(None, title, offices, extra=(office,) if office else (), common=common)
    facts: tuple[Fact, ...] = ()
    if title not in lex.honorifics:
        facts = tuple(Fact(holder, title, o, TITLE_CONFIDENCE) for o in offices if o.type != PERSON)
    return NounPhrase(holder, title, facts=facts, proper=True, extra=offices)


def _split_person(words: list[Word]) -> tuple[list[Word], list[Word]]:
    """Split the words before a title into the person's and the organisation's, by shape and type."""
    shaped = [i for i, w in enumerate(words) if _person_shaped(w)]
    if shaped:
        i = shaped[-1]
        after = [w for w in words[i + 1 :] if w.proper]
        return [words[i]], _office(after) or _run_before(words, i)
    first = next((i for i, w in enumerate(words) if w.proper), len(words))
    tail = words[first:]
    for cut in range(len(tail), 0, -1):
        if name_type(tail[:cut]) in {ORGANISATION, PLACE, LAW}:
            return tail[cut:], tail[:cut]
    return tail, []


def _office(words: list[Word]) -> list[Word]:
    """The organisation between a person and a fused title: "전라남도 해양수산(국장)" is 전라남도."""
    if len(words) > 1 and not name_type(words) and name_type(words[:1]):
        return words[:1]
    return words


def _run_before(words: list[Word], i: int) -> list[Word]:
    start = i
    while start and words[start - 1].known != PERSON:
        start -= 1
    run = words[start:i]
    while run and not run[0].proper:
        run = run[1:]
    while run and not (run[-1].proper or name_type(run)):
        run = run[:-1]
    return run


def _apposition(words: Sequence[Word]) -> int:
    """Return where the last name begins after a common noun ("영화 아바타" -> 1), 0 when there is none."""
    for i in range(len(words) - 1, 0, -1):
        before, here = words[i - 1], words[i]
        foreign = i >= 2 and words[i - 2].proper and not lexicon().is_role(before.text)
        if here.morphemes[0].tag in PROPER_TAGS and not before.proper and _introduces(before, words[i:]):
            return 0 if foreign else i
    return 0


def _introduces(before: Word, rest: Sequence[Word]) -> bool:
    """Whether a common noun introduces the name after it rather than being its first part."""
    lex = lexicon()
    if before.text == "주식회사" or before.morphemes[-1].tag == "SN" or len("".join(w.text for w in rest)) == 1:
        return False
    general = not _suffix_type(before) and len(rest) == 1
    return lex.is_role(before.text) or rest[0].known is not None or general


def _apposed(words: Sequence[Word], cut: int, text: str, owners: tuple[Name, ...]) -> NounPhrase:
    lex = lexicon()
    role, rest = words[cut - 1].text, words[cut:]
    tail = noun_phrase(rest, text)
    kind = lex.role_type(role)
    name = tail.name
    if name and kind and name.type in {"", CONCEPT}:
        name = Name(name.text, kind, name.start, name.end)
    lead = _leading_proper(words[: cut - 1])
    owner = make_name(lead, text) if lead else None
    holders = (owner,) if owner else owners
    facts = tail.facts
    if name and tail.head not in lex.titles:
        facts += tuple(relate(name, role, o, APPOSITION_CONFIDENCE) for o in holders if _states(role, owner is None))
    extra = tail.extra + ((owner,) if owner else ())
    return NounPhrase(name, tail.head, tail.owners, facts, tail.proper, extra=extra)


def _states(role: str, genitive: bool) -> bool:
    """Whether an apposition's noun is a relation: a listed one, or after 의 any noun of weight."""
    lex = lexicon()
    return lex.is_relational(role) or (genitive and role not in lex.light)


def relate(holder: Name, role: str, owner: Name, confidence: float) -> Fact:
    """Return the fact "holder is <role> of owner", turned round for attributes ("본사": the owner has it)."""
    if role in lexicon().attributes:
        return Fact(owner, role, holder, confidence)
    return Fact(holder, role, owner, confidence)


def make_name(words: Sequence[Word], text: str, kind: str = "") -> Name | None:
    """Return the words as a name with its exact span; None when a contraction hides where the noun ends."""
    if not words:
        return None
    start, end = words[0].start, words[-1].end
    last = words[-1].morphemes[-1]
    if end - start > _MAX_NAME or (last.tag != "SN" and last.form != text[last.start : last.end]):
        return None
    known = words[0].known if len(words) == 1 else None
    return Name(text[start:end], known or kind or name_type(words), start, end)


def name_type(words: Sequence[Word]) -> str:
    """Return a name's type by the gazetteer, the lists, its ending and its shape; CONCEPT for common nouns."""
    lex = lexicon()
    last = words[-1]
    if last.known:
        return last.known
    if all(w.text in lex.names for w in words):
        return lex.names[last.text]
    if len(words) > 1 and _ARTICLE.fullmatch(last.text) and name_type(words[:-1]) == LAW:
        return LAW
    ending = _suffix_type(last, within=len(words) > 1)
    if len(words) == 1 and _person_shaped(last):
        return PERSON
    if ending:
        return ending
    if words[0].text == "주식회사":
        return ORGANISATION
    return "" if any(w.proper for w in words) else CONCEPT


def _suffix_type(word: Word, within: bool = False) -> str:
    """Type by the longest listed ending; one-syllable endings only where the tokenizer or a proper noun backs them.

    Args:
        word: the last word of a name.
        within: other words of the name stand before it, so that the word may be nothing but the ending.
    """
    for end, kind in lexicon().suffixes:
        if word.text.endswith(end) and (len(word.text) > len(end) or within):
            backed = word.morphemes[-1][:2] == (end, "NNG") or (kind == LAW and len(word.text) >= 4)
            if len(end) > 1 or backed or (word.proper and len(word.text) >= 3):
                return kind
            return ""
    return ""
