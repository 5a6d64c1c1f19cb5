"""What commands print: results on stdout, everything else on stderr; errors end with their remedy.

Belongs here: consoles, JSON, tables, exit codes. Does not: what is printed.
"""

import json
import math
import re
import shlex
import sys
from collections.abc import Callable, Mapping, Sequence
from datetime import date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any, NoReturn

import typer
from rich.console import Console
from rich.table import Table as RichTable

from pathgraph.errors import PathgraphError, UsageError

_SURROGATE = re.compile("[\ud800-\udfff]")
SUCCESS, FAILED, WRONG_USAGE, PARTIAL, STOPPED = 0, 1, 2, 3, 130

_LEAST = 26  # characters below which a column is not squeezed: an id must stay whole

# In a file or a pipe nothing has to fit a screen.
out = Console(highlight=False, soft_wrap=True, width=None if sys.stdout.isatty() else 240)
err = Console(stderr=True, highlight=False, soft_wrap=True)  # a remedy must survive being copied


def print_json(value: Any) -> None:
    """Print one JSON document on stdout, standard JSON: NaN and infinities are null, lone surrogates escaped."""
    text = json.dumps(_finite(value), ensure_ascii=False, indent=2, default=_encode, allow_nan=False)
    sys.stdout.write(_SURROGATE.sub(lambda found: f"\\u{ord(found[0]):04x}", text) + "\n")


def _finite(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _finite(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_finite(item) for item in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _encode(value: object) -> object:
    if isinstance(value, (datetime, date)):
        return value.isoformat()
    if isinstance(value, Decimal) and abs(value) <= 1 << 53:  # DuckDB's sum of whole numbers is one
        return int(value) if value == int(value) else float(value)
    return str(value)


def ids_as_text(value: Any) -> Any:
    """Return rows for JSON with integers beyond 2**53 as text: JavaScript and others would round them."""
    if isinstance(value, Mapping):
        return {key: ids_as_text(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [ids_as_text(item) for item in value]
    return str(value) if isinstance(value, int) and abs(value) > 1 << 53 else value


def print_table(columns: Sequence[str], rows: Sequence[Sequence[object]], title: str = "") -> None:
    """Print rows as a table, or one under another where they are too wide; cells are plain text, never markup."""
    cells = [[_cell(value) for value in row] for row in rows]
    least = [min(_LEAST, max(map(len, (name, *column)))) for name, *column in zip(columns, *cells, strict=True)]
    if cells and sum(least) + 3 * len(columns) + 1 > out.width:
        _print_records(columns, cells)
        return
    table = RichTable(title=title or None, title_justify="left", header_style="bold")
    for column, width in zip(columns, least, strict=True):
        table.add_column(column, overflow="fold", min_width=width)
    for row in cells:
        table.add_row(*row)
    out.print(table)


def _print_records(columns: Sequence[str], cells: Sequence[Sequence[str]]) -> None:
    label = max(map(len, columns))
    for number, row in enumerate(cells, 1):
        out.print(f"[dim]row {number}[/]")
        for column, cell in zip(columns, row, strict=True):
            out.print(f"  [bold]{column:<{label}}[/]  {cell}")


def _cell(value: object) -> str:
    from rich.markup import escape

    if value is None:
        return ""
    if isinstance(value, float):
        return f"{value:.4g}"
    return escape(str(value))


def store_option(root: Path) -> str:
    """Return the option that names the store, ready to be pasted into a shell."""
    return f"--store {shlex.quote(str(root))}"


def fail(error: PathgraphError) -> NoReturn:
    """Print an error with its remedy and leave with its exit code."""
    err.print(f"[bold red]Error:[/] {_plain(error.message)}")
    if error.remedy:
        err.print(_plain(error.remedy), style="yellow")
    raise typer.Exit(WRONG_USAGE if isinstance(error, UsageError) else FAILED)


def _plain(text: str) -> str:
    from rich.markup import escape

    return escape(text)


def guarded(command: Callable[[], int]) -> None:
    """Run a command's body and leave with its exit code; errors and Ctrl-C become messages."""
    from pathgraph.progress import Stopped

    try:
        code = command()
    except Stopped as stop:
        err.print(f"\n{stop.message} {stop.remedy}", style="yellow")
        raise typer.Exit(STOPPED) from None
    except PathgraphError as error:
        fail(error)
    except OSError as error:
        if isinstance(error, BrokenPipeError):  # the reader of a pipe has seen enough
            raise
        fail(PathgraphError(f"The system refused: {error}.", "Check the path, its permissions and the free space."))
    except KeyboardInterrupt:
        err.print("\nStopped.", style="yellow")
        raise typer.Exit(STOPPED) from None
    raise typer.Exit(code)
