"""The plan of a run: which items there are, and whether anything differs from what was last published.

Belongs here: listing, hashing, the work key, the guard against mass deletion. Does not: reading text out of items.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from pathgraph import __version__, progress
from pathgraph.errors import InputError
from pathgraph.extraction.schema_file import read_schema
from pathgraph.failure import Failure
from pathgraph.ids import content_hash
from pathgraph.loading.load import item_key, items
from pathgraph.loading.scan import Item
from pathgraph.loading.sources import Source, parse_sources, require_distinct_names
from pathgraph.providers.factory import versions
from pathgraph.schema.tables import TABLES
from pathgraph.settings import Settings
from pathgraph.store.cache import Cache
from pathgraph.store.layout import Store

MAX_DELETED_SHARE = 0.2
NAMESPACE = "plan"


@dataclass(frozen=True)
class Plan:
    """What an index run would work on.

    Attributes:
        sources: where the items come from.
        items: every item with its key (a hash of its bytes and of what reading it depends on; empty if unreadable).
        failures: places that cannot be listed.
        work_key: hash of all that goes into the result but the parent.
    """

    sources: tuple[Source, ...]
    items: tuple[tuple[Item, str], ...]
    failures: tuple[Failure, ...]
    work_key: str


def plan_index(store: Store, arguments: Sequence[str], settings: Settings) -> Plan:
    """List and hash what an index run reads; without arguments, the sources the store knows.

    Raises:
        InputError: no sources are named or known, or one is missing or empty.
        SettingsError: the alias or schema file is wrong.
    """
    sources = resolve_sources(store, arguments)
    listed: list[tuple[Item, str]] = []
    failures: list[Failure] = []
    for item in items(sources, settings.loading):
        progress.check_stop()
        if isinstance(item, Failure):
            failures.append(item)
        else:
            listed.append((item, item_key(item, settings.loading)))
    keys = [part for item, key in listed for part in (item.source, item.uri, key)]
    tables = [f"{name}{table.version}" for name, table in TABLES.items()]
    schema = read_schema(settings.extraction.schema_file)
    work_key = content_hash(__version__, *tables, settings.hash(), versions(settings), schema.hash, *keys)
    return Plan(sources, tuple(listed), tuple(failures), work_key)


def resolve_sources(store: Store, arguments: Sequence[str]) -> tuple[Source, ...]:
    """Return the named sources, else those of the current snapshot; raises InputError when there are neither."""
    if arguments:
        return parse_sources(arguments, Path.cwd())
    if store.current_id() is None:
        raise InputError("No documents were named, and the store knows none yet.", "Name them: pathgraph index PATH")
    sources = tuple(Source.from_json(record) for record in store.snapshot().manifest.sources)
    require_distinct_names(sources)
    return sources


def is_published(store: Store, cache: Cache, plan: Plan) -> bool:
    """Tell whether the current snapshot is what this plan leads to, without a failure left to retry."""
    current = store.current_id()
    known = cache.get_many(NAMESPACE, [plan.work_key])
    return current is not None and not plan.failures and known.get(plan.work_key) == current.encode()


def note_published(cache: Cache, work_key: str, snapshot_id: str) -> None:
    """Remember what a plan led to; only for runs without failures."""
    cache.put_many(NAMESPACE, {work_key: snapshot_id.encode()})


def require_few_deletions(known: set[int], now: set[int], allowed: bool) -> None:
    """Stop when more than a fifth of the known documents would disappear and that was not asked for.

    Raises:
        InputError: the sources are probably not what they were (an unmounted folder, another path).
    """
    gone = len(known - now)
    if known and gone > MAX_DELETED_SHARE * len(known) and not allowed:
        raise InputError(
            f"{gone} of {len(known)} documents of the current snapshot are not in the sources any more.",
            "Nothing was changed. If they are meant to go, run again with --allow-deletes; else name every source.",
        )
