"""The store: where everything is.

Belongs here: every path of the store, opening and creating it, reading CURRENT. Does not: what the files hold. Paths
are built here and in `Snapshot` only, so that an object-store prefix can follow later.
"""

import os
from dataclasses import dataclass
from pathlib import Path

from pathgraph.errors import StoreBroken, StoreError, StoreNotFound
from pathgraph.store.files import unwritable
from pathgraph.store.snapshots import Snapshot
from pathgraph.text import is_unicode

_INDEX_FIRST = "Index documents first: pathgraph index PATH --store STORE"


@dataclass(frozen=True)
class Store:
    """One store, by its root folder (absolute). Make it with `open` or `create`."""

    root: Path

    @classmethod
    def open(cls, path: Path) -> "Store":
        """Return the store at the path.

        Raises:
            StoreNotFound: there is none.
        """
        root = path.expanduser().absolute()
        store = cls(root)
        if not store.snapshots.is_dir():
            raise StoreNotFound(f"There is no store at {root}.", _INDEX_FIRST)
        return store

    @classmethod
    def create(cls, path: Path) -> "Store":
        """Return the store at the path, making its folders where they are missing.

        Raises:
            StoreError: the path cannot be written, is a file, has a backslash or what is no UTF-8 in its name,
                or holds something else than a store.
        """
        store = cls(path.expanduser().absolute())
        if os.sep == "/" and "\\" in str(store.root):
            raise StoreError(
                f"DuckDB cannot read below a folder with a backslash in its name: {store.root}",
                "Choose another folder.",
            )
        if not is_unicode(str(store.root)):
            raise StoreError(f"The store's name is no UTF-8: {str(store.root)!r}.", "Choose another folder.")
        if store.root.is_dir() and not store.snapshots.is_dir() and any(store.root.iterdir()):
            raise StoreError(f"{store.root} is a folder with other things in it.", "Name an empty or a new folder.")
        try:
            for folder in (store.staging, store.cache, store.reviews, store.runs, store.snapshots):
                folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise unwritable(store.root, error) from error
        return store

    @property
    def current(self) -> Path:
        """File that names the current snapshot."""
        return self.root / "CURRENT"

    @property
    def pending(self) -> Path:
        """File that names the snapshot whose publishing has begun; absent at rest."""
        return self.root / "PENDING"

    @property
    def snapshots(self) -> Path:
        """Folder of snapshots."""
        return self.root / "snapshots"

    @property
    def staging(self) -> Path:
        """Folder of unfinished work, one folder a run."""
        return self.root / "staging"

    @property
    def cache(self) -> Path:
        """Folder of the reply cache."""
        return self.root / "cache"

    @property
    def batches(self) -> Path:
        """Folder of batches under way at a batch endpoint."""
        return self.cache / "batches"

    @property
    def reviews(self) -> Path:
        """Folder of human judgements."""
        return self.root / "reviews"

    @property
    def runs(self) -> Path:
        """Folder of run records."""
        return self.root / "runs"

    @property
    def database(self) -> Path:
        """DuckDB file with views on the current snapshot."""
        return self.root / "graph.duckdb"

    @property
    def lock(self) -> Path:
        """Lock file of publishing."""
        return self.root / "publish.lock"

    @property
    def lock_owner(self) -> Path:
        """File that names who took the lock last."""
        return self.root / "publish.owner"

    def current_id(self) -> str | None:
        """Return the id of the current snapshot, None before the first.

        Raises:
            StoreBroken: CURRENT is there but cannot be read or is empty.
        """
        try:
            name = self.current.read_text("utf-8").strip()
        except FileNotFoundError:
            return None
        except (OSError, UnicodeDecodeError) as error:
            raise StoreBroken(f"{self.current} cannot be read: {error}", _restore(self)) from error
        if not name or Path(name).name != name:
            raise StoreBroken(f"{self.current} names no snapshot: {name!r}.", _restore(self))
        return name

    def snapshot(self, snapshot_id: str | None = None) -> Snapshot:
        """Return a snapshot, the current one by default; a unique beginning of an id is enough.

        Raises:
            StoreNotFound: nothing was published yet, or no or several snapshots have such an id.
            StoreBroken: its manifest is missing or damaged.
        """
        wanted = snapshot_id if snapshot_id is not None else self.current_id()
        if wanted is None:
            raise StoreNotFound(f"The store at {self.root} holds no snapshot yet.", _INDEX_FIRST)
        if snapshot_id is None:
            return Snapshot.open(self.snapshots / wanted)
        found = [name for name in self.snapshot_ids() if name.startswith(wanted)]
        if len(found) != 1:
            many = "No snapshot has" if not found else f"{len(found)} snapshots have"
            raise StoreNotFound(f"{many} an id that begins with {wanted!r}.", "List them: pathgraph snapshots")
        return Snapshot.open(self.snapshots / found[0])

    def snapshot_ids(self) -> list[str]:
        """Return the ids of all published snapshots, oldest first."""
        try:
            unfinished = self.pending.read_text("utf-8").strip()
        except FileNotFoundError:
            unfinished = ""
        current = self.current_id()
        names = sorted(path.name for path in self.snapshots.iterdir() if not path.name.startswith("."))
        return [name for name in names if name != unfinished or name == current]


def _restore(store: Store) -> str:
    return f"Write the id of a whole snapshot (a folder in {store.snapshots}) into it; `pathgraph doctor` lists them."
