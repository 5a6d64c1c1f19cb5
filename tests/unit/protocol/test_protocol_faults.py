"""Every fault of the protocol server, as the real client meets it; the draws are repeatable."""

import json
import time
from email.utils import parsedate_to_datetime

import json_repair
import openai
import pytest
from protocol import faults
from protocol.options import Latency, of

TEXT = (
    "Acme Corporation was founded by Jane Roe in Springfield. It supplies rockets to Coyote Limited every single year."
)
RECORD = {"text": TEXT, "triples": [["Acme Corporation", "founded_by", "Jane Roe"]]}
# What the SDK raises, or what it hands back instead; see the SDK's own traps in docs of the model client.
RAISED = {
    "429": openai.RateLimitError,
    "429_date": openai.RateLimitError,
    "429_bare": openai.RateLimitError,
    "500": openai.InternalServerError,
    "503": openai.InternalServerError,
    "hang": openai.APIConnectionError,
    "closed": openai.APIConnectionError,
    "cut_body": openai.APIConnectionError,
    "malformed_body": json.JSONDecodeError,
}


@pytest.fixture(scope="module")
def server():
    """One server for all tests here, told what to do by each of them."""
    from protocol.handle import start_thread

    one = start_thread(records=[RECORD], hang=0.2)
    yield one
    one.stop()


@pytest.fixture
def client(server):
    server.reset()
    server.change(per_call=[], poison={}, embedding_faults={}, fault_attempts=None)
    with openai.OpenAI(base_url=server.url, api_key="none", max_retries=0, timeout=10) as one:
        yield one


def ask(client, **more):
    return client.chat.completions.create(model="m", messages=[{"role": "user", "content": TEXT}], **more)


def struck(server, client, fault, **more):
    server.reset()
    server.change(per_call=[fault])
    answer = ask(client, **more)
    assert server.stats()["faults"] == {fault: 1}
    return answer


@pytest.mark.parametrize("fault", RAISED)
def test_faults_that_raise(server, client, fault):
    server.change(per_call=[fault], retry_after=1.5)
    with pytest.raises(RAISED[fault]) as caught:
        ask(client)
    if fault.startswith("429"):
        told = caught.value.response.headers.get("retry-after")
        waits = {"429": lambda: float(told), "429_bare": lambda: told}
        until = waits.get(fault, lambda: parsedate_to_datetime(told).timestamp() - time.time())()
        assert until is None if fault == "429_bare" else 0.4 < until < 3
    assert server.stats()["answered_prompts"] == 0
    assert json.loads(ask(client).choices[0].message.content)["triples"]
    assert server.stats()["repeated_prompts"] == 0


def test_a_hanging_call_times_out(server, client):
    server.change(per_call=["hang"])
    with pytest.raises(openai.APITimeoutError):
        ask(client, timeout=0.05)


def test_html_comes_back_as_text_and_an_empty_object_without_choices(server, client):
    assert "<html>" in struck(server, client, "html")
    assert struck(server, client, "empty_object").choices is None
    assert struck(server, client, "no_choices").choices == []


@pytest.mark.parametrize(
    ("fault", "finish"),
    [
        ("truncated", "length"),
        ("reasoning_only", "length"),
        ("refusal", "stop"),
        ("content_filter", "content_filter"),
        ("empty", "stop"),
        ("blank", "stop"),
        ("prose", "stop"),
        ("early_end", "length"),
    ],
)
def test_faults_that_lose_the_content(server, client, fault, finish):
    choice = struck(server, client, fault).choices[0]
    assert choice.finish_reason == finish
    with pytest.raises(json.JSONDecodeError):
        json.loads(choice.message.content or "")
    assert (choice.message.refusal == faults.REFUSAL) == (fault == "refusal")
    assert server.stats()["answered_prompts"] == 0


def test_parse_of_a_truncated_reply_raises(server, client):
    server.change(per_call=["truncated"])
    with pytest.raises(openai.LengthFinishReasonError):
        client.chat.completions.parse(model="m", messages=[{"role": "user", "content": TEXT}])


@pytest.mark.parametrize("fault", faults.SOFT)
def test_faults_that_only_change_the_form(server, client, fault):
    good = ask(client).choices[0].message.content
    text = struck(server, client, fault).choices[0].message.content
    assert text != good
    assert server.stats()["answered_prompts"] == 1
    if fault in {"nul_escaped", "surrogate_escaped", "surrogate"}:
        assert json.loads(text) != json.loads(good)
    elif fault == "double_encoded":
        assert json.loads(json.loads(text)) == json.loads(good)
    else:
        with pytest.raises(json.JSONDecodeError):
            json.loads(text)
    if fault in {"fenced", "commented", "single_quotes"}:
        assert json_repair.loads(text) == json.loads(good)


def test_cut_and_early_ended_streams(server, client):
    server.change(per_call=["cut_body", "early_end", "429"])
    with pytest.raises((openai.APIError, OSError)) as caught:
        list(ask(client, stream=True))
    assert not isinstance(caught.value, openai.APIStatusError)
    ends = [chunk.choices[0].finish_reason for chunk in ask(client, stream=True)]
    assert len(ends) > 1
    assert set(ends) == {None}
    with pytest.raises(openai.RateLimitError):
        ask(client, stream=True)


@pytest.mark.parametrize("fault", faults.EMBEDDING)
def test_embedding_faults(server, client, fault):
    server.change(embedding_faults={fault: 1.0}, fault_attempts=1)
    texts = ["one", "two", "three"]

    def embed():
        return client.embeddings.create(model="m", input=texts)

    if fault in RAISED:
        with pytest.raises(RAISED[fault]):
            embed()
    elif fault in {"html", "empty_object"}:
        # The SDK checks embeddings, unlike chat replies: a ValueError or an AttributeError of its own.
        with pytest.raises((ValueError, AttributeError, TypeError)):
            embed()
    else:
        got = embed().data
        assert [one.index for one in got] == {"fewer_vectors": [0, 1], "reversed": [2, 1, 0]}.get(fault, [0, 1, 2])
        assert len(got[0].embedding) == (128 if fault == "short_vectors" else 256)
        assert (got[0].embedding[0] != got[0].embedding[0]) == (fault == "nan_vectors")
    assert [one.index for one in embed().data] == [0, 1, 2]


def test_poison_strikes_every_call_of_a_prompt(server, client):
    server.change(poison={"Jane Roe": "refusal", "other": "500"})
    assert [ask(client).choices[0].message.refusal for _ in range(3)] == [faults.REFUSAL] * 3
    server.change(poison={})
    assert ask(client).choices[0].message.refusal is None


def test_draws_are_repeatable_and_as_frequent_as_told():
    options = of({"faults": faults.spread(0.3), "seed": 7})

    def run(one, keys):
        return [faults.strikes(one, "", str(key), attempt, 1) for key in keys for attempt in (1, 2)]

    first = run(options, range(4000))
    assert first == run(options, range(4000))
    assert first[::-1] == [x for key in range(3999, -1, -1) for x in run(options, [key])[::-1]]
    assert first != run(of({"faults": faults.spread(0.3), "seed": 8}), range(4000))
    hit = [one for one in first if one]
    assert 0.28 < len(hit) / len(first) < 0.32
    assert set(hit) == set(faults.CHAT)
    assert not any(run(of({"faults": {"500": 1.0}, "fault_attempts": 0}), range(10)))


def test_latencies_have_the_mean_and_the_tail_they_were_given():
    drawn = sorted(Latency(3, 0.6, 20).seconds(0, key, 1) for key in range(5000))
    assert 2.85 < sum(drawn) / len(drawn) < 3.15
    assert drawn[0] > 0.2
    assert 12 < drawn[-1] <= 20
    assert Latency(3).seconds(1) == 3
    assert Latency(3, 0.6).seconds("a", 1) == Latency(3, 0.6).seconds("a", 1) != Latency(3, 0.6).seconds("a", 2)
