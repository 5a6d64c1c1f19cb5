"""The plan of the `paths` table: theta under the row cap, and the exact number of rows, before a row is made.

Belongs here: counting paths and choosing theta. Does not: the rows (`table`).
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from pathgraph.paths.flow import Passed, join_passed, pass_flow, propagating
from pathgraph.paths.graph import PathGraph
from pathgraph.settings import Paths

_BLOCK = 500_000  # neighbours or candidates looked at in one block of nodes, about; one node may have more
_RAISE = 1.5
_SMALLEST = 1e-6  # what a theta of 0 is raised to first


@dataclass(frozen=True)
class PathPlan:
    """What the table will be.

    Attributes:
        theta: the theta in force, at least the one of the settings.
        rows: exact number of rows at that theta. Above `max_rows` only where the pairs of neighbours alone are.
        raised: whether theta had to be raised to stay under `max_rows`.
        passed: the flow of every node at that theta, which the rows are made from.
    """

    theta: float
    rows: int
    raised: bool
    passed: Passed = field(repr=False)


def plan(graph: PathGraph, settings: Paths) -> PathPlan:
    """Find the smallest theta of the ladder settings.theta * 1.5**k whose table has at most `max_rows` rows.

    A function of the graph and the settings alone. The set of paths only shrinks as theta grows, and at
    theta > alpha no node passes a flow on and only the pairs are left, so the ladder ends.
    """
    theta = settings.theta
    while True:
        passed = _flow_of_all(graph, settings, theta)
        rows = settings.max_rows + 1 if passed is None else count_rows(graph, passed)
        if passed is not None and (rows <= settings.max_rows or not len(passed.first)):
            return PathPlan(theta, rows, theta != settings.theta, passed)
        theta = max(theta * _RAISE, _SMALLEST)


def _flow_of_all(graph: PathGraph, settings: Paths, theta: float) -> Passed | None:
    """Return the flow of every node, or None as soon as its paths are sure to be more than `max_rows`."""
    every = np.arange(len(graph.far))
    first = propagating(graph, every, settings.alpha, theta) if settings.max_hops > 1 else every[:0]
    if _count_two_hops(graph, first) > settings.max_rows:
        return None
    work = np.bincount(graph.near[first], weights=graph.degree[graph.far[first]], minlength=graph.n)
    parts = []
    walked = 0
    for low, high in blocks(work):
        part = pass_flow(graph, np.arange(low, high), settings.alpha, theta, settings.max_hops)
        walked += _count_walks(graph, part)
        if walked > 2 * settings.max_rows:
            return None  # a path is walked at most twice, once from each end
        parts.append(part)
    return join_passed(parts)


def count_rows(graph: PathGraph, passed: Passed) -> int:
    """Count the paths that the flow of every node admits, without listing them.

    Three hops over the inner nodes a, b: a walk s -> a -> b that passes, times the neighbours of b beyond a and s,
    counts every path once for each end that admits it. A path that both ends s, t admit has a walk s -> a -> b and a
    walk t -> b -> a, with s != t.
    """
    pairs = len(graph.weight)
    per_slot = np.bincount(passed.step2, minlength=len(graph.far))
    both = int(np.sum(per_slot * per_slot[graph.back])) // 2
    close = passed.close
    keys = graph.near[passed.step1[close]].astype(np.int64) * pairs + graph.pair[passed.step2[close]]
    same_start = len(keys) - len(np.unique(keys))  # s -> a -> b and s -> b -> a
    three = _count_walks(graph, passed) - (both - same_start)
    return pairs + _count_two_hops(graph, passed.first) + three


def _count_two_hops(graph: PathGraph, first: NDArray[np.integer]) -> int:
    """Count the two-hop paths s - a - t whose a passes the flow of s or of t."""
    flows = np.bincount(graph.far[first], minlength=graph.n)
    return int(np.sum(flows * (graph.degree - 1) - flows * (flows - 1) // 2))


def _count_walks(graph: PathGraph, passed: Passed) -> int:
    """Count the walks s -> a -> b -> t over a, b that pass the flow of s, t being none of the others."""
    return int(np.sum(graph.degree[graph.far[passed.step2]] - 1 - passed.close))


def blocks(work: NDArray[np.integer] | NDArray[np.floating]) -> Iterator[tuple[int, int]]:
    """Cut 0 .. len(work) into consecutive ranges of about `_BLOCK` work each; one empty range if there is nothing."""
    label = np.cumsum(work) // _BLOCK
    cuts = np.flatnonzero(label[1:] != label[:-1]) + 1
    edges = np.concatenate([[0], cuts, [len(work)]])
    return pairwise(edges.tolist())
