"""From a raw extraction reply to triples and mentions of one chunk: pure, and tolerant of single bad records.

Belongs here: cleaning and checking records of the format of `pathgraph.providers.protocol`, replies joined of several.
Does not: finding records in a text (`repair`), calling a provider, resolution.
"""

import json
import math
from bisect import bisect
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import chain
from typing import Any, TypeVar

import regex

from pathgraph.extraction.records import Record
from pathgraph.extraction.repair import read_records
from pathgraph.text import sanitise

T = TypeVar("T")

MAX_NAME = 200  # a longer "name" is a sentence that a model put into the wrong field
MAX_STRENGTH = 10.0
MAX_TYPE = 40
CO_OCCURS = "co_occurs"
_JOINED = "pathgraph_parts"
_JOINED_START = f'{{"{_JOINED}"'
# Words that models put where they have nothing to say.
_NOTHING = frozenset(
    {"", "n/a", "none", "null", "nil", "unknown", "unspecified", "undefined", "not specified", "없음"}
) | {*"-–—*?_./"}
_WORDS = {"very high": 9.0, "high": 8.0, "strong": 8.0, "medium": 5.0, "moderate": 5.0, "low": 2.0, "weak": 2.0}
_WORDS |= {"높음": 8.0, "강함": 8.0, "보통": 5.0, "중간": 5.0, "낮음": 2.0, "약함": 2.0}
_NUMBER = regex.compile(r"([+-]?\d+(?:\.\d+)?)\s*(?:/\s*10\b|(%))?")


class ReplyError(ValueError):
    """The reply as a whole cannot be read; the chunk becomes a failure row."""


@dataclass(frozen=True)
class RawTriple:
    """One fact as replied, cleaned; `start` and `end` count code points of the chunk's text."""

    subject: str
    relation: str
    object: str
    subject_type: str
    object_type: str
    description: str
    strength: float
    start: int
    end: int
    kind: str


@dataclass(frozen=True)
class RawMention:
    """One place in the chunk's text where an entity is named: `surface == text[start:end]`.

    `name` is what the reply calls the entity, "" for the surface: "letters" may be written where "letter" is named.
    """

    surface: str
    type: str
    start: int
    end: int
    name: str = ""


@dataclass(frozen=True)
class Parsed:
    """What a reply holds, what was wrong with single records of it, and the form it came in."""

    triples: tuple[RawTriple, ...]
    mentions: tuple[RawMention, ...]
    descriptions: tuple[tuple[str, str], ...]
    problems: tuple[str, ...]
    shape: str = "json"


def parse_reply(raw: str, text: str) -> Parsed:
    """Read one reply about one chunk's text, in any form that `repair` knows; or several joined by `join_replies`.

    Raises:
        ReplyError: no fact can be made out, and it does not say that there are none.
    """
    parts = _parts(raw)
    if parts is None:
        return _parse_one(raw, text)
    parsed = [_moved(_parse_one(part.raw, text[part.start : part.end]), part.start) for part in parts]
    return Parsed(
        _new(chain.from_iterable(one.triples for one in parsed), _fact),
        _new(chain.from_iterable(one.mentions for one in parsed), lambda mention: mention),
        _new(chain.from_iterable(one.descriptions for one in parsed), lambda told: told),
        tuple(chain.from_iterable(one.problems for one in parsed)),
        "parts",
    )


@dataclass(frozen=True)
class Part:
    """A reply about a piece of a chunk's text: `text[start:end]`."""

    start: int
    end: int
    raw: str


def join_replies(parts: Sequence[Part]) -> str:
    """Return one reply that holds several: on halves of a chunk, or later rounds of questions about the same text."""
    listed = [{"start": part.start, "end": part.end, "raw": part.raw} for part in parts]
    return json.dumps({_JOINED: 1, "parts": listed}, ensure_ascii=True)


def _parts(raw: str) -> list[Part] | None:
    if not raw.startswith(_JOINED_START):
        return None
    try:
        return [Part(part["start"], part["end"], part["raw"]) for part in json.loads(raw)["parts"]]
    except (json.JSONDecodeError, KeyError, TypeError):
        return None


def _moved(parsed: Parsed, by: int) -> Parsed:
    triples = (replace(triple, start=triple.start + by, end=triple.end + by) for triple in parsed.triples)
    mentions = (replace(mention, start=mention.start + by, end=mention.end + by) for mention in parsed.mentions)
    return replace(parsed, triples=tuple(triples), mentions=tuple(mentions))


def _fact(triple: RawTriple) -> Hashable:
    """Return what makes two triples of one chunk the same fact: a later round may word its description anew."""
    return (triple.subject.casefold(), triple.relation.casefold(), triple.object.casefold(), triple.kind)


def _new(items: Iterable[T], key: Callable[[T], Hashable]) -> tuple[T, ...]:
    """Return the items, the first of each key."""
    found: dict[Hashable, T] = {}
    for item in items:
        found.setdefault(key(item), item)
    return tuple(found.values())


def _parse_one(raw: str, text: str) -> Parsed:
    records = read_records(raw, text)
    if records is None:
        raise ReplyError(f"the reply holds no facts in any known form: {raw.strip()[:120]!r}")
    problems = list(records.problems)
    entities = [item for item in records.entities if _named(item, ("name",), problems)]
    facts = [item for item in records.triples if _named(item, ("subject", "relation", "object"), problems)]
    if records.problems and not entities and not facts and records.shape != "json":
        raise ReplyError(f"the reply holds no usable fact: {'; '.join(problems)[:200]}")
    types = {_clean(item["name"]).casefold(): _type(item.get("type")) for item in reversed(entities)}
    triples = [_triple(item, text, types) for item in facts]
    entities += _unlisted(triples, types)
    mentions = [mention for item in entities for mention in _mentions(item, text)]
    told = [(_clean(item["name"]), _clean(item.get("description"))) for item in entities]
    return Parsed(
        tuple(dict.fromkeys(triples)),
        tuple(dict.fromkeys(mentions)),
        tuple(dict.fromkeys(pair for pair in told if pair[1])),
        tuple(problems),
        records.shape,
    )


def _unlisted(triples: Sequence[RawTriple], types: Mapping[str, str]) -> list[Record]:
    """Return an entity for each end of a triple that the reply's own list of entities lacks."""
    ends = [
        pair
        for t in triples
        if t.kind != CO_OCCURS
        for pair in ((t.subject, t.subject_type), (t.object, t.object_type))
    ]
    return [
        {"name": name, "type": type_} for name, type_ in dict(reversed(ends)).items() if name.casefold() not in types
    ]


def _named(item: Mapping[str, Any], fields: tuple[str, ...], problems: list[str]) -> bool:
    """Tell whether the record has all names it needs, each of a sane length; say so when not."""
    for field in fields:
        name = _clean(item.get(field))
        if name.casefold() in _NOTHING or len(name) > MAX_NAME:
            problems.append(f"a record has {'too long a' if len(name) > MAX_NAME else 'no'} {field}")
            return False
    return True


def _clean(value: object) -> str:
    """Return a field as one sanitised line; numbers as written, anything nested as nothing."""
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        value = str(value)
    return _one_line(value) if isinstance(value, str) else ""


@lru_cache(maxsize=4096)  # names, types and sentences come again in the records of one chunk
def _one_line(value: str) -> str:
    return " ".join(sanitise(value).replace("\\_", "_").split())


def _type(value: object) -> str:
    """Return a type in capitals; a sentence in its place, or a word that says nothing, is none."""
    name = _clean(value).upper()
    return "" if len(name) > MAX_TYPE or name.casefold() in _NOTHING else name


def _triple(item: Mapping[str, Any], text: str, types: Mapping[str, str]) -> RawTriple:
    subject, relation, obj = (_clean(item[field]) for field in ("subject", "relation", "object"))
    start, end = _evidence(item, text, subject, obj)
    return RawTriple(
        subject=subject,
        relation=relation,
        object=obj,
        subject_type=_type(item.get("subject_type")) or types.get(subject.casefold(), ""),
        object_type=_type(item.get("object_type")) or types.get(obj.casefold(), ""),
        description=_clean(item.get("description")) or " ".join(text[start:end].split()),
        strength=_strength(item.get("strength")),
        start=start,
        end=end,
        kind=CO_OCCURS if item.get("kind") == CO_OCCURS else "typed",
    )


def _strength(value: object) -> float:
    """Return a strength in (0, 10]: a number, one of `_WORDS`, "8/10", "80 %"; 1 for anything else."""
    said = str(value).strip().casefold() if isinstance(value, (int, float, str)) else ""
    if said in _WORDS:
        return _WORDS[said]
    match = _NUMBER.match(said)
    try:
        number = float(match[1]) / 10 if match and match[2] == "%" else float(match[1] if match else said)
    except ValueError:
        return 1.0
    return min(number, MAX_STRENGTH) if math.isfinite(number) and number > 0 else 1.0


def _evidence(item: Mapping[str, Any], text: str, subject: str, obj: str) -> tuple[int, int]:
    """Return the evidence's span: the given one, else the quote's, else around both names, else the whole chunk."""
    start, end = item.get("start"), item.get("end")
    if isinstance(start, int) and isinstance(end, int) and 0 <= start < end <= len(text):
        return start, end
    quote = item.get("evidence")
    if isinstance(quote, str) and (span := _quoted(quote, text)):
        return span
    return _around(text, subject, obj) or (0, len(text))


def _quoted(quote: str, text: str) -> tuple[int, int] | None:
    """Return where the text holds the quote; blanks, case and an ellipsis at its ends do not matter."""
    at = text.find(quote.strip())
    if at >= 0 and quote.strip():
        return at, at + len(quote.strip())
    for words in (sanitise(quote).split(), sanitise(quote).strip(" \n\t\"“”'….").split()):
        pattern = r"\s+".join(regex.escape(word) for word in words)
        if pattern and (match := regex.search(pattern, text, regex.IGNORECASE)):
            return match.span()
    return None


def _around(text: str, subject: str, obj: str) -> tuple[int, int] | None:
    """Return the shortest span that holds both names, the first among equals."""
    places = [list(_occurrences(name, text)) for name in (subject, obj)]
    best: tuple[int, int] | None = None
    for one in places[0]:
        at = bisect(places[1], one)
        for two in places[1][max(0, at - 1) : at + 1]:
            span = min(one[0], two[0]), max(one[1], two[1])
            best = span if best is None or span[1] - span[0] < best[1] - best[0] else best
    return best


def _mentions(item: Mapping[str, Any], text: str) -> list[RawMention]:
    """Return the places of one entity: the given spans that hold it, else every whole-word occurrence of its name."""
    name, kind = _clean(item["name"]), _type(item.get("type"))
    spans = item.get("spans")
    if isinstance(spans, list):
        places = [(s[0], s[1]) for s in spans if _is_span(s, text)]
    else:
        # Hangul particles follow a name without a blank, so a Korean name need not end at a word boundary.
        open_end = regex.search(r"\p{Hangul}$", name) is not None
        places = [
            (start, end)
            for start, end in _occurrences(name, text)
            if not text[start - 1 : start].isalnum() and (open_end or not text[end : end + 1].isalnum())
        ]
    return [RawMention(text[start:end], kind, start, end, name) for start, end in places]


def _occurrences(name: str, text: str) -> Iterator[tuple[int, int]]:
    """Yield where the name stands; by searching, for compiling a pattern for every name costs ten times as much."""
    at = text.find(name)
    while at >= 0:
        yield at, at + len(name)
        at = text.find(name, at + len(name))


def _is_span(value: object, text: str) -> bool:
    return (
        isinstance(value, list)
        and len(value) == 2
        and all(isinstance(place, int) and not isinstance(place, bool) for place in value)
        and 0 <= value[0] < value[1] <= len(text)
    )
