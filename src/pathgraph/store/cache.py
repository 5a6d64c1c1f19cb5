"""The content-addressed cache of model replies and embeddings: an SQLite file that many threads and processes share.

What `put_many` returned from survives a power loss: a reply is paid for once. Belongs here: storing bytes under a key.
Does not: what makes a key (the provider's client says so) or what the bytes mean.
"""

import sqlite3
import threading
import time
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import islice
from pathlib import Path
from typing import TypeVar

from filelock import FileLock

from pathgraph.errors import StoreError

_BUSY_SECONDS = 60.0
_KEYS_A_QUERY = 500
_PLAIN, _ZLIB = b"\x00", b"\x01"
_BROKEN = {sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB}
_T = TypeVar("_T")


@dataclass(frozen=True)
class CacheStats:
    """Entries and stored bytes (compressed) of one namespace."""

    namespace: str
    entries: int
    bytes: int


@dataclass(frozen=True)
class Entry:
    """One entry: its value, None when it is damaged; stored bytes (compressed); when it was made, Unix seconds."""

    key: str
    value: bytes | None
    size: int
    created: int


class Cache:
    """Replies by (namespace, key). One object serves all threads of a process; each process opens its own.

    A damaged file is moved aside and an empty one begun: `warning` then says so (else it is empty). A cache that
    cannot be written is an error at once, before anything is paid for that could not be kept.
    """

    def __init__(self, folder: Path) -> None:
        """Open the cache in the folder, making both where they are missing.

        Raises:
            StoreError: it cannot be written.
        """
        self.path = folder / "replies.sqlite"
        self.warning = ""
        self._guard = folder / "replies.lock"
        self._lock = threading.Lock()
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise _unwritable(self.path, error) from error
        self._connection: sqlite3.Connection | None = None
        self.check_writable()

    def check_writable(self) -> None:
        """Write and remove an entry, durably; call it before work whose results must be kept.

        Raises:
            StoreError: the cache cannot be written.
        """
        self._run(_probe)

    def get_many(self, namespace: str, keys: Sequence[str]) -> dict[str, bytes]:
        """Return the values of those keys that are there; a value whose checksum is wrong counts as absent."""

        def read(connection: sqlite3.Connection) -> dict[str, bytes]:
            found: dict[str, bytes | None] = {}
            pending = iter(keys)
            while batch := list(islice(pending, _KEYS_A_QUERY)):
                marks = ",".join("?" * len(batch))
                rows = connection.execute(
                    f"SELECT key, value FROM replies WHERE namespace = ? AND key IN ({marks})", [namespace, *batch]
                )
                found.update((key, _unpack(value)) for key, value in rows)
            return {key: value for key, value in found.items() if value is not None}

        return self._run(read)

    def put_many(self, namespace: str, items: Mapping[str, bytes]) -> None:
        """Store the values in one transaction, replacing those that are there; returns when they are on disk.

        Raises:
            StoreError: the cache cannot be written (full, read-only); nothing of the batch was stored.
        """
        now = int(time.time())
        rows = [(namespace, key, _pack(value), now) for key, value in items.items()]

        def write(connection: sqlite3.Connection) -> None:
            with connection:
                connection.execute("BEGIN IMMEDIATE")
                connection.executemany("INSERT OR REPLACE INTO replies VALUES (?, ?, ?, ?)", rows)

        self._run(write)

    def stats(self) -> list[CacheStats]:
        """Return entries and bytes by namespace."""
        sql = "SELECT namespace, count(*), sum(length(value)) FROM replies GROUP BY namespace ORDER BY namespace"
        return self._run(lambda connection: [CacheStats(*row) for row in connection.execute(sql)])

    def entries(self, namespace: str) -> Iterator[Entry]:
        """Yield every entry of the namespace by key; a damaged value is None. Others may write meanwhile."""
        last = ""
        while batch := self._run(partial(_after, namespace=namespace, key=last)):
            yield from batch
            last = batch[-1].key

    def remove(self, namespace: str, entries: Iterable[Entry]) -> int:
        """Delete entries that nobody has replaced since they were listed; return how many went."""
        wanted = [(namespace, entry.key, entry.created) for entry in entries]

        def delete(connection: sqlite3.Connection) -> int:
            with connection:
                connection.execute("BEGIN IMMEDIATE")
                sql = "DELETE FROM replies WHERE namespace = ? AND key = ? AND created = ?"
                return connection.executemany(sql, wanted).rowcount if wanted else 0

        return self._run(delete)

    def delete_many(self, namespace: str, keys: Iterable[str]) -> None:
        """Delete the entries of those keys that are there."""
        gone = [(namespace, key) for key in keys]

        def delete(connection: sqlite3.Connection) -> None:
            with connection:
                connection.execute("BEGIN IMMEDIATE")
                connection.executemany("DELETE FROM replies WHERE namespace = ? AND key = ?", gone)

        self._run(delete)

    def compact(self) -> None:
        """Give the space of deleted entries back to the file system."""
        self._run(lambda connection: connection.execute("VACUUM"))

    def close(self) -> None:
        """Close the file; the object opens it again when it is used again."""
        with self._lock:
            self._close()

    def __del__(self) -> None:
        if getattr(self, "_connection", None) is not None:  # Python 3.13 warns of a database nobody closed
            self._close()

    def _close(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def _run(self, work: Callable[[sqlite3.Connection], _T]) -> _T:
        """Do the work on the one connection; when the file turns out to be damaged, once more on an empty one."""
        with self._lock:
            try:
                return work(self._opened())
            except OSError as error:
                raise _unwritable(self.path, error) from error
            except sqlite3.DatabaseError as error:
                if (error.sqlite_errorcode & 0xFF) not in _BROKEN:
                    raise _unwritable(self.path, error) from error
            self._close()
            self._set_aside()
            try:
                return work(self._opened())
            except sqlite3.DatabaseError as error:
                raise _unwritable(self.path, error) from error

    def _opened(self) -> sqlite3.Connection:
        if self._connection is None:
            with FileLock(self._guard):  # two processes cannot both turn a new file to WAL
                self._connection = _open(self.path)
        return self._connection

    def _set_aside(self) -> None:
        """Rename the damaged file, unless another process has done so by now."""
        with FileLock(self._guard):
            if not _damaged(self.path):
                return
            aside = self.path.with_name(f"replies.damaged-{time.time_ns()}.sqlite")
            self.path.rename(aside)
            for ending in ("-wal", "-shm"):
                self.path.with_name(self.path.name + ending).unlink(missing_ok=True)
        self.warning = f"The reply cache was damaged and was moved to {aside}; a new one was begun."


def _after(connection: sqlite3.Connection, namespace: str, key: str) -> list[Entry]:
    """Return the next entries after a key."""
    sql = "SELECT key, value, created FROM replies WHERE namespace = ? AND key > ? ORDER BY key LIMIT ?"
    rows = connection.execute(sql, (namespace, key, _KEYS_A_QUERY))
    return [Entry(found, _unpack(value), len(value), created) for found, value, created in rows]


def _open(path: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(path, timeout=_BUSY_SECONDS, isolation_level=None, check_same_thread=False)
    try:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = FULL")  # a commit returns after an fsync of the log
        connection.execute(
            """CREATE TABLE IF NOT EXISTS replies (namespace TEXT NOT NULL, key TEXT NOT NULL, value BLOB NOT NULL,
               created INTEGER NOT NULL, PRIMARY KEY (namespace, key)) WITHOUT ROWID"""
        )
    except sqlite3.DatabaseError:
        connection.close()
        raise
    return connection


def _probe(connection: sqlite3.Connection) -> None:
    with connection:
        connection.execute("BEGIN IMMEDIATE")
        connection.execute("INSERT OR REPLACE INTO replies VALUES ('', 'probe', x'00', 0)")
        connection.execute("DELETE FROM replies WHERE namespace = '' AND key = 'probe'")


def _damaged(path: Path) -> bool:
    try:
        connection = _open(path)
    except sqlite3.DatabaseError:
        return True
    try:
        found = connection.execute("PRAGMA quick_check(1)").fetchone()
    except sqlite3.DatabaseError:
        return True
    finally:
        connection.close()
    return bool(found != ("ok",))


def _pack(value: bytes) -> bytes:
    """Return flag, checksum of the value (SQLite has none), and the value, compressed where that makes it smaller."""
    packed = zlib.compress(value, 6)
    flag, body = (_ZLIB, packed) if len(packed) < len(value) else (_PLAIN, value)
    return flag + zlib.crc32(value).to_bytes(4, "big") + body


def _unpack(stored: bytes) -> bytes | None:
    flag, checksum, body = stored[:1], stored[1:5], stored[5:]
    try:
        value = zlib.decompress(body) if flag == _ZLIB else body
    except zlib.error:
        return None
    return value if zlib.crc32(value).to_bytes(4, "big") == checksum else None


def _unwritable(path: Path, error: Exception) -> StoreError:
    return StoreError(
        f"The reply cache {path} cannot be used: {error}.",
        "Check free space and permissions; replies that are in it are not lost, and none was paid for that is not.",
    )
