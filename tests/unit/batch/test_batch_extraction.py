"""Extraction through the batch API, over HTTP: results, partial errors, expiry, costs, and nothing paid twice."""

import json
from concurrent.futures import ThreadPoolExecutor

import pytest

from pathgraph import progress
from pathgraph.cost import meter
from pathgraph.cost.budget import parse_limit
from pathgraph.errors import BudgetExhausted, ModelRejected
from pathgraph.extraction.run import NAMESPACE, extract
from pathgraph.providers import factory, usage
from pathgraph.providers.batching import Place
from pathgraph.store.cache import Cache

from .batch_parts import cached, jobs_of, reply_of, run, texts_of, under_way


def test_a_batch_gives_the_replies_of_direct_calls_and_leaves_nothing_behind(server_of, settings_of, place):
    texts = texts_of(30)
    server = server_of(30, batch_seconds=0.2)
    settings = settings_of(server, max_requests=12)
    assert run(settings, place, texts) == []
    stats = server.stats()
    # The first question goes directly: what the endpoint does not take shows at once.
    assert (stats["chat_calls"], stats["batch_requests"], stats["repeated_prompts"]) == (1, 29, 0)
    assert cached(settings, place, texts) == [reply_of(number) for number in range(30)]
    assert under_way(place) == []
    assert {one.namespace: one.entries for one in place.cache.stats()} == {"batch": 30, NAMESPACE: 30}
    paid = usage.take()
    assert paid["extraction.calls"] == 30
    assert paid["extraction.in"] == stats["tokens_in"]
    server.reset()
    assert run(settings, place, texts) == []
    assert server.stats()["chat_calls"] + server.stats()["batch_requests"] + server.stats()["other_calls"] == 0


def test_a_half_filled_cache_is_merged_with_a_batch(server_of, settings_of, place):
    texts = texts_of(20)
    server = server_of(20)
    settings = settings_of(server)
    extractor = factory.extractor(settings)
    with ThreadPoolExecutor(4) as threads:
        assert extract(jobs_of(texts[::2]), extractor, place.cache, threads) == []
    assert server.stats()["chat_calls"] == 10
    assert run(settings, place, texts) == []
    stats = server.stats()
    assert (stats["chat_calls"], stats["batch_requests"], stats["repeated_prompts"]) == (10, 10, 0)
    assert None not in cached(settings, place, texts)


def test_errors_of_lines_are_handed_in_again_and_those_that_stay_are_failures(
    server_of, settings_of, place, known_dialect
):
    texts = texts_of(12)
    server = server_of(12, per_prompt=["503"], poison={"Person7 ": "503"})
    settings = settings_of(server, max_attempts=3)
    known_dialect(server)
    failures = run(settings, place, texts)
    assert [(failure.chunk_id, failure.attempts) for failure in failures] == [(7, 3)]
    assert "HTTP 500" in failures[0].message
    stats = server.stats()
    assert (stats["chat_calls"], stats["batch_requests"], stats["repeated_prompts"]) == (0, 12 + 12 + 1, 0)
    # The next run tries again: the failure was not kept.
    server.change(poison={})
    assert run(settings, place, texts) == []
    assert server.stats()["repeated_prompts"] == 0


def test_an_expired_batch_keeps_what_was_done_and_the_rest_is_handed_in_again(
    server_of, settings_of, place, known_dialect
):
    texts = texts_of(16)
    server = server_of(16, batch_expires=True)
    settings = settings_of(server, max_attempts=10)
    known_dialect(server)
    assert cached(settings, place, texts) == [None] * 16
    failures = run(settings, place, texts)
    stats = server.stats()
    assert stats["repeated_prompts"] == 0
    assert len(failures) == cached(settings, place, texts).count(None) <= 1


@pytest.mark.parametrize("fault", ["refusal", "empty", "prose", "no_choices"])
def test_unusable_answers_are_asked_for_again_as_in_direct_calls(server_of, settings_of, place, fault):
    texts = texts_of(6)
    server = server_of(6, per_prompt=[fault])
    settings = settings_of(server)
    assert run(settings, place, texts) == []
    assert cached(settings, place, texts) == [reply_of(number) for number in range(6)]


def test_a_cut_answer_is_split_at_once_and_its_whole_not_asked_for_again(
    protocol_server, settings_of, place, known_dialect
):
    long = " ".join(texts_of(12))
    server = protocol_server(
        replies={},
        per_prompt=["truncated"],
        records=[{"text": long, "triples": [["Person1", "works_for", "Company1"]]}],
    )
    settings = settings_of(server)
    known_dialect(server)
    server.change(per_prompt=[], per_call=["truncated"])
    assert run(settings, place, [long]) == []
    stats = server.stats()
    assert (stats["batch_requests"], stats["chat_calls"]) == (1, 2)
    assert "pathgraph_parts" in cached(settings, place, [long])[0]


def test_later_rounds_go_in_batches_too(server_of, settings_of, place, known_dialect):
    texts = texts_of(5)
    server = server_of(5)
    settings = settings_of(server, gleanings=1)
    known_dialect(server)
    assert run(settings, place, texts) == []
    stats = server.stats()
    assert (stats["batch_requests"], stats["chat_calls"]) == (10, 0)
    assert usage.take()["gleanings.calls"] == 5


def test_without_waiting_the_run_ends_and_a_later_one_takes_the_answers(server_of, settings_of, place):
    texts = texts_of(8)
    server = server_of(8, batch_seconds=0.5)
    with pytest.raises(progress.Submitted) as submitted:
        run(settings_of(server, wait=False, max_requests=4), place, texts)
    assert len(submitted.value.batches) == 2
    with pytest.raises(progress.Submitted) as again:
        run(settings_of(server, wait=False, max_requests=4), place, texts)
    assert again.value.batches == submitted.value.batches
    assert run(settings_of(server), place, texts) == []
    stats = server.stats()
    assert (stats["chat_calls"], stats["batch_requests"], stats["repeated_prompts"]) == (1, 7, 0)
    assert settings_of(server).hash() == settings_of(server, wait=False).hash()


def test_a_batch_refused_as_a_whole_ends_the_run_with_the_remedy(server_of, settings_of, place, monkeypatch):
    texts = texts_of(4)
    server = server_of(4)
    settings = settings_of(server)
    monkeypatch.setattr("pathgraph.providers.openai.batch.PATH", "/v1/elsewhere")
    with pytest.raises(ModelRejected, match="refused the batch") as error:
        run(settings, place, texts)
    assert "run again" in error.value.remedy
    assert under_way(place) == []
    monkeypatch.undo()
    assert run(settings, place, texts) == []


def test_a_stop_leaves_the_batches_under_way(server_of, settings_of, place, known_dialect):
    texts = texts_of(6)
    server = server_of(6, batch_seconds=60)
    known_dialect(server)

    class StopWhenWaiting(progress.Silent):
        def begin(self, stage, total):
            assert (stage, total) == ("batches", 6)
            progress.request_stop()

    restore = progress.use(StopWhenWaiting())
    with pytest.raises(progress.Stopped):
        run(settings_of(server), place, texts)
    restore()
    progress.clear_stop()
    assert len(under_way(place)) == 1
    assert json.loads(under_way(place)[0].read_text())["id"] == "batch_000001"


def test_what_the_endpoint_does_not_take_shows_at_the_first_question(server_of, settings_of, place):
    server = server_of(6, unsupported=["temperature"], formats=["text", "json_object"])
    assert run(settings_of(server), place, texts_of(6)) == []
    stats = server.stats()
    assert (stats["batch_requests"], stats["answered_prompts"], stats["repeated_prompts"]) == (5, 6, 0)


def test_a_full_queue_is_waited_for(server_of, settings_of, place, known_dialect):
    server = server_of(6, batch_errors=["ok", "token_limit_exceeded"])
    known_dialect(server)
    assert run(settings_of(server, max_requests=3), place, texts_of(6)) == []
    assert server.stats()["batch_requests"] == 6


def test_a_queue_without_room_for_one_batch_ends_the_run(server_of, settings_of, place, known_dialect):
    server = server_of(6, batch_errors=["token_limit_exceeded"])
    known_dialect(server)
    with pytest.raises(ModelRejected, match="no room") as error:
        run(settings_of(server), place, texts_of(6))
    assert "batch.max_requests" in error.value.remedy
    assert run(settings_of(server), place, texts_of(6)) == []


def test_a_budget_holds_before_anything_is_handed_in(server_of, settings_of, place, known_dialect):
    server = server_of(6)
    known_dialect(server)
    meter.begin(parse_limit("500tok"), {}, "USD")
    with pytest.raises(BudgetExhausted):
        run(settings_of(server), place, texts_of(6))
    assert server.stats()["other_calls"] == 0
    meter.begin(parse_limit("50ktok"), {}, "USD")
    assert run(settings_of(server), place, texts_of(6)) == []
    paid = usage.take()
    assert paid["extraction.batch_in"] == paid["extraction.in"] == server.stats()["tokens_in"]


def test_changed_documents_leave_the_batch_of_the_old_ones_alone(server_of, settings_of, place, known_dialect):
    texts = texts_of(8)
    server = server_of(8, batch_seconds=0.3)
    known_dialect(server)
    with pytest.raises(progress.Submitted):
        run(settings_of(server, wait=False), place, texts[:6])
    assert run(settings_of(server), place, texts[4:]) == []
    assert run(settings_of(server), place, texts) == []
    stats = server.stats()
    assert (stats["batch_requests"], stats["repeated_prompts"]) == (8, 0)
    assert under_way(place) == []
    assert {one.namespace for one in place.cache.stats()} == {"batch", NAMESPACE}


def test_a_chunk_too_long_for_the_model_is_split(server_of, settings_of, place, tmp_path, known_dialect):
    long = " ".join(texts_of(40))
    server = server_of(1, replies={"Person": reply_of(1)})
    settings = settings_of(server)
    known_dialect(server)
    other = Place(Cache(tmp_path / "other"), tmp_path / "other" / "batches", "work")
    assert run(settings, other, [long]) == []
    other.cache.close()
    server.change(context=server.stats()["tokens_in"] + settings.endpoint.max_output_tokens - 1)
    server.reset()
    assert run(settings, place, [long]) == []
    stats = server.stats()
    assert (stats["batch_requests"], stats["chat_calls"]) == (1, 2)
    assert "pathgraph_parts" in cached(settings, place, [long])[0]


def test_a_cancelled_batch_is_handed_in_again(server_of, settings_of, place, known_dialect):
    server = server_of(4, batch_seconds=60)
    known_dialect(server)
    with pytest.raises(progress.Submitted) as submitted:
        run(settings_of(server, wait=False), place, texts_of(4))
    server._call(f"/v1/batches/{submitted.value.batches[0]}/cancel", {})
    server.change(batch_seconds=0)
    assert run(settings_of(server), place, texts_of(4)) == []
    assert server.stats()["batch_requests"] == 4
