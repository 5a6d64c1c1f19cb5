"""The command `sql`: one statement, or a shell with history."""

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from pathgraph.cli import local_server
from pathgraph.cli.output import SUCCESS, err, ids_as_text, out, print_json, print_table
from pathgraph.errors import PathgraphError, UsageError

if TYPE_CHECKING:
    import pyarrow as pa
    from duckdb import DuckDBPyConnection


@dataclass(frozen=True)
class Asked:
    """The command's options."""

    store: Path
    at: str | None
    as_json: bool
    limit: int


def run(asked: Asked, statement: str | None) -> int:
    """Answer the statement, or open the shell; a statement on stdin is read when stdin is no terminal."""
    from pathgraph.store.database import connect_locked
    from pathgraph.store.database import run as answer
    from pathgraph.store.layout import Store

    if statement is None and not sys.stdin.isatty():
        statement = sys.stdin.read()
    with connect_locked(Store.open(asked.store), asked.at) as connection:
        if statement is None:
            return _shell(connection, asked)
        _show(answer(connection, statement), asked)
    return SUCCESS


def _show(rows: "pa.Table", asked: Asked) -> None:
    shown = rows.slice(0, asked.limit) if asked.limit and not asked.as_json else rows
    names = _distinct(rows.column_names)
    try:
        columns = [column.to_pylist() for column in shown.columns]
    except (OverflowError, ValueError) as error:  # DuckDB's times reach further and finer than Python's
        raise UsageError(f"A value cannot be shown: {error}.", "Cast dates and times to VARCHAR.") from error
    cells = [list(row) for row in zip(*columns, strict=True)]
    if asked.as_json:
        print_json(ids_as_text([dict(zip(names, row, strict=True)) for row in cells]))
        return
    print_table(names, cells)
    if shown.num_rows < rows.num_rows:
        err.print(f"{shown.num_rows} of {rows.num_rows} rows; --limit 0 shows all.", style="yellow")


def _distinct(names: list[str]) -> list[str]:
    """Return the column names with `_1`, `_2` and so on at repeated ones, as two tables joined by * give them."""
    taken = set(names)
    used: set[str] = set()
    distinct = []
    for name in names:
        new, number = name, 0
        while new in used or (number and new in taken):
            number += 1
            new = f"{name}_{number}"
        used.add(new)
        distinct.append(new)
    return distinct


def _shell(connection: "DuckDBPyConnection", asked: Asked) -> int:
    """Read statements that end in `;` until end of input; a wrong one is explained and forgotten."""
    from pathgraph.store.database import run as answer

    _history()
    out.print("SQL on the snapshot, read-only. End a statement with ; — SHOW TABLES; lists tables — Ctrl-D leaves.")
    while (statement := _read()) is not None:
        try:
            _show(answer(connection, statement), asked)
        except PathgraphError as error:
            err.print(str(error), style="red", markup=False)
    return SUCCESS


def _read() -> str | None:
    lines: list[str] = []
    while True:
        try:
            line = input("sql> " if not lines else "...> ")
        except EOFError:
            out.print()
            return None
        except KeyboardInterrupt:
            out.print()
            lines.clear()
            continue
        if not lines and line.strip().lower() in {"exit", "quit", "\\q", ".exit", ".quit"}:
            return None
        lines.append(line)
        if line.rstrip().endswith(";"):
            return "\n".join(lines).rstrip().rstrip(";")


def _history() -> None:
    """Keep the shell's history between sessions, where readline is there and the folder can be written."""
    import atexit

    try:
        import readline
    except ImportError:
        return
    path = local_server.home() / "sql_history"
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch(mode=0o600)
        readline.read_history_file(path)
    except OSError:
        return
    readline.set_history_length(2000)
    atexit.register(readline.write_history_file, path)
