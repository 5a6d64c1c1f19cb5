"""Tasks that end a run: vectors, then publishing."""

from pathgraph.pipeline import embedding
from pathgraph.pipeline.publish import publish_run
from pathgraph.pipeline.run import Run, RunReport
from pathgraph.providers import factory
from pathgraph.tasks.stage import stage


@stage
def embed_texts(run: Run) -> int:
    """Embed node names, search chunks and summaries; return how many vectors there are."""
    nodes = run.staging.read("nodes", ["node_id", "name"])
    chunks = run.staging.read("chunks", ["chunk_id", "kind", "text"])
    summaries = run.staging.read("summaries", ["community_id", "title", "summary"])
    texts = embedding.texts_to_embed(nodes, chunks, summaries)
    with run.stage(embedding.STAGE, len({text for _, _, text in texts})):
        table = embedding.embeddings_table(texts, factory.embedder(run.settings), run.cache)
        run.staging.write("embeddings", table)
    return len(texts)


@stage
def publish_snapshot(run: Run) -> RunReport:
    """Check and publish what was staged, atomically."""
    with run.stage("publish"):
        return publish_run(run)
