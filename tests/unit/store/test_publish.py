"""Publishing: what passes, what is refused, what is shared with the parent, what stays when it fails."""

import errno
import json
import os
import subprocess
import sys
import threading
from datetime import UTC, datetime

import pytest
from filelock import FileLock
from store_sample import CHUNK, DOC, KIM, LABS, chunk, document, node, publish_rows, stage

from pathgraph.errors import PublishConflict, SnapshotRejected, StoreBroken, StoreError, StoreLocked, StoreNotFound
from pathgraph.schema.tables import TABLES
from pathgraph.store import files
from pathgraph.store.layout import Store
from pathgraph.store.manifest import RunInfo
from pathgraph.store.publish import publish
from pathgraph.store.snapshots import verify
from pathgraph.store.staging import Staging


def test_what_was_staged_is_what_is_read(store, rows):
    published = publish_rows(store, rows, theta=1e-3, sources=({"name": "notes"},))
    assert published.changed
    assert store.current_id() == published.snapshot.id
    for name, table_rows in rows.items():
        assert published.snapshot.table(name).num_rows == len(table_rows) == published.snapshot.rows(name)
        assert published.snapshot.table(name).schema == TABLES[name].arrow
    manifest = store.snapshot().manifest
    assert (manifest.theta, manifest.sources, manifest.parent) == (1e-3, ({"name": "notes"},), None)
    assert manifest.triples_as_of == manifest.communities_as_of == manifest.created_at
    assert "pyarrow" in manifest.libraries
    assert verify(published.snapshot) == []
    assert not list(store.staging.iterdir())
    assert not store.pending.exists()


def test_an_empty_snapshot_is_a_snapshot(store):
    snapshot = publish(store, Staging(store, "r"), None, RunInfo(flow="index")).snapshot
    assert {name: snapshot.table(name).schema == t.arrow for name, t in TABLES.items()} == dict.fromkeys(TABLES, True)


def test_nothing_changed_publishes_nothing(published, rows):
    before = published.current_id()
    again = publish_rows(published, rows, "run-2")
    assert (again.changed, again.snapshot.id, published.snapshot_ids()) == (False, before, [before])


def test_a_failure_that_went_away_is_a_change_of_its_own(published, rows):
    rows["quality"] = [{"signal": "s", "value": 1.0, "threshold": None, "verdict": "ok", "detail": ""}]
    again = publish_rows(published, rows, "run-2")
    assert again.changed
    assert (
        again.snapshot.manifest.triples_as_of
        == published.snapshot(again.snapshot.manifest.parent).manifest.triples_as_of
    )


def test_unchanged_parts_are_the_parents_files_and_unstaged_tables_are_taken_over(published, rows):
    parent = published.snapshot()
    changed = {"nodes": rows["nodes"], "documents": [document(title="New title")]}
    child = publish_rows(published, changed, "run-2").snapshot
    assert child.manifest.parent == parent.id
    for name in TABLES:
        same = child.part_paths(name)[0].samefile(parent.part_paths(name)[0])
        assert same is (name != "documents"), name
    assert child.table("documents", ["title"]).to_pylist() == [{"title": "New title"}]
    assert child.manifest.triples_as_of == parent.manifest.triples_as_of
    assert parent.table("documents", ["title"]).to_pylist() == [{"title": "A note"}]


def test_copies_where_hard_links_do_not_work(published, monkeypatch):
    def refuse(source, target):
        raise OSError(errno.EPERM, "no links here")

    monkeypatch.setattr(os, "link", refuse)
    child = publish_rows(published, {"documents": [document(title="T")]}, "run-2").snapshot
    assert verify(child) == []
    assert child.part_paths("nodes")[0].stat().st_nlink == 1


def test_times_follow_what_changed(published, rows):
    parent = published.snapshot().manifest
    rows["nodes"][0]["description"] = "new"
    second = publish_rows(published, {"nodes": rows["nodes"]}, "run-2").snapshot.manifest
    assert second.triples_as_of == second.created_at > parent.triples_as_of
    assert second.communities_as_of == parent.communities_as_of
    rows["communities"][0]["weight"] = 9.0
    then = datetime(2026, 2, 3, tzinfo=UTC)
    third = publish_rows(published, {"communities": rows["communities"]}, "run-3", communities_as_of=then)
    assert third.snapshot.manifest.communities_as_of == then
    assert published.snapshot_ids() == sorted([parent.id, second.id, third.snapshot.id])


def test_dangling_references_are_all_listed_and_nothing_is_published(published, rows):
    before = published.current_id()
    rows["edges"][0]["target"] = 999
    rows["edges"][1]["chunk_ids"] = [CHUNK, 998]
    rows["paths"][1]["edges"] = [[1], [2, 997]]
    rows["summaries"][0]["findings"] = [{"text": "", "triple_ids": [100, 996]}]
    rows["communities"][1]["parent_id"] = 995
    rows["embeddings"][0]["id"] = 994
    rows["chunks"] = [chunk(document_id=i) for i in (DOC,)] + [
        chunk(chunk_id=1000 + i, document_id=i) for i in range(5)
    ]
    with pytest.raises(SnapshotRejected) as caught:
        publish_rows(published, rows, "run-2")
    told = caught.value.message
    for line in (
        "edges.target: 1 ids are not in nodes.node_id, such as 999",
        "edges.chunk_ids: 1 ids are not in chunks.chunk_id, such as 998",
        "paths.edges: 1 ids are not in edges.edge_id, such as 997",
        "summaries.findings: 1 ids are not in triples.triple_id, such as 996",
        "communities.parent_id: 1 ids are not in communities.community_id, such as 995",
        "embeddings.id: 1 ids are not in nodes.node_id, such as 994",
        "chunks.document_id: 5 ids are not in documents.document_id, such as 0, 1, 2",
    ):
        assert line in told
    assert "breaks 7 rules" in told
    assert published.current_id() == before
    assert Staging(published, "run-2").has("edges")


def test_a_row_dropped_from_a_table_that_others_refer_to_is_found(published, rows):
    with pytest.raises(SnapshotRejected, match=r"paths.nodes: 1 ids are not in nodes.node_id, such as 10"):
        publish_rows(published, {"nodes": rows["nodes"][1:]}, "run-2")


def test_repeated_rows_and_colliding_ids_are_told_apart(store, rows):
    rows["nodes"] += [node(KIM, "somebody else", 1), dict(rows["nodes"][1])]
    rows["paths"] += [dict(rows["paths"][1])]
    with pytest.raises(SnapshotRejected) as caught:
        publish_rows(store, rows)
    assert f"nodes: 1 keys stand for different rows (id collision), such as {KIM}" in caught.value.message
    assert f"nodes: 1 rows are there twice, such as {LABS}" in caught.value.message
    assert "paths: 1 rows are there twice" in caught.value.message
    with pytest.raises(StoreNotFound):
        store.snapshot()


def test_equal_failures_do_not_hold_a_snapshot_back(store, rows):
    row = {"stage": "load", "uri": "u", "document_id": None, "chunk_id": None, "error": "e", "message": "m"}
    rows["failures"] = [row | {"attempts": 1, "raw": ""}] * 2
    assert publish_rows(store, rows).snapshot.rows("failures") == 2


def test_a_held_quality_signal_stops_publishing(store, rows):
    rows["quality"] = [{"signal": "orphans", "value": 0.9, "threshold": 0.3, "verdict": "hold", "detail": "why"}]
    with pytest.raises(SnapshotRejected, match=r"orphans = 0.9 holds the snapshot back \(why\)"):
        publish_rows(store, rows)


def test_current_moved_meanwhile(published, rows):
    parent = published.current_id()
    mine = stage(published, {"documents": [document(title="mine")]}, "mine")
    other = publish_rows(published, {"documents": [document(title="other")]}, "other").snapshot
    with pytest.raises(PublishConflict):
        publish(published, mine, parent, RunInfo(flow="update"))
    assert published.current_id() == other.id
    assert publish(published, mine, other.id, RunInfo(flow="update")).snapshot.manifest.parent == other.id


def test_a_living_publisher_is_named_and_a_dead_one_does_not_block(published, rows):
    lock = FileLock(published.lock)
    with lock:
        published.lock_owner.write_text(json.dumps({"pid": 4242, "host": "elsewhere"}))
        with pytest.raises(StoreLocked, match="Process 4242 on elsewhere"):
            publish(published, stage(published, {}, "r"), published.current_id(), RunInfo(flow="f"), timeout=0.05)
    code = f"import os, filelock; filelock.FileLock({str(published.lock)!r}).acquire(); os._exit(9)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 9
    assert publish_rows(published, {"documents": [document(title="T")]}, "run-2").changed


def test_two_threads_publish_one_after_the_other(published):
    parent, outcomes = published.current_id(), []

    def work(title):
        staging = stage(published, {"documents": [document(title=title)]}, title)
        try:
            outcomes.append(publish(published, staging, parent, RunInfo(flow="f")).changed)
        except PublishConflict:
            outcomes.append("conflict")

    threads = [threading.Thread(target=work, args=(title,)) for title in ("one", "two")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(map(str, outcomes)) == ["True", "conflict"]


@pytest.mark.parametrize("moment", [0, 45, 65, 77, 78])
def test_a_full_disk_leaves_a_whole_snapshot_and_the_next_run_succeeds(published, rows, monkeypatch, moment):
    before, left, real = published.current_id(), [moment], os.fsync

    def full(handle):
        left[0] -= 1
        if left[0] < 0:
            raise OSError(errno.ENOSPC, "No space left on device")
        real(handle)

    rows["nodes"][0]["description"] = "new"
    with monkeypatch.context() as patch:
        patch.setattr(files.os, "fsync", full)
        with pytest.raises(StoreError, match="No space left"):
            publish_rows(published, rows, "run-2")
    assert verify(published.snapshot()) == []
    assert published.current_id() == before or moment > 70
    after = publish_rows(published, rows, "run-3")
    assert after.snapshot.table("nodes", ["description"]).to_pylist()[0] == {"description": "new"}
    assert len(list(published.snapshots.iterdir())) == 2


def test_leftovers_of_a_killed_publisher_are_swept(published):
    ghost = published.snapshots / "20991231T000000000Z-deadbeef"
    ghost.mkdir()
    (published.snapshots / ".half").mkdir()
    published.pending.write_text(ghost.name)
    assert published.snapshot_ids() == [published.current_id()]
    publish_rows(published, {"documents": [document(title="T")]}, "run-2")
    assert not ghost.exists()
    assert len(list(published.snapshots.iterdir())) == 2


def test_ids_sort_by_time_even_when_the_clock_goes_back(published, monkeypatch):
    from pathgraph.store import publish as module

    class Past(datetime):
        @classmethod
        def now(cls, tz=None):
            return datetime(1999, 1, 1, tzinfo=tz)

    monkeypatch.setattr(module, "datetime", Past)
    parent = published.current_id()
    assert publish_rows(published, {"documents": [document(title="T")]}, "run-2").snapshot.id > parent


def test_opening_what_is_no_store(tmp_path, published):
    with pytest.raises(StoreNotFound, match="no store"):
        Store.open(tmp_path / "nothing")
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "a.txt").write_text("x")
    with pytest.raises(StoreError, match="other things"):
        Store.create(tmp_path / "docs")
    (tmp_path / "file").write_text("x")
    with pytest.raises(StoreError):
        Store.create(tmp_path / "file")
    with pytest.raises(StoreError, match="backslash"):
        Store.create(tmp_path / "a\\b")
    with pytest.raises(StoreNotFound, match="No snapshot has"):
        published.snapshot("1999")
    assert published.snapshot(published.current_id()[:12]).id == published.current_id()
    published.current.write_text("")
    with pytest.raises(StoreBroken, match="names no snapshot"):
        published.snapshot()


def test_verify_names_damaged_and_missing_parts(published):
    snapshot = published.snapshot()
    damaged, missing = snapshot.part_paths("nodes")[0], snapshot.part_paths("edges")[0]
    damaged.write_bytes(damaged.read_bytes()[:-1] + b"x")
    missing.unlink()
    problems = verify(snapshot)
    assert len(problems) == 2
    assert problems[0].startswith("nodes/part-00000.parquet: the bytes differ")
    assert problems[1].startswith("edges/part-00000.parquet: No such file")
    with pytest.raises(StoreBroken):
        snapshot.table("edges")
