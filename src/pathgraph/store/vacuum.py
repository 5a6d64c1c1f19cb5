"""Freeing space: old snapshots and abandoned staging.

Belongs here: what may be deleted. Does not: the reply cache (`pathgraph.pipeline.pruning`), nor human
judgements, which nothing deletes.
"""

from dataclasses import dataclass

from pathgraph.store.files import remove_tree
from pathgraph.store.layout import Store
from pathgraph.store.locking import locked


@dataclass(frozen=True)
class Vacuumed:
    """Ids of the snapshots and runs whose files were deleted."""

    snapshots: tuple[str, ...]
    staging: tuple[str, ...]


def vacuum(store: Store, keep: int, staging: bool = False, timeout: float = 60) -> Vacuumed:
    """Delete all but the newest snapshots; the current one always stays, also when it is older.

    Parts that a kept snapshot shares by hard link stay on disk for it. Do not run it while someone reads an old one.

    Args:
        store: the store.
        keep: how many snapshots to keep, at least 1.
        staging: also delete unfinished work of runs; they then start anew (replies are still in the cache). Only when
            no flow is running.
        timeout: seconds to wait for a publisher.

    Raises:
        StoreLocked: another process was publishing all the time.
    """
    with locked(store, timeout):
        ids = store.snapshot_ids()
        gone = [name for name in ids[: -max(keep, 1)] if name != store.current_id()]
        for name in gone:
            remove_tree(store.snapshots / name)
        runs = sorted(path.name for path in store.staging.iterdir() if path.is_dir()) if staging else []
        for name in runs:
            remove_tree(store.staging / name)
    return Vacuumed(tuple(gone), tuple(runs))
