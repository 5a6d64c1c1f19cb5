"""The protocol server seen through the real client: good answers, repeatable draws, counting."""

import asyncio
import base64
import json
import time

import numpy as np
import openai
import pytest

ACME = (
    "Acme Corporation was founded by Jane Roe in Springfield. It supplies rockets to Coyote Limited every single year."
)
RECORD = {
    "text": ACME,
    "triples": [["Acme Corporation", "founded_by", "Jane Roe"], ["Acme Corporation", "supplies", "Coyote Limited"]],
    "entities": [{"name": "Jane Roe", "type": "PERSON"}],
}
TRIPLE = {name: {"type": "string"} for name in ("subject", "relation", "object")}
SCHEMA = {
    "type": "object",
    "properties": {"triples": {"type": "array", "items": {"type": "object", "properties": TRIPLE}}},
}


@pytest.fixture
def client_of():
    """Return a function that gives a client without retries of its own."""
    clients = []

    def make(server, timeout=10.0):
        clients.append(openai.OpenAI(base_url=server.url, api_key="none", max_retries=0, timeout=timeout))
        return clients[-1]

    yield make
    for one in clients:
        one.close()


def ask(client, prompt=f"Write the facts as JSON:\n{ACME}", **more):
    return client.chat.completions.create(model="replay", messages=[{"role": "user", "content": prompt}], **more)


def content(answer):
    return answer.choices[0].message.content


def fields(answer):
    return [(one["subject"], one["relation"], one["object"]) for one in json.loads(content(answer))["triples"]]


def test_chat_answers_from_the_recording(protocol_server, client_of):
    server = protocol_server(records=[RECORD])
    answer = ask(client_of(server))
    value = json.loads(content(answer))
    assert fields(answer) == list(map(tuple, RECORD["triples"]))
    assert value["triples"][0]["evidence"] == "Acme Corporation was founded by Jane Roe in Springfield."
    assert value["entities"] == [{"name": "Jane Roe", "type": "PERSON", "description": ""}]
    assert answer.choices[0].finish_reason == "stop"
    assert answer.usage.total_tokens == answer.usage.prompt_tokens + answer.usage.completion_tokens > 20


def test_json_schema_is_obeyed_and_unknown_text_gives_nothing(protocol_server, client_of):
    client = client_of(protocol_server(records=[RECORD]))
    wanted = {"type": "json_schema", "json_schema": {"name": "facts", "schema": SCHEMA, "strict": True}}
    answer = ask(client, ACME, response_format=wanted)
    assert json.loads(content(answer))["triples"][1] == dict(zip(TRIPLE, RECORD["triples"][1], strict=True))
    assert set(json.loads(content(answer))) == {"triples"}
    assert json.loads(content(ask(client, "Nothing of the kind.", response_format=wanted))) == {"triples": []}


def test_a_report_schema_is_filled_from_the_prompt(protocol_server, client_of):
    finding = {"text": {"type": "string"}, "triple_ids": {"type": "array", "items": {"type": "integer"}}}
    findings = {"type": "array", "items": {"type": "object", "properties": finding}}
    schema = {"type": "object", "properties": {"title": {"type": "string"}, "findings": findings}}
    wanted = {"type": "json_schema", "json_schema": {"name": "report", "schema": schema}}
    client = client_of(protocol_server(records=[RECORD]))
    report = json.loads(content(ask(client, f"[17] {ACME}", response_format=wanted)))
    assert report["findings"] == [{"text": f"[17] {ACME}", "triple_ids": [17]}]
    assert report["title"]


@pytest.mark.parametrize("status", [400, 500])
def test_formats_can_be_rejected(protocol_server, client_of, status):
    client = client_of(protocol_server(records=[RECORD], formats=["text", "json_object"], format_status=status))
    with pytest.raises(openai.APIStatusError) as caught:
        ask(client, response_format={"type": "json_schema", "json_schema": {"name": "x", "schema": SCHEMA}})
    assert caught.value.status_code == status
    assert fields(ask(client, response_format={"type": "json_object"}))
    with pytest.raises(openai.BadRequestError, match="must contain the word"):
        ask(client, "no such word", response_format={"type": "json_object"})


def test_streams_with_usage(protocol_server, client_of):
    client = client_of(protocol_server(records=[RECORD]))
    chunks = list(ask(client, stream=True, stream_options={"include_usage": True}))
    text = "".join(chunk.choices[0].delta.content or "" for chunk in chunks if chunk.choices)
    assert text == content(ask(client))
    assert [chunk.choices[0].finish_reason for chunk in chunks if chunk.choices][-1] == "stop"
    assert chunks[-1].usage.completion_tokens > 0
    assert all(chunk.usage is None for chunk in ask(client, stream=True))


@pytest.mark.parametrize("encoding", ["float", "base64"])
def test_embeddings(protocol_server, client_of, encoding):
    client = client_of(protocol_server(dimensions=64))
    texts = ["Acme Corporation", "ACME  corporation", "한빛전자는 누리소프트를 인수했다", "!"]
    got = client.embeddings.create(model="replay", input=texts, encoding_format=encoding)
    if encoding == "float":
        rows = np.array([one.embedding for one in got.data])
    else:
        rows = np.array([np.frombuffer(base64.b64decode(one.embedding), "<f4") for one in got.data])
    assert rows.shape == (4, 64)
    assert np.allclose(np.linalg.norm(rows, axis=1), 1, atol=1e-6)
    assert np.allclose(rows[0], rows[1])
    assert rows[0] @ rows[2] < 0.5
    alone = client.embeddings.create(model="replay", input=texts[0]).data[0].embedding
    assert np.allclose(alone, rows[0], atol=1e-6)


def test_models_key_context_and_unsupported_fields(protocol_server, client_of):
    server = protocol_server(models=["a", "b"], strict_model=True, context=50, unsupported=["temperature"])
    client = client_of(server)
    assert [model.id for model in client.models.list()] == ["a", "b"]
    with pytest.raises(openai.NotFoundError):
        ask(client)
    server.change(strict_model=False)
    with pytest.raises(openai.BadRequestError, match="maximum context length") as caught:
        ask(client, max_tokens=40)
    assert caught.value.code == "context_length_exceeded"
    with pytest.raises(openai.BadRequestError, match="temperature"):
        ask(client, temperature=0)
    server.change(api_key="secret")
    with pytest.raises(openai.AuthenticationError):
        ask(client)
    assert server.stats()["statuses"] == {"200": 1, "400": 2, "401": 1, "404": 1}


def test_a_token_limit_cuts_the_answer(protocol_server, client_of):
    answer = ask(client_of(protocol_server(records=[RECORD])), max_completion_tokens=10)
    assert answer.choices[0].finish_reason == "length"
    assert answer.usage.completion_tokens <= 10
    with pytest.raises(json.JSONDecodeError):
        json.loads(content(answer))


def test_replies_and_defaults_go_before_recordings(protocol_server, client_of):
    client = client_of(protocol_server(replies={"founded": "literal"}, default="nothing matched"))
    assert content(ask(client)) == "literal"
    assert content(ask(client, "else")) == "nothing matched"


def test_counts_repeats_after_success_only(protocol_server, client_of):
    server = protocol_server(records=[RECORD], per_prompt=["truncated", "ok"])
    client = client_of(server)
    for _ in range(2):
        ask(client)
    assert (server.stats()["repeated_prompts"], server.stats()["answered_prompts"]) == (0, 1)
    ask(client)
    client.embeddings.create(model="m", input=["a", "b"])
    client.embeddings.create(model="m", input=["b", "c"])
    stats = server.stats()
    assert (stats["chat_calls"], stats["distinct_prompts"], stats["repeated_prompts"]) == (3, 1, 1)
    assert (stats["embedded_texts"], stats["distinct_embedded_texts"], stats["repeated_embedded_texts"]) == (4, 3, 1)
    assert stats["faults"] == {"truncated": 1}
    server.reset()
    assert server.stats()["chat_calls"] == 0
    assert ask(client).choices[0].finish_reason == "length"


def test_a_client_that_left_was_not_answered(protocol_server, client_of):
    server = protocol_server(records=[RECORD], latency=0.4)
    with pytest.raises(openai.APITimeoutError):
        ask(client_of(server, timeout=0.1))
    deadline = time.monotonic() + 5
    while not server.stats()["abandoned"] and time.monotonic() < deadline:
        time.sleep(0.05)
    assert (server.stats()["abandoned"], server.stats()["answered_prompts"]) == (1, 0)


def test_too_many_at_once_get_429(protocol_server, client_of):
    server = protocol_server(max_in_flight=2, latency=0.3)

    async def one(client, number):
        try:
            return content(await ask(client, f"json {number}"))
        except openai.RateLimitError:
            return None

    async def all_of(count):
        async with openai.AsyncOpenAI(base_url=server.url, api_key="x", max_retries=0) as client:
            return await asyncio.gather(*(one(client, number) for number in range(count)))

    assert asyncio.run(all_of(5)).count(None) == 3
    assert server.stats()["in_flight_max"] == 2


def test_a_process_of_its_own_carries_64_slow_calls(protocol_server):
    server = protocol_server(process=True, records=[RECORD], latency={"mean": 0.8, "sigma": 0.3, "cap": 2})

    async def all_of():
        async with openai.AsyncOpenAI(base_url=server.url, api_key="x", max_retries=0) as client:
            return await asyncio.gather(*(ask(client, f"{number} {ACME}") for number in range(64)))

    answers = asyncio.run(all_of())
    assert all(fields(answer) == list(map(tuple, RECORD["triples"])) for answer in answers)
    stats = server.stats()
    assert stats["in_flight_max"] > 32
    assert 0.6 * 64 < stats["latency_seconds"] < 1.0 * 64
    server.stop()
    with pytest.raises(OSError, match="refused"):
        server.stats()


def test_bad_options_are_told_at_the_start(protocol_server):
    with pytest.raises(ValueError, match="unknown options: nonsense"):
        protocol_server(nonsense=1)
    with pytest.raises(ValueError, match="more than 1"):
        protocol_server(faults={"500": 0.7, "503": 0.7})
    with pytest.raises(ValueError, match="not_a_fault"):
        protocol_server(per_call=["not_a_fault"])
