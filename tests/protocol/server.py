"""The server: routes, faults of the wire, latency, counting. One asyncio loop, so that waiting calls cost nothing."""

import asyncio
import json
import math
import time
from contextlib import suppress
from email.utils import formatdate
from typing import Any

from protocol import chat, embeddings
from protocol.batches import Batches
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
        self.batches = Batches(self._batched)

    async def start(self, port: int = 0) -> asyncio.Server:
        """Listen on the loopback address; port 0 takes a free one."""
        return await asyncio.start_server(self._connection, "127.0.0.1", port, backlog=1024)

    async def _connection(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(ConnectionError, asyncio.CancelledError):
            while (request := await read_request(reader)) is not None:
                reply = await self._answer(request, reader)
                if request.path.startswith("/v1/"):
                    self.stats.statuses[0 if reply.closed else reply.status] += 1
                if not await send(writer, reply):
                    break
        writer.close()

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
            elif route == ("POST", "/v1/embeddings"):
                wanted = embeddings.read_call(json.loads(request.body), self.options)
            else:
                self.stats.numbers["other_calls"] += 1
                return self._other(request)
        except _BODY_ERRORS as error:
            return error_reply(400, f"bad request: {type(error).__name__}: {error}")
        return await (self._chat(call, reader) if route[1].endswith("completions") else self._embeddings(wanted))

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
        number = self.stats.numbers["other_calls"] - 1
        fault = self.options.file_faults[number] if number < len(self.options.file_faults) else "ok"
        if fault.startswith("429") or fault in {"500", "503"}:
            return self._wire_fault(fault, Reply())
        reply = self.batches.reply(request, self.options)
        if reply and fault != "ok":
            return self._wire_fault(fault, reply)
        return reply or error_reply(404, f"Unknown request URL: {request.method} {request.path}", "unknown_url")

    async def _chat(self, call: chat.Call, reader: asyncio.StreamReader) -> Reply:
        stats = self.stats
        stats.numbers["chat_calls"] += 1
        refusal = chat.objection(self.options, call)
        if refusal is not None:
            return refusal
        if 0 < self.options.max_in_flight <= stats.in_flight:
            stats.faults["max_in_flight"] += 1
            return self._wire_fault("429", Reply())
        attempt, fault = self._begin(call)
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

    def _batched(self, body: dict[str, Any]) -> tuple[int, Any]:
        """Return status and body of a request that came in a batch; there, faults of the wire are a status 500."""
        self.stats.numbers["batch_requests"] += 1
        call = chat.read_call(body, self.options.exact_tokens)
        refusal = chat.objection(self.options, call)
        _, fault = self._begin(call)
        if fault in WIRE:
            refusal = error_reply(500, "The server had an error while processing your request")
        if refusal is not None:
            return refusal.status, json.loads(refusal.body)
        if not fault or fault in SOFT:
            self.stats.answered[call.key] += 1
        return 200, self._completion(call, fault)

    def _begin(self, call: chat.Call) -> tuple[int, str]:
        """Count a call; return which of its prompt it is, and the fault that strikes it."""
        stats = self.stats
        stats.attempts[call.key] += 1
        stats.numbers["repeated_prompts"] += call.key in stats.answered
        number = stats.numbers["chat_calls"] + stats.numbers["batch_requests"]
        fault = strikes(self.options, call.prompt, call.key, stats.attempts[call.key], number)
        stats.faults.update([fault] if fault else [])
        return stats.attempts[call.key], fault

    def _completion(self, call: chat.Call, fault: str) -> dict[str, Any]:
        content, matched = chat.content_of(self.options, self.library, call)
        body = chat.completion(call, content, "" if fault in WIRE else fault)
        self.stats.numbers["matched" if matched else "unmatched"] += 1
        if fault not in WIRE:
            self.stats.numbers["tokens_in"] += body["usage"]["prompt_tokens"]
            self.stats.numbers["tokens_out"] += body["usage"]["completion_tokens"]
        return body

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
        reply = chat.reply_of(call, self._completion(call, fault), fault)
        await asyncio.sleep(max(0.0, seconds - (time.monotonic() - begun)))
        return self._wire_fault(fault, reply) if fault in WIRE else reply

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

    async def _embeddings(self, wanted: embeddings.Call) -> Reply:
        texts = wanted.texts
        stats, key = self.stats, "embed:" + key_of(json.dumps(texts))
        stats.numbers["embedding_calls"] += 1
        stats.attempts[key] += 1
        fault = draw(self.options, self.options.embedding_faults, key, stats.attempts[key])
        stats.faults.update([fault] if fault else [])
        seconds = self.options.embedding_latency.seconds(self.options.seed, key, stats.attempts[key])
        await asyncio.sleep(self.options.hang if fault == "hang" else seconds)
        found = embeddings.data(wanted, fault)
        count = sum(chat.tokens(text, self.options.exact_tokens) for text in texts)
        usage = {"prompt_tokens": count, "total_tokens": count}
        reply = json_reply({"object": "list", "model": wanted.model, "data": found, "usage": usage})
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
