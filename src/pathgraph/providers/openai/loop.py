"""The one event loop on which all calls of this process wait: a daemon thread, so that no call can hold the exit back.

Belongs here: running a coroutine from any thread until it is done or somebody asks to stop. Does not: what is awaited.
"""

import asyncio
import threading
from collections.abc import Coroutine
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import Any, TypeVar

from pathgraph import progress

T = TypeVar("T")
_POLL_SECONDS = 1.0  # how long a request to stop may go unnoticed


@dataclass
class _Loop:
    lock: threading.Lock = field(default_factory=threading.Lock)
    loop: asyncio.AbstractEventLoop | None = None


_shared = _Loop()


def run(work: Coroutine[Any, Any, T]) -> T:
    """Await the coroutine on the shared loop and return its result, or raise what it raised.

    Raises:
        Stopped: somebody asked to stop; the coroutine is cancelled.
    """
    try:
        progress.check_stop()
    except progress.Stopped:
        work.close()
        raise
    future = asyncio.run_coroutine_threadsafe(work, _started())
    try:
        return _waited(future)
    finally:
        future.cancel()


def _waited(future: Future[T]) -> T:
    while True:
        try:
            return future.result(_POLL_SECONDS)
        except TimeoutError:  # ours, or the coroutine's own
            if future.done():
                return future.result()
        progress.check_stop()


def _started() -> asyncio.AbstractEventLoop:
    with _shared.lock:
        if _shared.loop is None:
            _shared.loop = asyncio.new_event_loop()
            threading.Thread(target=_shared.loop.run_forever, name="model-calls", daemon=True).start()
        return _shared.loop
