"""Recorded and hand-made extractions of passages, read from the formats they come in.

A line's format is told by its fields:
  {text, triples, entities, response}     passages with open triples (any field count) and names
  {text, triples, entities: [{name, type}]}  annotated passages
  {chunk, turn, text?, response}          raw tuple completions; turn 1 and later (gleaning) have no text of their own
  {text, triples?, entities?, replies?}   ours: Options.records
"""

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

_FIELD = re.compile(r'^[\s("\']+|[\s)"\']+$')
_STRENGTH = re.compile(r"\d+")


@dataclass(frozen=True)
class Named:
    """An entity."""

    name: str
    type: str = ""
    description: str = ""


@dataclass(frozen=True)
class Fact:
    """A triple as recorded: usually subject, relation, object, but models also leave fields out or add some."""

    fields: tuple[str, ...]
    description: str = ""
    strength: int = 8


@dataclass(frozen=True)
class Turn:
    """One reply: what it says, and its raw text ("" when only the content is known)."""

    entities: tuple[Named, ...] = ()
    facts: tuple[Fact, ...] = ()
    raw: str = ""


@dataclass(frozen=True)
class Recording:
    """A passage and the replies to it: the first, then those of gleaning."""

    text: str
    turns: tuple[Turn, ...]


def read(path: str | Path) -> list[Recording]:
    """Return a file's recordings in order."""
    with Path(path).open(encoding="utf-8") as lines:
        return from_rows([json.loads(line) for line in lines if line.strip()])


def from_rows(rows: Iterable[Mapping[str, Any]]) -> list[Recording]:
    """Return the recordings of parsed lines; rows of one `chunk` are turns of one recording."""
    found: list[Recording] = []
    chunks: dict[object, list[Mapping[str, Any]]] = {}
    for row in rows:
        if "turn" in row:
            chunks.setdefault(row["chunk"], []).append(row)
        elif row.get("text"):
            found.append(Recording(row["text"], _turns(row)))
    for turns in chunks.values():
        turns.sort(key=lambda row: int(row["turn"]))
        text = next((row["text"] for row in turns if row.get("text")), "")
        if text:
            found.append(Recording(text, tuple(parse_tuples(row["response"]) for row in turns)))
    return found


def _turns(row: Mapping[str, Any]) -> tuple[Turn, ...]:
    if row.get("replies"):
        return tuple(parse_tuples(raw) if "<|>" in raw else Turn(raw=raw) for raw in row["replies"])
    facts = tuple(Fact(tuple(map(str, triple))) for triple in row.get("triples") or () if triple)
    return (Turn(tuple(map(_named, row.get("entities") or ())), facts, row.get("response") or ""),)


def _named(given: str | Mapping[str, Any]) -> Named:
    if isinstance(given, str):
        return Named(given)
    return Named(given["name"], str(given.get("type") or given.get("ne_type") or ""), given.get("description") or "")


def parse_tuples(raw: str) -> Turn:
    """Return what a completion of `("entity"<|>name<|>type<|>description)##` records says; odd records are left out."""
    entities, facts = [], []
    for record in tuples_of(raw):
        kind, *rest = record
        if kind == "entity" and len(rest) >= 3:
            entities.append(Named(*rest[:3]))
        elif kind == "relationship" and len(rest) >= 3:
            number = _STRENGTH.search(rest[3]) if len(rest) > 3 else None
            facts.append(Fact((rest[0], "related_to", rest[1]), rest[2], int(number[0]) if number else 8))
    return Turn(tuple(entities), tuple(facts), raw)


def tuples_of(raw: str) -> list[Sequence[str]]:
    """Return the fields of every delimited record of a raw completion."""
    parts = [part for part in raw.split("##") if "<|>" in part]
    return [[_FIELD.sub("", one) for one in part.replace("<|COMPLETE|>", "").split("<|>")] for part in parts]
