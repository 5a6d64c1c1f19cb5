"""What went wrong with a call, and what follows from it: try again, give this call up, or stop the run.

Belongs here: reading errors of the SDK and of the endpoint. Does not: waiting and trying again (`retry`).
"""

import email.utils
import json
import time
from collections.abc import Mapping
from dataclasses import dataclass, field

import httpx2
import openai

from pathgraph.errors import ModelError, ModelRejected

RETRIED = frozenset({408, 409, 425, 429})
LONGEST_PAUSE = 600.0  # seconds; an endpoint that asks for more will not serve this run
_QUOTA = ("insufficient_quota", "billing_hard_limit", "billing_not_active", "credit balance")
_TOO_LONG = ("context_length", "context length", "exceed_context", "maximum context", "too many tokens")


class BadReply(Exception):
    """A reply with status 200 that holds no answer: HTML, cut or broken JSON, no choices. Worth another try."""

    def __init__(self, message: str, raw: str = "") -> None:
        super().__init__(message)
        self.raw = raw


class TooLong(ModelError):
    """Prompt and reply do not fit the model's context."""


class Unusable(ModelError):
    """The model answered, as often as it was asked, and none of its answers can be used."""


class Unsupported(Exception):
    """The endpoint does not take the request as it is (400, 422); the argument is what it says."""


@dataclass(frozen=True)
class Asked:
    """Whom a call went to; the key is kept to strike it out of whatever the endpoint says."""

    url: str
    model: str
    key: str = field(repr=False)

    def hide(self, said: str) -> str:
        """Return the text without the key."""
        return said.replace(self.key, "***") if self.key else said


@dataclass(frozen=True)
class Passing:
    """A fault that another try may not meet.

    Attributes:
        what: the fault, in words.
        pause: seconds the endpoint asks everybody to wait, None when it says nothing.
        limited: the endpoint has too much to do (429).
        unreachable: nobody answers at the address.
        raw: the body, where there is one.
    """

    what: str
    pause: float | None = None
    limited: bool = False
    unreachable: bool = False
    raw: str = ""


Caught = (
    openai.OpenAIError,
    httpx2.HTTPError,
    httpx2.InvalidURL,
    BadReply,
    json.JSONDecodeError,
    TimeoutError,
    OSError,
)


def judge(error: BaseException, asked: Asked) -> Passing:
    """Return the fault if it may pass; raise what follows if it will not.

    Raises:
        ModelRejected: bad key, no permission, unknown model or address, no quota: the run stops.
        TooLong, Unsupported: this request can be made in another way.
        ModelError: this call can never succeed.
    """
    if isinstance(error, openai.APIStatusError):
        return _status(error, asked)
    if isinstance(error, (openai.APITimeoutError, TimeoutError, httpx2.TimeoutException)):
        return Passing("no answer in time")
    if isinstance(error, BadReply):
        return Passing(str(error), raw=error.raw)
    if isinstance(error, json.JSONDecodeError):
        return Passing("the reply is no JSON", raw=error.doc)
    if isinstance(error, (openai.APIConnectionError, httpx2.HTTPError, OSError)):
        cause = error.__cause__ or error
        return Passing(
            f"connection failed ({type(cause).__name__})", unreachable=isinstance(cause, httpx2.ConnectError)
        )
    raise ModelError(f"{asked.model} at {asked.url}: {type(error).__name__}.") from error


def _status(error: openai.APIStatusError, asked: Asked) -> Passing:
    status, said = error.status_code, asked.hide(_said(error))
    text, told, url = said.lower(), f"HTTP {error.status_code}: {_short(said)}", asked.url
    if any(word in text for word in _QUOTA) or status == 402:
        raise ModelRejected(
            f"{url}: the quota is used up ({told}).", "Top up the account or raise its limit, then run again."
        ) from error
    if status in {401, 403}:
        raise ModelRejected(
            f"{url} refuses the key ({told}).",
            "Set the environment variable that endpoint.api_key_env names to a key that may use this model.",
        ) from error
    if status == 404:
        raise ModelRejected(
            f"{url} knows no model '{asked.model}', or the address is wrong ({told}).",
            f"Check endpoint.model and endpoint.base_url (it usually ends in /v1); {url}/models lists the models.",
        ) from error
    if status in RETRIED or status >= 500:
        return _busy(error, asked, told)
    if status in {400, 413} and any(word in text for word in _TOO_LONG):
        raise TooLong(f"The request is longer than {asked.model} takes ({told}).", raw=said) from error
    if status in {400, 422}:
        raise Unsupported(said) from error
    raise ModelError(f"{asked.model} at {url}: {told}", raw=said) from error


def _busy(error: openai.APIStatusError, asked: Asked, told: str) -> Passing:
    pause = _retry_after(error.response.headers)
    if pause is not None and pause > LONGEST_PAUSE:
        raise ModelRejected(f"{asked.url} asks to wait {pause / 60:.0f} minutes.", "Run again then: nothing is lost.")
    return Passing(told, pause, limited=error.status_code == 429)


def _said(error: openai.APIStatusError) -> str:
    try:
        return error.response.text or error.message
    except (httpx2.HTTPError, httpx2.StreamError, UnicodeDecodeError):
        return error.message


def _short(said: str) -> str:
    try:
        body = json.loads(said)
        detail = body.get("error", body) if isinstance(body, dict) else body
        said = str(detail.get("message", detail)) if isinstance(detail, dict) else str(detail)
    except (json.JSONDecodeError, RecursionError):
        pass
    return " ".join(said.split())[:200]


def _retry_after(headers: Mapping[str, str]) -> float | None:
    """Return the seconds a `retry-after-ms` or `retry-after` header asks for (a number or an HTTP date)."""
    for name, unit in (("retry-after-ms", 0.001), ("retry-after", 1.0)):
        value = headers.get(name)
        if value is None:
            continue
        try:
            return max(0.0, float(value) * unit)
        except ValueError:
            pass
        date = email.utils.parsedate_tz(value)
        if date is not None:
            return max(0.0, email.utils.mktime_tz(date) - time.time())
    return None
