"""One call against every way an endpoint answers: what is tried again, what stops the run, what is never said."""

import email.utils
import threading
import time

import pytest

from pathgraph import progress
from pathgraph.errors import ModelError, ModelRejected
from pathgraph.progress import Stopped
from pathgraph.providers import usage
from pathgraph.providers.openai import client as clients
from pathgraph.providers.openai.chat import Question, ask

from .fake_endpoint import chat, error

GOOD = chat('{"ok": 1}')
QUESTION = Question(({"role": "user", "content": "hello"},), "x", {"type": "object"}, lambda _: None)
BROKEN = {
    "408": error(408, "slow"),
    "409": error(409, "conflict"),
    "429": error(429, "too many"),
    "500": error(500, "oops"),
    "503": error(503, "loading"),
    "html": (200, b"<html><body>login</body></html>", {"Content-Type": "text/html"}),
    "html as json": (200, b"<!doctype html>", {"Content-Type": "application/json"}),
    "empty object": (200, {}),
    "empty body": (200, b""),
    "list": (200, []),
    "no choices": (200, {"choices": []}),
    "null choices": (200, {"choices": None}),
    "no message": (200, {"choices": [{"finish_reason": "stop"}]}),
    "cut json": (200, b'{"choices": [{"message": {"content": "{'),
    "no utf-8": (200, b'{"choices": "\xff'),
    "error with 200": (200, {"error": {"message": "overloaded"}}),
    "cut body": (200, b"{}", {"Content-Length": "999", "Connection": "close"}),
    "no text": chat(None),
    "blank text": chat(" \n"),
    "refusal": chat(None, refusal="I cannot"),
    "filtered": chat("", finish="content_filter"),
}


@pytest.mark.parametrize("fault", BROKEN.values(), ids=BROKEN.keys())
def test_a_passing_fault_is_tried_again(serve, fault):
    server, endpoint = serve(lambda _path, _body, number: fault if number < 3 else GOOD, timeout_seconds=5)
    assert ask(QUESTION, endpoint, "extraction").text == '{"ok": 1}'
    assert len(server.bodies) == 3


@pytest.mark.parametrize("fault", BROKEN.values(), ids=BROKEN.keys())
def test_tries_are_bounded_and_the_last_raw_reply_is_kept(serve, fault):
    server, endpoint = serve(lambda *_: fault, max_attempts=3, timeout_seconds=5)
    with pytest.raises(ModelError) as caught:
        ask(QUESTION, endpoint, "extraction")
    assert len(server.bodies) == 3 == caught.value.attempts
    assert not isinstance(caught.value, ModelRejected)


PERMANENT = {
    "key": (error(401, "Incorrect API key provided: sk-secret-1"), "api_key_env"),
    "permission": (error(403, "no access"), "api_key_env"),
    "model": (error(404, "The model m does not exist"), "endpoint.model"),
    "quota": ((429, {"error": {"code": "insufficient_quota", "message": "You exceeded your quota"}}), "account"),
    "pay": (error(402, "pay first"), "account"),
    "long pause": (error(429, "tomorrow", **{"Retry-After": "86400"}), "Run again"),
}


@pytest.mark.parametrize(("fault", "remedy"), PERMANENT.values(), ids=PERMANENT.keys())
def test_a_permanent_error_stops_at_once_with_the_remedy_and_never_shows_the_key(serve, monkeypatch, fault, remedy):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret-1")
    server, endpoint = serve(lambda *_: fault)
    with pytest.raises(ModelRejected) as caught:
        ask(QUESTION, endpoint, "extraction")
    assert remedy in caught.value.remedy
    assert "sk-secret" not in f"{caught.value} {caught.value.raw}"
    assert server.keys == ["Bearer sk-secret-1"]


def test_calls_that_wait_behind_a_permanent_error_are_not_sent(serve, monkeypatch):
    server, endpoint = serve(lambda _path, body, _number: GOOD if body["model"] == "n" else error(404, "no such model"))
    for _ in range(5):
        with pytest.raises(ModelRejected, match="no such model"):
            ask(QUESTION, endpoint, "extraction")
    assert len(server.bodies) == 1
    ask(QUESTION, endpoint.model_copy(update={"model": "n"}), "summaries")
    monkeypatch.setattr(clients, "BREAKER_SECONDS", 0.0)
    clients._clients[server.url, "none"]._refusals.clear()
    for _ in range(2):
        with pytest.raises(ModelRejected, match="no such model"):
            ask(QUESTION, endpoint, "extraction")
    assert len(server.bodies) == 4


def test_a_hosted_endpoint_without_a_key_is_not_called():
    from pathgraph.settings import Endpoint

    with pytest.raises(ModelRejected, match="OPENAI_API_KEY"):
        ask(QUESTION, Endpoint(model="m"), "extraction")


def test_nobody_at_the_address_is_said_soon():
    from pathgraph.settings import Endpoint

    with pytest.raises(ModelRejected, match="Nobody answers"):
        ask(QUESTION, Endpoint(model="m", base_url="http://127.0.0.1:9/v1"), "extraction")


@pytest.mark.parametrize(
    "header",
    [{"Retry-After": "0.3"}, {"retry-after-ms": "300"}, {"Retry-After": "soon", "retry-after-ms": "300"}],
    ids=str,
)
def test_retry_after_is_honoured(serve, header):
    _, endpoint = serve(lambda _p, _b, number: error(429, "slow down", **header) if number == 1 else GOOD)
    began = time.monotonic()
    ask(QUESTION, endpoint, "extraction")
    assert 0.3 <= time.monotonic() - began < 5


def test_retry_after_may_be_a_date(serve):
    date = email.utils.formatdate(time.time() + 2, usegmt=True)
    _, endpoint = serve(lambda _p, _b, n: error(429, "slow", **{"Retry-After": date}) if n == 1 else GOOD)
    began = time.monotonic()
    ask(QUESTION, endpoint, "extraction")
    assert 0.5 <= time.monotonic() - began < 10


def test_a_hanging_call_is_given_up_and_tried_again(serve):
    def respond(_path, _body, number):
        time.sleep(1.0 if number == 1 else 0)
        return GOOD

    _, endpoint = serve(respond, timeout_seconds=0.2)
    assert ask(QUESTION, endpoint, "extraction").text


def test_an_endpoint_that_keeps_failing_opens_the_circuit(serve):
    server, endpoint = serve(lambda *_: error(500, "down"), max_attempts=2)
    for _ in range(clients.BREAKER_CALLS):
        with pytest.raises(ModelError) as caught:
            ask(QUESTION, endpoint, "extraction")
        assert not isinstance(caught.value, ModelRejected)
    calls = len(server.bodies)
    with pytest.raises(ModelRejected, match="one after another"):
        ask(QUESTION, endpoint, "extraction")
    assert len(server.bodies) == calls


def test_a_success_between_failures_keeps_the_circuit_closed(serve):
    server, endpoint = serve(lambda _p, _b, n: GOOD if n % 5 == 0 else error(500, "down"), max_attempts=1)
    for number in range(1, 4 * clients.BREAKER_CALLS):
        if number % 5:
            with pytest.raises(ModelError, match="no answer in 1 tries"):
                ask(QUESTION, endpoint, "extraction")
        else:
            ask(QUESTION, endpoint, "extraction")
    assert len(server.bodies) == 4 * clients.BREAKER_CALLS - 1


def test_a_request_to_stop_is_obeyed_soon_also_in_the_middle_of_a_call(serve):
    release = threading.Event()

    def respond(*_):
        release.wait(20)
        return GOOD

    _, endpoint = serve(respond)
    threading.Timer(0.2, progress.request_stop).start()
    began = time.monotonic()
    with pytest.raises(Stopped):
        ask(QUESTION, endpoint, "extraction")
    assert time.monotonic() - began < 2.5
    with pytest.raises(Stopped):
        ask(QUESTION, endpoint, "extraction")
    release.set()


def test_tokens_are_counted_by_stage_also_for_replies_that_were_no_good(serve):
    _, endpoint = serve(lambda _p, _b, n: chat(None, refusal="no") if n == 1 else GOOD)
    ask(QUESTION, endpoint, "extraction")
    ask(QUESTION, endpoint, "summaries")
    assert usage.take() == {
        "extraction.calls": 2, "extraction.in": 20, "extraction.out": 10,
        "summaries.calls": 1, "summaries.in": 10, "summaries.out": 5,
    }  # fmt: skip
    assert usage.paid() == {}


def test_stages_share_the_limiter_of_their_endpoint(serve):
    server, endpoint = serve(lambda *_: GOOD, requests_per_minute=600)
    other = endpoint.model_copy(update={"model": "n", "concurrency": 3, "requests_per_minute": 300})
    ask(QUESTION, endpoint, "extraction")
    ask(QUESTION, other, "summaries")
    (shared,) = [client for (url, _), client in clients._clients.items() if url == server.url]
    assert shared.limiter.limits.requests_per_minute == 300
    assert shared.limiter.limits.concurrency == 16
