"""The commands `cache stats` and `cache prune`.

Belongs here: asking and printing. Does not: what may go (`pathgraph.pipeline.pruning`).
"""

import re
import sys
import time
from dataclasses import dataclass
from pathlib import Path

import typer

from pathgraph.cli.output import SUCCESS, err, print_json, print_table
from pathgraph.errors import UsageError
from pathgraph.pipeline.pruning import Unneeded, unneeded
from pathgraph.pipeline.run import cache_of
from pathgraph.store.layout import Store

MEANING = {
    "batch": "conversations by the batch endpoint",
    "condense": "condensed descriptions",
    "embed": "vectors",
    "extract": "extraction replies",
    "load": "documents that are slow to read",
    "plan": "which inputs led to which snapshot",
    "report": "community reports",
}
_SECONDS = {"h": 3600, "d": 86400, "w": 604800}


@dataclass(frozen=True)
class Pruning:
    """The arguments of `cache prune`."""

    store: Path
    older_than: str | None
    dry_run: bool
    yes: bool


def stats(root: Path, as_json: bool) -> int:
    """Show entries and bytes by kind."""
    store = Store.open(root)
    found = cache_of(store).stats()
    if as_json:
        print_json([vars(one) for one in found])
        return SUCCESS
    rows = [[one.namespace, f"{one.entries:,}", size(one.bytes), MEANING.get(one.namespace, "")] for one in found]
    total = ["total", f"{sum(one.entries for one in found):,}", size(sum(one.bytes for one in found)), ""]
    print_table(["kind", "entries", "size", "holds"], [*rows, total])
    return SUCCESS


def prune(asked: Pruning, as_json: bool) -> int:
    """Remove what no snapshot and no unfinished run needs; asks first on a terminal."""
    made_before = None if asked.older_than is None else time.time() - seconds(asked.older_than)
    store = Store.open(asked.store)
    cache = cache_of(store)
    with err.status("Comparing the cache with the snapshots ..."):
        found = list(unneeded(store, cache, made_before))
    wanted = not asked.dry_run and any(one.removable for one in found)
    if wanted and not asked.yes:
        _show(found, "may go")
        _ask()
    if wanted:
        for one in found:
            cache.remove(one.namespace, one.removable)
        cache.compact()
    if as_json:
        print_json({"removed": wanted, "kinds": [_record(one) for one in found]})
    else:
        _show(found, "removed" if wanted else "may go")
    return SUCCESS


def _ask() -> None:
    if not sys.stdin.isatty():
        raise UsageError("Nothing was removed: nobody is there to ask.", "Add --yes, or look first with --dry-run.")
    if not typer.confirm("Remove them?", err=True):
        raise UsageError("Nothing was removed.")


def _record(one: Unneeded) -> dict[str, object]:
    return {"kind": one.namespace, "entries": one.entries, "unneeded": len(one.removable), "bytes": one.bytes}


def _show(found: list[Unneeded], word: str) -> None:
    rows = [[one.namespace, f"{one.entries:,}", f"{len(one.removable):,}", size(one.bytes)] for one in found]
    print_table(["kind", "entries", word, "size"], rows)


def seconds(age: str) -> int:
    """Return the seconds of an age as in 30d, 12h, 2w.

    Raises:
        UsageError: it is none.
    """
    found = re.fullmatch(r"\s*([0-9]+)\s*([hdw])\s*", age)
    if found is None:
        raise UsageError(f"--older-than {age!r} is no age.", "Give hours, days or weeks, as in 12h, 30d, 2w.")
    return int(found[1]) * _SECONDS[found[2]]


def size(count: int) -> str:
    """Return bytes in the largest unit that fits."""
    amount, unit = float(count), "B"
    for larger in ("kB", "MB", "GB"):
        if amount < 1000:
            break
        amount, unit = amount / 1000, larger
    return f"{amount:,.0f} {unit}" if unit == "B" else f"{amount:,.1f} {unit}"
