"""The arithmetic of an estimate: calls, tokens, minutes and money of each stage, from counts alone.

Belongs here: pure functions and values. Does not: where counts come from (`counts`), what experience says (`learn`).
"""

import math
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from pathgraph.cost.prices import Tariff

BATCHED = {"extraction", "summaries"}  # stages that a batch endpoint can serve


@dataclass(frozen=True)
class Work:
    """What a stage has to do: calls still to be made with their tokens, and those the cache answers."""

    stage: str
    calls: int
    cached: int
    tokens_in: int
    tokens_out: int


@dataclass(frozen=True)
class Pace:
    """How fast an endpoint answers: calls at once, seconds a call, and its limits a minute (0: none)."""

    concurrency: int
    seconds: float
    requests_per_minute: int = 0
    tokens_per_minute: int = 0

    def minutes(self, calls: int, tokens: int) -> float:
        """Return the minutes of so many calls: the slowest of concurrency, request limit and token limit."""
        bounds = [calls * self.seconds / self.concurrency / 60]
        bounds += [calls / self.requests_per_minute] if self.requests_per_minute else []
        bounds += [tokens / self.tokens_per_minute] if self.tokens_per_minute else []
        return max(bounds)


@dataclass(frozen=True)
class Line:
    """One stage of an estimate. `cost` is None when the model's price is not known; `batch_cost` by batch endpoint."""

    stage: str
    model: str
    calls: int
    cached: int
    tokens_in: int
    tokens_out: int
    minutes: float
    cost: float | None
    batch_cost: float | None


@dataclass(frozen=True)
class Estimate:
    """What a run will probably take.

    Attributes:
        lines: the stages, in the order they run.
        vector_only: embedding the search chunks and nothing else, from an empty cache.
        currency: of all costs.
        counts: documents, failures, chunks, and what else was counted.
        basis: for each stage, in words, what its unknown numbers rest on.
        base: calls, tokens and concurrency by stage before anything was learned, to learn from.
    """

    lines: tuple[Line, ...]
    vector_only: Line
    currency: str
    counts: Mapping[str, int] = field(default_factory=dict)
    basis: Mapping[str, str] = field(default_factory=dict)
    base: Mapping[str, float] = field(default_factory=dict)

    @property
    def total(self) -> Line:
        """The sum over the stages, which run one after another; its cost is None when one of them is."""
        return total(self.lines)

    def as_dict(self) -> dict[str, Any]:
        """Return plain values for JSON."""
        return {
            **{name: dict(getattr(self, name)) for name in ("counts", "basis")},
            "currency": self.currency,
            "stages": [asdict(line) for line in self.lines],
            "total": asdict(self.total),
            "vector_only": asdict(self.vector_only),
        }

    def expected(self) -> dict[str, float]:
        """Return calls, tokens, minutes and known costs by stage ("extraction.in"), and `base`: what a run records."""
        found: dict[str, float] = dict(self.base)
        for line in self.lines:
            found |= {f"{line.stage}.calls": line.calls, f"{line.stage}.in": line.tokens_in}
            found |= {f"{line.stage}.out": line.tokens_out, f"{line.stage}.minutes": line.minutes}
            found |= {f"{line.stage}.cost": line.cost} if line.cost is not None else {}
        return found


def line(work: Work, pace: Pace, tariff: Tariff) -> Line:
    """Return a stage's line: minutes by its pace, money by its tariff. Cached calls take neither."""
    price, cost = tariff.price, None
    if price is not None:
        cost = price.cost(work.tokens_in, work.tokens_out)
    batch = cost * price.batch if price is not None and cost is not None and work.stage in BATCHED else cost
    return Line(
        stage=work.stage,
        model=tariff.model,
        calls=work.calls,
        cached=work.cached,
        tokens_in=work.tokens_in,
        tokens_out=work.tokens_out,
        minutes=pace.minutes(work.calls, work.tokens_in + work.tokens_out),
        cost=cost,
        batch_cost=batch,
    )


def total(lines: Iterable[Line]) -> Line:
    """Return the sum of the lines; an unknown cost makes the sum unknown, unless nothing is called there."""
    parts = list(lines)
    return Line(
        stage="total",
        model="",
        calls=sum(part.calls for part in parts),
        cached=sum(part.cached for part in parts),
        tokens_in=sum(part.tokens_in for part in parts),
        tokens_out=sum(part.tokens_out for part in parts),
        minutes=math.fsum(part.minutes for part in parts),
        cost=_sum([part.cost if part.calls else part.cost or 0.0 for part in parts]),
        batch_cost=_sum([part.batch_cost if part.calls else part.batch_cost or 0.0 for part in parts]),
    )


def _sum(costs: Iterable[float | None]) -> float | None:
    found = list(costs)
    known = [cost for cost in found if cost is not None]
    return math.fsum(known) if len(known) == len(found) else None
