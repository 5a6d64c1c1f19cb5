"""The reply cache: what was put comes back, from any thread or process, and trouble is told at once."""

import os
import sqlite3
import stat
import subprocess
import sys
import threading
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pathgraph.errors import StoreError
from pathgraph.store.cache import Cache, CacheStats


@pytest.fixture
def cache(tmp_path):
    cache = Cache(tmp_path / "cache")
    yield cache
    cache.close()


@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.dictionaries(st.text(), st.binary(max_size=300), max_size=5))
def test_what_was_put_comes_back(cache, items):
    cache.put_many("any", items)
    assert cache.get_many("any", list(items)) == items
    assert cache.get_many("other", list(items)) == {}


def test_many_keys_vectors_and_replacement(cache):
    items = {f"k{i}": np.full(8, i, dtype=np.float32).tobytes() for i in range(1300)}
    cache.put_many("vectors", items)
    cache.put_many("vectors", {"k0": b"new"})
    found = cache.get_many("vectors", [*items, "absent"])
    assert len(found) == 1300
    assert found["k0"] == b"new"
    assert np.frombuffer(found["k7"], dtype=np.float32).tolist() == [7.0] * 8
    assert cache.get_many("vectors", []) == {}


def test_values_are_compressed_where_that_helps(cache):
    cache.put_many("text", {"long": "말".encode() * 10_000, "short": b"x"})
    (stats,) = cache.stats()
    assert (stats.namespace, stats.entries) == ("text", 2)
    assert stats.bytes < 1000


def test_listed_entries_can_be_removed(cache):
    cache.put_many("a", {str(i): str(i).encode() for i in range(1200)})
    cache.put_many("b", {"1": b"1"})
    entries = list(cache.entries("a"))
    assert [entry.key for entry in entries] == sorted(map(str, range(1200)))
    assert all(entry.value == entry.key.encode() for entry in entries)
    assert cache.remove("a", entries[:-1]) == 1199
    cache.compact()
    assert {stats.namespace: stats.entries for stats in cache.stats()} == {"a": 1, "b": 1}
    assert cache.remove("a", []) == 0


def test_an_entry_that_was_written_anew_since_it_was_listed_stays(cache):
    cache.put_many("a", {"1": b"1"})
    (entry,) = cache.entries("a")
    assert cache.remove("a", [replace(entry, created=entry.created - 5)]) == 0
    assert cache.get_many("a", ["1"]) == {"1": b"1"}


def test_threads_share_one_cache(cache):
    def work(number):
        for i in range(20):
            cache.put_many("t", {f"{number}-{i}": str(number).encode()})
            assert cache.get_many("t", [f"{number}-{i}"])

    threads = [threading.Thread(target=work, args=(n,)) for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert cache.stats()[0].entries == 160


WRITER = """
import sys, os, pathlib
from pathgraph.store.cache import Cache
cache = Cache(pathlib.Path(sys.argv[1]))
for i in range(25):
    cache.put_many("p", {f"{sys.argv[2]}-{i}": b"v"})
os._exit(9)
"""


def test_processes_write_at_once_and_what_was_put_survives_their_death(cache):
    folder = str(cache.path.parent)
    running = [subprocess.Popen([sys.executable, "-c", WRITER, folder, str(n)]) for n in range(3)]
    assert [process.wait() for process in running] == [9, 9, 9]
    assert cache.stats() == [CacheStats("p", 75, 450)]


@pytest.mark.parametrize("garbage", [b"this is no database" * 300, b"\x00" * 8192])
def test_a_damaged_file_is_moved_aside(tmp_path, garbage):
    (tmp_path / "replies.sqlite").write_bytes(garbage)
    cache = Cache(tmp_path)
    assert "moved to" in cache.warning
    cache.put_many("a", {"k": b"v"})
    assert cache.get_many("a", ["k"]) == {"k": b"v"}
    assert [p.read_bytes() for p in tmp_path.glob("replies.damaged-*")] == [garbage]
    cache.close()


def test_damage_inside_is_found_while_reading(tmp_path):
    cache = Cache(tmp_path)
    cache.put_many("a", {f"k{i}": os.urandom(200) for i in range(2000)})
    cache.close()
    size = cache.path.stat().st_size
    with cache.path.open("r+b") as handle:
        handle.seek(8192)
        handle.write(b"\xff" * (size - 8192))
    assert cache.get_many("a", ["k1", "k2"]) == {}
    assert cache.warning
    cache.put_many("a", {"k1": b"v"})
    assert cache.get_many("a", ["k1"]) == {"k1": b"v"}
    cache.close()


@pytest.mark.parametrize("value", [b"plain", b"packed" * 500])
def test_a_value_that_rotted_counts_as_absent(cache, value):
    cache.put_many("a", {"k": value, "good": value})
    stored = cache._opened().execute("SELECT value FROM replies WHERE key = 'k'").fetchone()[0]
    rotten = stored[:-1] + bytes([stored[-1] ^ 1])
    cache._opened().execute("UPDATE replies SET value = ? WHERE key = 'k'", (rotten,))
    assert cache.get_many("a", ["k", "good"]) == {"good": value}


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="root writes everywhere")
def test_a_read_only_cache_is_told_at_once_for_ordinary_users(tmp_path):
    Cache(tmp_path).close()
    tmp_path.chmod(stat.S_IRUSR | stat.S_IXUSR)
    with pytest.raises(StoreError, match="cannot be used"):
        Cache(tmp_path)
    tmp_path.chmod(stat.S_IRWXU)


def test_a_cache_that_cannot_be_written_is_told_at_once(tmp_path):
    (tmp_path / "file").write_text("x")
    with pytest.raises(StoreError) as caught:
        Cache(tmp_path / "file")
    assert caught.value.remedy
    (tmp_path / "cache" / "replies.sqlite").mkdir(parents=True)
    with pytest.raises(StoreError, match="cannot be used"):
        Cache(tmp_path / "cache")


def test_a_full_disk_is_told_and_loses_nothing(cache):
    cache.put_many("a", {"k": b"v"})
    pages = cache._opened().execute("PRAGMA page_count").fetchone()[0]
    cache._opened().execute(f"PRAGMA max_page_count = {pages}")
    with pytest.raises(StoreError, match="full"):
        cache.put_many("a", {f"n{i}": os.urandom(5000) for i in range(20)})
    assert cache.get_many("a", ["k", "n0"]) == {"k": b"v"}


def test_a_commit_waits_for_the_disk(cache):
    assert cache._opened().execute("PRAGMA synchronous").fetchone() == (2,)
    assert cache._opened().execute("PRAGMA journal_mode").fetchone() == ("wal",)
    assert sqlite3.threadsafety == 3
