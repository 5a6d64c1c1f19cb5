"""Run records: one Parquet file a run, never changed.

Belongs here: the record and its file. Does not: counting (the flows do), showing (`pathgraph.cli`).
"""

from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Literal

import pyarrow as pa
import pyarrow.parquet as pq

from pathgraph.errors import StoreBroken
from pathgraph.schema.table import Column
from pathgraph.store.files import write_atomically

Outcome = Literal["success", "partial", "failed", "cancelled", "unchanged", "submitted"]

COLUMNS = (
    Column("run_id", pa.string(), "The run."),
    Column("flow", pa.string(), "`index`, `update`, `rebuild`, `backfill`, `discover` or `evaluate`."),
    Column("started", pa.timestamp("us", tz="UTC"), "When it began."),
    Column("ended", pa.timestamp("us", tz="UTC"), "When it ended."),
    Column(
        "outcome",
        pa.string(),
        "`success`, `partial` (done with failures), `failed`, `cancelled`; and without a snapshot `unchanged`, or "
        "`submitted` (batches are under way).",
    ),
    Column("snapshot", pa.string(), "Snapshot it published.", nullable=True),
    Column("counts", pa.map_(pa.string(), pa.int64()), "Rows, failures, calls, cache hits and so on, by name."),
    Column("seconds", pa.map_(pa.string(), pa.float64()), "Wall time by stage, in seconds."),
    Column("tokens", pa.map_(pa.string(), pa.int64()), "Tokens paid for, by stage and direction; cached ones are 0."),
    Column(
        "cost",
        pa.map_(pa.string(), pa.float64()),
        "Money by stage, in `currency`; a stage whose price is unknown is missing.",
    ),
    Column("currency", pa.string(), "That of the price list in force.", nullable=True),
    Column(
        "expected",
        pa.map_(pa.string(), pa.float64()),
        "What was expected when the run planned its calls: `extraction.calls`, `.in`, `.out`, `.minutes`, `.cost` and "
        "so on for each stage; `.base_*` are the same by the defaults, before anything was learned.",
        nullable=True,
    ),
    Column("document_ids", pa.list_(pa.int64()), "Documents it indexed or indexed anew; `ended` is their index time."),
)
SCHEMA = pa.schema([pa.field(c.name, c.type, nullable=c.nullable) for c in COLUMNS])


@dataclass(frozen=True)
class RunRecord:
    """One run; see `COLUMNS` for what the fields mean."""

    run_id: str
    flow: str
    started: datetime
    ended: datetime
    outcome: Outcome
    snapshot: str | None = None
    counts: dict[str, int] = field(default_factory=dict)
    seconds: dict[str, float] = field(default_factory=dict)
    tokens: dict[str, int] = field(default_factory=dict)
    cost: dict[str, float] = field(default_factory=dict)
    currency: str = ""
    expected: dict[str, float] = field(default_factory=dict)
    document_ids: tuple[int, ...] = ()


def _encode(records: list[RunRecord]) -> bytes:
    rows = [
        {name: sorted(v.items()) if isinstance(v, dict) else v for name, v in vars(record).items()}
        for record in records
    ]
    sink = pa.BufferOutputStream()
    pq.write_table(pa.Table.from_pylist(rows, schema=SCHEMA), sink, compression="zstd")
    return bytes(sink.getvalue())


def prepare(folder: Path) -> None:
    """Write a file without rows, so that the view `runs` works before the first run; raises StoreError."""
    empty = folder / "none.parquet"
    if not empty.exists():
        write_atomically(empty, _encode([]))


def append(folder: Path, record: RunRecord) -> None:
    """Write the record as a file of its own, durably; a second record of one run replaces the first.

    Raises:
        StoreError: the folder cannot be written.
    """
    write_atomically(folder / f"{record.run_id}.parquet", _encode([record]))


def read(folder: Path) -> pa.Table:
    """Return all records as a table of `SCHEMA`, oldest first.

    Raises:
        StoreBroken: a record is damaged.
    """
    tables = [_record(path) for path in sorted(folder.glob("*.parquet"))]
    return pa.concat_tables([SCHEMA.empty_table(), *tables]).sort_by(
        [("started", "ascending"), ("run_id", "ascending")]
    )


def _record(path: Path) -> pa.Table:
    try:
        return _widened(pq.read_table(path, partitioning=None))
    except (OSError, pa.ArrowException) as error:
        raise StoreBroken(
            f"The run record {path} cannot be read: {error}", "Delete the file: it only says how one past run went."
        ) from error


def _widened(table: pa.Table) -> pa.Table:
    """Return a table of `SCHEMA`; columns that are newer than the file are null."""
    for field_ in SCHEMA:
        if field_.name not in table.column_names:
            table = table.append_column(field_, pa.nulls(table.num_rows, field_.type))
    return table.select(SCHEMA.names).cast(SCHEMA)
