"""A publisher killed at random instants, again and again, beside a reader: no reader ever sees a broken store.

PATHGRAPH_KILLS sets the number of kills (8 by default).
"""

import multiprocessing
import os
import random
import time

import duckdb
from store_sample import generation, generations_in, publish_for_ever, publish_rows, read_for_ever

from pathgraph.store.database import linked
from pathgraph.store.snapshots import Snapshot, verify

KILLS = int(os.environ.get("PATHGRAPH_KILLS", "8"))
ENOUGH = 6


def test_killed_at_random_instants(store):
    # A fork server that has imported everything: a publisher starts in milliseconds, so that most kills hit its work.
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["pathgraph.store.publish", "pyarrow.parquet", "duckdb", "pandas"])
    publish_rows(store, generation(0))
    began = time.monotonic()
    first = publish_rows(store, generation(1), "measure").snapshot.id
    span = 3 * (time.monotonic() - began)  # of the instants: some three times a publishing on this machine, now
    stop, report, chance = context.Event(), context.Queue(), random.Random(1)
    reader = None
    for kills in range(10 * KILLS):
        if kills >= KILLS and len(store.snapshot_ids()) > ENOUGH:
            break  # on a busy machine the first kills come too early to say much
        started = context.Event()
        publisher = context.Process(target=publish_for_ever, args=(store.root, started))
        publisher.start()
        assert started.wait(60)
        time.sleep(chance.uniform(0, span))
        publisher.kill()
        publisher.join()
        now = store.snapshot()
        assert len(generations_in(now)) == 1
        if now.id != first and reader is None:
            reader = context.Process(target=read_for_ever, args=(store.root, stop, report))
            reader.start()
    stop.set()
    assert reader is not None, "no snapshot was published between the kills"
    mixed, read = report.get(timeout=60)
    reader.join()
    assert mixed == []
    assert read > 0
    _everything_is_whole(store, publish_rows(store, {}, "last").snapshot)
    assert len(store.snapshot_ids()) > ENOUGH


def _everything_is_whole(store, last):
    assert linked(store)
    assert not store.pending.exists()
    folders = [Snapshot.open(path) for path in sorted(store.snapshots.iterdir())]
    assert [snapshot.id for snapshot in folders] == store.snapshot_ids()
    assert [snapshot.manifest.parent for snapshot in folders] == [None, *store.snapshot_ids()[:-1]]
    assert all(verify(snapshot) == [] for snapshot in folders)
    numbers = [next(iter(generations_in(snapshot))) for snapshot in folders]
    assert numbers == list(range(len(folders)))  # nothing published was lost, nothing was published twice
    with duckdb.connect(str(store.database), read_only=True) as connection:
        assert connection.execute("SELECT DISTINCT title FROM documents").fetchall() == [(f"g{numbers[-1]}",)]
    assert last.id == store.current_id()
