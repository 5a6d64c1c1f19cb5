"""How far a run is, and whether it should stop: the one channel between the stages and whoever shows it.

Belongs here: the reporter protocol, the reporter in use, the stop signal. Does not: drawing (`pathgraph.cli.display`).
"""

import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol

from pathgraph.errors import PathgraphError


class Stopped(PathgraphError):
    """The user asked to stop; finished work is kept and the next run goes on from there."""

    def __init__(self) -> None:
        super().__init__("Stopped on request.", "Run the same command again: it goes on where it stopped.")


class Submitted(PathgraphError):
    """Requests were handed in at a batch endpoint, and nobody waits for the answers.

    Args:
        batches: ids of the batches that the run needs.
    """

    def __init__(self, batches: tuple[str, ...]) -> None:
        super().__init__(
            f"Batches are under way: {', '.join(batches)}.",
            "Run the same command again later, within a day: it takes the answers and goes on.",
        )
        self.batches = batches


class Reporter(Protocol):
    """Whoever wants to know how far a run is. Called from several threads."""

    def begin(self, stage: str, total: int) -> None:
        """A stage of `total` units starts."""

    def advance(self, stage: str, done: int = 1, failed: int = 0) -> None:
        """`done` more units are through, `failed` of them without success."""

    def end(self, stage: str, note: str = "") -> None:
        """The stage is over; `note` says in a few words what came out."""


class Silent:
    """Reports to nobody."""

    def begin(self, stage: str, total: int) -> None:
        """Do nothing."""

    def advance(self, stage: str, done: int = 1, failed: int = 0) -> None:
        """Do nothing."""

    def end(self, stage: str, note: str = "") -> None:
        """Do nothing."""


@dataclass
class _Process:
    """State of this process: one run at a time reports and is stopped."""

    reporter: Reporter = field(default_factory=Silent)
    stop: threading.Event = field(default_factory=threading.Event)


_process = _Process()


def use(reporter: Reporter) -> Callable[[], None]:
    """Report to the given reporter from now on; call the result to report to the former one again."""
    former, _process.reporter = _process.reporter, reporter

    def restore() -> None:
        _process.reporter = former

    return restore


def reporter() -> Reporter:
    """Return the reporter in use."""
    return _process.reporter


def request_stop() -> None:
    """Ask every stage of this process to stop at its next safe place."""
    _process.stop.set()


def clear_stop() -> None:
    """Forget an earlier request."""
    _process.stop.clear()


def check_stop() -> None:
    """Raise Stopped when somebody asked to stop; stages call this between units of work."""
    if _process.stop.is_set():
        raise Stopped
