"""Pruning: what a snapshot or an unfinished run needs stays, whatever made it; the rest goes."""

import json
import os
import time

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from store_sample import CHUNK, publish_rows, sample_rows

from pathgraph.errors import StoreBroken
from pathgraph.ids import content_hash
from pathgraph.pipeline.pruning import unneeded
from pathgraph.store.cache import Cache
from pathgraph.store.layout import Store

REPLY, VECTOR = '{"triples": []} \ud800', np.array([0.6, 0.8], "<f4")
NEEDED = {
    "extract": {"k1": REPLY.encode("utf-8", "surrogatepass")},
    "embed": {"v1": VECTOR.tobytes()},
    "report": {"hash-of-input": b"{}"},
    "load": {"l1": json.dumps([{"content_hash": "h"}]).encode()},
    "condense": {"c1": b"text"},
    "later": {"x1": b"of a kind this version does not know"},
}
STALE = {
    "extract": {"k0": b'{"triples": [1]}'},
    "embed": {"v0": np.array([0.8, 0.6], "<f4").tobytes()},
    "report": {"another": b"{}"},
    "load": {"l0": json.dumps([{"content_hash": "gone"}]).encode()},
    "plan": {"p0": b"20200101T000000000Z-deadbeef"},
}


def extraction(reply):
    row = {"chunk_id": CHUNK, "provider": "openai", "model": "m", "prompt_hash": "", "schema_hash": ""}
    return row | {"gleanings": 0, "reply_hash": content_hash(reply), "status": "ok", "n_triples": 0}


@pytest.fixture
def store(tmp_path):
    rows = sample_rows()
    rows["extractions"] = [extraction(REPLY)]
    rows["summaries"][0]["input_hash"] = "hash-of-input"
    rows["embeddings"] = [
        {"kind": "node", "id": 10, "model": "m", "dimensions": 2, "vector": VECTOR.tolist()},
    ]
    store = Store.create(tmp_path / "store")
    publish_rows(store, rows)
    return store


@pytest.fixture
def cache(store):
    cache = Cache(store.cache)
    for kind in (NEEDED, STALE, {"plan": {"p1": store.current_id().encode()}}):
        for namespace, items in kind.items():
            cache.put_many(namespace, items)
    yield cache
    cache.close()


def removable(store, cache, made_before=None):
    found = {one.namespace: {entry.key for entry in one.removable} for one in unneeded(store, cache, made_before)}
    return {namespace: keys for namespace, keys in found.items() if keys}


def test_what_no_snapshot_holds_may_go_and_nothing_else(store, cache):
    assert removable(store, cache) == {namespace: set(items) for namespace, items in STALE.items()}


def test_kinds_whose_need_cannot_be_told_go_by_age_alone(store, cache):
    assert removable(store, cache, time.time() - 60) == {}
    assert removable(store, cache, time.time() + 60) == {
        **{namespace: set(items) for namespace, items in STALE.items()},
        "condense": {"c1"},
        "later": {"x1"},
    }


def test_every_snapshot_counts_not_only_the_current_one(store, cache):
    rows = sample_rows()
    rows["extractions"] = [extraction('{"triples": [1]}')]
    publish_rows(store, rows)
    assert "extract" not in removable(store, cache)


def test_requests_of_an_unfinished_run_stay(store, cache):
    work = store.staging / "run" / "work"
    work.mkdir(parents=True)
    pq.write_table(pa.table({"key": ["k0"]}), work / "jobs.parquet")
    assert set(removable(store, cache)) == set(STALE) - {"extract"}


def test_what_was_made_since_an_unfinished_run_began_stays(store, cache):
    work = store.staging / "run" / "work"
    work.mkdir(parents=True)
    (work / "items.json").write_text("[]")
    os.utime(work / "items.json", (time.time() - 30,) * 2)
    assert removable(store, cache) == {}
    os.utime(work / "items.json", (time.time() + 30,) * 2)
    assert set(removable(store, cache)) == set(STALE)


def test_a_snapshot_that_cannot_be_read_stops_it(store, cache):
    for part in store.snapshot().part_paths("extractions"):
        part.unlink()
    with pytest.raises(StoreBroken):
        list(unneeded(store, cache, None))
