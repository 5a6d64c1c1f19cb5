"""From a raw extraction reply to triples and mentions of one chunk: pure, and tolerant of single bad records.

Belongs here: reading the reply format of `pathgraph.providers.protocol`. Does not: calling a provider, resolution.
"""

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import regex

from pathgraph.text import sanitise

MAX_NAME = 200  # a longer "name" is a sentence that a model put into the wrong field
MAX_STRENGTH = 10.0
CO_OCCURS = "co_occurs"


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
    """One place in the chunk's text where an entity is named: `surface == text[start:end]`."""

    surface: str
    type: str
    start: int
    end: int


@dataclass(frozen=True)
class Parsed:
    """What a reply holds, and what was wrong with single records of it."""

    triples: tuple[RawTriple, ...]
    mentions: tuple[RawMention, ...]
    descriptions: tuple[tuple[str, str], ...]
    problems: tuple[str, ...]


def parse_reply(raw: str, text: str) -> Parsed:
    """Read one reply about one chunk's text.

    Raises:
        ReplyError: the reply is no JSON object.
    """
    try:
        reply = json.loads(raw)
    except (json.JSONDecodeError, RecursionError) as error:
        raise ReplyError(f"the reply is no JSON: {error}") from error
    if not isinstance(reply, dict):
        raise ReplyError(f"the reply is a JSON {type(reply).__name__}, not an object")
    problems: list[str] = []
    entities = [item for item in _records(reply, "entities", problems) if _named(item, ("name",), problems)]
    records = _records(reply, "triples", problems)
    triples = [_triple(item, text) for item in records if _named(item, ("subject", "relation", "object"), problems)]
    mentions = [mention for item in entities for mention in _mentions(item, text)]
    told = [(_clean(item["name"]), _clean(item.get("description"))) for item in entities]
    return Parsed(
        tuple(dict.fromkeys(triples)),
        tuple(dict.fromkeys(mentions)),
        tuple(dict.fromkeys(pair for pair in told if pair[1])),
        tuple(problems),
    )


def _records(reply: Mapping[str, Any], field: str, problems: list[str]) -> list[Mapping[str, Any]]:
    value = reply.get(field, [])
    if not isinstance(value, list):
        problems.append(f"{field} is no list")
        return []
    kept: list[Mapping[str, Any]] = [item for item in value if isinstance(item, dict)]
    if len(kept) < len(value):
        problems.append(f"{len(value) - len(kept)} of {field} are no objects")
    return kept


def _named(item: Mapping[str, Any], fields: tuple[str, ...], problems: list[str]) -> bool:
    """Tell whether the record has all names it needs, each of a sane length; say so when not."""
    for field in fields:
        name = _clean(item.get(field))
        if not name or len(name) > MAX_NAME:
            problems.append(f"a record has {'no' if not name else 'too long a'} {field}")
            return False
    return True


def _clean(value: object) -> str:
    """Return a field as one sanitised line; numbers as written, anything nested as nothing."""
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        value = str(value)
    return " ".join(sanitise(value).split()) if isinstance(value, str) else ""


def _triple(item: Mapping[str, Any], text: str) -> RawTriple:
    subject, relation, obj = (_clean(item[field]) for field in ("subject", "relation", "object"))
    start, end = _evidence(item, text, subject, obj)
    return RawTriple(
        subject=subject,
        relation=relation,
        object=obj,
        subject_type=_clean(item.get("subject_type")).upper(),
        object_type=_clean(item.get("object_type")).upper(),
        description=_clean(item.get("description")) or " ".join(text[start:end].split()),
        strength=_strength(item.get("strength")),
        start=start,
        end=end,
        kind=CO_OCCURS if item.get("kind") == CO_OCCURS else "typed",
    )


def _strength(value: object) -> float:
    """Return a strength in (0, 10]; 1 for anything that is not a positive number."""
    try:
        number = float(value) if isinstance(value, (int, float, str)) else 1.0
    except ValueError:
        return 1.0
    return min(number, MAX_STRENGTH) if math.isfinite(number) and number > 0 else 1.0


def _evidence(item: Mapping[str, Any], text: str, subject: str, obj: str) -> tuple[int, int]:
    """Return the evidence's span: the given one, else the quote's, else around both names, else the whole chunk."""
    start, end = item.get("start"), item.get("end")
    if isinstance(start, int) and isinstance(end, int) and 0 <= start < end <= len(text):
        return start, end
    quote = item.get("evidence")
    if isinstance(quote, str) and quote.strip() and (at := text.find(quote.strip())) >= 0:
        return at, at + len(quote.strip())
    places = [(at, at + len(name)) for name in (subject, obj) if (at := text.find(name)) >= 0]
    if len(places) == 2:
        return min(p[0] for p in places), max(p[1] for p in places)
    return 0, len(text)


def _mentions(item: Mapping[str, Any], text: str) -> list[RawMention]:
    """Return the places of one entity: the given spans that hold it, else every whole-word occurrence of its name."""
    name, kind = _clean(item["name"]), _clean(item.get("type")).upper()
    spans = item.get("spans")
    if isinstance(spans, list):
        places = [(s[0], s[1]) for s in spans if _is_span(s, text)]
    else:
        # Hangul particles follow a name without a blank, so a Korean name need not end at a word boundary.
        tail = "" if regex.search(r"\p{Hangul}$", name) else r"(?![\p{L}\p{N}])"
        places = [m.span() for m in regex.finditer(rf"(?<![\p{{L}}\p{{N}}]){regex.escape(name)}{tail}", text)]
    return [RawMention(text[start:end], kind, start, end) for start, end in places]


def _is_span(value: object, text: str) -> bool:
    return (
        isinstance(value, list)
        and len(value) == 2
        and all(isinstance(place, int) and not isinstance(place, bool) for place in value)
        and 0 <= value[0] < value[1] <= len(text)
    )
