"""One chat call: check the request, find the content, wrap it up as the API does, spoiled where a fault strikes."""

import json
import re
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from protocol import render
from protocol.faults import spoil
from protocol.matching import Library
from protocol.options import Options
from protocol.stats import key_of
from protocol.wire import Reply, error_reply, json_reply

_PIECE = 48  # code points of a streamed delta


def tokens(text: str, exact: bool = False) -> int:
    """Return the length of a text in tokens: of o200k, or a quarter of the ASCII characters and 0.6 of the others."""
    if exact:
        return len(_encoder()(text.encode("utf-8", "replace").decode()))
    other = len(text) - len(text.encode("ascii", "ignore"))
    return round((len(text) - other) / 4 + other * 0.6 + 0.499)


@cache
def _encoder() -> Callable[[str], list[int]]:
    with warnings.catch_warnings(action="ignore", category=DeprecationWarning):  # of importlib, inside the library
        import bpe_openai

        encode: Callable[[str], list[int]] = bpe_openai.get_encoding("o200k_base").encode_ordinary
    return encode


@dataclass(frozen=True)
class Call:
    """A chat request, read.

    Attributes:
        prompt: all messages but the assistant's; `key`: hash of all messages.
        turn: 0, or the number of answers the conversation already holds.
        exact: tokens are counted, not estimated.
    """

    body: Mapping[str, Any]
    prompt: str
    key: str
    turn: int
    exact: bool

    def count(self, text: str) -> int:
        """Return the tokens of a text."""
        return tokens(text, self.exact)

    @property
    def schema(self) -> Mapping[str, Any] | None:
        """The JSON schema wanted, if any."""
        wanted = self.body.get("response_format") or {}
        return wanted["json_schema"].get("schema") if wanted.get("type") == "json_schema" else None

    @property
    def limit(self) -> int | None:
        """Tokens the answer may have at most."""
        return self.body.get("max_completion_tokens") or self.body.get("max_tokens")


def _text(message: Mapping[str, Any]) -> str:
    content = message.get("content") or ""
    return content if isinstance(content, str) else "\n".join(part.get("text", "") for part in content)


def read_call(body: Mapping[str, Any], exact: bool) -> Call:
    """Return a request body's call; raises KeyError, TypeError or AttributeError when it is not a chat request."""
    messages = [(message["role"], _text(message)) for message in body["messages"]]
    prompt = "\n".join(text for role, text in messages if role != "assistant")
    key = key_of(json.dumps(messages))
    return Call(body, prompt, key, sum(role == "assistant" for role, _ in messages), exact)


def objection(options: Options, call: Call) -> Reply | None:
    """Return the 4xx (or configured 5xx) that a server answers this request with, None when it takes it."""
    wanted = (call.body.get("response_format") or {}).get("type", "text")
    if wanted not in options.formats:
        return error_reply(options.format_status, f"response_format type '{wanted}' is not supported")
    if wanted == "json_object" and not re.search("json", call.prompt, re.IGNORECASE):
        return error_reply(
            400, "'messages' must contain the word 'json' to use 'response_format' of type 'json_object'"
        )
    for name in options.unsupported:
        if name in call.body:
            return error_reply(400, f"Unsupported parameter: '{name}' is not supported.", "unsupported_parameter")
    if options.strict_model and call.body.get("model") not in options.models:
        return error_reply(404, f"The model '{call.body.get('model')}' does not exist", "model_not_found")
    length = call.count(call.prompt) + (call.limit or 0)
    if options.context and length > options.context:
        text = f"This model's maximum context length is {options.context} tokens, but {length} were requested."
        return error_reply(400, text, "context_length_exceeded")
    return None


def content_of(options: Options, library: Library, call: Call) -> tuple[str, bool]:
    """Return the good content of an answer, and whether anything given or recorded told it."""
    for part, reply in options.replies.items():
        if part in call.prompt:
            return reply, True
    wanted = (call.body.get("response_format") or {}).get("type", "text")
    if wanted == "text" and options.default:
        return options.default, False
    if not render.wants_facts(call.prompt, call.schema):
        return render.invented(call.prompt, call.schema), False
    matches = library.find(call.prompt)
    return render.extraction(options, matches, call.turn, call.schema), bool(matches)


def completion(call: Call, content: str, fault: str) -> dict[str, Any]:
    """Return the body of a chat.completion."""
    choice = spoil(fault, content)
    text = choice["message"]["content"] or ""
    if call.limit and choice["finish_reason"] == "stop" and call.count(text) > call.limit:
        choice["message"]["content"] = text = text[: max(1, len(text) * call.limit // call.count(text))]
        choice["finish_reason"] = "length"
    reasoning = call.count(choice["message"].get("reasoning_content", ""))
    spent = call.count(text) + reasoning
    usage: dict[str, Any] = {"prompt_tokens": call.count(call.prompt), "completion_tokens": spent}
    usage["total_tokens"] = usage["prompt_tokens"] + spent
    if reasoning:
        usage["completion_tokens_details"] = {"reasoning_tokens": reasoning}
    return {
        "id": f"chatcmpl-{call.key}",
        "object": "chat.completion",
        "created": 0,
        "model": call.body.get("model", ""),
        "choices": [] if fault == "no_choices" else [choice],
        "usage": usage,
    }


def events(call: Call, body: Mapping[str, Any], fault: str) -> list[str]:
    """Return a completion as the data of server-sent events."""
    head = {**{name: body[name] for name in ("id", "created", "model")}, "object": "chat.completion.chunk"}

    def event(choices: list[dict[str, Any]], **more: Any) -> str:
        return json.dumps({**head, "choices": choices, **more})

    found = []
    for choice in body["choices"]:
        message = choice["message"]
        found.append(event([{"index": 0, "delta": {"role": "assistant", "content": ""}, "finish_reason": None}]))
        for name in ("reasoning_content", "content", "refusal"):
            text = message.get(name) or ""
            pieces = [text[at : at + _PIECE] for at in range(0, len(text), _PIECE)]
            found += [event([{"index": 0, "delta": {name: piece}, "finish_reason": None}]) for piece in pieces]
        if fault == "early_end":
            return found
        found.append(event([{"index": 0, "delta": {}, "finish_reason": choice["finish_reason"]}]))
    if (call.body.get("stream_options") or {}).get("include_usage"):
        found.append(event([], usage=body["usage"]))
    return [*found, "[DONE]"]


def reply_of(call: Call, body: Mapping[str, Any], fault: str) -> Reply:
    """Return the HTTP answer of a completion, streamed when the request says so."""
    reply = json_reply(body)
    if call.body.get("stream"):
        reply.events = events(call, body, fault)
    return reply
