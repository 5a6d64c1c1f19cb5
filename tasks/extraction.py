"""Tasks that extract facts: plan the shards, run one, close the workers."""

import time
from concurrent.futures import Executor

import pyarrow as pa

from pathgraph.cost.counts import Planned
from pathgraph.cost.plan import estimate_run
from pathgraph.extraction import run as extraction
from pathgraph.extraction.shards import jobs_of, jobs_table, missing, shard
from pathgraph.pipeline.run import Run
from pathgraph.progress import reporter
from pathgraph.providers import factory, pool
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
def extract_shard(run: Run, number: int) -> int:
    """Have every chunk of a shard answered, each reply durable before use; return how many failed."""
    import pyarrow.parquet as pq

    jobs: pa.Table = pq.read_table(run.staging.work / f"shard-{number:05d}.parquet")
    calls = pool.calls(run.settings, run.kept("processes", 0))
    executor: Executor = calls.executor
    failures = extraction.extract(jobs_of(jobs), calls.extractor, run.cache, executor)
    run.keep_failures(f"extract-{number:05d}", failures)
    return len(failures)


@stage
def finish_extraction(run: Run, failed: list[int]) -> int:
    """Close the worker processes; return how many chunks failed."""
    pool.close()
    run.keep(f"seconds-{extraction.STAGE}", round(time.time() - run.kept("extraction-began"), 3))
    reporter().end(extraction.STAGE)
    return sum(failed)
