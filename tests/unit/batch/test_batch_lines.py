"""Request lines, files of them, result lines: pure."""

import json
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pathgraph.cost.meter import Use
from pathgraph.errors import ModelRejected
from pathgraph.providers.openai.batch import (
    Fault,
    Request,
    files_of,
    pack,
    read_result,
    request_key,
    request_line,
    results_of,
    unpack,
)
from pathgraph.providers.openai.chat import Answer, Dialect, Question, request_body, warmed
from pathgraph.providers.openai.errors import Asked, BadReply
from pathgraph.settings import Endpoint

ASKED = Asked("http://here/v1", "m", "")
QUESTION = Question(({"role": "user", "content": "한글 \u2028 \ud800"},), "facts", {"type": "object"}, len)


def request(number, size):
    return Request(f"{number}", Use("extraction", 1, 1), b"x" * size)


@given(st.lists(st.integers(1, 30)), st.integers(1, 5), st.integers(1, 50))
def test_files_keep_order_and_limits(sizes, most, room):
    requests = [request(number, size) for number, size in enumerate(sizes)]
    files = list(files_of(requests, most, room))
    assert [one for file in files for one in file] == requests
    for file in files:
        assert 0 < len(file) <= most
        assert len(file) == 1 or sum(len(one.line) for one in file) <= room
    for file, after in pairwise(files):  # no file could have taken the next request
        assert len(file) == most or sum(len(one.line) for one in [*file, after[0]]) > room


def test_a_line_is_the_body_of_a_direct_call_on_one_line_of_ascii():
    endpoint = Endpoint(model="m")
    body = request_body(QUESTION, endpoint, Dialect())
    line = request_line(request_key(QUESTION, endpoint, 0), body)
    assert line.isascii()
    assert line.count(b"\n") == 1
    read = json.loads(line)
    assert read["body"] == body
    assert len(read["custom_id"]) == 64
    assert (read["method"], read["url"]) == ("POST", "/v1/chat/completions")


def test_a_key_tells_what_changes_an_answer_and_nothing_else():
    base = Endpoint(model="m")
    key = request_key(QUESTION, base, 0)
    other = Endpoint(model="m", base_url="http://there/v1", concurrency=3, timeout_seconds=1)
    assert request_key(QUESTION, other, 0) == key
    different = [
        request_key(QUESTION, Endpoint(model="n"), 0),
        request_key(QUESTION, Endpoint(model="m", max_output_tokens=99), 0),
        request_key(QUESTION, warmed(base, 1), 1),
        request_key(QUESTION, warmed(base, 1), 2),
        request_key(Question(QUESTION.messages, "facts", {"type": "array"}, len), base, 0),
    ]
    assert len({key, *different}) == 6


def result(status=200, body=None, error=None):
    return {"custom_id": "k", "response": {"status_code": status, "body": body}, "error": error}


GOOD = {"choices": [{"message": {"content": "{}"}, "finish_reason": "stop"}], "usage": {"prompt_tokens": 7}}


@pytest.mark.parametrize(
    ("record", "kind"),
    [
        (result(500, {"error": {"message": "oops"}}), "passing"),
        (result(429, {"error": {"message": "slow down"}}), "passing"),
        (result(429, "slow down"), "passing"),
        (result(400, {"error": {"message": "bad field"}}), "final"),
        (result(400, {"error": {"code": "context_length_exceeded", "message": "too long"}}), "too_long"),
        (result(413, {"error": {"message": "maximum context length is 7"}}), "too_long"),
        (result(418, None), "final"),
        (result(200, {"choices": []}), "passing"),
        (result(200, [1]), "passing"),
        (result(None, None), "passing"),
        ({"custom_id": "k", "response": None, "error": {"code": "batch_expired"}}, "passing"),
        ({"custom_id": "k"}, "passing"),
        ({"custom_id": "k", "response": 7, "error": "x"}, "passing"),
    ],
)
def test_what_a_result_means(record, kind):
    fault = read_result(record, ASKED)
    assert isinstance(fault, Fault)
    assert fault.kind == kind
    assert fault.what
    assert unpack(pack(fault)) == fault


def test_an_answer_is_read_as_a_direct_one_is():
    answer = read_result(result(200, GOOD), ASKED)
    assert answer == Answer("{}", "stop", "", 7, 1)
    assert unpack(pack(Answer("\ud800 한", "stop", "", 1, 2))) == Answer("\ud800 한", "stop", "", 1, 2)


@pytest.mark.parametrize("status", [401, 402, 404])
def test_a_refusal_for_good_ends_the_run(status):
    with pytest.raises(ModelRejected):
        read_result(result(status, {"error": {"message": "insufficient_quota"}}), ASKED)


@pytest.mark.parametrize("file", [b"", b"<html>", b"{}", b'{"custom_id": "a"}\n{"custom_id": "b', b"[" * 100000])
def test_a_file_that_is_not_whole_is_fetched_again(file):
    with pytest.raises(BadReply):
        results_of(file)


def test_an_unreadable_line_costs_only_itself():
    file = b'{"custom_id": "a"}\r\n\n7\n{"custom_id": 8}\n\xff\n{"custom_id": "b", "x": "\xe2\x80\xa8"}\n\n'
    assert set(results_of(file)) == {"a", "b"}
