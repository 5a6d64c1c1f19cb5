"""Tokens that this process paid for, by stage: counted per call, read when a run is recorded.

Belongs here: the counter. Does not: prices, estimates.
"""

import threading
from collections import Counter
from dataclasses import dataclass, field


@dataclass
class _Paid:
    lock: threading.Lock = field(default_factory=threading.Lock)
    counts: Counter[str] = field(default_factory=Counter)


_paid = _Paid()


def add(stage: str, tokens_in: int, tokens_out: int, batch: bool = False) -> None:
    """Count one call; tokens of a batch are also counted apart ("extraction.batch_in"). Thread-safe."""
    counts = {f"{stage}.calls": 1, f"{stage}.in": tokens_in, f"{stage}.out": tokens_out}
    if batch:
        counts |= {f"{stage}.batch_in": tokens_in, f"{stage}.batch_out": tokens_out}
    with _paid.lock:
        _paid.counts.update(counts)


def paid() -> dict[str, int]:
    """Return calls and tokens since the last `take`, by stage and direction ("extraction.in")."""
    with _paid.lock:
        return dict(_paid.counts)


def take() -> dict[str, int]:
    """Return what `paid` returns and begin at zero."""
    with _paid.lock:
        counts, _paid.counts = dict(_paid.counts), Counter()
        return counts
