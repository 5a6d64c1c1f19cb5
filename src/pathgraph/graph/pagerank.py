"""PageRank on an undirected weighted graph.

Belongs here: a thin wrapper around igraph. Does not: what the nodes mean.
"""

import numpy as np
from numpy.typing import NDArray

# What the solver gives beyond this differs between machines and must not decide an order.
_DECIMALS = 9


def pagerank(
    n: int,
    u: NDArray[np.int32],
    v: NDArray[np.int32],
    weight: NDArray[np.float64],
    reset: NDArray[np.float64] | None = None,
) -> NDArray[np.float64]:
    """Return the PageRank of n nodes, float64 (n,), sum 1, rounded to 9 decimals (Brin & Page 1998, damping 0.85).

    Args:
        n: number of nodes; 0 gives an empty array.
        u: one end of each edge, int32 (m,).
        v: the other end, int32 (m,).
        weight: positive weight of each edge, float64 (m,).
        reset: where the walk starts anew, float64 (n,), not negative, not all zero; None: anywhere alike.
    """
    import igraph

    if n == 0:
        return np.empty(0)
    graph = igraph.Graph(n, np.column_stack([u, v]).tolist())
    scores = graph.personalized_pagerank(
        directed=False, weights=weight.tolist(), reset=None if reset is None else reset.tolist()
    )
    return np.array([round(score, _DECIMALS) for score in scores], np.float64)
