"""Tasks that write the reports on communities."""

from pathgraph.pipeline.publish import end_submitted
from pathgraph.pipeline.run import Run, RunReport
from pathgraph.pipeline.summaries import STAGE, summaries_table
from pathgraph.progress import Submitted
from pathgraph.providers import batching, factory
from pathgraph.summaries.plan import SummaryInputs
from pathgraph.tasks.stage import stage


@stage
def write_summaries(run: Run) -> RunReport | None:
    """Write the report on every community, children before parents.

    Returns the run's report when it ends here, with batches under way and without waiting for them.
    """
    try:
        _write(run)
    except Submitted as submitted:
        return end_submitted(run, submitted)
    return None


def _write(run: Run) -> None:
    with run.stage(STAGE):
        inputs = SummaryInputs(
            documents=run.staging.read("documents", ["document_id", "language"]),
            nodes=run.staging.read("nodes"),
            edges=run.staging.read("edges"),
            triples=run.staging.read("triples"),
            communities=run.staging.read("communities"),
            members=run.staging.read("community_members"),
        )
        settings = run.settings
        batched = batching.summariser(settings, run.place) if settings.in_batches("summaries") else None
        summariser = batched.provider if batched else factory.summariser(settings)
        settle = batched.desk.settle if batched else None
        table, failures = summaries_table(inputs, summariser, settings.summaries, run.cache, settle)
        if batched and failures:
            batched.desk.forget()
        run.keep_failures(STAGE, failures)
        run.staging.write("summaries", table)
