"""Staging: tables a run has made and not yet published. A run that was killed finds its finished tables again.

Belongs here: writing, marking and discarding staged tables. Does not: what a finished table goes through before
readers see it (`publish`).
"""

import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pyarrow as pa
from filelock import BaseFileLock, FileLock, Timeout
from pydantic import ValidationError

from pathgraph.errors import StoreError, StoreLocked
from pathgraph.schema.tables import TABLES
from pathgraph.store.files import remove_tree, unwritable, write_atomically
from pathgraph.store.layout import Store
from pathgraph.store.manifest import TableInfo
from pathgraph.store.parts import TableWriter, read_table, write_table

_claims: dict[Path, BaseFileLock] = {}  # what this process works on; the system frees them with it


class Staging:
    """The folder `staging/<run id>/` of one run.

    A table is there once its mark `<table>.json` is, which is written last and after an fsync of the parts: what
    `has` says holds after a kill too. Tables never staged are taken over from the parent when publishing. `work` is
    free for files the flow wants to keep between attempts.
    """

    def __init__(self, store: Store, run_id: str) -> None:
        if not run_id or Path(run_id).name != run_id or run_id.startswith("."):
            raise StoreError(f"{run_id!r} cannot be a run id.", "Use letters, digits, - and _.")
        self.run_id = run_id
        self.folder = store.staging / run_id

    def claim(self) -> None:
        """Reserve the folder for this process until the work is published or the process ends, however it ends.

        Raises:
            StoreLocked: another process does the same work now.
            StoreError: the store cannot be written.
        """
        if self.folder in _claims:
            return
        lock = FileLock(self.folder.with_name(f"{self.run_id}.lock"), timeout=0, thread_local=False)
        try:
            lock.acquire()
        except Timeout as error:
            raise StoreLocked(
                f"Another process does this very work in {self.folder.parent.parent} now.",
                "Wait for it and run again: what it has done is found.",
            ) from error
        except OSError as error:
            raise unwritable(self.folder, error) from error
        _claims[self.folder] = lock

    @property
    def work(self) -> Path:
        """Folder for the run's own files; made on first use."""
        path = self.folder / "work"
        path.mkdir(parents=True, exist_ok=True)
        return path

    def has(self, table: str) -> bool:
        """Tell whether the table is completely there."""
        return self.info(table) is not None

    def info(self, table: str) -> TableInfo | None:
        """Return what was staged for the table; None when it is not, or only half, or in an older version."""
        try:
            info = TableInfo.model_validate_json(self._mark(table).read_bytes())
        except (FileNotFoundError, ValidationError):
            return None
        return info if info.version == TABLES[table].version and self._holds(table, info) else None

    def tables(self) -> dict[str, TableInfo]:
        """Return every complete table."""
        return {name: info for name in TABLES if (info := self.info(name)) is not None}

    def write(self, table: str, rows: pa.Table | Iterable[pa.RecordBatch]) -> TableInfo:
        """Write a whole table, in place of what was staged before; see `parts.write_table`."""
        self.discard(table)
        return self._complete(table, write_table(self.folder / table, TABLES[table], rows))

    @contextmanager
    def writer(self, table: str, expected_rows: int) -> Iterator[TableWriter]:
        """Write a large table batch by batch; it is complete when the block ends without an error."""
        self.discard(table)
        with TableWriter(self.folder / table, TABLES[table], expected_rows) as writer:
            yield writer
        if writer.info is not None:
            self._complete(table, writer.info)

    def read(self, table: str, columns: Sequence[str] | None = None) -> pa.Table:
        """Read a complete staged table.

        Raises:
            StoreError: it is not staged.
        """
        info = self.info(table)
        if info is None:
            raise StoreError(f"Table {table} is not staged in run {self.run_id}.", "Run the flow again.")
        return read_table(self.folder / table, TABLES[table], [part.name for part in info.parts], columns)

    def discard(self, table: str) -> None:
        """Forget a staged table, complete or not."""
        self._mark(table).unlink(missing_ok=True)
        remove_tree(self.folder / table)

    def remove(self) -> None:
        """Delete everything this run staged; renamed first, so that a kill leaves no half of it to resume from."""
        gone = self.folder.with_name(f".{self.run_id}.{os.getpid()}")
        if lock := _claims.pop(self.folder, None):
            Path(lock.lock_file).unlink(missing_ok=True)
            lock.release()
        try:
            self.folder.rename(gone)
        except FileNotFoundError:
            return
        except OSError as error:
            raise unwritable(self.folder, error) from error
        remove_tree(gone)

    def _mark(self, table: str) -> Path:
        return self.folder / f"{table}.json"

    def _holds(self, table: str, info: TableInfo) -> bool:
        """Tell whether the files the mark speaks of are there, in full length."""
        try:
            return all((self.folder / table / part.name).stat().st_size == part.bytes for part in info.parts)
        except OSError:
            return False

    def _complete(self, table: str, info: TableInfo) -> TableInfo:
        write_atomically(self._mark(table), info.model_dump_json().encode())
        return info
