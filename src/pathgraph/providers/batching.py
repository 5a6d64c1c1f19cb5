"""Providers that ask through an endpoint's batch API.

Belongs here: their construction, and what a run needs to know of them. Does not: how batches work
(`pathgraph.providers.openai`), providers that ask at once (`factory`).
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Generic, Protocol, TypeVar

from pathgraph.extraction.schema_file import read_schema
from pathgraph.providers import factory
from pathgraph.providers.protocol import Extractor, Summariser
from pathgraph.settings import Settings
from pathgraph.store.batches import Batches
from pathgraph.store.cache import Cache

P = TypeVar("P")
Conversations = Callable[[], Iterable[Callable[[], object]]]


class Desk(Protocol):
    """Where a provider's questions are answered: through batches while it settles, at once at other times."""

    def settle(self, conversations: Conversations) -> None:
        """Have all questions of the conversations answered; see `pathgraph.providers.openai.batch_desk`."""
        ...

    def forget(self) -> None:
        """Delete the answers that conversations have used, so that the next run asks anew where one failed."""
        ...


@dataclass(frozen=True)
class Place:
    """Where batches and answers are kept, and which work they belong to."""

    cache: Cache
    folder: Path
    work_key: str


@dataclass(frozen=True)
class Batched(Generic[P]):
    """A provider and its desk. Before its conversations were settled, the provider raises `Pending`."""

    provider: P
    desk: Desk


@lru_cache(maxsize=8)
def extractor(settings: Settings, place: Place) -> Batched[Extractor]:
    """Return who extracts; raises SettingsError."""
    from pathgraph.providers.openai.batch_desk import Desk as OpenAIDesk
    from pathgraph.providers.openai.batch_post import Post
    from pathgraph.providers.openai.extractor import OpenAIExtractor

    endpoint = factory.checked_endpoint(settings, "extraction")
    desk = OpenAIDesk(Post(endpoint, place.cache, Batches(place.folder), place.work_key), settings.batch)
    schema = read_schema(settings.extraction.schema_file)
    asker = OpenAIExtractor(endpoint, settings.extraction.gleanings, settings.prompts, schema, desk.ask)
    return Batched(asker, desk)


@lru_cache(maxsize=8)
def summariser(settings: Settings, place: Place) -> Batched[Summariser]:
    """Return who writes reports; raises SettingsError."""
    from pathgraph.providers.openai.batch_desk import Desk as OpenAIDesk
    from pathgraph.providers.openai.batch_post import Post
    from pathgraph.providers.openai.summariser import OpenAISummariser

    endpoint = factory.checked_endpoint(settings, "summaries")
    desk = OpenAIDesk(Post(endpoint, place.cache, Batches(place.folder), place.work_key), settings.batch)
    return Batched(OpenAISummariser(endpoint, settings.prompts, desk.ask), desk)
