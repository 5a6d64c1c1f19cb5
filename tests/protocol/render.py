"""The content of an answer: recorded facts in the wanted form, or an invented value where nothing is recorded."""

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from protocol.matching import Match, fold, fold_name
from protocol.options import Options
from protocol.recordings import Fact, Named, Turn, tuples_of

_SENTENCE = re.compile(r"(?<=[.!?。])\s+")
_NUMBER = re.compile(r"\[(\d+)\]")
_NUMBERED = re.compile(r"^\[\d+\].*", re.MULTILINE)


def wants_facts(prompt: str, schema: Mapping[str, Any] | None) -> bool:
    """Return whether a prompt asks for an extraction: by its schema, else by the form shown in the prompt."""
    if schema:
        return bool({"triples", "relationships", "relations", "entities"} & set(schema.get("properties", {})))
    return '"findings"' not in prompt


def extraction(options: Options, matches: Sequence[Match], turn: int, schema: Mapping[str, Any] | None) -> str:
    """Return the recorded facts of a prompt in the server's output form."""
    turns = [(match, match.recording.turns[turn]) for match in matches if turn < len(match.recording.turns)]
    if options.output == "raw" and any(one.raw for _, one in turns):
        return "\n".join(_raw(match, one) for match, one in turns)
    facts = [(match, fact) for match, one in turns for fact in one.facts if match.keeps(fact)]
    if options.output == "openie":
        return json.dumps({"triples": [list(fact.fields) for _, fact in facts]}, ensure_ascii=False)
    if options.output == "tuples":
        return _tuples(turns, facts)
    value = {"entities": _entities(turns), "triples": [_triple(match, fact) for match, fact in facts]}
    return json.dumps(conform(value, schema, "") if schema else value, ensure_ascii=False)


def _raw(match: Match, turn: Turn) -> str:
    if match.whole or "<|>" not in turn.raw:
        return turn.raw
    kept = []
    for part in turn.raw.split("##"):
        fields = next(iter(tuples_of(part)), [""])
        names = fields[1:2] if fields[0] == "entity" else fields[1:3]
        if all(match.has(name) for name in names):
            kept.append(part)
    return "##".join(kept)


def _kept(match: Match, turn: Turn) -> list[Named]:
    return [one for one in turn.entities if match.whole or match.has(one.name)]


def _entities(turns: Sequence[tuple[Match, Turn]]) -> list[dict[str, str]]:
    found = {one.name: one for match, turn in turns for one in _kept(match, turn)}
    return [{"name": one.name, "type": one.type, "description": one.description} for one in found.values()]


def _triple(match: Match, fact: Fact) -> Any:
    if len(fact.fields) < 3:
        return list(fact.fields)
    subject, relation, target, *more = fact.fields
    value: dict[str, Any] = {"subject": subject, "relation": relation, "object": target}
    if more:
        return {**value, "extra": more}
    evidence = _evidence(match, subject, target)
    return {**value, "description": fact.description, "evidence": evidence, "strength": fact.strength}


def _evidence(match: Match, *names: str) -> str:
    """Return the first sentence with both names that is at hand, else with the first name, else ""."""
    sentences = [one for one in _SENTENCE.split(match.recording.text) if fold(one).casefold() in match.part]
    for wanted in (names, names[:1]):
        for one in sentences:
            if all(fold_name(name) in fold(one).casefold() for name in wanted):
                return one.strip()
    return ""


def _tuples(turns: Sequence[tuple[Match, Turn]], facts: Sequence[tuple[Match, Fact]]) -> str:
    records = [
        f'("entity"<|>"{one.name}"<|>"{one.type}"<|>"{one.description}")'
        for match, turn in turns
        for one in _kept(match, turn)
    ]
    for _, fact in facts:
        text = fact.description or " ".join(fact.fields)
        records.append(f'("relationship"<|>"{fact.fields[0]}"<|>"{fact.fields[-1]}"<|>"{text}"<|>{fact.strength})')
    return "##\n".join(records) + "<|COMPLETE|>"


def invented(prompt: str, schema: Mapping[str, Any] | None) -> str:
    """Return an answer that fits a schema (a report's by default): its texts and numbers are taken from the prompt."""
    report = {
        "type": "object",
        "properties": {
            "title": {"type": "string"},
            "summary": {"type": "string"},
            "findings": {
                "type": "array",
                "items": {
                    "type": "object",
                    "properties": {
                        "text": {"type": "string"},
                        "triple_ids": {"type": "array", "items": {"type": "integer"}},
                    },
                },
            },
        },
    }
    return json.dumps(conform(None, schema or report, prompt), ensure_ascii=False)


def conform(value: Any, schema: Mapping[str, Any], prompt: str, root: Mapping[str, Any] | None = None) -> Any:
    """Return a value that obeys a JSON schema, as servers with constrained decoding do: what is missing is filled in,
    what is unknown left out. Covers types, enums, $ref, anyOf; no patterns or bounds.
    """
    root = root or schema
    if "$ref" in schema:
        return conform(value, root["$defs"][schema["$ref"].rsplit("/", 1)[-1]], prompt, root)
    if "anyOf" in schema:
        return conform(value, schema["anyOf"][0], prompt, root)
    if "enum" in schema:
        return value if value in schema["enum"] else schema["enum"][0]
    kind = schema.get("type", "string")
    kind = kind[0] if isinstance(kind, list) else kind
    if kind == "object":
        return _object(value, schema, prompt, root)
    if kind == "array":
        items = value if isinstance(value, list) else [None] * bool(prompt)
        return [conform(one, schema.get("items", {}), prompt, root) for one in items]
    return _scalar(value, kind, prompt)


def _object(value: Any, schema: Mapping[str, Any], prompt: str, root: Mapping[str, Any]) -> dict[str, Any]:
    fields = schema.get("properties", {})
    if isinstance(value, list):  # a triple with too few fields: by position
        value = dict(zip(fields, value, strict=False))
    given = value if isinstance(value, dict) else {}
    return {name: conform(given.get(name), one, prompt, root) for name, one in fields.items()}


def _scalar(value: Any, kind: str, prompt: str) -> Any:
    if kind in {"integer", "number"}:
        found = _NUMBER.search(prompt)
        return value if isinstance(value, (int, float)) else int(found[1]) if found else 1
    if kind == "boolean":
        return bool(value)
    if isinstance(value, str):
        return value
    found = _NUMBERED.search(prompt)
    return found[0][:200] if found else "text"
