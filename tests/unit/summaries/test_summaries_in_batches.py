"""Reports through the batch API: a batch a level, the same reports as by direct calls, nothing paid twice."""

import pytest

from pathgraph import progress
from pathgraph.pipeline.summaries import summaries_table
from pathgraph.providers import batching, factory
from pathgraph.providers.openai import chat
from pathgraph.settings import Settings
from pathgraph.store.cache import Cache

from .summary_tables import build

TREE = [[["a", "b", "c"], ["d", "e", "f"]], [["g", "h", "i"], ["j", "k", "l"]]]
FACTS = [
    (one, "knows", two, f"{one} knows {two} well.", "en")
    for one, two in ["ab", "bc", "de", "ef", "gh", "hi", "jk", "kl", "ad", "gj"]
]


def settings_of(server, **batch):
    return Settings.model_validate(
        {
            "endpoint": {"model": "m", "base_url": server.url, "max_attempts": 2},
            "summaries": {"provider": "openai"},
            "batch": {"enabled": True, "poll_seconds": 0.02, **batch},
        }
    )


def write(settings, place):
    batched = batching.summariser(settings, place)
    table, failures = summaries_table(
        build(TREE, FACTS), batched.provider, settings.summaries, place.cache, batched.desk.settle
    )
    batched.desk.forget()
    return table, failures


@pytest.fixture
def place(tmp_path):
    cache = Cache(tmp_path / "cache")
    yield batching.Place(cache, tmp_path / "cache" / "batches", "work")
    cache.close()


def test_a_batch_a_level_and_the_reports_of_direct_calls(protocol_server, place, tmp_path):
    server = protocol_server()
    settings = settings_of(server)
    chat._dialects[server.url, "m"] = chat.Dialect()
    table, failures = write(settings, place)
    stats = server.stats()
    assert failures == []
    assert (stats["batch_requests"], stats["chat_calls"], stats["repeated_prompts"]) == (6, 0, 0)
    assert server._call("/v1/batches")["data"][0]["request_counts"]["total"] == 2  # the parents', after the leaves'
    assert [one.namespace for one in place.cache.stats()] == ["report"]
    other = Cache(tmp_path / "other")
    direct, _ = summaries_table(build(TREE, FACTS), factory.summariser(settings), settings.summaries, other)
    other.close()
    assert direct.equals(table)
    server.reset()
    assert write(settings, place)[0].equals(table)
    assert server.stats()["other_calls"] == 0


def test_a_report_that_cannot_be_had_is_made_by_rule_and_tried_again(protocol_server, place):
    server = protocol_server(poison={"d knows e": "503"})
    settings = settings_of(server)
    chat._dialects[server.url, "m"] = chat.Dialect()
    table, failures = write(settings, place)
    assert len(failures) == 2  # the leaf's, and its parent's, which quotes it
    assert sorted(set(table["provider"].to_pylist())) == ["openai", "rule"]
    server.change(poison={})
    assert write(settings, place)[1] == []
    assert server.stats()["repeated_prompts"] == 0


def test_without_waiting_each_run_goes_a_level_further(protocol_server, place):
    server = protocol_server()
    settings = settings_of(server, wait=False)
    chat._dialects[server.url, "m"] = chat.Dialect()
    for _ in range(2):
        with pytest.raises(progress.Submitted):
            write(settings, place)
    assert write(settings, place)[1] == []
    assert server.stats()["repeated_prompts"] == 0
