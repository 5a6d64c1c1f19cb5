"""The undirected weighted projection of the edges table: the arrays that Leiden and the path kernels read.

Belongs here: the arrays and how they are made. Does not: any algorithm on them.
"""

from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray


@dataclass(frozen=True)
class Projection:
    """An undirected weighted simple graph on n nodes and m pairs, in canonical order: equal tables give equal arrays.

    Attributes:
        node_ids: int64 (n,), ascending; position i is node i below.
        u: int32 (m,), smaller end of each pair.
        v: int32 (m,), larger end; pairs are sorted by (u, v), each once, u < v (self-loops are left out).
        weight: float64 (m,), sum over the pair's edges in the order of their ids.
    """

    node_ids: NDArray[np.int64]
    u: NDArray[np.int32]
    v: NDArray[np.int32]
    weight: NDArray[np.float64]

    @property
    def n(self) -> int:
        """Number of nodes."""
        return len(self.node_ids)


def project(node_ids: NDArray[np.int64], edges: pa.Table, co_occurs_weight: float) -> Projection:
    """Project the edges onto undirected pairs.

    Args:
        node_ids: int64 (n,), every id once, any order.
        edges: table `edges`, any row order; both ends of each edge are among `node_ids`.
        co_occurs_weight: factor on the weight of `co_occurs` edges; 0 leaves them out.
    """
    ids = np.sort(np.asarray(node_ids, np.int64))
    typed = np.asarray(edges["kind"].to_pylist(), object) != "co_occurs"
    scale = np.where(typed, 1.0, co_occurs_weight)
    source, target = (np.searchsorted(ids, edges[end].to_numpy()) for end in ("source", "target"))
    keep = (source != target) & (scale > 0)
    low, high = np.minimum(source, target)[keep], np.maximum(source, target)[keep]
    weight = (edges["weight"].to_numpy() * scale)[keep]
    order = np.lexsort((edges["edge_id"].to_numpy()[keep], high, low))
    low, high, weight = low[order], high[order], weight[order]
    first = np.flatnonzero(np.r_[True, (low[1:] != low[:-1]) | (high[1:] != high[:-1])]) if len(low) else low
    summed = np.add.reduceat(weight, first) if len(low) else weight
    return Projection(ids, low[first].astype(np.int32), high[first].astype(np.int32), summed)
