"""Lines of the batch API: what goes into a file of requests, what a line of its results means. All pure.

Belongs here: keys, request lines, cutting them into files, reading result lines. Does not: the API itself
(`batch_api`), what is asked when (`batch_desk`).
"""

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from typing import Any, Literal

import httpx2
import openai

from pathgraph.cost.meter import Use
from pathgraph.errors import ModelError
from pathgraph.ids import content_hash
from pathgraph.providers.openai.chat import Answer, Question, read_answer
from pathgraph.providers.openai.client import Body
from pathgraph.providers.openai.errors import Asked, BadReply, TooLong, Unsupported, judge
from pathgraph.settings import Endpoint

PATH = "/v1/chat/completions"
MAX_BYTES = 50 << 20  # of one file; the API takes 200 MB, but a file is held in memory while it is sent
_NO_ANSWER = "the batch ended without an answer"
Kind = Literal["passing", "final", "too_long"]


@dataclass(frozen=True)
class Request:
    """One request: its key, what it will probably use, its line."""

    key: str
    use: Use
    line: bytes


@dataclass(frozen=True)
class Fault:
    """Why a request has no answer.

    Attributes:
        what: in words.
        raw: what came instead.
        kind: `passing`: worth another batch; `final`: not; `too_long`: to be made differently.
        tries: how many batches it was in.
    """

    what: str
    raw: str = ""
    kind: Kind = "passing"
    tries: int = 1


def request_key(question: Question, endpoint: Endpoint, number: int) -> str:
    """Return a hash of all that can change the answer; not of the form that an endpoint takes requests in.

    Args:
        question: what is asked.
        endpoint: model, temperature and limit.
        number: how often it was asked before.
    """
    schema = json.dumps(question.schema, sort_keys=True)
    sampling = f"{endpoint.temperature:g} {endpoint.max_output_tokens}"
    said = json.dumps(question.messages)
    return content_hash("chat", str(endpoint.model), said, question.name, schema, sampling, number)


def request_line(key: str, body: Body) -> bytes:
    """Return a request's line."""
    record = {"custom_id": key, "method": "POST", "url": PATH, "body": body}
    return json.dumps(record, ensure_ascii=True).encode() + b"\n"


def files_of(requests: Iterable[Request], max_requests: int, max_bytes: int = MAX_BYTES) -> Iterator[list[Request]]:
    """Cut requests into files: in order, none empty, none beyond a limit unless one line is alone beyond it."""
    file: list[Request] = []
    size = 0
    for request in requests:
        if file and (len(file) == max_requests or size + len(request.line) > max_bytes):
            yield file
            file, size = [], 0
        file.append(request)
        size += len(request.line)
    if file:
        yield file


def results_of(file: bytes, least: int = 0) -> dict[str, Mapping[str, Any]]:
    """Return the record of every line that can be read, by key.

    Raises:
        BadReply: the last line cannot be read, or there are fewer than `least`: this is not the file, or not all of
            it. What is missing in it would be paid for once more.
    """
    found: dict[str, Mapping[str, Any]] = {}
    record: object = None
    for line in file.split(b"\n"):
        if line.strip():
            record = _record(line)
            found |= {record["custom_id"]: record} if record else {}
    if not record or len(found) < least:
        raise BadReply(
            f"the file of results is damaged: {len(found)} results of {least}", file[:1000].decode("utf-8", "replace")
        )
    return found


def _record(line: bytes) -> Mapping[str, Any] | None:
    try:
        record = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return record if isinstance(record, dict) and isinstance(record.get("custom_id"), str) else None


def read_result(record: Mapping[str, Any], asked: Asked) -> Answer | Fault:
    """Return what a result line says.

    Raises:
        ModelRejected: the endpoint refuses this request in a way that will hold for all others too.
    """
    response = record.get("response")
    if not isinstance(response, dict):
        return Fault(_said(record.get("error")), json.dumps(record))
    status, body = response.get("status_code"), response.get("body")
    if status != 200 or not isinstance(body, dict):
        return _judged(status if isinstance(status, int) else 500, body, asked)
    try:
        return read_answer(body, lambda: 0)
    except BadReply as error:
        return Fault(str(error), error.raw)


def _judged(status: int, body: object, asked: Asked) -> Fault:
    """Return the fault that a direct call with this status would have met."""
    raw = json.dumps(body)
    if status == 200:
        return Fault("the answer is no JSON object", raw)
    response = httpx2.Response(status, content=raw.encode(), request=httpx2.Request("POST", asked.url))
    try:
        passing = judge(openai.APIStatusError(f"HTTP {status}", response=response, body=body), asked)
    except TooLong as error:
        return Fault(error.message, raw, "too_long")
    except Unsupported as error:
        return Fault(f"the endpoint does not take the request: {str(error)[:300]}", raw, "final")
    except ModelError as error:
        if type(error) is not ModelError:
            raise
        return Fault(error.message, raw, "final")
    return Fault(passing.what, raw)


def _said(error: object) -> str:
    said = error.get("message") or error.get("code") if isinstance(error, dict) else None
    return str(said or _NO_ANSWER)[:300]


def pack(known: Answer | Fault) -> bytes:
    """Return what is known of a request as bytes for the cache."""
    return json.dumps({type(known).__name__: asdict(known)}).encode()


def unpack(stored: bytes) -> Answer | Fault:
    """Return what `pack` packed."""
    record = json.loads(stored)
    return Answer(**record["Answer"]) if "Answer" in record else Fault(**record["Fault"])


def error_of(fault: Fault, model: str) -> ModelError:
    """Return the error that ends a request."""
    if fault.kind == "too_long":
        return TooLong(fault.what, raw=fault.raw)
    return ModelError(
        f"{model} gave no answer in {fault.tries} batches; the last: {fault.what}", raw=fault.raw, attempts=fault.tries
    )
