"""A place, settings and documents of a run through the batch API of a real server."""

import pytest

from pathgraph import progress
from pathgraph.cost import meter
from pathgraph.providers import batching, usage
from pathgraph.providers.openai import batch_post, chat, client
from pathgraph.store.cache import Cache

from .batch_parts import replies_of, settings_for


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    """Short waits, nothing known of endpoints, no budget and no tokens of other tests."""
    monkeypatch.setattr(client, "FIRST_DELAY", 0.004)
    monkeypatch.setattr(batch_post, "_FIRST_POLL", 0.02)
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    chat._dialects.clear()
    meter.begin(None, {}, "USD")
    usage.take()
    yield
    meter.begin(None, {}, "USD")
    progress.clear_stop()


@pytest.fixture
def settings_of():
    """Return a function from a server to settings that name it."""
    return lambda server, **changes: settings_for(server.url, **changes)


@pytest.fixture
def server_of(protocol_server):
    """Start a server that knows the facts of so many texts."""

    def start(count, **options):
        return protocol_server(**{"replies": replies_of(count), **options})

    return start


@pytest.fixture
def known_dialect():
    """Return a function that makes what a server takes known, so that no question is asked directly."""

    def know(server):
        chat._dialects[server.url, "m"] = chat.Dialect()

    return know


@pytest.fixture
def place(tmp_path):
    cache = Cache(tmp_path / "cache")
    yield batching.Place(cache, tmp_path / "cache" / "batches", "work")
    cache.close()
