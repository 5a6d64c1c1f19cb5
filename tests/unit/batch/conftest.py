"""A place, settings and documents of a run through the batch API of a real server."""

import pytest

from pathgraph import progress
from pathgraph.providers import batching, usage
from pathgraph.providers.openai import batch_post, chat, client
from pathgraph.settings import Settings
from pathgraph.store.cache import Cache


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    """Short waits, nothing known of endpoints, no tokens of other tests."""
    monkeypatch.setattr(client, "FIRST_DELAY", 0.004)
    monkeypatch.setattr(batch_post, "_FIRST_POLL", 0.02)
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    chat._dialects.clear()
    usage.take()
    yield
    progress.clear_stop()


@pytest.fixture
def settings_of():
    """Return a function from a server to settings that name it."""

    def settings(server, **batch):
        gleanings = batch.pop("gleanings", 0)
        endpoint = {"model": "m", "base_url": server.url, "max_attempts": batch.pop("max_attempts", 3)}
        return Settings.model_validate(
            {
                "endpoint": endpoint | batch.pop("endpoint", {}),
                "extraction": {"provider": "openai", "gleanings": gleanings},
                "summaries": {"provider": "openai"},
                "batch": {"enabled": True, "poll_seconds": 0.05, **batch},
            }
        )

    return settings


@pytest.fixture
def place(tmp_path):
    cache = Cache(tmp_path / "cache")
    yield batching.Place(cache, tmp_path / "cache" / "batches", "work")
    cache.close()
