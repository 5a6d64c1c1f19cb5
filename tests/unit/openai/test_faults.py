"""Extraction, vectors and reports through real HTTP while three calls in ten fail, in every way the server knows."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from protocol.faults import CHAT, EMBEDDING

from pathgraph.extraction import run
from pathgraph.extraction.reply import parse_reply
from pathgraph.providers.openai.embedder import OpenAIEmbedder
from pathgraph.providers.openai.extractor import OpenAIExtractor
from pathgraph.settings import Endpoint
from pathgraph.store.cache import Cache

WORDS = ["Alder", "Birch", "Cedar", "Dogwood", "Elm", "Fir", "Ginkgo", "Hazel", "Ivy", "Juniper"]


def story(number):
    first, second = WORDS[number % 10] + str(number), WORDS[number // 10] + f"Works{number}"
    return f"{first} runs {second} in the town of Port{number}.", [[first, "runs", second]]


STORIES = [story(number) for number in range(60)]


@pytest.fixture
def server(protocol_server):
    records = [{"text": text, "triples": triples} for text, triples in STORIES]
    return protocol_server(records=records, hang=3.5, retry_after=0.01)


@pytest.fixture
def endpoint(server):
    return Endpoint(model="m", base_url=server.url, timeout_seconds=3, concurrency=16, max_attempts=20)


def extract(endpoint, cache, count=60):
    jobs = [run.Job(i, i, f"s/{i}", "en", text) for i, (text, _) in enumerate(STORIES[:count])]
    with ThreadPoolExecutor(16) as calls:
        return run.extract(jobs, OpenAIExtractor(endpoint), cache, calls)


def test_every_chunk_succeeds_and_no_call_is_repeated_after_success(server, endpoint, tmp_path):
    server.change(faults=dict.fromkeys(CHAT, 0.3 / len(CHAT)), seed=4)
    cache, extractor = Cache(tmp_path), OpenAIExtractor(endpoint)
    failures = extract(endpoint, cache)
    assert failures == []
    stats = server.stats()
    assert stats["repeated_prompts"] == 0
    keys = [extractor.request_key(text, "en") for text, _ in STORIES]
    kept = cache.get_many(run.NAMESPACE, keys)
    for key, (text, triples) in zip(keys, STORIES, strict=True):
        parsed = parse_reply(kept[key].decode("utf-8", "surrogatepass"), text)
        assert [[t.subject, t.relation, t.object] for t in parsed.triples] == triples


@pytest.mark.parametrize("fault", CHAT)
def test_each_fault_alone_is_survived_when_it_strikes_once(server, endpoint, tmp_path, fault):
    server.change(per_prompt=[fault])
    failures = extract(endpoint, Cache(tmp_path), 8)
    assert [failure.message for failure in failures] == []
    assert server.stats()["repeated_prompts"] == 0


def test_a_chunk_that_never_succeeds_is_a_failure_with_its_raw_reply_and_costs_no_other(server, endpoint, tmp_path):
    server.change(poison={"Elm4 ": "refusal", "Fir5 ": "500"})
    cache = Cache(tmp_path)
    failures = sorted(extract(endpoint.model_copy(update={"max_attempts": 3}), cache), key=lambda f: f.uri)
    assert [(f.uri, f.attempts, bool(f.raw)) for f in failures] == [("s/4", 3, True), ("s/5", 3, False)]
    assert (
        len(cache.get_many(run.NAMESPACE, [OpenAIExtractor(endpoint).request_key(t, "en") for t, _ in STORIES])) == 58
    )


def test_vectors_survive_every_fault_and_equal_those_of_a_healthy_endpoint(server, endpoint):
    texts = [text for text, _ in STORIES]
    healthy = OpenAIEmbedder(endpoint, None, 5).embed(texts)
    server.change(embedding_faults=dict.fromkeys(EMBEDDING, 0.4 / len(EMBEDDING)), seed=2)
    embedder = OpenAIEmbedder(endpoint, healthy.shape[1], 5)
    np.testing.assert_allclose(embedder.embed(texts), healthy, atol=1e-6)
