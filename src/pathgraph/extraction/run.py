"""Extracting many chunks: from the cache where the reply is known, else by a call whose reply is cached first.

Belongs here: the loop over chunks, what counts as a usable reply, failures. Does not: the calls themselves
(`pathgraph.providers`) or what becomes of the facts (`collect`).
"""

from collections.abc import Sequence
from concurrent.futures import Executor, Future, as_completed, wait
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

    A reply is durable in the cache before anything is made of it, and one that cannot be read is never cached.

    Args:
        jobs: the chunks.
        extractor: who is asked.
        cache: where replies are kept.
        calls: runs the calls; its workers are the parallelism.

    Raises:
        ModelRejected: the provider refuses for good; the rest of the jobs is not tried. When it is because the budget
            is used up, the calls under way are waited for.
        Stopped: somebody asked to stop; replies that had come are kept.
    """
    waiting: dict[Future[str], tuple[Job, str]] = {}
    asked: dict[str, Job] = {}
    for job in jobs:
        key = extractor.request_key(job.text, job.language)
        if asked.setdefault(key, job) is job:
            waiting[calls.submit(extractor.reply, job.text, job.language)] = (job, key)
    failures: list[Failure] = []
    try:
        for future in as_completed(list(waiting)):
            progress.check_stop()
            failure = _keep(future, *waiting.pop(future), cache)
            failures += [failure] if failure else []
            progress.reporter().advance(STAGE, 1, int(failure is not None))
    except (ModelRejected, progress.Stopped) as error:
        _rescue(waiting, cache, isinstance(error, BudgetExhausted))
        raise
    progress.reporter().advance(STAGE, len(jobs) - len(asked))
    return failures


def _rescue(waiting: dict[Future[str], tuple[Job, str]], cache: Cache, await_calls: bool) -> None:
    """Drop the calls that have not begun, and keep the replies that had come, or will come: they are paid for."""
    begun = [future for future in waiting if not future.cancel()]
    if await_calls:
        wait(begun)
    for future, (job, key) in waiting.items():
        if future.done() and not future.cancelled() and future.exception() is None:
            _keep(future, job, key, cache)


def _keep(future: Future[str], job: Job, key: str, cache: Cache) -> Failure | None:
    raw, attempts = "", 1
    try:
        raw = future.result()
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
