"""DuckDB over snapshots: connections with views, `graph.duckdb`, and queries that cannot write.

Belongs here: every `duckdb.connect` of the project. Does not: what the views say (`views`).
"""

import os
import re
import shlex
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa

from pathgraph.errors import StoreBroken, UsageError
from pathgraph.schema.tables import TABLES
from pathgraph.store.files import write_atomically
from pathgraph.store.layout import Store
from pathgraph.store.locking import locked
from pathgraph.store.snapshots import Snapshot
from pathgraph.store.views import VIEWS

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

# The oldest format DuckDB 2 writes; clients from 0.10 on read it (tests/unit/store/test_database.py).
STORAGE_VERSION = "v0.10.0"
CHECK_MEMORY = "1GB"
_EXPLAIN = re.compile(r"\s*explain\s+(analyze\s+|\([^)]*\)\s*)?", re.IGNORECASE)


def quoted(name: str) -> str:
    """Return a name as an SQL identifier."""
    return '"' + name.replace('"', '""') + '"'


def literal(text: str) -> str:
    """Return a text as an SQL string."""
    return "'" + text.replace("'", "''") + "'"


def scan(paths: Sequence[Path], pattern: str = "") -> str:
    """Return SQL that reads the Parquet files (or those that match the pattern in each folder) as one table.

    Paths may hold anything: quotes are doubled, and characters that DuckDB would take for a glob are put in brackets.
    """
    files = ", ".join(literal(_unglobbed(path) + pattern) for path in paths)
    union = ", union_by_name = true" if pattern else ""  # run records of older versions lack columns
    return f"read_parquet([{files}], hive_partitioning = false{union})"


def _unglobbed(path: Path) -> str:
    return re.sub(r"([*?\[])", r"[\1]", str(path))


def _connect(database: str = ":memory:", **settings: str) -> "DuckDBPyConnection":
    import duckdb

    # Home and secrets are left alone, no extension is ever fetched: the same result on every machine.
    fixed: dict[str, str | bool | int | float | list[str]] = {
        "autoinstall_known_extensions": False,
        "allow_persistent_secrets": False,
        "temp_directory": str(Path(tempfile.gettempdir(), f"pathgraph-{os.getpid()}")),  # made when memory is short
        "python_enable_replacements": False,  # a table name never means a Python variable
        **settings,
    }
    return duckdb.connect(database, config=fixed)


def connect(snapshot: Snapshot, runs: Path | None = None) -> "DuckDBPyConnection":
    """Return an in-memory database with a view on every table of the snapshot and every view of `views`.

    Args:
        snapshot: what the views show.
        runs: the store's folder of run records; with it there is a view `runs`.
    """
    connection = _connect()
    connection.execute("SET TimeZone = 'UTC'")  # the same answer on every machine
    _create_views(connection, snapshot, runs)
    return connection


def _create_views(connection: "DuckDBPyConnection", snapshot: Snapshot, runs: Path | None) -> None:
    import duckdb

    try:
        for name in TABLES:
            connection.execute(f"CREATE VIEW {quoted(name)} AS SELECT * FROM {scan(snapshot.part_paths(name))}")
        if runs is not None and any(runs.glob("*.parquet")):  # the records may be deleted; the tables stay readable
            connection.execute(f"CREATE VIEW runs AS SELECT * FROM {scan([runs], '/*.parquet')}")
        for view in VIEWS.values():
            connection.execute(f"CREATE VIEW {quoted(view.name)} AS {view.sql}")
    except duckdb.Error as error:  # a missing part, a cut one, a damaged footer: each has a class of its own
        raise StoreBroken(
            f"Snapshot {snapshot.id} cannot be read: {str(error).splitlines()[0]}",
            f"See what is whole: pathgraph doctor --store {shlex.quote(str(snapshot.folder.parent.parent))}",
        ) from error


def relink(store: Store, timeout: float = 60) -> None:
    """Write `graph.duckdb` anew, as `doctor --relink` does after the store was moved.

    Raises:
        StoreNotFound: nothing was published yet.
        StoreLocked: another process was publishing all the time.
        StoreError: the file cannot be written.
    """
    with locked(store, timeout):
        write_database(store)


def write_database(store: Store) -> None:
    """Replace `graph.duckdb`, under the store's lock, by the views of the current snapshot.

    The views hold the absolute paths of where the store is now. A client that has the old file open keeps it.

    Raises:
        StoreNotFound: nothing was published yet.
        StoreError: the file cannot be written.
    """
    snapshot = store.snapshot()
    # Built elsewhere because DuckDB cannot write a database below a folder with ? in its name.
    with tempfile.TemporaryDirectory() as folder, _connect() as connection:
        built = Path(folder, "graph.duckdb")
        connection.execute(f"ATTACH {literal(str(built))} AS graph (STORAGE_VERSION '{STORAGE_VERSION}')")
        connection.execute("USE graph")
        _create_views(connection, snapshot, store.runs)
        connection.execute("CHECKPOINT graph; USE memory; DETACH graph")
        write_atomically(store.database, built.read_bytes())


def linked(store: Store) -> bool:
    """Tell whether `graph.duckdb` shows the current snapshot at the place where the store is now."""
    import duckdb

    snapshot = store.snapshot()
    wanted = literal(str(snapshot.part_paths("documents")[0]))
    try:
        with _connect(str(store.database), access_mode="READ_ONLY") as connection:
            found = connection.execute("SELECT sql FROM duckdb_views() WHERE view_name = 'documents'").fetchall()
    except duckdb.Error:
        return False
    return any(wanted in re.sub(r"\[([*?\[])\]", r"\1", sql) for (sql,) in found)


@contextmanager
def connect_for_checks(scratch: Path) -> "Iterator[DuckDBPyConnection]":
    """Give a connection that holds at most `CHECK_MEMORY` in memory and the rest in the scratch folder."""
    with _connect(memory_limit=CHECK_MEMORY, temp_directory=str(scratch), preserve_insertion_order="false") as opened:
        yield opened


def connect_locked(store: Store, at: str | None = None) -> "DuckDBPyConnection":
    """Return a connection for other people's SQL; run it with `run`.

    The connection reads the snapshot's files and `runs` and no other, fetches and loads no extension, and these
    settings are locked.

    Raises:
        StoreNotFound: there is no such snapshot.
    """
    snapshot = store.snapshot(at)
    connection = connect(snapshot, store.runs)
    allowed = (snapshot.folder, store.runs)
    # DuckDB compares the text of a path, so both spellings are named: as the views write it and as it is on disk.
    folders = ", ".join(sorted({literal(f"{text}/") for path in allowed for text in (str(path), _unglobbed(path))}))
    connection.execute(f"SET allowed_directories = [{folders}]")
    connection.execute("SET enable_external_access = false")
    connection.execute("SET lock_configuration = true")
    return connection


def read_only(connection: "DuckDBPyConnection", sql: str) -> str:
    """Return the one statement in the text after making sure that it only reads.

    The file-system lock of `connect_locked` cannot do this alone: whoever may read a folder may COPY into it.

    Raises:
        UsageError: the text is no SQL, holds no or several statements, or one that could change something.
    """
    import duckdb

    try:
        statements = connection.extract_statements(sql)
    except duckdb.Error as error:
        raise UsageError(str(error), "Correct the statement; this is DuckDB's SQL.") from error
    if len(statements) != 1:
        found = f"these are {len(statements)}" if statements else "there is none"
        raise UsageError(f"One statement at a time, please; {found}.", 'For example: pathgraph sql "FROM top_entities"')
    kind = statements[0].type
    if kind == duckdb.StatementType.EXPLAIN:
        inner = _EXPLAIN.sub("", sql, count=1)
        if inner != sql:
            read_only(connection, inner)
            return sql
    if kind not in {duckdb.StatementType.SELECT, duckdb.StatementType.MULTI}:  # MULTI is PIVOT
        raise UsageError(
            f"Snapshots are read-only; {kind.name} is refused.",
            "Use SELECT, FROM, WITH, DESCRIBE, SUMMARIZE, SHOW, PIVOT or EXPLAIN; save results with the shell's >.",
        )
    return sql


def run(connection: "DuckDBPyConnection", sql: str) -> pa.Table:
    """Run one reading statement on a locked connection and return its rows.

    Raises:
        UsageError: the statement is wrong or would write.
    """
    import duckdb

    try:
        result: pa.Table = connection.sql(read_only(connection, sql)).to_arrow_table()
    except duckdb.Error as error:
        raise UsageError(str(error), "`SHOW TABLES` lists tables and views, `DESCRIBE <view>` its columns.") from error
    return result


def query(store: Store, sql: str, at: str | None = None) -> pa.Table:
    """Answer one SQL statement over the current snapshot, or over the one whose id begins with `at`.

    Raises:
        StoreNotFound: there is no such snapshot.
        UsageError: the statement is wrong or would write.
    """
    with connect_locked(store, at) as connection:
        return run(connection, sql)
