"""One endpoint of this process: its connections, its limiter, its circuit breaker; the one place that tries again.

Belongs here: sending a request until it is answered or must be given up. Does not: what a request holds (`chat`,
`embedder`), the judgement on an error (`errors`).
"""

import asyncio
import json
import os
import random
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, TypeVar

import httpx2
import openai

from pathgraph.errors import ModelError, ModelRejected
from pathgraph.providers.openai.errors import Asked, BadReply, Caught, Passing, judge
from pathgraph.providers.openai.limiter import Limiter, Limits, Turn
from pathgraph.settings import Endpoint

T = TypeVar("T")
Body = dict[str, Any]
Read = Callable[[Mapping[str, Any]], T]

BREAKER_CALLS = 10  # calls given up one after another, without a success between them, that open the circuit
BREAKER_SECONDS = 30.0  # how long an open circuit refuses; then one call is let through to see
UNREACHABLE_TRIES = 3  # tries of an address at which nobody has ever answered
FIRST_DELAY, LONGEST_DELAY = 0.5, 30.0  # seconds between tries: doubling, with jitter
_CONNECT_SECONDS = 20.0
_GRACE_SECONDS = 0.5  # after a call's time is over, to read what has come by then
_HOSTED = Endpoint().base_url


class Client:
    """Calls to one endpoint. All methods run on the shared event loop."""

    def __init__(self, url: str, key: str, limits: Limits) -> None:
        self.url, self.key = url, key
        self.limiter = Limiter(limits)
        self.first_delay = FIRST_DELAY
        self.sdk = openai.AsyncOpenAI(base_url=url, api_key=key, max_retries=0)
        self._answered = False
        self._given_up = 0
        # By model ("" for all): until when nothing is sent, and why.
        self._refusals: dict[str, tuple[float, ModelRejected]] = {}

    async def call(self, path: str, body: Body, read: Read[T], endpoint: Endpoint, tokens: int) -> tuple[T, int]:
        """Post the body until an answer can be read; return what `read` made of it, and the number of tries.

        Args:
            path: below the base URL.
            body: the request.
            read: makes a value of the JSON reply, or raises BadReply.
            endpoint: model, timeout and number of tries.
            tokens: what the call will use, in and out, as estimated; `read`'s value may say better by `total_tokens`.

        Raises:
            ModelRejected: it will never work, or the circuit is open.
            ModelError: every try failed.
            Unsupported, TooLong: the request must be made differently.
        """

        async def send() -> T:
            return await self._send(path, body, read, endpoint.timeout_seconds)

        return await self.attempt(send, endpoint, tokens)

    async def attempt(self, send: Callable[[], Awaitable[T]], endpoint: Endpoint, tokens: int = 0) -> tuple[T, int]:
        """Await what `send` makes until it succeeds, under the limiter; see `call`."""
        asked = Asked(self.url, str(endpoint.model), self.key)
        fault = Passing("")
        for attempt in range(1, endpoint.max_attempts + 1):
            self._check_circuit(asked.model)
            async with self.limiter.turn(tokens) as turn:
                try:
                    value = await send()
                    turn.used = int(getattr(value, "total_tokens", tokens))
                except Caught as error:
                    fault = self._judged(error, asked)
                    self._note(fault, turn)
                else:
                    self._succeeded()
                    return value, attempt
            if fault.unreachable and not self._answered and attempt >= UNREACHABLE_TRIES:
                raise self._refuse(asked.model, _unreachable(asked, fault))
            if attempt < endpoint.max_attempts:
                await asyncio.sleep(self._backoff(attempt))
        self._failed(asked)
        raise ModelError(
            f"{asked.model} at {self.url} gave no answer in {endpoint.max_attempts} tries; the last: {fault.what}",
            raw=fault.raw,
            attempts=endpoint.max_attempts,
        )

    async def _send(self, path: str, body: Body, read: Read[T], seconds: float) -> T:
        # The SDK's timeout counts from byte to byte; a reply that trickles for hours needs one over all.
        timeout = openai.Timeout(seconds + 2 * _GRACE_SECONDS, connect=min(seconds, _CONNECT_SECONDS))
        posting = asyncio.ensure_future(
            self.sdk.post(path, body=body, cast_to=httpx2.Response, options={"timeout": timeout, "max_retries": 0})
        )
        try:
            # A process that stood still finds the time over and the reply there: it is paid for, so it is read.
            for wait in (seconds, _GRACE_SECONDS):
                await asyncio.wait({posting}, timeout=wait)
            if not posting.done():
                raise TimeoutError
            return read(json_object(posting.result()))
        finally:
            posting.cancel()

    def _judged(self, error: BaseException, asked: Asked) -> Passing:
        try:
            return judge(error, asked)
        except ModelRejected as rejected:
            raise self._refuse(asked.model, rejected) from error

    def _note(self, fault: Passing, turn: Turn) -> None:
        self._answered |= not fault.unreachable
        if fault.limited:
            self.limiter.slow_down(turn)
        if fault.pause is not None:
            self.limiter.pause(fault.pause)

    def _backoff(self, attempt: int) -> float:
        """Return the seconds before the next try; the jitter, unseeded on purpose, keeps processes out of step."""
        longest: float = min(LONGEST_DELAY, self.first_delay * 2 ** (attempt - 1))
        return random.uniform(longest / 2, longest)

    def _succeeded(self) -> None:
        self._answered, self._given_up = True, 0
        self.limiter.speed_up()

    def _failed(self, asked: Asked) -> None:
        self._given_up += 1
        if self._given_up >= BREAKER_CALLS:
            self._given_up = BREAKER_CALLS - 1
            self._refuse("", _open_circuit(asked))

    def _refuse(self, model: str, error: ModelRejected) -> ModelRejected:
        """Answer all calls of the model with this error for a while, so that those that wait send nothing."""
        self._refusals[model] = asyncio.get_running_loop().time() + BREAKER_SECONDS, error
        return error

    def _check_circuit(self, model: str) -> None:
        for name in ("", model):
            until, error = self._refusals.get(name, (0.0, None))
            if error is not None and asyncio.get_running_loop().time() < until:
                raise ModelRejected(error.message, error.remedy)


def json_object(response: httpx2.Response) -> Mapping[str, Any]:
    """Return the body, else raise BadReply; the SDK would hand over HTML as text, and an empty object as a reply."""
    body = response.content.decode("utf-8", "replace")
    if body.lstrip()[:1] == "<":
        raise BadReply("the endpoint answered with a web page; base_url should be that of an API", body)
    try:
        value = json.loads(body)
    except RecursionError as error:
        raise BadReply("the reply is nested too deep", body[:1000]) from error
    if not isinstance(value, dict):
        raise BadReply(f"the endpoint answered with a JSON {type(value).__name__}", body)
    if "error" in value and value["error"] and not value.get("choices") and not value.get("data"):
        raise BadReply(f"the endpoint answered with an error: {str(value['error'])[:200]}", body)
    return value


def _open_circuit(asked: Asked) -> ModelRejected:
    return ModelRejected(
        f"{asked.url} failed {BREAKER_CALLS} calls one after another; the run stops before it wastes more.",
        "Look at the endpoint (is it overloaded or down?), then run again: finished calls are not repeated.",
    )


def _unreachable(asked: Asked, fault: Passing) -> ModelRejected:
    return ModelRejected(
        f"Nobody answers at {asked.url}: {fault.what}.",
        "Start the model server, or correct endpoint.base_url; a proxy or firewall may also be in the way.",
    )


_clients: dict[tuple[str, str], Client] = {}  # touched on the shared loop only, so without a lock


async def client_of(endpoint: Endpoint) -> Client:
    """Return this process's client of the endpoint; stages that share address and key share limits.

    The widest concurrency asked for holds (each stage keeps to its own by the number of its callers), and the tightest
    rate.

    Raises:
        ModelRejected: a hosted endpoint has no key.
    """
    key = _key(endpoint)
    limits = Limits(endpoint.concurrency, endpoint.requests_per_minute, endpoint.tokens_per_minute)
    known = _clients.get((endpoint.base_url, key))
    if known is None:
        known = Client(endpoint.base_url, key, limits)
        _clients[endpoint.base_url, key] = known
    elif known.limiter.limits != limits:
        known.limiter.allow(_joined(known.limiter.limits, limits))
    return known


def _joined(one: Limits, two: Limits) -> Limits:
    requests = {one.requests_per_minute, two.requests_per_minute} - {0}
    tokens = {one.tokens_per_minute, two.tokens_per_minute} - {0}
    concurrency = max(one.concurrency, two.concurrency)
    return Limits(concurrency, min(requests, default=0), min(tokens, default=0))


def _key(endpoint: Endpoint) -> str:
    key = os.environ.get(endpoint.api_key_env, "").strip()
    if not key and endpoint.base_url == _HOSTED:
        raise ModelRejected(
            f"The environment variable {endpoint.api_key_env} holds no key for {endpoint.base_url}.",
            f"Set it: export {endpoint.api_key_env}=...; or use --provider offline, which needs none.",
        )
    return key or "none"  # a local server wants no key, but the SDK does
