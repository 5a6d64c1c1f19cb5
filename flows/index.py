"""Index: everything, from documents to summaries. Run again at any time: finished work is found and not done again."""

from pathlib import Path

from prefect import flow, unmapped
from prefect.task_runners import ThreadPoolTaskRunner

from pathgraph.pipeline.run import RunReport
from pathgraph.settings import Settings
from pathgraph.tasks.begin import open_run
from pathgraph.tasks.documents import chunk_documents, read_documents
from pathgraph.tasks.extraction import extract_shard, finish_extraction, plan_extraction, settle_extraction
from pathgraph.tasks.graph import build_graph, condense_descriptions, detect_communities, find_paths
from pathgraph.tasks.publish import embed_texts, publish_snapshot
from pathgraph.tasks.summaries import write_summaries

DEFAULTS = Settings()
SHARDS_IN_FLIGHT = 4  # more than one, so that a slow last chunk of a shard leaves no worker idle


@flow(name="index", task_runner=ThreadPoolTaskRunner(max_workers=SHARDS_IN_FLIGHT))  # type: ignore[arg-type]
def index(
    store: Path = Path("data/store"),
    paths: tuple[str, ...] = (),
    settings: Settings = DEFAULTS,
    allow_deletes: bool = False,
    budget: str | None = None,
) -> RunReport:
    """Documents, chunks, facts, graph, communities, paths, summaries, vectors, snapshot.

    Args:
        store: folder of the store; made when it is missing.
        paths: folders, files, globs or lists of URIs to read; none: the sources the store knows.
        settings: everything else.
        allow_deletes: publish even when more than a fifth of the known documents is gone.
        budget: stop before more is paid: money ("5.00") or tokens ("2000000tok"); none: no limit.
    """
    run = open_run(store, paths, settings, budget)
    read_documents(run, allow_deletes)
    chunk_documents(run)
    shards = plan_extraction(run)
    if submitted := settle_extraction(run, shards):
        return submitted
    failed = extract_shard.map(unmapped(run), shards).result()
    finish_extraction(run, failed)
    build_graph(run)
    condense_descriptions(run)
    detect_communities(run)
    find_paths(run)
    if submitted := write_summaries(run):
        return submitted
    embed_texts(run)
    return publish_snapshot(run)
