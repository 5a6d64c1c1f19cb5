"""Synthetic graphs for the benchmarks: seeded, so that every figure can be measured again on the same graph.

Belongs here: generators that return a `Projection`. Does not: anything that times or measures.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pathgraph.graph.projection import Projection

_INSIDE_GROUP, _INSIDE_SUPERGROUP = 0.60, 0.25  # the remaining 15 % of the pairs join any two nodes
_PARETO_SHAPE = 1.5


@dataclass(frozen=True)
class Planted:
    """A graph and the two-level communities planted in it.

    Attributes:
        projection: n nodes, m pairs, integer weights 1 to 50 as float64.
        group: int64 (n,), the small community (10 to 200 nodes) of each node.
        supergroup: int64 (n,), the large community, of about ten groups.
    """

    projection: Projection
    group: NDArray[np.int64]
    supergroup: NDArray[np.int64]


def planted(n: int, m: int, seed: int = 1) -> Planted:
    """Return a graph of n nodes and exactly m pairs with nested communities and heavy-tailed degrees.

    Every node has a Pareto activity; the first end of a pair is drawn by activity, the second one, by activity too,
    from the same group, the same supergroup or the whole graph. Some nodes stay isolated.
    """
    rng = np.random.default_rng(seed)
    group_at, supergroup_at = _two_levels(n, rng)
    cumulative = np.r_[0.0, np.cumsum(rng.pareto(_PARETO_SHAPE, n) + 1.0)]
    pairs = np.empty(0, np.int64)
    while len(pairs) < m:
        fresh = _draw(int(1.3 * m), cumulative, (group_at, supergroup_at), rng)
        _, first = np.unique(joined := np.r_[pairs, fresh], return_index=True)
        pairs = joined[np.sort(first)][:m]
    number = rng.permutation(n)  # nodes of one group do not stand side by side, as ids that are hashes do not either
    ends = number[np.c_[pairs // n, pairs % n]]
    low, high = ends.min(axis=1), ends.max(axis=1)
    order = np.lexsort((high, low))
    ids = np.unique(rng.integers(0, 1 << 62, n + 100))[:n]
    weight = np.minimum(np.floor(rng.pareto(1.2, m)) + 1.0, 50.0)
    where = np.argsort(number)
    projection = Projection(ids, low[order].astype(np.int32), high[order].astype(np.int32), weight)
    return Planted(projection, group_at[where], supergroup_at[where])


def _two_levels(n: int, rng: np.random.Generator) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Cut 0..n-1 into consecutive groups of log-uniform size 10 to 200, and the groups into supergroups of ten."""
    sizes = np.exp(rng.uniform(np.log(10), np.log(200), n // 10 + 1)).astype(np.int64)
    group = np.repeat(np.arange(len(sizes)), sizes)[:n]
    return group, group // 10


def _draw(
    count: int,
    cumulative: NDArray[np.float64],
    levels: tuple[NDArray[np.int64], NDArray[np.int64]],
    rng: np.random.Generator,
) -> NDArray[np.int64]:
    """Draw pairs (low * n + high, no loops, repeats possible)."""
    n = len(cumulative) - 1
    first = _by_activity(rng.uniform(0, cumulative[-1], count), cumulative)
    kind = rng.random(count)
    begin, end = np.zeros(count, np.int64), np.full(count, n, np.int64)
    bounds = ((levels[1], _INSIDE_GROUP + _INSIDE_SUPERGROUP), (levels[0], _INSIDE_GROUP))
    for labels, share in bounds:
        chosen = kind < share
        begin[chosen] = np.searchsorted(labels, labels[first[chosen]], "left")
        end[chosen] = np.searchsorted(labels, labels[first[chosen]], "right")
    second = _by_activity(rng.uniform(cumulative[begin], cumulative[end]), cumulative)
    low, high = np.minimum(first, second), np.maximum(first, second)
    return (low * n + high)[low < high]


def _by_activity(point: NDArray[np.float64], cumulative: NDArray[np.float64]) -> NDArray[np.int64]:
    return np.minimum(np.searchsorted(cumulative, point, "right") - 1, len(cumulative) - 2)
