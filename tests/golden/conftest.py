"""The sample corpus, indexed once a session without Prefect: the tasks' own functions, called in the flow's order."""

from pathlib import Path

import pytest

from pathgraph.settings import load_settings
from pathgraph.store.layout import Store

ROOT = Path(__file__).parents[2]


def pytest_addoption(parser):
    parser.addoption("--regen", action="store_true", help="rewrite the golden files instead of comparing")


@pytest.fixture(scope="session")
def sample_store(tmp_path_factory):
    """A store of data/sample with the example settings, but for hashed vectors, which no golden file holds."""
    from pathgraph.tasks.begin import open_run
    from pathgraph.tasks.documents import chunk_documents, read_documents
    from pathgraph.tasks.extraction import extract_shard, finish_extraction, plan_extraction
    from pathgraph.tasks.graph import build_graph, detect_communities, find_paths
    from pathgraph.tasks.publish import embed_texts, publish_snapshot
    from pathgraph.tasks.summaries import write_summaries

    settings = load_settings(ROOT / "data" / "settings.example.yaml")
    settings = settings.model_copy(
        update={
            "embeddings": settings.embeddings.model_copy(update={"model": "hashed"}),
            "extraction": settings.extraction.model_copy(update={"processes": 1}),
        }
    )
    root = tmp_path_factory.mktemp("golden") / "store"
    run = open_run.fn(root, (str(ROOT / "data" / "sample"),), settings)
    read_documents.fn(run, False)
    chunk_documents.fn(run)
    finish_extraction.fn(run, [extract_shard.fn(run, number) for number in plan_extraction.fn(run)])
    for task in (build_graph, detect_communities, find_paths, write_summaries, embed_texts):
        task.fn(run)
    report = publish_snapshot.fn(run)
    assert report.outcome == "success"
    return Store.open(root)
