"""The store's lock: one publisher at a time, and none that outlives its process.

Belongs here: taking the lock and naming who holds it. Does not: what is done under it (`publish`).
"""

import json
import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager

from filelock import FileLock, Timeout

from pathgraph.errors import StoreLocked
from pathgraph.store.files import unwritable, write_atomically
from pathgraph.store.layout import Store


@contextmanager
def locked(store: Store, timeout: float) -> Iterator[None]:
    """Hold the store's lock; the operating system frees it when the process dies, however it dies.

    Args:
        store: the store.
        timeout: seconds to wait for whoever holds it.

    Raises:
        StoreLocked: it was held all the time; names process and host.
        StoreError: the store cannot be written.
    """
    lock = FileLock(store.lock, timeout=timeout)
    try:
        lock.acquire()
    except Timeout as error:
        raise StoreLocked(
            f"{_holder(store)} publishes into {store.root} now.",
            "Wait for it and run again; what was staged is kept.",
        ) from error
    except OSError as error:
        raise unwritable(store.lock, error) from error
    try:
        write_atomically(store.lock_owner, json.dumps({"pid": os.getpid(), "host": socket.gethostname()}).encode())
        yield
    finally:
        lock.release()


def _holder(store: Store) -> str:
    try:
        owner = json.loads(store.lock_owner.read_text("utf-8"))
        return f"Process {owner['pid']} on {owner['host']}"
    except (OSError, ValueError, KeyError, TypeError):
        return "Another process"
