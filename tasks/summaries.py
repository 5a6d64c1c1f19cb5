"""Tasks that write the reports on communities."""

from pathgraph.pipeline.run import Run
from pathgraph.pipeline.summaries import STAGE, summaries_table
from pathgraph.providers import factory
from pathgraph.summaries.plan import SummaryInputs
from pathgraph.tasks.stage import stage


@stage
def write_summaries(run: Run) -> int:
    """Write the report on every community, children before parents; return how many there are."""
    with run.stage(STAGE):
        inputs = SummaryInputs(
            documents=run.staging.read("documents", ["document_id", "language"]),
            nodes=run.staging.read("nodes"),
            edges=run.staging.read("edges"),
            triples=run.staging.read("triples"),
            communities=run.staging.read("communities"),
            members=run.staging.read("community_members"),
        )
        table, failures = summaries_table(inputs, factory.summariser(run.settings), run.settings.summaries, run.cache)
        run.keep_failures(STAGE, failures)
        run.staging.write("summaries", table)
    return table.num_rows
