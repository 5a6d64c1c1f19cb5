"""Snapshots: reading one, checking that one is whole.

Belongs here: the read side of published tables. Does not: publishing (`publish`), SQL (`database`).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import pyarrow as pa

from pathgraph.errors import SchemaError, StoreBroken
from pathgraph.schema.table import Table
from pathgraph.schema.tables import TABLES
from pathgraph.store.files import file_sha256
from pathgraph.store.manifest import Manifest, read_manifest
from pathgraph.store.parts import read_table

MANIFEST = "manifest.json"


@dataclass(frozen=True)
class Snapshot:
    """One published snapshot; immutable."""

    folder: Path

    @classmethod
    def open(cls, folder: Path) -> "Snapshot":
        """Return the snapshot in the folder.

        Raises:
            StoreBroken: it has no readable manifest.
        """
        snapshot = cls(folder)
        _ = snapshot.manifest
        return snapshot

    @property
    def id(self) -> str:
        """Its id."""
        return self.folder.name

    @cached_property
    def manifest(self) -> Manifest:
        """Its manifest."""
        return read_manifest(self.folder / MANIFEST)

    def table(self, name: str, columns: Sequence[str] | None = None) -> pa.Table:
        """Read a table, or some of its columns, into memory; rows as `parts.read_table` orders them.

        Raises:
            SchemaError: there is no such table or column.
            StoreBroken: a part is missing, damaged, or of another schema version.
        """
        return read_table(self.folder / name, _declared(name), self._part_names(name), columns)

    def part_paths(self, name: str) -> list[Path]:
        """Return the Parquet files of a table."""
        return [self.folder / name / part for part in self._part_names(name)]

    def rows(self, name: str) -> int:
        """Return the number of rows of a table, from the manifest."""
        _declared(name)
        return self.manifest.tables[name].rows

    def _part_names(self, name: str) -> list[str]:
        declared, info = _declared(name), self.manifest.tables.get(name)
        if info is None or info.version != declared.version:
            found = "is missing" if info is None else f"has schema version {info.version}, not {declared.version},"
            raise StoreBroken(
                f"Table {name} {found} in snapshot {self.id}: another version of pathgraph wrote it.",
                "Index anew into a new store; the reply cache of the old one may be copied over.",
            )
        return [part.name for part in info.parts]


def _declared(name: str) -> Table:
    if name not in TABLES:
        raise SchemaError(f"There is no table {name}; there are {', '.join(TABLES)}.")
    return TABLES[name]


def verify(snapshot: Snapshot) -> list[str]:
    """Compare every part with its recorded hash and return one sentence for each that is missing or damaged."""
    problems: list[str] = []
    for name, table in snapshot.manifest.tables.items():
        for part in table.parts:
            path = snapshot.folder / name / part.name
            try:
                good = path.stat().st_size == part.bytes and file_sha256(path) == part.sha256
            except OSError as error:
                problems.append(f"{name}/{part.name}: {error.strerror or error}")
                continue
            if not good:
                problems.append(f"{name}/{part.name}: the bytes differ from what was published")
    return problems
