"""Pytest fixtures; tests/conftest.py offers them to every test."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from protocol.handle import Handle, start_process, start_thread


@pytest.fixture
def protocol_server() -> Iterator[Callable[..., Handle]]:
    """Return a function `(process=False, **options)` that starts a server; all are stopped at the test's end."""
    running: list[Handle] = []

    def start(*, process: bool = False, **options: Any) -> Handle:
        running.append((start_process if process else start_thread)(**options))
        return running[-1]

    yield start
    for one in running:
        one.stop()
