"""Fixtures of the store's tests; the sample graph itself stands in `store_sample.py`."""

import sys
from pathlib import Path

import pytest

from pathgraph.store.layout import Store

sys.path.insert(0, str(Path(__file__).parent))  # pytest's importlib mode puts no test folder on the path

from store_sample import publish_rows, sample_rows


@pytest.fixture
def rows():
    return sample_rows()


@pytest.fixture
def store(tmp_path):
    return Store.create(tmp_path / "store")


@pytest.fixture
def published(store, rows):
    publish_rows(store, rows)
    return store


@pytest.fixture(scope="session")
def shared(tmp_path_factory):
    """The published sample, for tests that only read."""
    store = Store.create(tmp_path_factory.mktemp("shared") / "store")
    publish_rows(store, sample_rows())
    return store
