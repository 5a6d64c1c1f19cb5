"""From candidate paths to scored ones: reliability (PathRAG, arXiv 2502.14902, formula 4), flow, one row a path.

Belongs here: what the table and the search on line share after they have found their candidates. Does not: finding
candidates (`table`, `search`), the flow itself (`flow`).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pathgraph.paths.flow import settle
from pathgraph.paths.graph import Flags, Floats, Ints, PathGraph

Levels = Sequence[tuple[Ints, Floats]]
Slots = NDArray[np.int32]


class Candidates(NamedTuple):
    """Paths that a flow admits, written from their smaller to their larger end node, in any order.

    A path that both directions admit stands here twice, once for each.
    """

    slots: Slots  # (3, k): the slot of each hop, -1 where the path has fewer hops
    mirrored: Flags  # (k,): the flow runs from the larger to the smaller end
    held: Floats  # (k,): resource of the second inner node of that flow; 0 below three hops


@dataclass(frozen=True)
class Scored:
    """Paths, each once, ordered by source, target, hops, nodes.

    Attributes:
        slots: int32 (3, k), the slot of each hop from source to target, -1 where the path has fewer hops.
        reliability: float64 (k,), formula 4, larger of the directions that admit the path.
        flow: float64 (k,), product of alpha / degree over all nodes but the last, in that direction.
    """

    slots: Slots
    reliability: Floats
    flow: Floats

    @property
    def hops(self) -> Ints:
        """Number of edges of each path."""
        return count_hops(self.slots)


def candidates(hops: Sequence[NDArray[np.integer]], mirrored: bool, held: Floats | None = None) -> Candidates:
    """Return candidates of one length and one direction, `hops` being their slots hop by hop."""
    count = len(hops[0])
    slots = np.full((3, count), -1, np.int32)
    for row, slot in enumerate(hops):
        slots[row] = slot
    return Candidates(slots, np.full(count, mirrored), np.zeros(count) if held is None else held)


def join_candidates(parts: Sequence[Candidates]) -> Candidates:
    """Put candidates of several kinds together."""
    slots, mirrored, held = zip(*parts, strict=True)
    return Candidates(np.concatenate(slots, axis=1), np.concatenate(mirrored), np.concatenate(held))


def score(graph: PathGraph, alpha: float, found: Candidates, ahead: Levels, behind: Levels) -> Scored:
    """Score the candidates and keep the better direction of each path.

    Args:
        graph: the graph.
        alpha: share of the resource that survives a hop.
        found: the candidates.
        ahead: what flows from a smaller node give to a larger one, level by level, as `flow.settle` takes it; the
            key is smaller * n + larger.
        behind: what flows from the larger node give to the smaller one, under the same key.

    Of two directions of equal reliability the one of larger flow counts.
    """
    if not found.slots.size:
        return Scored(found.slots, np.empty(0), np.empty(0))
    order, new_path, new_pair = _canonical(graph, found.slots)
    slots, mirrored, held = found.slots[:, order], found.mirrored[order], found.held[order]
    source, target = end_nodes(graph, slots)
    keys = source[new_pair] * graph.n + target[new_pair]
    pair = np.cumsum(new_pair) - 1
    last = np.where(mirrored, settle(keys, behind)[pair], settle(keys, ahead)[pair])
    reliability, flow = _formulas(graph, alpha, Candidates(slots, mirrored, held), last)
    return _better_direction(Scored(slots, reliability, flow), new_path)


def count_hops(slots: Slots) -> Ints:
    """Return the number of edges of each path, slots being (3, k)."""
    hops: Ints = (slots >= 0).sum(axis=0)
    return hops


def end_nodes(graph: PathGraph, slots: Slots) -> tuple[Ints, Ints]:
    """Return the first and the last node of each path, slots being (3, k)."""
    last = np.where(slots[2] >= 0, slots[2], np.where(slots[1] >= 0, slots[1], slots[0]))
    return graph.near[slots[0]].astype(np.int64), graph.far[last].astype(np.int64)


def _canonical(graph: PathGraph, slots: Slots) -> tuple[Ints, Flags, Flags]:
    """Order paths by source, target, hops, nodes.

    Returns:
        The order, and in that order where a new path and where a new pair of end nodes begins.
    """
    source, target = end_nodes(graph, slots)
    pair = (source - source.min()) * graph.n + target
    # A neighbour's rank orders as its node does and is far smaller: both ranks mostly fit one key with the rest.
    span = int(graph.degree.max()) + 1
    rank1 = np.where(slots[1] >= 0, slots[0] - graph.begin[source], 0)
    rank2 = np.where(slots[2] >= 0, slots[1] - graph.begin[graph.near[slots[1]]], 0)
    major, minor = pair * 4 + count_hops(slots), rank1 * span + rank2
    order = order_by(major, minor, span * span)
    new_path, new_pair = np.ones(len(order), bool), np.ones(len(order), bool)
    major, minor, pair = major[order], minor[order], pair[order]
    new_path[1:] = (major[1:] != major[:-1]) | (minor[1:] != minor[:-1])
    new_pair[1:] = pair[1:] != pair[:-1]
    return order, new_path, new_pair


def order_by(major: Ints, minor: Ints, span: int) -> Ints:
    """Return the stable order by (major, minor), both >= 0 and minor < span."""
    if len(major) and (int(major.max()) + 1) * span < 1 << 63:
        return np.argsort(major * span + minor, kind="stable")
    return np.lexsort((minor, major))


def _formulas(graph: PathGraph, alpha: float, found: Candidates, last: Floats) -> tuple[Floats, Floats]:
    """Return formula 4 and the flow of each candidate; `last` is the resource its last node holds."""
    hops = count_hops(found.slots)
    source, target = end_nodes(graph, found.slots)
    inner1 = np.where(hops > 1, alpha / graph.degree[graph.far[found.slots[0]]], 1.0)
    inner2 = np.where(hops > 2, alpha / graph.degree[graph.far[found.slots[1]]], 1.0)
    first = alpha / graph.degree[np.where(found.mirrored, target, source)]
    total = 1.0 + np.where(hops > 1, first, 0.0) + found.held + last
    # Multiplied from the start of the flow on, so that the rounding does not depend on how the path is written.
    flow = np.where(found.mirrored, first * inner2 * inner1, first * inner1 * inner2)
    return total / hops, flow


def _better_direction(rows: Scored, new_path: Flags) -> Scored:
    """Keep one of the one or two rows of each path."""
    first = np.flatnonzero(new_path)
    second = np.minimum(first + 1, len(new_path) - 1)
    other = np.where(new_path[second], first, second)
    less = rows.reliability[first] < rows.reliability[other]
    tied = (rows.reliability[first] == rows.reliability[other]) & (rows.flow[first] < rows.flow[other])
    best = np.where(less | tied, other, first)
    return Scored(rows.slots[:, best], rows.reliability[best], rows.flow[best])
