"""What was handed in at a batch endpoint and is not merged yet: one JSON file a batch, beside the reply cache.

Belongs here: these files and the lock around handing in. Does not: talking to the endpoint
(`pathgraph.providers.openai`), the answers themselves (`cache`).

A file is written before its batch is created, without the batch's id, and again once the id is known. So a process that
dies in between leaves enough to find the batch at the endpoint by its name, and no request is handed in twice.
"""

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path

from filelock import FileLock, Timeout

from pathgraph import progress
from pathgraph.store.files import write_atomically

_POLL_SECONDS = 0.5


@dataclass(frozen=True)
class SubmittedBatch:
    """One batch.

    Attributes:
        name: ours; stands in the batch's metadata at the endpoint.
        id: the endpoint's; empty while it is not known whether the batch was created.
        endpoint: base URL.
        model: who is asked.
        submitted: when, in ISO 8601, UTC.
        requests: the stage ("extraction", ...) of every request, by its key.
    """

    name: str
    id: str
    endpoint: str
    model: str
    submitted: str
    requests: Mapping[str, str]


class Batches:
    """The batches of a store. Processes share it; all but `lock` is free of waiting."""

    def __init__(self, folder: Path) -> None:
        """Use the folder, which is made when it is needed."""
        self.folder = folder
        self._lock = FileLock(folder / "submit.lock")

    @contextmanager
    def lock(self) -> Iterator[None]:
        """Hold the store's one right to hand batches in; freed by the system when the process dies.

        Raises:
            Stopped: somebody asked to stop while another process held it.
        """
        self.folder.mkdir(parents=True, exist_ok=True)
        while not self._lock.is_locked:
            progress.check_stop()
            try:
                self._lock.acquire(timeout=_POLL_SECONDS)
            except Timeout:
                continue
        try:
            yield
        finally:
            self._lock.release()

    def read(self, endpoint: str | None = None) -> list[SubmittedBatch]:
        """Return the batches handed in (at an endpoint) and not removed, oldest first."""
        found = []
        for path in self.folder.glob("*.json"):
            try:
                one = SubmittedBatch(**json.loads(path.read_bytes()))
            except FileNotFoundError:  # merged by another process meanwhile
                continue
            found += [one] if endpoint in {None, one.endpoint} else []
        return sorted(found, key=lambda one: (one.submitted, one.name))

    def write(self, one: SubmittedBatch) -> None:
        """Keep a batch, durably; raises StoreError when the folder cannot be written."""
        self.folder.mkdir(parents=True, exist_ok=True)
        write_atomically(self.path(one), json.dumps(asdict(one), indent=1).encode())

    def remove(self, one: SubmittedBatch) -> None:
        """Forget a batch: its answers are in the cache, or there is nothing to be had from it."""
        self.path(one).unlink(missing_ok=True)

    def path(self, one: SubmittedBatch) -> Path:
        """Return the batch's file."""
        return self.folder / f"{one.name}.json"
