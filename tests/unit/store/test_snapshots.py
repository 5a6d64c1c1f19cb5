"""Old snapshots: listed, deleted on demand, shared parts surviving; read-only stores; staging that resumes."""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest
from store_sample import arrow, document, publish_rows

from pathgraph.errors import SchemaError, StoreBroken, StoreError
from pathgraph.schema.tables import TABLES
from pathgraph.store.database import query
from pathgraph.store.layout import Store
from pathgraph.store.snapshots import verify
from pathgraph.store.staging import Staging
from pathgraph.store.vacuum import vacuum


def test_vacuum_keeps_the_newest_and_what_they_share(published):
    for number in range(3):
        publish_rows(published, {"documents": [document(title=f"T{number}")]}, f"run-{number}")
    ids = published.snapshot_ids()
    Staging(published, "abandoned").write("documents", TABLES["documents"].empty())
    assert vacuum(published, keep=2).snapshots == tuple(ids[:2])
    assert published.snapshot_ids() == ids[2:]
    assert verify(published.snapshot()) == []
    published.current.write_text(ids[2])
    assert vacuum(published, keep=1, staging=True).staging == ("abandoned",)
    assert published.snapshot_ids() == ids[2:]
    published.current.write_text(ids[3])
    assert vacuum(published, keep=0).snapshots == (ids[2],)
    assert query(published, "SELECT title FROM documents").to_pylist() == [{"title": "T2"}]


def test_a_staged_table_is_there_only_when_it_is_complete(store, rows):
    staging = Staging(store, "r")
    broken = arrow("nodes", rows["nodes"]).drop_columns("name")
    with pytest.raises(SchemaError), staging.writer("nodes", 4) as writer:
        writer.write(broken)
    assert (staging.folder / "nodes").is_dir()
    assert not staging.has("nodes")
    with pytest.raises(StoreError, match="not staged"):
        staging.read("nodes")
    with staging.writer("nodes", 4) as writer:
        writer.write(arrow("nodes", rows["nodes"]))
    assert Staging(store, "r").has("nodes")
    assert staging.read("nodes", ["name"]).num_rows == 4
    assert set(staging.tables()) == {"nodes"}
    staging.write("nodes", arrow("nodes", rows["nodes"][:2]))
    assert staging.read("nodes").num_rows == 2
    part = staging.folder / "nodes" / "part-00000.parquet"
    content = part.read_bytes()
    part.write_bytes(content[:-1])
    assert not staging.has("nodes")
    part.write_bytes(content)
    assert staging.has("nodes")
    (staging.folder / "nodes.json").write_text("{half")
    assert not staging.has("nodes")
    assert staging.work.is_dir()
    staging.remove()
    staging.remove()
    assert list(store.staging.iterdir()) == []


@pytest.mark.parametrize("name", ["", ".", "..", "a/b", "../up", ".hidden"])
def test_a_run_id_is_one_plain_name(store, name):
    with pytest.raises(StoreError, match="run id"):
        Staging(store, name)


def test_unknown_tables_and_columns_are_named(published):
    with pytest.raises(SchemaError, match="no table odd; there are documents"):
        published.snapshot().table("odd")
    with pytest.raises(SchemaError, match="no column odd"):
        published.snapshot().table("nodes", ["odd"])


LIMITED = """
import resource, sys, pathlib
sys.path.insert(0, sys.argv[2])
from store_sample import Store, document, publish_rows
from pathgraph.errors import StoreError
import duckdb, pandas
import signal
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
store = Store.open(pathlib.Path(sys.argv[1]))
resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))
try:
    publish_rows(store, {"documents": [document(text="%d" % (7 ** 40000))]}, "big")
except StoreError as error:
    print(error.message)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="needs resource limits")
def test_a_file_that_cannot_grow_leaves_the_old_snapshot(published):
    before = published.current_id()
    code = LIMITED.replace('"%d" % (7 ** 40000)', '"".join(chr(0xAC00 + i * 7919 % 11000) for i in range(9000))')
    done = subprocess.run(
        [sys.executable, "-c", code, published.root, Path(__file__).parent], capture_output=True, text=True, check=False
    )
    assert "Cannot write" in done.stdout, done.stderr
    assert published.current_id() == before
    assert verify(published.snapshot()) == []


UNPRIVILEGED = """
import os, sys, pathlib
sys.path.insert(0, sys.argv[2])
from store_sample import Store, document, publish_rows
from pathgraph.errors import StoreError
from pathgraph.store.cache import Cache
from pathgraph.store.database import query
warm = Store.create(pathlib.Path(sys.argv[1]).with_name("warm"))  # everything is imported before rights are dropped
publish_rows(warm, {})
query(warm, "FROM runs")
Cache(warm.cache).close()
os.setuid(65534)
store = Store.open(pathlib.Path(sys.argv[1]))
print(query(store, "SELECT title FROM documents").to_pylist())
for attempt in (lambda: publish_rows(store, {"documents": [document(title="x")]}, "r"), lambda: Cache(store.cache)):
    try:
        attempt()
    except StoreError as error:
        print(type(error).__name__, error.message.split(":")[0].split(" /")[0], bool(error.remedy))
"""


@pytest.mark.skipif(sys.platform == "win32" or os.geteuid() != 0, reason="drops the rights of root")
def test_a_store_one_may_not_write_can_be_read(rows):
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        store = Store.create(Path(folder, "store"))
        publish_rows(store, rows)
        arguments = [sys.executable, "-c", UNPRIVILEGED, store.root, Path(__file__).parent]
        done = subprocess.run(arguments, capture_output=True, text=True, check=False)
    assert done.stdout.splitlines() == [
        "[{'title': 'A note'}]",
        "StoreError Cannot write True",
        "StoreError The reply cache True",
    ], done.stderr


def test_a_snapshot_of_another_schema_version_is_not_mixed_in(published):
    path = published.snapshot().folder / "manifest.json"
    path.write_text(path.read_text("utf-8").replace('"version": 1,', '"version": 0,'), "utf-8")
    with pytest.raises(StoreBroken, match="has schema version 0, not 1"):
        published.snapshot().table("nodes")
    with pytest.raises(StoreBroken, match="another version of pathgraph"):
        publish_rows(published, {"documents": [document(title="T")]}, "run-2")
