"""The server: routes, faults of the wire, latency, counting. One asyncio loop, so that waiting calls cost nothing."""

import asyncio
import json
import math
import time
from contextlib import suppress
from email.utils import formatdate
from typing import Any

from protocol import chat, embeddings
from protocol.faults import SOFT, WIRE, draw, strikes
from protocol.matching import Library
from protocol.options import Options, of
from protocol.recordings import from_rows, read
from protocol.stats import Stats, key_of
from protocol.wire import Reply, Request, error_reply, json_reply, read_request, send

PAGE = b"<!DOCTYPE html><html><head><title>Welcome</title></head><body>Please sign in.</body></html>"
_BODY_ERRORS = (KeyError, TypeError, AttributeError, ValueError)


def library_of(options: Options) -> Library:
    """Return the recordings that options name."""
    found = from_rows(options.records)
    return Library([*found, *(one for path in options.recordings for one in read(path))])


class Server:
    """Serves until its task is cancelled."""

    def __init__(self, options: Options) -> None:
        self.options = options
        self.stats = Stats()
        self.library = library_of(options)

    async def start(self, port: int = 0) -> asyncio.Server:
        """Listen on the loopback address; port 0 takes a free one."""
        return await asyncio.start_server(self._connection, "127.0.0.1", port, backlog=1024)

    async def _connection(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(ConnectionError, ValueError, asyncio.CancelledError):
            while (request := await read_request(reader)) is not None:
                reply = await self._answer(request, reader)
                self.stats.statuses[0 if reply.closed else reply.status] += self._counts(request)
                if not await send(writer, reply):
                    break
        writer.close()

    @staticmethod
    def _counts(request: Request) -> int:
        return int(request.path.startswith("/v1/"))

    async def _answer(self, request: Request, reader: asyncio.StreamReader) -> Reply:
        route = (request.method, request.path)
        if route == ("GET", "/stats"):
            return json_reply({**self.stats.snapshot(), "recordings": len(self.library)})
        if route == ("POST", "/reset"):
            self.stats = Stats()
            return json_reply({})
        if route == ("POST", "/options"):
            return self._change(json.loads(request.body))
        key = self.options.api_key
        if key and request.headers.get("authorization") != f"Bearer {key}":
            return error_reply(401, "Incorrect API key provided", "invalid_api_key")
        try:
            if route == ("POST", "/v1/chat/completions"):
                call = chat.read_call(json.loads(request.body), self.options.exact_tokens)
                return await self._chat(call, reader)
            if route == ("POST", "/v1/embeddings"):
                return await self._embeddings(json.loads(request.body))
        except _BODY_ERRORS as error:
            return error_reply(400, f"bad request: {type(error).__name__}: {error}")
        self.stats.numbers["other_calls"] += 1
        return self._other(request)

    def _change(self, values: dict[str, Any]) -> Reply:
        self.options = self.options.changed(values)
        if {"recordings", "records"} & set(values):
            self.library = library_of(self.options)
        return json_reply({})

    def _other(self, request: Request) -> Reply:
        if request.method == "GET" and request.path == "/v1/models":
            models = [
                {"id": name, "object": "model", "created": 0, "owned_by": "tests"} for name in self.options.models
            ]
            return json_reply({"object": "list", "data": models})
        return error_reply(404, f"Unknown request URL: {request.method} {request.path}", "unknown_url")

    async def _chat(self, call: chat.Call, reader: asyncio.StreamReader) -> Reply:
        stats = self.stats
        stats.numbers["chat_calls"] += 1
        refusal = chat.objection(self.options, call)
        if refusal is not None:
            return refusal
        stats.attempts[call.key] += 1
        stats.numbers["repeated_prompts"] += call.key in stats.answered
        attempt = stats.attempts[call.key]
        fault = strikes(self.options, call.prompt, call.key, attempt, stats.numbers["chat_calls"])
        if 0 < self.options.max_in_flight <= stats.in_flight:
            stats.faults["max_in_flight"] += 1
            return self._wire_fault("429", Reply())
        stats.faults.update([fault] if fault else [])
        stats.enter()
        try:
            reply = await self._held(call, fault, attempt)
        finally:
            stats.in_flight -= 1
        if reader.at_eof():
            stats.numbers["abandoned"] += 1
        elif not fault or fault in SOFT:
            stats.answered[call.key] += 1
        return reply

    async def _held(self, call: chat.Call, fault: str, attempt: int) -> Reply:
        """Return the answer after its latency; what is refused at the door does not take time."""
        if fault.startswith("429") or fault in {"503", "closed"}:
            return self._wire_fault(fault, Reply())
        if fault == "hang":
            await asyncio.sleep(self.options.hang)
            return Reply(closed=True)
        seconds = self.options.latency.seconds(self.options.seed, call.key, attempt)
        self.stats.latency += seconds
        begun = time.monotonic()
        content, matched = chat.content_of(self.options, self.library, call)
        body = chat.completion(call, content, "" if fault in WIRE else fault)
        reply = chat.reply_of(call, body, fault)
        await asyncio.sleep(max(0.0, seconds - (time.monotonic() - begun)))
        if fault in WIRE:
            return self._wire_fault(fault, reply)
        self.stats.numbers["matched" if matched else "unmatched"] += 1
        self.stats.numbers["tokens_in"] += body["usage"]["prompt_tokens"]
        self.stats.numbers["tokens_out"] += body["usage"]["completion_tokens"]
        return reply

    def _wire_fault(self, fault: str, reply: Reply) -> Reply:
        """Return what a fault of the wire makes of a good answer."""
        wait = self.options.retry_after
        until = {
            "429": {"Retry-After": f"{wait:g}"},
            "429_date": {"Retry-After": formatdate(math.ceil(time.time() + wait), usegmt=True)},
        }
        if fault.startswith("429"):
            return error_reply(429, "Rate limit reached", "rate_limit_exceeded", **until.get(fault, {}))
        if fault in {"500", "503"}:
            return error_reply(int(fault), "The server had an error while processing your request")
        if fault == "html":
            return Reply(body=PAGE, kind="text/html; charset=utf-8")
        if fault == "empty_object":
            return json_reply({})
        if fault == "malformed_body":
            return Reply(body=reply.body[: len(reply.body) * 2 // 3])
        reply.closed, reply.cut = fault in {"closed", "hang"}, fault == "cut_body"
        return reply

    async def _embeddings(self, body: dict[str, Any]) -> Reply:
        texts = [body["input"]] if isinstance(body["input"], str) else list(body["input"])
        if not texts or not all(isinstance(text, str) and text for text in texts):
            return error_reply(400, "'input' must be a text or a list of texts, none of them empty")
        if len(texts) > self.options.embedding_inputs:
            return error_reply(400, f"'input' may hold {self.options.embedding_inputs} texts, not {len(texts)}")
        stats, key = self.stats, "embed:" + key_of(json.dumps(texts))
        stats.numbers["embedding_calls"] += 1
        stats.attempts[key] += 1
        fault = draw(self.options, self.options.embedding_faults, key, stats.attempts[key])
        stats.faults.update([fault] if fault else [])
        seconds = self.options.embedding_latency.seconds(self.options.seed, key, stats.attempts[key])
        await asyncio.sleep(self.options.hang if fault == "hang" else seconds)
        size = body.get("dimensions") or self.options.dimensions
        found = embeddings.data(texts, size, body.get("encoding_format") == "base64", fault)
        count = sum(chat.tokens(text, self.options.exact_tokens) for text in texts)
        usage = {"prompt_tokens": count, "total_tokens": count}
        reply = json_reply({"object": "list", "model": body.get("model", ""), "data": found, "usage": usage})
        if fault in WIRE:
            return self._wire_fault(fault, reply)
        stats.numbers["embedding_tokens"] += count
        stats.numbers["embedded_texts"] += len(texts)
        stats.embedded.update(map(key_of, texts) if not fault else ())
        return reply


async def serve(options: dict[str, Any], port: int, ready: Any) -> None:
    """Serve until cancelled; `ready` is called with the address once the server listens."""
    listening = await Server(of(options)).start(port)
    ready(f"http://127.0.0.1:{listening.sockets[0].getsockname()[1]}")
    async with listening:
        await asyncio.get_running_loop().create_future()
