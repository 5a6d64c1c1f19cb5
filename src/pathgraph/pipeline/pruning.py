"""What in the cache no snapshot and no unfinished run needs any more.

Belongs here: what "needed" means for each kind of entry. Does not: storing and deleting (`pathgraph.store.cache`).

An entry is needed when a snapshot holds what was made of it, whatever model or settings made it: this is told by the
content, not by the settings of today. So what is removed was replaced or belongs to documents that are gone.
"""

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from hashlib import blake2b
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq

from pathgraph import progress
from pathgraph.arrow import values
from pathgraph.extraction import run as extraction
from pathgraph.ids import content_hash
from pathgraph.pipeline import documents, embedding, plan, summaries
from pathgraph.store.cache import Cache, Entry
from pathgraph.store.layout import Store
from pathgraph.store.snapshots import Snapshot

JOBS = "jobs.parquet"  # an unfinished run's requests, in its work folder


@dataclass(frozen=True)
class Unneeded:
    """Entries of one namespace that may go, and all there are."""

    namespace: str
    entries: int
    removable: tuple[Entry, ...]

    @property
    def bytes(self) -> int:
        """Stored bytes of what may go."""
        return sum(entry.size for entry in self.removable)


@dataclass
class _Needed:
    """What the snapshots and the unfinished runs hold."""

    replies: set[str] = field(default_factory=set)
    reports: set[str] = field(default_factory=set)
    vectors: set[bytes] = field(default_factory=set)
    documents: set[str] = field(default_factory=set)
    snapshots: set[str] = field(default_factory=set)
    jobs: set[str] = field(default_factory=set)
    since: float = float("inf")  # what is newer may belong to an unfinished run


def unneeded(store: Store, cache: Cache, made_before: float | None) -> Iterator[Unneeded]:
    """Yield for each namespace what may go.

    Entries whose need cannot be told (`condense` and kinds that are not known here) go by age alone, and only when an
    age is given.

    Args:
        store: its snapshots and unfinished runs.
        cache: its cache.
        made_before: only entries older than this (Unix seconds); None: any age.

    Raises:
        StoreBroken: a snapshot cannot be read, so that what it needs is not known.
    """
    needed = _needed(store)
    tests = _tests(needed)
    for stats in cache.stats():
        progress.check_stop()
        test = tests.get(stats.namespace)
        if test is None and made_before is None:
            yield Unneeded(stats.namespace, stats.entries, ())
            continue
        found = [
            # The value is not kept: all of them together may be larger than memory.
            Entry(entry.key, None, entry.size, entry.created)
            for entry in cache.entries(stats.namespace)
            if entry.created < needed.since
            and (made_before is None or entry.created < made_before)
            and (test is None or entry.value is None or not test(entry.key, entry.value))
        ]
        yield Unneeded(stats.namespace, stats.entries, tuple(found))


def _tests(needed: _Needed) -> dict[str, Callable[[str, bytes], bool]]:
    """Return for each namespace whether an entry is needed."""

    def reply(key: str, value: bytes) -> bool:
        return key in needed.jobs or content_hash(value.decode("utf-8", "surrogatepass")) in needed.replies

    def document(_key: str, value: bytes) -> bool:
        return any(record["content_hash"] in needed.documents for record in json.loads(value))

    return {
        extraction.NAMESPACE: reply,
        embedding.NAMESPACE: lambda _key, value: _digest(value) in needed.vectors,
        summaries.NAMESPACE: lambda key, _value: key in needed.reports,
        documents.NAMESPACE: document,
        plan.NAMESPACE: lambda _key, value: value.decode() in needed.snapshots,
    }


def _needed(store: Store) -> _Needed:
    needed = _Needed()
    for snapshot_id in store.snapshot_ids():
        progress.check_stop()
        _add(needed, store.snapshot(snapshot_id))
    for folder in store.staging.iterdir():
        work = folder / "work"
        if (work / JOBS).is_file():
            needed.jobs |= set(values(pq.read_table(work / JOBS, columns=["key"]), "key"))
        if (work / "items.json").is_file():
            needed.since = min(needed.since, _begun(folder))
    return needed


def _begun(folder: Path) -> float:
    """Return when a run began to write its folder: by its oldest file, less the second that the cache rounds off."""
    return min(path.stat().st_mtime for path in folder.rglob("*") if path.is_file()) - 1


def _add(needed: _Needed, snapshot: Snapshot) -> None:
    needed.snapshots.add(snapshot.id)
    needed.replies |= set(values(snapshot.table("extractions", ["reply_hash"]), "reply_hash"))
    needed.reports |= set(values(snapshot.table("summaries", ["input_hash"]), "input_hash"))
    needed.documents |= set(values(snapshot.table("documents", ["content_hash"]), "content_hash"))
    vectors = snapshot.table("embeddings", ["vector"]).column("vector").to_numpy()
    needed.vectors |= {_digest(np.asarray(vector, "<f4").tobytes()) for vector in vectors}


def _digest(vector: bytes) -> bytes:
    return blake2b(vector, digest_size=16).digest()
