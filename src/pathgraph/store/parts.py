"""Tables as folders of Parquet parts: exact schema, rows sorted by key, equal bytes for equal rows.

A table above `rows_per_part` rows is cut into 2**k parts by the top bits of the first id column of its key, so that a
change touches few parts and the others keep name and bytes. Belongs here: writing and reading those folders. Does not:
where the folders are (`layout`, `staging`) or whether rows of different tables fit together (`checks`).
"""

from collections.abc import Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Any, Self, TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from pathgraph.errors import SchemaError, StoreBroken
from pathgraph.schema.table import Column, Table
from pathgraph.store.files import file_sha256, sync_file, sync_folder, unwritable
from pathgraph.store.manifest import PartInfo, TableInfo

AnyColumn: TypeAlias = "pa.ChunkedArray[Any]"

ROW_GROUP = 100_000
_ID_BITS = 63


def part_bits(rows: int, rows_per_part: int) -> int:
    """Return the smallest k for which 2**k parts hold the rows with at most `rows_per_part` each on average."""
    return max(0, -(-rows // rows_per_part) - 1).bit_length()


def id_column(declared: Table) -> str | None:
    """Return the key column whose top bits choose a row's part; None where the key holds no id."""
    for name in declared.key:
        column = declared.column(name)
        is_id = bool(column.references) or name == "id" or name.endswith("_id")
        if is_id and not column.nullable and pa.types.is_int64(column.type):
            return name
    return None


def conform(declared: Table, rows: pa.Table) -> pa.Table:
    """Return the rows with exactly the declared columns, order and types.

    Raises:
        SchemaError: a column is missing, unknown or of another type, or holds a null it must not hold.
    """
    odd = sorted(set(rows.column_names) ^ {c.name for c in declared.columns})
    if odd or rows.num_columns != len(declared.columns):
        raise SchemaError(f"Rows for table {declared.name} differ in columns {', '.join(odd) or '(one twice)'}.")
    arrays = [_fit(declared.name, column, rows.column(column.name)) for column in declared.columns]
    return pa.Table.from_arrays(arrays, schema=declared.arrow)


def _fit(table: str, column: Column, values: AnyColumn) -> AnyColumn:
    if values.type != column.type:
        if not pa.types.is_nested(column.type):
            raise SchemaError(f"Column {table}.{column.name} is {values.type}, declared {column.type}.")
        try:
            values = values.cast(column.type)
        except pa.ArrowException as error:
            raise SchemaError(f"Column {table}.{column.name} is {values.type}, declared {column.type}.") from error
    if values.null_count and not column.nullable:
        raise SchemaError(f"Column {table}.{column.name} holds {values.null_count} nulls; it is declared without.")
    if pa.types.is_list(column.type) and pc.list_flatten(values).null_count:
        raise SchemaError(f"Lists in column {table}.{column.name} hold nulls.")
    return values


class _Part:
    """One open part: rows wait until a whole row group is together, so that batch sizes never show in the bytes."""

    def __init__(self, path: Path, schema: pa.Schema) -> None:
        self._path = path
        self._schema = schema
        self._writer = pq.ParquetWriter(path, schema, compression="zstd")
        self._waiting: list[pa.Table] = []
        self._rows = 0
        self._waiting_rows = 0

    def add(self, rows: pa.Table) -> None:
        self._waiting.append(rows)
        self._waiting_rows += rows.num_rows
        if self._waiting_rows >= ROW_GROUP:
            self._flush(whole_groups=True)

    def _flush(self, whole_groups: bool) -> None:
        rows = pa.concat_tables(self._waiting)
        while rows.num_rows >= ROW_GROUP or (rows.num_rows and not whole_groups):
            self._writer.write_table(rows.slice(0, ROW_GROUP).combine_chunks(), row_group_size=ROW_GROUP)
            self._rows += min(ROW_GROUP, rows.num_rows)
            rows = rows.slice(ROW_GROUP)
        self._waiting = [rows]
        self._waiting_rows = rows.num_rows

    def close(self) -> PartInfo:
        if self._waiting_rows:
            self._flush(whole_groups=False)
        self._writer.close()
        sync_file(self._path)
        size = self._path.stat().st_size
        return PartInfo(name=self._path.name, rows=self._rows, bytes=size, sha256=file_sha256(self._path))

    def abandon(self) -> None:
        with suppress(OSError):  # the error that led here is the one to tell
            self._writer.close()


class TableWriter:
    """Writes one table whose rows come sorted by key, in memory bounded by one row group a part.

    Use as a context manager; `info` is there after a clean exit. Parts are fsynced.

    Args:
        folder: created; must not hold parts yet.
        declared: the table.
        expected_rows: total number of rows to come; decides the number of parts, so give the true figure.
    """

    def __init__(self, folder: Path, declared: Table, expected_rows: int) -> None:
        self._declared = declared
        self._folder = folder
        self._by = id_column(declared)
        self._bits = part_bits(expected_rows, declared.rows_per_part) if self._by else 0
        self._open: dict[int, _Part] = {}
        self._done: dict[int, PartInfo] = {}
        self._order = _sortable_key(declared)
        self._last: pa.Table | None = None
        self.info: TableInfo | None = None

    def __enter__(self) -> Self:
        try:
            self._folder.mkdir(parents=True)
        except OSError as error:
            raise unwritable(self._folder, error) from error
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            if kind is None:
                self._finish()
        finally:
            for part in self._open.values():
                part.abandon()

    def write(self, rows: pa.Table | pa.RecordBatch) -> None:
        """Append rows.

        Raises:
            SchemaError: they do not fit the declaration, or do not come in key order.
            StoreError: the file cannot be written.
        """
        table = conform(self._declared, pa.Table.from_batches([rows]) if isinstance(rows, pa.RecordBatch) else rows)
        if not table.num_rows:
            return
        self._check_order(table)
        try:
            for index, share in self._split(table):
                self._part(index).add(share)
        except OSError as error:
            raise unwritable(self._folder, error) from error

    def _split(self, table: pa.Table) -> list[tuple[int, pa.Table]]:
        if not self._bits or self._by is None:
            return [(0, table)]
        parts = table.column(self._by).to_numpy() >> (_ID_BITS - self._bits)
        indices = [int(index) for index in np.unique(parts)]
        if indices[0] < 0:
            raise SchemaError(f"Column {self._declared.name}.{self._by} holds a negative id.")
        if len(indices) == 1:
            return [(indices[0], table)]
        return [(index, table.filter(pa.array(parts == index))) for index in indices]

    def _part(self, index: int) -> _Part:
        if index not in self._open:
            if self._by == self._declared.key[0]:  # sorted by id: what lies before this part is complete
                for earlier in [i for i in self._open if i < index]:
                    self._done[earlier] = self._open.pop(earlier).close()
            self._open[index] = _Part(self._folder / f"part-{index:05d}.parquet", self._declared.arrow)
        return self._open[index]

    def _check_order(self, table: pa.Table) -> None:
        keys = table.select(self._order)
        if self._last is not None:
            keys = pa.concat_tables([self._last, keys])
        if not _ascending(keys):
            raise SchemaError(f"Rows for table {self._declared.name} are not sorted by {', '.join(self._order)}.")
        self._last = keys.slice(keys.num_rows - 1).combine_chunks()

    def _finish(self) -> None:
        try:
            for index in range(1 << self._bits):
                if index not in self._done:
                    part = self._part(index)
                    self._done[index] = self._open.pop(index, part).close()
            sync_folder(self._folder)
        except OSError as error:
            raise unwritable(self._folder, error) from error
        parts = tuple(self._done[index] for index in sorted(self._done))
        self.info = TableInfo.of(self._declared.version, parts)


def _sortable_key(declared: Table) -> list[str]:
    """Return the leading key columns that are plain and never null: those whose order the writer can check."""
    names: list[str] = []
    for name in declared.key:
        column = declared.column(name)
        if column.nullable or pa.types.is_nested(column.type):
            break
        names.append(name)
    return names


def _ascending(keys: pa.Table) -> bool:
    """Tell whether the rows are in lexicographic order of their columns, equal neighbours allowed."""
    ordered = np.ones(max(keys.num_rows - 1, 0), dtype=bool)
    for name in reversed(keys.column_names):
        before, after = keys.column(name).slice(0, keys.num_rows - 1), keys.column(name).slice(1)
        ordered &= pc.equal(before, after).to_numpy()
        ordered |= pc.less(before, after).to_numpy()
    return bool(ordered.all())


def write_table(folder: Path, declared: Table, rows: pa.Table | Iterable[pa.RecordBatch]) -> TableInfo:
    """Write a whole table and return what was written.

    Rows are sorted by key here, except for tables whose key holds a list (`paths`): those must come sorted.

    Raises:
        SchemaError: the rows do not fit the declaration.
        StoreError: the folder exists or cannot be written.
    """
    table = rows if isinstance(rows, pa.Table) else pa.Table.from_batches(list(rows), declared.arrow)
    table = conform(declared, table)
    if not any(pa.types.is_nested(declared.column(name).type) for name in declared.key):
        table = declared.sort(table)
    with TableWriter(folder, declared, table.num_rows) as writer:
        writer.write(table)
    assert writer.info is not None
    return writer.info


def read_table(
    folder: Path, declared: Table, parts: Sequence[str] | None = None, columns: Sequence[str] | None = None
) -> pa.Table:
    """Read the parts of a table, in part order; rows inside a part are sorted by key.

    Args:
        folder: the table's folder.
        declared: the table.
        parts: file names; every part of the folder by default.
        columns: only these columns, in this order.

    Raises:
        SchemaError: the table has no such column.
        StoreBroken: a part is missing or damaged.
    """
    wanted = [declared.column(name).name for name in columns] if columns is not None else None
    names = sorted(path.name for path in folder.glob("part-*.parquet")) if parts is None else parts
    try:
        tables = [pq.read_table(folder / name, columns=wanted, partitioning=None) for name in names]
    except (OSError, pa.ArrowException) as error:
        raise StoreBroken(
            f"Table {declared.name} in {folder.parent} cannot be read: {error}",
            "Run `pathgraph doctor` to see which snapshots are whole.",
        ) from error
    schema = declared.arrow if wanted is None else pa.schema([declared.arrow.field(name) for name in wanted])
    return pa.concat_tables([schema.empty_table(), *(table.cast(schema) for table in tables)])
