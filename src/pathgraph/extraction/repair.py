"""From the text of a reply to the records it holds, whatever form a model gave them: pure, and never guessing a fact.

Belongs here: finding and mending JSON. Does not: forms that are no JSON (`lines`), field names (`records`), cleaning
the fields of a record (`reply`).
"""

import json
from typing import Any

import json_repair
import regex

from pathgraph.extraction.lines import is_tuples, read_lines
from pathgraph.extraction.records import Records, from_json

MAX_LENGTH = 2_000_000  # characters; a longer reply is a loop, not an answer
_THOUGHT = regex.compile(r"^\s*<(think|thinking|thought|reasoning)>.*?</\1>", regex.DOTALL | regex.IGNORECASE)
_FENCE = regex.compile(r"^[^\S\n]*(?:```|~~~)[^\n]*\n(.*?)(?:^[^\S\n]*(?:```|~~~)|\Z)", regex.DOTALL | regex.MULTILINE)
_ONE_LINE_FENCE = regex.compile(r"```(?:json)?\s*([\[{].*?)```", regex.DOTALL)
_OPENING = regex.compile(r"[\[{]")
_OPENERS, _CLOSERS = {"{": "}", "[": "]"}, {"}", "]"}
_MAX_DEPTH = 100


def read_records(raw: str, text: str) -> Records | None:
    """Return what the reply to a chunk's text holds, None when it holds nothing in any known form.

    In order: JSON as it should be; JSON in a fence, inside prose or encoded twice; JSON that json-repair can mend, a
    cut reply without its last, incomplete record; tuples, tables, lists and calls in lines of text.
    """
    raw = _THOUGHT.sub("", raw[:MAX_LENGTH].lstrip("\ufeff")).strip()
    if not is_tuples(raw):
        for candidate in dict.fromkeys([raw, *_fenced(raw)]):
            found = _from_json(candidate)
            if found is not None:
                return found
    inside = "\n".join(_fenced(raw))
    return (inside and read_lines(inside, text)) or read_lines(raw, text)


def _fenced(raw: str) -> list[str]:
    return [block.strip() for block in _FENCE.findall(raw) or _ONE_LINE_FENCE.findall(raw)]


def _from_json(raw: str) -> Records | None:
    value = _loads(raw)
    if value in ({}, []):
        return Records("json")  # "no facts"; inside a longer text it would mean nothing
    if value is not None:
        return from_json(value, "json", whole=True)
    opening = _OPENING.search(raw)
    if opening is None:
        return None
    body = raw[opening.start() :]
    values = _values(body)
    if values is None:
        return _mended(body)
    return from_json(values[0] if len(values) == 1 else values, "json in prose", whole=True)


def _values(body: str) -> list[Any] | None:
    """Return the JSON values that stand in the text one after another; None when one of them is damaged."""
    decoder = json.JSONDecoder(strict=False)
    found: list[Any] = []
    at = 0
    while (opening := _OPENING.search(body, at)) is not None:
        try:
            value, at = decoder.raw_decode(body, opening.start())
        except (json.JSONDecodeError, RecursionError):
            return None
        found.append(value)
    return found


def _mended(body: str) -> Records | None:
    kept, cut = cut_back(body)
    if kept is None:
        return None
    value = _repaired(kept)
    found = from_json(value, "repaired json", whole=False)
    if found is not None and cut:
        found.problems.append("the reply was cut: only its complete records are kept")
    return found


def _repaired(body: str) -> Any:
    """Return what json-repair makes of the text, None when it gives up."""
    try:
        return json_repair.loads(body)
    except (ValueError, RecursionError, IndexError):
        return None


def _loads(raw: str) -> Any:
    """Return the JSON value, decoded again while it is a string that holds JSON; None when it is none."""
    value: Any = raw
    for _ in range(3):
        if not isinstance(value, str):
            return value
        try:
            value = json.loads(value, strict=False)
        except (json.JSONDecodeError, RecursionError):
            return None
    return None


def cut_back(body: str) -> tuple[str | None, bool]:
    """Return a cut reply closed after its last complete record, and whether it was cut.

    None when nothing complete is in it, or when it is nested too deep.
    """
    open_, in_text, escaped = [], False, False
    last: tuple[int, str] | None = None
    for at, char in enumerate(body):
        if in_text:
            in_text, escaped = char != '"' or escaped, char == "\\" and not escaped
        elif char == '"':
            in_text = True
        elif char in _OPENERS:
            open_.append(_OPENERS[char])
        elif char in _CLOSERS and open_:
            open_.pop()
            last = at + 1, "".join(reversed(open_))
        if len(open_) > _MAX_DEPTH:
            return None, False
    if not (open_ or in_text) or (in_text and body.rstrip().rstrip("`").rstrip()[-1:] in _CLOSERS):
        return body, False  # inside a text yet at a bracket: some quotation mark is missing, nothing at the end
    return (body[: last[0]] + last[1], True) if last else (None, True)


def json_object(raw: str) -> dict[str, Any] | None:
    """Return the JSON object of a reply that is no extraction (a report, say), mended where that can be done."""
    raw = _THOUGHT.sub("", raw[:MAX_LENGTH].lstrip("\ufeff")).strip()
    for candidate in dict.fromkeys([raw, *_fenced(raw)]):
        value = _loads(candidate)
        if value is None and (at := candidate.find("{")) >= 0:
            values = _values(candidate[at:])
            value = values[0] if values else _repaired(candidate[at:])
        if isinstance(value, dict) and value:
            return value
    return None
