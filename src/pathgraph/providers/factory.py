"""From settings to providers: the one place that knows which class stands behind which name.

Belongs here: construction. Does not: what providers do.
"""

from functools import lru_cache

from pathgraph.errors import SettingsError
from pathgraph.extraction.schema_file import read_schema
from pathgraph.ids import content_hash
from pathgraph.prompts.render import check_prompts
from pathgraph.providers.protocol import Condenser, Embedder, Extractor, Summariser
from pathgraph.resolution.aliases import read_aliases
from pathgraph.settings import Endpoint, Settings, Stage
from pathgraph.store.cache import Cache


@lru_cache(maxsize=8)
def extractor(settings: Settings, cache: Cache | None = None) -> Extractor:
    """Return who extracts; its models are loaded at the first call.

    Args:
        settings: say who.
        cache: where answers are kept in the middle of a conversation; None: nowhere.

    Raises:
        MissingExtra, SettingsError: there is no such provider here, or it cannot be asked.
    """
    if settings.extraction.provider == "openai":
        from pathgraph.providers.openai.chat import ask
        from pathgraph.providers.openai.extractor import OpenAIExtractor
        from pathgraph.providers.openai.memory import Memory

        endpoint, schema = checked_endpoint(settings, "extraction"), read_schema(settings.extraction.schema_file)
        asker = Memory(cache).ask if cache is not None else ask
        return OpenAIExtractor(endpoint, settings.extraction.gleanings, settings.prompts, schema, asker)
    from pathgraph.providers.offline.extractor import OfflineExtractor
    from pathgraph.providers.offline.gazetteer import entries_of

    names = entries_of(read_aliases(settings.resolution.aliases))
    return OfflineExtractor(names, co_occurrence=settings.extraction.co_occurrence)


@lru_cache(maxsize=8)
def embedder(settings: Settings) -> Embedder:
    """Return who embeds. Raises MissingExtra, SettingsError."""
    if settings.embeddings.provider == "openai":
        from pathgraph.providers.openai.embedder import OpenAIEmbedder

        wanted = settings.embeddings
        return OpenAIEmbedder(checked_endpoint(settings, "embeddings"), wanted.dimensions, wanted.batch)
    from pathgraph.providers.offline.embeddings import offline_embedder

    return offline_embedder(settings.embeddings.model)


@lru_cache(maxsize=8)
def summariser(settings: Settings) -> Summariser:
    """Return who writes reports. Raises MissingExtra, SettingsError."""
    if settings.summaries.provider == "openai":
        from pathgraph.providers.openai.summariser import OpenAISummariser

        return OpenAISummariser(checked_endpoint(settings, "summaries"), settings.prompts)
    from pathgraph.providers.offline.summaries import OfflineSummariser

    return OfflineSummariser()


@lru_cache(maxsize=8)
def condenser(settings: Settings) -> Condenser | None:
    """Return who condenses descriptions, the one that writes reports; None: nobody, a rule chooses among them.

    Raises:
        MissingExtra, SettingsError: see `summariser`.
    """
    if settings.summaries.provider == "offline":
        return None
    from pathgraph.providers.openai.condenser import OpenAICondenser

    return OpenAICondenser(checked_endpoint(settings, "summaries"), settings.prompts)


def checked_endpoint(settings: Settings, stage: Stage) -> Endpoint:
    """Return the endpoint of a stage, once it is clear that it can be asked; raises SettingsError when it cannot."""
    check_prompts(settings.prompts)
    own = getattr(settings, stage).endpoint.model
    endpoint = settings.endpoint_of(stage)
    # The shared model is one that chats; it does not embed.
    if endpoint.model is None or (stage == "embeddings" and own is None):
        raise SettingsError(
            f"{stage}.provider is openai, but no model is named.",
            f"Set {stage}.endpoint.model; endpoint.model serves all stages but embeddings.",
        )
    return endpoint


def versions(settings: Settings) -> str:
    """Return a hash of the providers' rules, prompts and models, and of the alias file: equal hashes, equal replies."""
    who = extractor(settings), embedder(settings), summariser(settings)
    condenses = condenser(settings)
    lines = [
        part
        for alias in read_aliases(settings.resolution.aliases)
        for part in (alias.canonical, alias.alias, alias.type)
    ]
    return content_hash(
        who[0].provider, who[0].model, who[0].prompt_hash, who[1].provider, who[1].model, who[1].dimensions,
        who[2].provider, who[2].model, who[2].prompt_hash, condenses.prompt_hash if condenses else "rule", *lines,
    )  # fmt: skip
