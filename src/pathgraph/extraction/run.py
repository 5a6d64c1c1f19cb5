"""Extracting many chunks: from the cache where the reply is known, else by a call whose reply is cached first.

Belongs here: the loop over chunks, what counts as a usable reply, failures. Does not: the calls themselves
(`pathgraph.providers`) or what becomes of the facts (`collect`).
"""

from collections.abc import Sequence
from concurrent.futures import Executor, as_completed, wait
from dataclasses import dataclass

from pathgraph import progress
from pathgraph.errors import BudgetExhausted, ModelError, ModelRejected
from pathgraph.extraction.reply import ReplyError, parse_reply
from pathgraph.failure import Failure
from pathgraph.providers.protocol import Extractor
from pathgraph.store.cache import Cache

STAGE = "extraction"
NAMESPACE = "extract"


@dataclass(frozen=True)
class Job:
    """One chunk to extract from."""

    chunk_id: int
    document_id: int
    uri: str
    language: str
    text: str


def extract(jobs: Sequence[Job], extractor: Extractor, cache: Cache, calls: Executor) -> list[Failure]:
    """Make every job's reply be in the cache; return a failure for each that cannot be had.

    A reply is durable in the cache before its caller makes the next call, and one that cannot be read is never cached.

    Args:
        jobs: the chunks.
        extractor: who is asked.
        cache: where replies are kept.
        calls: runs the calls; its workers are the parallelism.

    Raises:
        ModelRejected: the provider refuses for good; calls that have not begun are not made. When it is because the
            budget is used up, the calls under way are waited for.
        StoreError: the cache cannot be written; calls that have not begun are not made.
        Stopped: somebody asked to stop; replies that had come were kept.
    """
    asked: dict[str, Job] = {}
    for job in jobs:
        asked.setdefault(extractor.request_key(job.text, job.language), job)
    begun = [calls.submit(_answer, job, key, extractor, cache) for key, job in asked.items()]
    failures: list[Failure] = []
    try:
        for future in as_completed(begun):
            progress.check_stop()
            failure = future.result()
            failures += [failure] if failure else []
            progress.reporter().advance(STAGE, 1, int(failure is not None))
    except BudgetExhausted:
        wait([future for future in begun if not future.cancel()])
        raise
    finally:
        for future in begun:
            future.cancel()  # when it goes well there are none left
    progress.reporter().advance(STAGE, len(jobs) - len(asked))
    return failures


def _answer(job: Job, key: str, extractor: Extractor, cache: Cache) -> Failure | None:
    """Ask and keep the reply, in the thread that asked: it stays paid for whatever becomes of the others."""
    raw, attempts = "", 1
    try:
        raw = extractor.reply(job.text, job.language)
        parse_reply(raw, job.text)
    except ModelRejected:
        raise
    except (ModelError, ReplyError) as error:
        if isinstance(error, ModelError):
            raw, attempts = error.raw, error.attempts
        name = "reply" if isinstance(error, ReplyError) else "model"
        return Failure("extract", job.uri, name, str(error), job.document_id, job.chunk_id, attempts, raw)
    cache.put_many(NAMESPACE, {key: raw.encode("utf-8", "surrogatepass")})
    return None
