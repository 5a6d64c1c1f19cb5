"""Who makes extraction calls: worker processes for rules, bound by the processor; threads for an endpoint, which wait.

Belongs here: starting, feeding and ending them. Does not: what they run (`pathgraph.providers.factory`).

Workers are spawned, never forked: the embedding library deadlocks in a forked child. Each watches its parent and ends
with it, also when the parent is killed.
"""

import multiprocessing
import os
import threading
from collections.abc import Callable
from concurrent.futures import BrokenExecutor, Executor, ProcessPoolExecutor, ThreadPoolExecutor
from dataclasses import dataclass, field

from pathgraph.errors import ModelError
from pathgraph.providers import factory
from pathgraph.providers.protocol import Extractor
from pathgraph.settings import Settings
from pathgraph.store.cache import Cache

SHARD_ROUNDS = 4  # chunks of a task for each caller
CHUNKS_PER_PROCESS = 24  # below this, loading the models once more takes longer than it saves


def worker_count(settings: Settings, chunks: int) -> int:
    """Return how many worker processes the work is worth: 0 means to stay in this process."""
    if settings.extraction.provider != "offline":
        return 0
    cores = settings.extraction.processes or os.cpu_count() or 1
    wanted = min(cores, chunks // CHUNKS_PER_PROCESS)
    return wanted if wanted > 1 else 0


def shard_size(settings: Settings) -> int:
    """Return the chunks of one task: enough that the few tasks under way keep all callers busy.

    A task waits for its slowest call, which may take seven times as long as the others; meanwhile the other tasks'
    chunks must suffice (benchmarks/calls.py --tail).
    """
    return max(settings.extraction.shard_chunks, SHARD_ROUNDS * factory.extractor(settings).parallel)


@dataclass
class Calls:
    """Who answers extraction requests, and the executor whose workers make the calls."""

    extractor: Extractor
    executor: Executor
    close: Callable[[], None]


@dataclass
class _Open:
    """The calls of this process, one set at a time, shared by all shards of a run."""

    lock: threading.Lock = field(default_factory=threading.Lock)
    key: tuple[str, int, Cache | None] | None = None
    calls: Calls | None = None


_open = _Open()


def calls(settings: Settings, processes: int, cache: Cache | None = None) -> Calls:
    """Return the shared calls for these settings, starting workers where there are none yet; cache: see `factory`."""
    key = (settings.model_dump_json(), processes, cache)
    with _open.lock:
        if _open.calls is None or _open.key != key:
            if _open.calls is not None:
                _open.calls.close()
            _open.key, _open.calls = key, _start(settings, processes, cache)
        return _open.calls


def close() -> None:
    """End the workers of this process, if there are any."""
    with _open.lock:
        if _open.calls is not None:
            _open.calls.close()
        _open.key, _open.calls = None, None


def _start(settings: Settings, processes: int, cache: Cache | None) -> Calls:
    if not processes:
        extractor = factory.extractor(settings, cache)
        executor = ThreadPoolExecutor(extractor.parallel, thread_name_prefix="extract")
        return Calls(extractor, executor, lambda: executor.shutdown(cancel_futures=True))
    context = multiprocessing.get_context("spawn")
    pool = ProcessPoolExecutor(processes, context, _begin, (settings.model_dump_json(),))
    # Twice as many askers as workers, so that no worker waits for its next chunk.
    askers = ThreadPoolExecutor(2 * processes, thread_name_prefix="extract")

    def end() -> None:
        askers.shutdown(wait=False, cancel_futures=True)
        pool.shutdown(wait=True, cancel_futures=True)

    return Calls(_Pooled(factory.extractor(settings), pool), askers, end)


class _Pooled:
    """An extractor whose replies come from the worker processes."""

    def __init__(self, local: Extractor, pool: ProcessPoolExecutor) -> None:
        self.provider, self.parallel = local.provider, local.parallel
        self.model = local.model
        self.prompt_hash = local.prompt_hash
        self.request_key = local.request_key
        self._pool = pool

    def reply(self, text: str, language: str) -> str:
        """Return the reply of some worker; raises ModelError when the workers are gone."""
        try:
            return self._pool.submit(_reply, text, language).result()
        except BrokenExecutor as error:
            raise ModelError(
                "A worker process ended unexpectedly, perhaps for lack of memory.",
                "Run again; set extraction.processes: 1 if it happens again.",
            ) from error


def _begin(settings: str) -> None:
    """Set a worker up: end with the parent, leave Ctrl-C to it, load the models."""
    import signal

    signal.signal(signal.SIGINT, signal.SIG_IGN)
    parent = multiprocessing.parent_process()
    if parent is not None:
        threading.Thread(target=_follow, args=(parent.join,), daemon=True).start()
    _worker.append(factory.extractor(Settings.model_validate_json(settings)))


def _follow(wait: Callable[[], None]) -> None:
    wait()
    os._exit(1)


_worker: list[Extractor] = []


def _reply(text: str, language: str) -> str:
    return _worker[0].reply(text, language)
