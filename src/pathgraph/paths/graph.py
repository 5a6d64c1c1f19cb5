"""The graph as path search reads it: neighbours in compressed rows, and the edges behind each pair of nodes.

Belongs here: these arrays, how they are made, how ranges of them are walked. Does not: flow, scores, choice of paths.
"""

from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from pathgraph.graph.projection import Projection, project

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]


@dataclass(frozen=True)
class PathGraph:
    """An undirected simple graph of n nodes and m pairs. A *slot* is one pair seen from one of its ends.

    Attributes:
        node_ids: int64 (n,), ascending; position i is node i below.
        degree: int64 (n,), number of distinct neighbours.
        begin: int64 (n + 1,), the slots of node i are begin[i] .. begin[i + 1], ordered by neighbour.
        near: int32 (2m,), the node a slot starts from.
        far: int32 (2m,), the neighbour it leads to.
        key: int64 (2m,), near * n + far, ascending: finds a slot by its two nodes.
        back: int32 (2m,), the slot of the same pair seen from the other end.
        pair: int32 (2m,), the pair of a slot.
        weight: float64 (m,), weight of a pair.
        edge_begin: int64 (m + 1,), the edges of pair p are edge_ids[edge_begin[p] : edge_begin[p + 1]].
        edge_ids: int64, edges of either direction, ascending inside a pair.
    """

    node_ids: Ints
    degree: Ints
    begin: Ints
    near: NDArray[np.int32]
    far: NDArray[np.int32]
    key: Ints
    back: NDArray[np.int32]
    pair: NDArray[np.int32]
    weight: Floats
    edge_begin: Ints
    edge_ids: Ints

    @property
    def n(self) -> int:
        """Number of nodes."""
        return len(self.node_ids)

    def positions(self, ids: Ints) -> Ints:
        """Return the nodes with these ids, ascending, each once; ids the graph does not know are left out."""
        if not self.n:
            return np.empty(0, np.int64)
        unique = np.unique(ids)
        at = np.minimum(np.searchsorted(self.node_ids, unique), self.n - 1)
        found: Ints = at[self.node_ids[at] == unique]
        return found

    def keys(self, near: NDArray[np.integer], far: NDArray[np.integer]) -> Ints:
        """Return two nodes as one number, as in `key`."""
        joined: Ints = near.astype(np.int64) * self.n + far
        return joined

    def edges_of(self, slot: int) -> tuple[int, ...]:
        """Return the ids of the edges between a slot's two nodes, ascending."""
        pair = self.pair[slot]
        return tuple(self.edge_ids[self.edge_begin[pair] : self.edge_begin[pair + 1]].tolist())

    def walk(self, nodes: NDArray[np.integer]) -> tuple[Ints, Ints]:
        """Return every slot of every node: (index into `nodes`, slot), in the order of `nodes`."""
        return spans(self.begin[nodes], self.begin[nodes + 1])

    def walk_beyond(self, nodes: NDArray[np.integer], bound: NDArray[np.integer]) -> tuple[Ints, Ints]:
        """As `walk`, only slots that lead to a node above the bound (one bound for each node)."""
        lowest = np.searchsorted(self.key, self.keys(nodes, bound), side="right")
        return spans(lowest, self.begin[nodes + 1])


def path_graph(node_ids: Ints, edges: pa.Table, co_occurs: bool = False) -> PathGraph:
    """Build the graph from the ids of table `nodes` and from table `edges`, both in any row order.

    Args:
        node_ids: int64 (n,), every id once.
        edges: columns edge_id, source, target, kind, weight; both ends of each edge are among `node_ids`.
        co_occurs: let paths use `co_occurs` edges, at their full weight.
    """
    used = edges if co_occurs else edges.filter(pc.not_equal(edges["kind"], pa.scalar("co_occurs")))
    return from_projection(project(node_ids, used, 1.0), used)


def from_projection(projection: Projection, edges: pa.Table) -> PathGraph:
    """Build the graph from a projection and the edges it was made from; an edge of no pair in it is left out."""
    n, m = projection.n, len(projection.u)
    low, high = projection.u.astype(np.int64), projection.v.astype(np.int64)
    keys = np.concatenate([low * n + high, high * n + low])
    order = np.argsort(keys, kind="stable")
    place = np.empty(2 * m, np.int64)
    place[order] = np.arange(2 * m)
    key = keys[order]
    near = key // max(n, 1)
    degree = np.bincount(near, minlength=n)
    edge_begin, edge_ids = _edges_of_pairs(projection, edges)
    return PathGraph(
        node_ids=projection.node_ids,
        degree=degree,
        begin=starts(degree),
        near=near.astype(np.int32),
        far=(key - near * n).astype(np.int32),
        key=key,
        back=place[(order + m) % max(2 * m, 1)].astype(np.int32),
        pair=(order % max(m, 1)).astype(np.int32),
        weight=projection.weight,
        edge_begin=edge_begin,
        edge_ids=edge_ids,
    )


def _edges_of_pairs(projection: Projection, edges: pa.Table) -> tuple[Ints, Ints]:
    """Return (edge_begin, edge_ids) of `PathGraph`."""
    n, m = projection.n, len(projection.u)
    if not m:
        return np.zeros(1, np.int64), np.empty(0, np.int64)
    ids = edges["edge_id"].to_numpy()
    source, target = (np.searchsorted(projection.node_ids, edges[end].to_numpy()) for end in ("source", "target"))
    wanted = np.minimum(source, target) * n + np.maximum(source, target)
    pairs = projection.u.astype(np.int64) * n + projection.v
    pair = np.minimum(np.searchsorted(pairs, wanted), m - 1)
    known = pairs[pair] == wanted
    ids, pair = ids[known], pair[known]
    order = np.lexsort((ids, pair))
    return starts(np.bincount(pair, minlength=m)), ids[order]


def starts(counts: Ints) -> Ints:
    """Return where each of consecutive groups of these sizes starts, and last where all end: (len + 1,)."""
    return np.concatenate([np.zeros(1, np.int64), np.cumsum(counts, dtype=np.int64)])


def spans(begin: Ints, end: Ints) -> tuple[Ints, Ints]:
    """Walk many ranges at once.

    Returns:
        For every element of every range [begin[i], end[i]), in order: i, and the element.
    """
    counts = np.maximum(end - begin, 0)
    which = np.repeat(np.arange(len(counts)), counts)
    return which, np.arange(len(which)) + np.repeat(begin - starts(counts)[:-1], counts)
