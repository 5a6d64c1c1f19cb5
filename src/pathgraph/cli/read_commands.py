"""The commands `status` and `snapshots`: what is in the store, read without Prefect."""

from collections import Counter
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pathgraph.cli.cost_output import print_paid
from pathgraph.cli.output import SUCCESS, err, out, print_json, print_table
from pathgraph.errors import StoreBroken

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pathgraph.store.layout import Store
    from pathgraph.store.snapshots import Snapshot


def status(root: Path, as_json: bool) -> int:
    """Show the current snapshot: sources, rows, freshness, failures, quality, last run."""
    from pathgraph.store.layout import Store

    store = Store.open(root)
    facts = _facts(store.snapshot())
    facts["last_runs"] = _last_runs(store.runs)
    if as_json:
        print_json(facts)
        return SUCCESS
    out.print(f"Snapshot {facts['snapshot']}  ({_ago(facts['created_at'])}, flow {facts['flow']})", markup=False)
    for source in facts["sources"]:
        out.print(f"Source   {source['name']}: {source['root']} {source['pattern']}", markup=False)
    out.print(f"Triples as of      {facts['triples_as_of']:%Y-%m-%d %H:%M:%S} UTC")
    out.print(f"Communities as of  {facts['communities_as_of']:%Y-%m-%d %H:%M:%S} UTC")
    print_table(["table", "rows"], [[name, f"{rows:,}"] for name, rows in facts["rows"].items()])
    print_table(
        ["signal", "value", "warn above", "verdict"],
        [[q["signal"], q["value"], q["threshold"], q["verdict"]] for q in facts["quality"]],
    )
    for stage, errors in facts["failures"].items():
        what = ", ".join(f"{count} {error}" for error, count in errors.items())
        out.print(f"[yellow]Failures in {stage}: {what}.[/] The next run tries again.")
    for run in facts["last_runs"][-1:]:
        took = (run["ended"] - run["started"]).total_seconds()
        out.print(f"Last run {run['run_id']}: {run['outcome']}, {took:.0f} s", markup=False)
        print_paid(run, run["currency"])
    return SUCCESS


def _facts(snapshot: "Snapshot") -> dict[str, Any]:
    manifest = snapshot.manifest
    failures: dict[str, Counter[str]] = {}
    for row in snapshot.table("failures", ["stage", "error"]).to_pylist():
        failures.setdefault(row["stage"], Counter())[row["error"]] += 1
    return {
        "snapshot": snapshot.id,
        "created_at": manifest.created_at,
        "flow": manifest.flow,
        "sources": list(manifest.sources),
        "triples_as_of": manifest.triples_as_of,
        "communities_as_of": manifest.communities_as_of,
        "theta": manifest.theta,
        "rows": {name: table.rows for name, table in manifest.tables.items()},
        "quality": snapshot.table("quality").to_pylist(),
        "failures": {stage: dict(errors) for stage, errors in failures.items()},
    }


def _last_runs(folder: Path) -> list[dict[str, Any]]:
    from pathgraph.store import runs

    columns = ["run_id", "flow", "started", "ended", "outcome", "snapshot", "currency"]
    maps = ["counts", "tokens", "cost", "expected"]
    newest = runs.read(folder).select([*columns, *maps]).to_pylist()[-5:]
    return [run | {name: dict(run[name] or ()) for name in maps} for run in newest]


def _ago(when: datetime) -> str:
    """Say how long ago something was, in the largest unit that fits."""
    seconds = max(0, int((datetime.now(UTC) - when).total_seconds()))
    for unit, size in (("day", 86400), ("hour", 3600), ("minute", 60)):
        if seconds >= size:
            count = seconds // size
            return f"{count} {unit}{'s' if count > 1 else ''} ago"
    return "just now"


def _readable(store: "Store") -> "Iterator[Snapshot]":
    """Yield the snapshots, newest first; say which have no readable manifest."""
    for snapshot_id in reversed(store.snapshot_ids()):
        try:
            yield store.snapshot(snapshot_id)
        except StoreBroken as error:
            err.print(error.message, style="yellow", markup=False)


def _listed(snapshot: "Snapshot", current: str | None) -> dict[str, Any]:
    return {
        "id": snapshot.id,
        "current": snapshot.id == current,
        "created_at": snapshot.manifest.created_at,
        "flow": snapshot.manifest.flow,
        "parent": snapshot.manifest.parent,
        "rows": {name: table.rows for name, table in snapshot.manifest.tables.items()},
    }


def snapshots(root: Path, as_json: bool) -> int:
    """List the snapshots, newest first; the current one is marked, one without a readable manifest left out."""
    from pathgraph.store.layout import Store

    store = Store.open(root)
    current = store.current_id()
    listed = [_listed(snapshot, current) for snapshot in _readable(store)]
    if as_json:
        print_json(listed)
        return SUCCESS
    shown = ("documents", "triples", "nodes", "edges", "communities")
    rows = [
        ["*" if one["current"] else "", one["id"], one["flow"], *(f"{one['rows'].get(name, 0):,}" for name in shown)]
        for one in listed
    ]
    print_table(["", "snapshot", "flow", *shown], rows)
    return SUCCESS
