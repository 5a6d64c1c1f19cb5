"""What can go wrong with a call, by name, and which call it strikes.

Whether a fault strikes is a pure function of (seed, prompt, attempt), so that a run can be repeated exactly.
"""

import json
import re
from collections.abc import Mapping
from typing import Any

from protocol.options import Options, share

# The connection or the HTTP answer is bad.
WIRE = {
    "429": "status 429, Retry-After in seconds",
    "429_date": "status 429, Retry-After as an HTTP date",
    "429_bare": "status 429 without Retry-After",
    "500": "status 500",
    "503": "status 503",
    "hang": "no answer for `hang` seconds, then the connection is closed",
    "closed": "connection closed before any answer",
    "cut_body": "connection closed in the middle of the body or stream",
    "html": "status 200 with a page of HTML",
    "empty_object": "status 200 with {}",
    "malformed_body": "status 200 with JSON that ends too early",
}
# The answer arrives and holds nothing usable.
LOST = {
    "truncated": "half of the content, finish_reason length",
    "refusal": "content null, refusal text",
    "content_filter": "content empty, finish_reason content_filter",
    "empty": "content is the empty string",
    "blank": "content is white space",
    "reasoning_only": "content empty, everything spent on reasoning_content, finish_reason length",
    "no_choices": "choices is the empty list",
    "prose": "content is a sentence instead of the wanted form",
    "early_end": "a stream ends in order, but half way and without finish_reason; unstreamed: as truncated",
}
# The content is good but for its form.
SOFT = {
    "nul": "a NUL inside a name",
    "nul_escaped": r"a \u0000 inside a name",
    "surrogate": "a lone surrogate inside a name",
    "surrogate_escaped": r"a \ud83d inside a name",
    "control": "control characters inside a name",
    "fenced": "in a Markdown code fence, with a sentence before it",
    "commented": "JSON with comments and a trailing comma",
    "single_quotes": "JSON with single quotes",
    "double_encoded": "the JSON text once more as a JSON string",
    "thought": "<think>...</think> before the content",
}
CHAT = {**WIRE, **LOST, **SOFT}
EMBEDDING = {
    **WIRE,
    "fewer_vectors": "the last vector is missing",
    "reversed": "vectors in reverse order, with the right index",
    "short_vectors": "vectors of half the dimensions",
    "nan_vectors": "vectors of NaN",
}
REFUSAL = "I'm sorry, but I can't help with that."
PROSE = "I have read the document carefully and found it most interesting."
# Inside a word of a quoted value (a quote before `:` would end a key).
_INSIDE = re.compile(r'(?<=[^\W_]{2})(?=[^\W_]{2}[^"\n]*"\s*[,}\]<)])')
_MARKS = {"nul": "\x00", "nul_escaped": r"\u0000", "surrogate": "\ud83d", "surrogate_escaped": r"\ud83d"}


def check(options: Options) -> None:
    """Raise ValueError for unknown faults and for probabilities that exceed 1."""
    for given, known in ((options.faults, CHAT), (options.embedding_faults, EMBEDDING)):
        unknown = set(given) - set(known)
        if unknown or sum(given.values()) > 1 + 1e-9:
            raise ValueError(f"faults: unknown {sorted(unknown)} or more than 1 in sum")
    named = {*options.per_prompt, *options.per_call, *options.poison.values()} - {*CHAT, "ok"}
    if named:
        raise ValueError(f"faults: unknown {sorted(named)}")


def spread(total: float, names: Mapping[str, str] = CHAT) -> dict[str, float]:
    """Return faults that share a probability equally."""
    return {name: total / len(names) for name in names}


def strikes(options: Options, prompt: str, key: str, attempt: int, call: int) -> str:
    """Return the fault of a chat call or "": poison, else the schedules, else the draw. Counts start with 1."""
    for part, fault in options.poison.items():
        if part in prompt:
            return fault.replace("ok", "")
    for number, schedule in ((call, options.per_call), (attempt, options.per_prompt)):
        if number <= len(schedule):
            return schedule[number - 1].replace("ok", "")
    return draw(options, options.faults, key, attempt)


def draw(options: Options, faults: Mapping[str, float], key: str, attempt: int) -> str:
    """Return a fault by its probability or ""."""
    if options.fault_attempts is not None and attempt > options.fault_attempts:
        return ""
    left = share("fault", options.seed, key, attempt)
    for name, probability in faults.items():
        left -= probability
        if left < 0:
            return name
    return ""


def spoil(fault: str, content: str) -> dict[str, Any]:
    """Return what a fault makes of a choice: `message` and `finish_reason`."""
    message: dict[str, Any] = {"role": "assistant", "content": content}
    finish = "stop"
    if fault in {"truncated", "early_end"}:
        message["content"], finish = content[: len(content) // 2], "length"
    elif fault == "refusal":
        message |= {"content": None, "refusal": REFUSAL}
    elif fault == "content_filter":
        message["content"], finish = "", "content_filter"
    elif fault == "reasoning_only":
        message |= {"content": "", "reasoning_content": "Let me think about this. " * 20}
        finish = "length"
    elif fault and fault != "no_choices":
        message["content"] = _reshape(fault, content)
    return {"index": 0, "message": message, "finish_reason": finish, "logprobs": None}


def _reshape(fault: str, content: str) -> str:
    shapes = {
        "empty": "",
        "blank": " \n",
        "prose": PROSE,
        "fenced": f"Here is the result:\n```json\n{content}\n```\n",
        "double_encoded": json.dumps(content, ensure_ascii=False),
        "thought": f'<think>\nThe document says {{"a": 1}}.\n</think>\n{content}',
    }
    if fault in shapes:
        return shapes[fault]
    if fault == "commented":
        return _commented(content)
    if fault == "single_quotes":
        return _single_quoted(content)
    return _inserted(content, "\x07\x1b" if fault == "control" else _MARKS[fault])


def _commented(content: str) -> str:
    text = re.sub(r"(?<=\{)", " // the facts of the document\n", content, count=1)
    return re.sub(r"\}\s*$", ", /* done */ }", text)


def _single_quoted(content: str) -> str:
    try:
        return repr(json.loads(content))
    except json.JSONDecodeError:
        return content.replace('"', "'")


def _inserted(content: str, mark: str) -> str:
    places = [found.start() for found in _INSIDE.finditer(content)]
    at = places[len(places) // 2] if places else len(content) // 2
    return content[:at] + mark + content[at:]
