"""From settings to providers: the one place that knows which class stands behind which name.

Belongs here: construction. Does not: what providers do.
"""

from functools import lru_cache

from pathgraph.errors import SettingsError
from pathgraph.ids import content_hash
from pathgraph.providers.protocol import Embedder, Extractor, Summariser
from pathgraph.resolution.aliases import read_aliases
from pathgraph.settings import Settings

_LATER = "Use the provider 'offline'; other endpoints come with the next release."


@lru_cache(maxsize=8)
def extractor(settings: Settings) -> Extractor:
    """Return who extracts; its models are loaded at the first call. Raises MissingExtra, SettingsError."""
    if settings.extraction.provider != "offline":
        raise SettingsError(f"extraction.provider {settings.extraction.provider} is not there yet.", _LATER)
    from pathgraph.providers.offline.extractor import OfflineExtractor
    from pathgraph.providers.offline.gazetteer import entries_of

    names = entries_of(read_aliases(settings.resolution.aliases))
    return OfflineExtractor(names, co_occurrence=settings.extraction.co_occurrence)


@lru_cache(maxsize=8)
def embedder(settings: Settings) -> Embedder:
    """Return who embeds. Raises MissingExtra, SettingsError."""
    if settings.embeddings.provider != "offline":
        raise SettingsError(f"embeddings.provider {settings.embeddings.provider} is not there yet.", _LATER)
    from pathgraph.providers.offline.embeddings import offline_embedder

    return offline_embedder(settings.embeddings.model)


@lru_cache(maxsize=8)
def summariser(settings: Settings) -> Summariser:
    """Return who writes reports. Raises MissingExtra, SettingsError."""
    if settings.summaries.provider != "offline":
        raise SettingsError(f"summaries.provider {settings.summaries.provider} is not there yet.", _LATER)
    from pathgraph.providers.offline.summaries import OfflineSummariser

    return OfflineSummariser()


def versions(settings: Settings) -> str:
    """Return a hash of the providers' rules, prompts and models, and of the alias file: equal hashes, equal replies."""
    who = extractor(settings), embedder(settings), summariser(settings)
    lines = [
        part
        for alias in read_aliases(settings.resolution.aliases)
        for part in (alias.canonical, alias.alias, alias.type)
    ]
    return content_hash(
        who[0].provider, who[0].model, who[0].prompt_hash, who[1].provider, who[1].model, who[1].dimensions,
        who[2].provider, who[2].model, who[2].prompt_hash, *lines,
    )  # fmt: skip
