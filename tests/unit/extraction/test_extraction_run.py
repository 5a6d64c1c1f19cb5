"""The loop over chunks: replies are kept by the thread that asked, whatever ends the loop."""

import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pyarrow as pa
import pytest

from pathgraph.errors import ModelRejected, StoreError
from pathgraph.extraction import run
from pathgraph.extraction.shards import missing
from pathgraph.store.cache import Cache

REPLY = '{"entities": [], "triples": [["Hanbit", "supplies", "Nuri"]]}'


class Scripted:
    """An extractor that answers by a function of the text."""

    provider, model, prompt_hash, parallel = "scripted", "m", "h", 4

    def __init__(self, answer):
        self.answer, self.asked = answer, []

    def request_key(self, text, language):
        return f"key {text} {language}"

    def reply(self, text, language):
        self.asked.append(text)
        return self.answer(text)


class Full(Cache):
    def put_many(self, namespace, items):
        raise StoreError("The disk is full.")


def jobs(count):
    return [run.Job(number, number, f"s/{number}", "en", f"text {number}") for number in range(count)]


def kept(cache, extractor, count=40):
    keys = [extractor.request_key(job.text, "en") for job in jobs(count)]
    return len(cache.get_many(run.NAMESPACE, keys))


def test_replies_under_way_when_the_run_is_refused_are_kept(tmp_path):
    three_are_asked, refused = threading.Barrier(4), threading.Event()

    def answer(text):
        three_are_asked.wait(10)
        if text == "text 0":
            raise ModelRejected("no")
        refused.wait(10)
        return REPLY

    extractor, cache = Scripted(answer), Cache(tmp_path)
    with ThreadPoolExecutor(4) as calls:
        with pytest.raises(ModelRejected):
            run.extract(jobs(4), extractor, cache, calls)
        refused.set()
    assert kept(cache, extractor) == 3


def test_a_refusal_ends_it_without_asking_the_rest(tmp_path):
    def answer(text):
        time.sleep(0.005)
        raise ModelRejected("no")

    extractor = Scripted(answer)
    with ThreadPoolExecutor(4) as calls, pytest.raises(ModelRejected):
        run.extract(jobs(2000), extractor, Cache(tmp_path), calls)
    assert len(extractor.asked) < 500


def test_what_cannot_be_kept_is_not_asked_for(tmp_path):
    extractor = Scripted(lambda text: time.sleep(0.005) or REPLY)
    with ThreadPoolExecutor(4) as calls, pytest.raises(StoreError):
        run.extract(jobs(2000), extractor, Full(tmp_path), calls)
    assert len(extractor.asked) < 500


def test_a_reply_that_cannot_be_read_is_a_failure_and_never_kept(tmp_path):
    extractor, cache = Scripted(lambda text: "I cannot." if text == "text 1" else REPLY), Cache(tmp_path)
    with ThreadPoolExecutor(4) as calls:
        failures = run.extract(jobs(3), extractor, cache, calls)
    assert [(one.uri, one.raw) for one in failures] == [("s/1", "I cannot.")]
    assert kept(cache, extractor) == 2


def test_equal_requests_are_missing_once(tmp_path):
    cache = Cache(tmp_path)
    cache.put_many(run.NAMESPACE, {"b": REPLY.encode()})
    table = pa.table({"key": ["a", "b", "a", "c"], "chunk_id": [1, 2, 3, 4]})
    assert missing(table, cache)["chunk_id"].to_pylist() == [1, 4]
