"""One display of a run's progress: a bar a stage on a terminal, a line a stage elsewhere.

Belongs here: drawing. Does not: deciding what a stage is.
"""

import threading
import time
from types import TracebackType
from typing import Self

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    SpinnerColumn,
    TaskID,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)

from pathgraph import progress


class Display:
    """A `pathgraph.progress.Reporter` that draws on a console while its `with` block runs."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._lock = threading.Lock()
        self._bars = Progress(
            SpinnerColumn(finished_text="[green]✓[/]"),
            TextColumn("{task.description:<13}"),
            BarColumn(bar_width=28),
            MofNCompleteColumn(),
            TextColumn("{task.fields[failures]}"),
            TimeElapsedColumn(),
            TimeRemainingColumn(elapsed_when_finished=False),
            console=console,
            disable=not console.is_terminal,
        )
        self._tasks: dict[str, TaskID] = {}
        self._failed: dict[str, int] = {}
        self._done: dict[str, int] = {}
        self._began: dict[str, float] = {}

    def __enter__(self) -> Self:
        self._bars.start()
        self._restore = progress.use(self)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._restore()
        self._bars.stop()

    def begin(self, stage: str, total: int) -> None:
        """Show the stage, at 0 of total; a total of 0 is a single step."""
        with self._lock:
            if stage in self._tasks:
                self._bars.remove_task(self._tasks[stage])
            self._tasks[stage] = self._bars.add_task(stage, total=total or None, failures="")
            self._failed[stage] = self._done[stage] = 0
            self._began[stage] = time.monotonic()

    def advance(self, stage: str, done: int = 1, failed: int = 0) -> None:
        """Move the stage on."""
        with self._lock:
            if stage not in self._tasks:
                return
            self._done[stage] += done
            self._failed[stage] += failed
            count = self._failed[stage]
            self._bars.update(self._tasks[stage], advance=done, failures=f"[red]{count} failed[/]" if count else "")

    def end(self, stage: str, note: str = "") -> None:
        """Mark the stage as through."""
        with self._lock:
            if stage not in self._tasks:
                return
            seconds = time.monotonic() - self._began[stage]
            bar = self._bars.tasks[self._bars.task_ids.index(self._tasks[stage])]
            total = int(bar.total or max(self._done[stage], 1))
            self._bars.update(self._tasks[stage], total=total, completed=total)
            if not self._console.is_terminal:
                failed = f", {self._failed[stage]} failed" if self._failed[stage] else ""
                done = f" {self._done[stage]}" if self._done[stage] else ""
                self._console.print(f"{stage}{done}{failed} ({seconds:.1f} s)")
