"""What a discovery reads, decided before anything is read.

Belongs here: drawing items, the key under which a stopped discovery goes on. Does not: drawing documents.
"""

from collections.abc import Sequence

from pathgraph import __version__, progress
from pathgraph.discovery.sample import Sample, stratified
from pathgraph.failure import Failure
from pathgraph.ids import content_hash
from pathgraph.loading.load import item_key, items
from pathgraph.loading.scan import Item
from pathgraph.pipeline.plan import Plan, resolve_sources
from pathgraph.providers.factory import versions
from pathgraph.settings import Settings
from pathgraph.store.layout import Store


def plan_discovery(store: Store, arguments: Sequence[str], settings: Settings, sample: Sample) -> Plan:
    """Draw as many items as documents are wanted; a table file is one item here, its rows compete later.

    Raises:
        InputError: no sources are named or known, or one is missing or empty.
        SettingsError: the settings' files are wrong.
    """
    sources = resolve_sources(store, arguments)
    listed: list[Item] = []
    failures: list[Failure] = []
    for item in items(sources, settings.loading):
        progress.check_stop()
        if isinstance(item, Failure):
            failures.append(item)
        else:
            listed.append(item)
    drawn = [listed[at] for at in stratified([f"{item.source}/{item.uri}" for item in listed], sample)]
    keyed = tuple((item, item_key(item, settings.loading)) for item in drawn)
    keys = [part for item, key in keyed for part in (item.source, item.uri, key)]
    key = content_hash("discover", __version__, settings.hash(), versions(settings), sample.size, sample.seed, *keys)
    return Plan(sources, keyed, tuple(failures), key)


def free(settings: Settings) -> Settings:
    """Return the settings without a schema: discovery shall find what is there, not what was decided."""
    return settings.model_copy(update={"extraction": settings.extraction.model_copy(update={"schema_file": None})})
