"""The ladder from JSON schema to plain text, and what else an endpoint may not take."""

import pytest

from pathgraph.errors import ModelError
from pathgraph.providers.openai.chat import Question, ask

from .fake_endpoint import chat, error

GOOD = chat("{}")


def question(check=lambda _: None, **fields):
    return Question(({"role": "user", "content": "hello"},), "facts", {"type": "object"}, check, **fields)


def test_the_schema_goes_first_and_the_step_that_works_is_remembered(serve):
    def respond(_path, body, _number):
        kind = body.get("response_format", {}).get("type")
        return error(400, f"response_format.type {kind} is not supported") if kind else GOOD

    server, endpoint = serve(respond)
    ask(question(), endpoint, "extraction")
    ask(question(), endpoint, "extraction")
    assert [body.get("response_format", {}).get("type") for body in server.bodies] == [
        "json_schema", "json_object", None, None,
    ]  # fmt: skip
    assert server.bodies[0]["response_format"]["json_schema"]["strict"] is True


def test_each_model_of_an_endpoint_has_its_own_step(serve):
    server, endpoint = serve(lambda _p, body, _n: error(400, "no") if "response_format" in body else GOOD)
    ask(question(), endpoint, "extraction")
    calls = len(server.bodies)
    ask(question(), endpoint.model_copy(update={"model": "other"}), "extraction")
    assert server.bodies[calls]["response_format"]["type"] == "json_schema"


def test_a_model_that_wants_another_name_for_the_limit_gets_it(serve):
    def respond(_path, body, _number):
        wrong = "max_tokens" in body
        return error(400, "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens'") if wrong else GOOD

    server, endpoint = serve(respond)
    ask(question(), endpoint, "extraction")
    assert server.bodies[-1]["max_completion_tokens"] == 4096
    assert server.bodies[-1]["response_format"]["type"] == "json_schema"


def test_a_model_without_a_temperature_gets_none(serve):
    server, endpoint = serve(lambda _p, b, _n: error(400, "temperature: unsupported") if "temperature" in b else GOOD)
    ask(question(), endpoint, "extraction")
    assert "temperature" not in server.bodies[-1]


def test_a_request_that_is_refused_in_every_form_is_an_error_with_what_was_said(serve):
    server, endpoint = serve(lambda *_: error(400, "messages: wrong role"))
    with pytest.raises(ModelError, match="wrong role"):
        ask(question(), endpoint, "extraction")
    assert len(server.bodies) == 3


def test_an_unreadable_answer_is_asked_for_again_a_little_warmer(serve):
    def check(text):
        if text != "{}":
            raise ValueError("unreadable")

    server, endpoint = serve(lambda _p, _b, number: chat("blah") if number == 1 else GOOD)
    ask(question(check), endpoint, "extraction")
    assert [body["temperature"] for body in server.bodies] == [0.0, 0.5]
    server, endpoint = serve(lambda *_: chat("blah"))
    with pytest.raises(ModelError, match="unreadable") as caught:
        ask(question(check), endpoint, "extraction")
    assert (caught.value.raw, len(server.bodies)) == ("blah", 3)


def test_a_model_that_thought_until_its_limit_gets_a_remedy(serve):
    _, endpoint = serve(lambda *_: chat("", finish="length", reasoning_content="hmm"))
    with pytest.raises(ModelError) as caught:
        ask(question(), endpoint, "summaries")
    assert "max_output_tokens" in caught.value.remedy
    assert ask(question(may_be_cut=True), endpoint, "extraction").cut


def test_content_in_parts_is_joined(serve):
    parts = [{"type": "text", "text": "{"}, {"type": "text", "text": "}"}]
    _, endpoint = serve(lambda *_: chat(parts))
    assert ask(question(), endpoint, "extraction").text == "{}"
