"""Publishing a run: the rest of the tables, the manifest's facts, the run's record.

Belongs here: what is said about a run. Does not: the atomic step itself (`pathgraph.store.publish`).
"""

from collections import Counter
from datetime import UTC, datetime
from typing import cast

from pathgraph.cost.paid import paid_for
from pathgraph.errors import PublishConflict
from pathgraph.extraction.schema_file import read_schema
from pathgraph.pipeline.plan import note_published
from pathgraph.pipeline.run import Run, RunReport
from pathgraph.progress import Submitted
from pathgraph.providers import factory, usage
from pathgraph.quality import quality_table
from pathgraph.schema.tables import FAILURES
from pathgraph.store import runs
from pathgraph.store.manifest import RunInfo
from pathgraph.store.publish import Published, publish
from pathgraph.store.staging import Staging

_ATTEMPTS = 3
_COUNTED = ("documents", "chunks", "triples", "nodes", "edges", "paths", "communities", "summaries", "failures",
            "out_of_schema")  # fmt: skip


def stage_quality(staging: Staging, run: Run) -> None:
    """Measure the staged tables and stage `quality`."""
    columns = {
        "nodes": ["node_id", "name", "type", "degree"],
        "edges": ["edge_id", "source", "target", "relation", "kind", "n_triples"],
        "extractions": ["chunk_id", "status"],
        "chunks": ["chunk_id", "kind", "tokens"],
    }
    tables = {name: staging.read(name, wanted) for name, wanted in columns.items()}
    staging.write("quality", quality_table(tables, run.settings.quality))


def stage_failures(staging: Staging, run: Run) -> dict[str, int]:
    """Stage `failures`; return how many there are by stage."""
    failures = run.failures()
    rows = {tuple(failure.row().items()): failure.row() for failure in failures}
    staging.write("failures", FAILURES.from_rows(list(rows.values())))
    return dict(Counter(failure.stage for failure in failures))


def publish_run(run: Run) -> RunReport:
    """Publish everything staged and record the run.

    An index run depends on its sources alone, so when another run published meanwhile, this one is simply put on top.

    Raises:
        PublishConflict: others kept publishing; what was staged is kept.
        SnapshotRejected, StoreLocked, StoreError: see `pathgraph.store.publish`.
    """
    staging = run.staging
    stage_quality(staging, run)
    failures = stage_failures(staging, run)
    counts = {name: info.rows for name, info in staging.tables().items() if name in _COUNTED}
    paid = paid_for(usage.paid(), run.settings)
    counts |= {"extraction_calls": int(run.kept("calls", 0))} | paid.calls
    seconds, notes, expected = run.seconds(), _notes(run), run.kept("expected", {})
    info = RunInfo(
        flow=run.flow,
        run_id=run.run_id,
        sources=run.sources,
        settings=run.settings.model_dump(mode="json"),
        hashes={
            "settings": run.settings.hash(),
            "providers": factory.versions(run.settings),
            "schema": read_schema(run.settings.extraction.schema_file).hash,
        },
        theta=run.kept("theta"),
    )
    published = _publish(run, info)
    outcome = "partial" if failures else "success" if published.changed else "unchanged"
    if not failures:
        note_published(run.cache, run.work_key, published.snapshot.id)
    report = RunReport(
        flow=run.flow,
        outcome=outcome,
        store=run.store_root,
        snapshot=published.snapshot.id,
        published=published.changed,
        counts=counts,
        failures=failures,
        seconds=seconds,
        tokens=paid.tokens,
        cost=paid.cost,
        expected=expected,
        currency=paid.currency,
        notes=notes,
    )
    _record(run, report)
    return report


def end_submitted(run: Run, submitted: Submitted) -> RunReport:
    """Record a run that ends because batches are under way: nothing is published, what was paid is counted."""
    paid = paid_for(usage.paid(), run.settings)
    report = RunReport(
        flow=run.flow,
        outcome="submitted",
        store=run.store_root,
        snapshot=run.parent or "",
        counts=paid.calls,
        seconds=run.seconds(),
        tokens=paid.tokens,
        cost=paid.cost,
        currency=paid.currency,
        notes=(submitted.message, submitted.remedy),
    )
    _record(run, report)
    return report


def _publish(run: Run, info: RunInfo) -> Published:
    parent = run.parent
    for attempt in range(1, _ATTEMPTS + 1):
        try:
            return publish(run.store, run.staging, parent, info)
        except PublishConflict:
            if attempt == _ATTEMPTS:
                raise
            parent = run.store.current_id()
    raise AssertionError("the loop returns or raises")


def _notes(run: Run) -> tuple[str, ...]:
    notes = [run.kept("changes", "")] if run.kept("changes") else []
    theta = run.kept("theta")
    asked = run.settings.paths.theta
    if theta is not None and theta > asked:
        notes.append(f"paths: theta was raised from {asked:g} to {theta:g} to keep the table under paths.max_rows.")
    return tuple(notes + _outside(run))


def _outside(run: Run) -> list[str]:
    """Say what a fixed schema had no place for: nothing is dropped silently."""
    if not run.staging.has("out_of_schema"):
        return []
    found = Counter(run.staging.read("out_of_schema", ["relation"])["relation"].to_pylist())
    most = ", ".join(f"{name} {count:,}" for name, count in sorted(found.items(), key=lambda x: (-x[1], x[0]))[:5])
    text = f"schema: {found.total():,} facts are outside of it and kept in the table out_of_schema; most: {most}."
    return [text] if found else []


def _record(run: Run, report: RunReport) -> None:
    record = runs.RunRecord(
        run_id=run.run_id,
        flow=run.flow,
        started=run.started,
        ended=datetime.now(UTC),
        outcome=cast(runs.Outcome, report.outcome),
        snapshot=report.snapshot or None,
        counts=report.counts,
        seconds=report.seconds,
        tokens=report.tokens,
        cost=report.cost,
        currency=report.currency,
        expected=report.expected,
    )
    runs.append(run.store.runs, record)
