"""The nested hierarchy: Leiden on the whole graph, then again inside every community that is too large.

Belongs here: what is split, how, and when it stops. Does not: the Leiden call itself (`leiden`), ids and tables
(`tables`).
"""

from collections import deque
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from pathgraph.communities.leiden import Labels, LocalGraph, canonical, is_fixed_point, leiden
from pathgraph.graph.projection import Projection
from pathgraph.settings import Communities

# A community that Leiden leaves whole (a clique, a hub with its leaves) is tried again at these multiples of the
# resolution. A try that leaves more than this share of the nodes alone is no grouping, and is not taken.
_LADDER = (1.0, 1.5, 2.25, 3.375)
_MAX_ALONE = 0.25
_DEEPEST = 50  # from this level on communities are cut at once, so that no graph can make the levels endless


def hierarchy(projection: Projection, settings: Communities, initial: NDArray[np.int64] | None = None) -> Labels:
    """Return the community of every node on every level, level 0 the coarsest.

    Level 0 is Leiden on the whole graph. On each further level every community of more than `max_size` nodes is
    split by a call of its own on the edges inside it (so modularity below level 0 is that of the inner graph), and
    the others are carried down. Hence the levels are strictly nested, and a community whose members and inner edges
    are the same has the same sub-tree, whatever happens elsewhere. No community of the last level has more than
    `max_size` nodes. If that takes more than `max_levels` levels, those before the last one are left out.

    Args:
        projection: n nodes; isolated ones are communities of one node.
        settings: see `Communities`.
        initial: int64 (levels, n), labels to start from on each level, with -1 for a node that has none. The
            hierarchy of an unchanged graph comes back unchanged if `iterations` is -1 and it was not cut short by
            `max_levels`.

    Returns:
        int64 (levels, n), at least one level; on each level labels are numbered 0, 1, ... by smallest member.
    """
    whole = LocalGraph(projection.n, projection.u, projection.v, projection.weight)
    rungs = [settings.model_copy(update={"resolution": settings.resolution * factor}) for factor in _LADDER]
    starts = [] if initial is None else [_alone_where_unknown(row) for row in initial]
    levels = [_top(whole, settings, starts[0] if starts else None)]
    while np.bincount(levels[-1]).max(initial=0) > settings.max_size:
        depth = len(levels)
        start = starts[depth] if depth < len(starts) else None
        levels.append(_next_level(whole, levels[-1], rungs if depth < _DEEPEST else [], settings.max_size, start))
    return np.stack(levels if len(levels) <= settings.max_levels else [*levels[: settings.max_levels - 1], levels[-1]])


def _alone_where_unknown(labels: NDArray[np.int64]) -> Labels:
    """Give each node without a label (-1) one of its own."""
    unknown = labels < 0
    fresh = labels.max(initial=0) + 1 + np.arange(np.count_nonzero(unknown))
    filled = labels.astype(np.int64)
    filled[unknown] = fresh
    return filled


def _top(graph: LocalGraph, settings: Communities, start: Labels | None) -> Labels:
    """Run Leiden on the nodes that have an edge; the isolated ones, which may be most, do not go through it."""
    linked = np.zeros(graph.n, bool)
    linked[graph.u], linked[graph.v] = True, True
    number = np.cumsum(linked) - 1
    core = LocalGraph(int(np.count_nonzero(linked)), number[graph.u], number[graph.v], graph.weight)
    labels = np.arange(graph.n) + graph.n
    labels[linked] = leiden(core, settings, None if start is None else start[linked])
    return canonical(labels)


def _next_level(
    graph: LocalGraph, above: Labels, rungs: list[Communities], max_size: int, start: Labels | None
) -> Labels:
    """Split every community of `above` with more than max_size nodes; carry the others down."""
    labels = above.copy()
    free = int(above.max()) + 1
    for nodes, inner in _too_large(graph, above, max_size):
        parts = _split(inner, rungs, max_size, None if start is None else start[nodes])
        labels[nodes] = free + parts
        free += int(parts.max()) + 1
    return canonical(labels)


def _too_large(graph: LocalGraph, labels: Labels, max_size: int) -> Iterator[tuple[NDArray[np.int64], LocalGraph]]:
    """Yield the members (ascending) and the inner graph of each community above max_size, by label.

    Edges and nodes are sorted by community once, so that each community is a slice.
    """
    size = np.bincount(labels)
    large = np.flatnonzero(size > max_size)
    inside = (labels[graph.u] == labels[graph.v]) & (size[labels[graph.u]] > max_size)
    u, v, weight = graph.u[inside], graph.v[inside], graph.weight[inside]
    order = np.argsort(labels[u], kind="stable")
    u, v, weight = u[order], v[order], weight[order]
    edge_end = np.searchsorted(labels[u], large, "right")
    edge_begin = np.searchsorted(labels[u], large, "left")
    members = np.argsort(labels, kind="stable")
    node_begin = np.cumsum(size) - size
    number = np.empty(graph.n, np.int64)
    number[members] = np.arange(graph.n) - np.repeat(node_begin, size)
    for community, begin, end in zip(large, edge_begin, edge_end, strict=True):
        nodes = members[node_begin[community] : node_begin[community] + size[community]]
        cut = slice(begin, end)
        yield nodes, LocalGraph(len(nodes), number[u[cut]], number[v[cut]], weight[cut])


def _split(graph: LocalGraph, rungs: list[Communities], max_size: int, start: Labels | None) -> Labels:
    """Return at least two parts, int64 (n,): by Leiden at the first resolution that groups, else by a cut."""
    if start is not None:
        start = canonical(start)
        if not start.any():
            start = None  # it was whole before: the worst place to start from
        elif _stands(graph, rungs, max_size, start):
            return start
    for rung in rungs:
        parts = leiden(graph, rung, start)
        alone = np.count_nonzero(np.bincount(parts) == 1) / graph.n
        if parts.any() and (rung is rungs[0] or alone <= _MAX_ALONE):
            return parts
    return balanced_cut(graph, max_size)


def _stands(graph: LocalGraph, rungs: list[Communities], max_size: int, start: Labels) -> bool:
    """True if a previous split is one that `_split` could have made: no Leiden iteration or cut changes it."""
    return any(is_fixed_point(graph, rung, start) for rung in rungs) or np.array_equal(
        balanced_cut(graph, max_size), start
    )


def balanced_cut(graph: LocalGraph, max_size: int) -> Labels:
    """Cut the nodes into the fewest parts of at most max_size nodes, sizes differing by one at most.

    The last resort: parts are runs of the breadth-first order from the strongest node (the smallest among equals),
    component after component, neighbours by falling weight, so neighbours mostly stay together. A part need not be
    connected: the leaves of a star are not.

    Returns:
        int64 (n,), canonical.
    """
    count = -(-graph.n // max_size)
    labels = np.empty(graph.n, np.int64)
    labels[_breadth_first(graph)] = np.arange(graph.n) * count // graph.n
    return canonical(labels)


def _breadth_first(graph: LocalGraph) -> list[int]:
    source = np.r_[graph.u, graph.v].astype(np.int64)
    target, weight = np.r_[graph.v, graph.u].astype(np.int64), np.r_[graph.weight, graph.weight]
    order = np.lexsort((target, -weight, source))
    begin = np.searchsorted(source[order], np.arange(graph.n + 1)).tolist()
    neighbours = target[order].tolist()
    strength = np.bincount(source, weight, minlength=graph.n)
    seen: dict[int, None] = {}  # an ordered set
    for root in np.lexsort((np.arange(graph.n), -strength)).tolist():
        queue = deque([] if root in seen else [root])
        seen.setdefault(root)
        while queue:
            node = queue.popleft()
            fresh = [other for other in neighbours[begin[node] : begin[node + 1]] if other not in seen]
            seen.update(dict.fromkeys(fresh))
            queue.extend(fresh)
    return list(seen)
