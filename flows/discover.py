"""Discover: a sample of the documents, free extraction, a proposed schema file. Publishes nothing."""

from pathlib import Path

from prefect import flow, unmapped
from prefect.task_runners import ThreadPoolTaskRunner

from pathgraph.discovery.report import DiscoverReport
from pathgraph.discovery.sample import Sample
from pathgraph.flows.index import DEFAULTS, SHARDS_IN_FLIGHT
from pathgraph.settings import Settings
from pathgraph.tasks.discover import open_discovery, propose_schema, sample_documents
from pathgraph.tasks.documents import chunk_documents, read_documents
from pathgraph.tasks.extraction import extract_shard, finish_extraction, plan_extraction

SAMPLE = Sample()


@flow(name="discover", task_runner=ThreadPoolTaskRunner(max_workers=SHARDS_IN_FLIGHT))  # type: ignore[arg-type]
def discover(
    store: Path = Path("data/store"),
    paths: tuple[str, ...] = (),
    settings: Settings = DEFAULTS,
    sample: Sample = SAMPLE,
    out: Path = Path("schema.yaml"),
    force: bool = False,
) -> DiscoverReport:
    """A sample's documents, chunks and facts; types and relations grouped; a schema file to be edited.

    Args:
        store: folder of the store; its cache is shared with `index`, in both directions.
        paths: folders, files, globs or lists of URIs to draw from; none: the sources the store knows.
        settings: everything else; a schema file in them is not used.
        sample: how many documents to read, at most, and the seed of the draw.
        out: where the proposal is written.
        force: replace the file if there is one.
    """
    run = open_discovery(store, paths, settings, sample)
    read_documents(run, allow_deletes=True)
    sample_documents(run, sample)
    chunk_documents(run)
    shards = plan_extraction(run)
    failed = extract_shard.map(unmapped(run), shards).result()
    finish_extraction(run, failed)
    return propose_schema(run, sample.seed, out, force)
