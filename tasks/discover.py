"""Tasks of discovery: draw a sample before and after reading, propose a schema from what was extracted."""

from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from uuid import uuid4

from pathgraph.cost import meter
from pathgraph.cost.prices import load_prices, tariffs
from pathgraph.discovery.discover import Found, propose, require_free, sampled, write_proposal
from pathgraph.discovery.plan import free, plan_discovery
from pathgraph.discovery.report import DiscoverReport, report_run
from pathgraph.discovery.sample import Sample
from pathgraph.errors import InputError
from pathgraph.extraction.shards import Asked, collect, names_in
from pathgraph.graph.assemble import Texts, assemble
from pathgraph.pipeline.run import Run
from pathgraph.providers import factory
from pathgraph.resolution.aliases import read_aliases
from pathgraph.resolution.resolve import resolve
from pathgraph.settings import Settings
from pathgraph.store.layout import Store
from pathgraph.tasks.extraction import JOBS
from pathgraph.tasks.stage import stage


@stage
def open_discovery(store_root: Path, paths: Sequence[str], settings: Settings, sample: Sample) -> Run:
    """Draw the items to read and open a staging folder that is never published; a stopped discovery finds it again."""
    settings = free(settings)
    prices = load_prices(settings.prices)
    meter.begin(None, tariffs(settings, prices), prices.currency)
    store = Store.create(store_root)
    plan = plan_discovery(store, paths, settings, sample)
    started = datetime.now(UTC)
    run = Run(
        flow="discover",
        store_root=store.root,
        run_id=f"{started:%Y%m%dT%H%M%S}-{uuid4().hex[:8]}",
        work_key=plan.work_key,
        started=started,
        sources=tuple(source.to_json() for source in plan.sources),
        settings=settings,
    )
    run.keep("items", [[vars(item), key] for item, key in plan.items])
    run.keep_failures("scan", plan.failures)
    return run


@stage
def sample_documents(run: Run, sample: Sample) -> int:
    """Keep a sample of the documents that were read: a table file may hold thousands; return how many are left.

    Raises:
        InputError: none is left.
    """
    table = sampled(run.staging.read("documents"), sample)
    if not table.num_rows:
        why = [f" {failure.uri}: {failure.message}" for failure in run.failures()[:1]]
        raise InputError(
            f"None of the documents drawn can be read and goes into the graph.{''.join(why)}",
            "Draw more with --sample, or others with --seed; see loading.routes in the settings.",
        )
    run.staging.write("documents", table)
    return table.num_rows


@stage
def propose_schema(run: Run, seed: int, out: Path, force: bool) -> DiscoverReport:
    """Group what was extracted, write the proposal, record the run, and throw the staging folder away."""
    import pyarrow.parquet as pq

    with run.stage("proposal"):
        require_free(out, force)
        jobs = pq.read_table(run.staging.work / JOBS)
        asked = Asked(factory.extractor(run.settings), run.settings.extraction.gleanings)
        facts, _ = collect(jobs, asked, run.cache)
        documents = run.staging.read("documents", ["document_id", "modified_at"])
        chunks = run.staging.read("chunks", ["chunk_id", "document_id", "kind", "start", "end"])
        resolved = resolve(names_in(facts), read_aliases(run.settings.resolution.aliases))
        graph = assemble(facts, resolved, Texts(documents, chunks), run.settings.graph.description_tokens)
        found = Found(graph.triples, graph.nodes)
        proposal = propose(found, documents.num_rows, seed, factory.embedder(run.settings), run.cache)
        write_proposal(proposal, out, force)
    report = report_run(run, proposal, out)
    run.staging.remove()
    return report
