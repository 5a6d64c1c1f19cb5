"""Tasks that extract facts: plan the shards, run one, close the workers."""

import time
from collections.abc import Callable, Iterator
from concurrent.futures import Executor
from functools import partial

import pyarrow as pa

from pathgraph.cost.counts import Planned
from pathgraph.cost.plan import estimate_run
from pathgraph.extraction import run as extraction
from pathgraph.extraction.shards import jobs_of, jobs_table, missing, shard
from pathgraph.pipeline.publish import end_submitted
from pathgraph.pipeline.run import Run, RunReport
from pathgraph.progress import Submitted, reporter
from pathgraph.providers import batching, factory, pool
from pathgraph.tasks.stage import stage

JOBS = "jobs.parquet"


@stage
def plan_extraction(run: Run) -> list[int]:
    """Write the jobs of the run and cut those without a cached reply into shards; return the shards' numbers."""
    import pyarrow.parquet as pq

    chunks = run.staging.read("chunks", ["chunk_id", "document_id", "kind", "start", "text", "tokens"])
    documents = run.staging.read("documents", ["document_id", "source", "uri", "language"])
    jobs = jobs_table(chunks, documents, factory.extractor(run.settings))
    todo = missing(jobs, run.cache)
    reporter().begin(extraction.STAGE, jobs.num_rows)
    reporter().advance(extraction.STAGE, jobs.num_rows - todo.num_rows)
    shards = shard(todo, pool.shard_size(run.settings))
    pq.write_table(jobs, run.staging.work / JOBS)
    for number, part in enumerate(shards):
        pq.write_table(part, run.staging.work / f"shard-{number:05d}.parquet")
    run.keep("processes", pool.worker_count(run.settings, todo.num_rows))
    run.keep("calls", todo.num_rows)
    parent = run.store.snapshot(run.parent) if run.parent else None
    estimate = estimate_run(Planned(chunks, jobs, todo, parent), run.settings, run.store, run.cache)
    run.keep("expected", estimate.expected())
    run.keep("extraction-began", time.time())
    return list(range(len(shards)))


@stage
def settle_extraction(run: Run, shards: list[int]) -> RunReport | None:
    """Have the shards' questions answered by the batch API, where the settings say so.

    Returns the run's report when it ends here, with batches under way and without waiting for them.
    """
    if not run.settings.in_batches("extraction"):
        return None
    batched = batching.extractor(run.settings, run.place)

    def conversations() -> Iterator[Callable[[], object]]:
        for number in shards:
            for job in _jobs(run, number):
                yield partial(batched.provider.reply, job.text, job.language)

    try:
        batched.desk.settle(conversations)
    except Submitted as submitted:
        return end_submitted(run, submitted)
    return None


@stage
def extract_shard(run: Run, number: int) -> int:
    """Have every chunk of a shard answered, each reply durable before use; return how many failed."""
    calls = pool.calls(run.settings, run.kept("processes", 0), run.cache)
    executor: Executor = calls.executor
    extractor = calls.extractor
    if run.settings.in_batches("extraction"):
        extractor = batching.extractor(run.settings, run.place).provider
    failures = extraction.extract(_jobs(run, number), extractor, run.cache, executor)
    run.keep_failures(f"extract-{number:05d}", failures)
    return len(failures)


@stage
def finish_extraction(run: Run, failed: list[int]) -> int:
    """Close the worker processes; return how many chunks failed."""
    pool.close()
    if run.settings.in_batches("extraction") and any(failed):
        # The next run must be able to ask again. Good answers stay: another run of now may still need them.
        batching.extractor(run.settings, run.place).desk.forget()
    run.keep(f"seconds-{extraction.STAGE}", round(time.time() - run.kept("extraction-began"), 3))
    reporter().end(extraction.STAGE)
    return sum(failed)


def _jobs(run: Run, number: int) -> list[extraction.Job]:
    import pyarrow.parquet as pq

    jobs: pa.Table = pq.read_table(run.staging.work / f"shard-{number:05d}.parquet")
    # A task that is tried again, and a run beside another one, find replies that were missing when the shard was cut.
    return jobs_of(missing(jobs, run.cache))
