"""One run of a flow: where it works and what it keeps between its stages.

Belongs here: the value that tasks hand on, and the run's own files in staging. Does not: the stages.
"""

import json
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from datetime import datetime
from functools import lru_cache
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from pathgraph import progress
from pathgraph.failure import Failure
from pathgraph.providers.batching import Place
from pathgraph.settings import Settings
from pathgraph.store.cache import Cache
from pathgraph.store.files import write_atomically
from pathgraph.store.layout import Store
from pathgraph.store.staging import Staging


@lru_cache(maxsize=8)
def cache_of(store: Store) -> Cache:
    """Return the store's cache; one object serves all threads of this process."""
    return Cache(store.cache)


class Run(BaseModel):
    """What a run's tasks need to know; small, so that Prefect can carry it from task to task.

    Attributes:
        store_root: the store.
        run_id: names this run in `runs/` and in the manifest.
        work_key: hash of everything that goes into the result; a later run with the same key finds the finished tables.
        parent: snapshot that was current when the run began, None for the first.
        sources: what was read, as the manifest keeps it.
        settings: everything else the user chose.
    """

    model_config = ConfigDict(frozen=True)

    flow: str
    store_root: Path
    run_id: str
    work_key: str
    started: datetime
    parent: str | None = None
    sources: tuple[dict[str, str], ...] = ()
    settings: Settings = Field(default_factory=Settings)

    @property
    def store(self) -> Store:
        """The store."""
        return Store(self.store_root)

    @property
    def staging(self) -> Staging:
        """The folder of unpublished tables."""
        return Staging(self.store, self.work_key[:24])

    @property
    def cache(self) -> Cache:
        """The cache of replies, vectors and reports."""
        return cache_of(self.store)

    @property
    def place(self) -> Place:
        """Where batches are kept, and for what."""
        return Place(self.cache, self.store.batches, self.work_key)

    def keep(self, name: str, value: Any) -> None:
        """Keep a JSON value under a name until the run is published."""
        # A file name that is no UTF-8 holds lone surrogates, and has to open that very file again.
        text = json.dumps(value, ensure_ascii=False)
        write_atomically(self.staging.work / f"{name}.json", text.encode("utf-8", "surrogatepass"))

    def kept(self, name: str, default: Any = None) -> Any:
        """Return a kept value, the default when there is none."""
        try:
            return json.loads((self.staging.work / f"{name}.json").read_bytes())
        except FileNotFoundError:
            return default

    def keep_failures(self, stage: str, failures: Sequence[Failure]) -> None:
        """Keep what failed in a stage, in place of what it kept before."""
        self.keep(f"failures-{stage}", [asdict(failure) for failure in failures])

    def failures(self) -> list[Failure]:
        """Return what failed in all stages so far."""
        names = sorted(path.stem for path in self.staging.work.glob("failures-*.json"))
        return [Failure(**record) for name in names for record in self.kept(name, [])]

    @contextmanager
    def stage(self, name: str, total: int = 0) -> Iterator[None]:
        """Report a stage's begin, and keep the seconds it took once it is through."""
        progress.check_stop()
        progress.reporter().begin(name, total)
        began = time.monotonic()
        yield
        if self.staging.folder.is_dir():  # publishing, when it is through, has removed it
            self.keep(f"seconds-{name}", round(time.monotonic() - began, 3))
        progress.reporter().end(name)

    def seconds(self) -> dict[str, float]:
        """Return the seconds of each finished stage."""
        paths = sorted(self.staging.work.glob("seconds-*.json"))
        return {path.stem.removeprefix("seconds-"): float(self.kept(path.stem)) for path in paths}


class RunReport(BaseModel):
    """What came out of a run, for the closing summary and `--json`.

    `tokens`, `cost` and `expected` are as in the table `runs`; `currency` is that of the price list.
    `published` tells whether there is a new snapshot. `outcome` is `success`, `partial` (done, with failures recorded),
    `unchanged` (nothing to publish) or `submitted` (batches are under way, nothing was published).
    """

    model_config = ConfigDict(frozen=True)

    flow: str
    outcome: str
    store: Path
    snapshot: str
    published: bool = True
    counts: dict[str, int] = Field(default_factory=dict)
    failures: dict[str, int] = Field(default_factory=dict)
    seconds: dict[str, float] = Field(default_factory=dict)
    tokens: dict[str, int] = Field(default_factory=dict)
    cost: dict[str, float] = Field(default_factory=dict)
    expected: dict[str, float] = Field(default_factory=dict)
    currency: str = ""
    notes: tuple[str, ...] = ()
