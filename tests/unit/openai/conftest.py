import pytest

from pathgraph import progress
from pathgraph.providers import usage
from pathgraph.providers.openai import client
from pathgraph.settings import Endpoint

from .fake_endpoint import FakeEndpoint


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    """Waits between tries of a few milliseconds; no key, no request to stop, no tokens of other tests."""
    monkeypatch.setattr(client, "FIRST_DELAY", 0.004)
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    usage.take()
    yield
    progress.clear_stop()


@pytest.fixture
def serve():
    """Start an endpoint that answers by a function; return it and the settings that name it."""
    open_ = []

    def start(respond, **settings):
        server = FakeEndpoint(respond)
        open_.append(server)
        return server, Endpoint(model="m", base_url=server.url, **settings)

    yield start
    for server in open_:
        server.close()
