"""The command `estimate`: what an index run will take, before it starts. No Prefect, no model call.

Belongs here: reading and chunking for the estimate, printing. Does not: the arithmetic (`pathgraph.cost`).
"""

from dataclasses import dataclass, replace
from pathlib import Path

import pyarrow as pa

from pathgraph.cli import index_command
from pathgraph.cli.cost_output import money, print_estimate
from pathgraph.cli.display import Display
from pathgraph.cli.output import SUCCESS, err, out, print_json
from pathgraph.cost.counts import Planned
from pathgraph.cost.estimate import Estimate
from pathgraph.cost.plan import estimate_run
from pathgraph.extraction.shards import jobs_table, missing
from pathgraph.pipeline import chunks, documents
from pathgraph.pipeline.plan import plan_index
from pathgraph.pipeline.run import cache_of
from pathgraph.progress import reporter
from pathgraph.providers import factory
from pathgraph.settings import Settings
from pathgraph.store.layout import Store


@dataclass(frozen=True)
class Asked:
    """The command's arguments."""

    paths: tuple[str, ...]
    store: Path
    provider: str | None
    settings_file: Path | None


def run(asked: Asked, as_json: bool) -> int:
    """Estimate and report; return the exit code."""
    settings = index_command.settings_of(asked.settings_file, asked.provider, asked.store)
    index_command.stop_on_signals()
    # Made where it is missing: its cache keeps what is slow to read, for the index run that follows.
    store = Store.create(asked.store)
    with Display(err):
        estimate = _estimate(store, asked.paths, settings)
    if as_json:
        print_json(estimate.as_dict())
    else:
        _show(estimate)
    return SUCCESS


def _estimate(store: Store, paths: tuple[str, ...], settings: Settings) -> Estimate:
    cache = cache_of(store)
    plan = plan_index(store, paths, settings)
    reporter().begin(documents.STAGE, len(plan.items))
    read, failures = documents.read_documents(plan.items, settings.loading, cache)
    parent = store.snapshot() if store.current_id() else None
    known = parent.table(documents.TABLE) if parent else None
    table = documents.documents_table(read, [*failures, *plan.failures], known)
    reporter().end(documents.STAGE)
    planned = _planned(table, settings)
    todo = missing(planned.jobs, cache)
    estimate = estimate_run(replace(planned, todo=todo, parent=parent), settings, store, cache)
    counts = {"documents": table.num_rows, "failures": len(failures) + len(plan.failures)}
    return replace(estimate, counts=counts | dict(estimate.counts))


def _planned(table: pa.Table, settings: Settings) -> Planned:
    reporter().begin(chunks.STAGE, table.num_rows)
    cut = chunks.chunks_table(table, settings.chunking)
    reporter().end(chunks.STAGE)
    jobs = jobs_table(cut, table, factory.extractor(settings))
    return Planned(cut, jobs, jobs, None)


def _show(estimate: Estimate) -> None:
    counts, total = estimate.counts, estimate.total
    unread = f" ({counts['failures']:,} places cannot be read)" if counts["failures"] else ""
    out.print(
        f"{counts['documents']:,} documents{unread}, {counts['extract_chunks']:,} chunks to extract from, "
        f"{counts['search_chunks']:,} to search; about {counts['nodes']:,} nodes and {counts['reports']:,} reports"
    )
    print_estimate(estimate)
    if total.batch_cost is not None and total.batch_cost != total.cost:
        out.print(f"  by the batch endpoint: {money(total.batch_cost, estimate.currency)}")
    unknown = sorted({line.model for line in estimate.lines if line.cost is None})
    for model in unknown:
        out.print(f"[yellow]No price is known for {model}[/]: add it to a price list, see docs/cost.md.")
