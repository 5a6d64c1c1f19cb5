"""HTTP/1.1 over asyncio streams: just enough to serve API clients, and to misbehave on purpose below HTTP."""

import asyncio
import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Any
from urllib.parse import parse_qsl


@dataclass(frozen=True)
class Request:
    """One request; header names in lower case, no query in the path; of a query's repeated names the last counts."""

    method: str
    path: str
    headers: dict[str, str]
    body: bytes
    query: dict[str, str] = field(default_factory=dict)


@dataclass
class Reply:
    """One answer. `events`: sent as server-sent events instead of the body, each on its own.

    `cut`: the connection is closed half way; `closed`: before the first byte.
    """

    status: int = 200
    body: bytes = b""
    headers: dict[str, str] = field(default_factory=dict)
    kind: str = "application/json"
    events: list[str] | None = None
    cut: bool = False
    closed: bool = False


def json_reply(value: Any, status: int = 200, **headers: str) -> Reply:
    """Return a JSON answer; lone surrogates are escaped, as JSON demands."""
    return Reply(status, json.dumps(value).encode(), headers)


def error_reply(status: int, message: str, code: str | None = None, **headers: str) -> Reply:
    """Return an error in the form of the OpenAI API."""
    kind = "server_error" if status >= 500 else "invalid_request_error"
    return json_reply({"error": {"message": message, "type": kind, "param": None, "code": code}}, status, **headers)


async def read_request(reader: asyncio.StreamReader) -> Request | None:
    """Return the next request of a connection, None at its end and for what is not HTTP."""
    try:
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
        first, *lines = head.rstrip().split("\r\n")
        method, target, _ = first.split(" ", 2)
        headers = {name.strip().lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
        if headers.get("transfer-encoding", "").lower() == "chunked":
            body = await _read_chunks(reader)
        else:
            body = await reader.readexactly(int(headers.get("content-length", 0)))
    except (asyncio.IncompleteReadError, asyncio.LimitOverrunError, ConnectionError, ValueError):
        return None
    path, _, query = target.partition("?")
    return Request(method, path, headers, body, dict(parse_qsl(query)))


async def _read_chunks(reader: asyncio.StreamReader) -> bytes:
    parts = []
    while size := int((await reader.readline()).split(b";")[0], 16):
        parts.append(await reader.readexactly(size))
        await reader.readline()
    while (await reader.readline()).strip():
        pass
    return b"".join(parts)


async def send(writer: asyncio.StreamWriter, reply: Reply) -> bool:
    """Send an answer; return whether the connection can be used again."""
    if reply.closed:
        return False
    streamed = reply.events is not None
    length = {"Transfer-Encoding": "chunked"} if streamed else {"Content-Length": str(len(reply.body))}
    kind = "text/event-stream; charset=utf-8" if streamed else reply.kind
    headers = {"Content-Type": kind, **length, **reply.headers}
    lines = [f"HTTP/1.1 {reply.status} {HTTPStatus(reply.status).phrase}"]
    lines += [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
    writer.write(("\r\n".join(lines) + "\r\n\r\n").encode("latin-1"))
    if reply.events is not None:
        await _send_events(writer, reply.events[: len(reply.events) // 2] if reply.cut else reply.events)
        if not reply.cut:
            writer.write(b"0\r\n\r\n")
    else:
        writer.write(reply.body[: len(reply.body) // 2] if reply.cut else reply.body)
    await writer.drain()
    return not reply.cut


async def _send_events(writer: asyncio.StreamWriter, events: Iterable[str]) -> None:
    for event in events:
        data = f"data: {event}\n\n".encode()
        writer.write(f"{len(data):x}\r\n".encode() + data + b"\r\n")
        await writer.drain()
