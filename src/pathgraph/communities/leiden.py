"""One Leiden call on one small graph, by either engine, converged and canonical.

Belongs here: the engines, the quality of a partition, the numbering of labels. Does not: which graph is split and
why (`hierarchy`), ids and tables (`tables`).
"""

from dataclasses import dataclass
from threading import Lock
from typing import Any, Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from pathgraph.errors import UsageError
from pathgraph.settings import Communities

Labels = NDArray[np.int64]
Quality = Literal["modularity", "cpm", "surprise"]

# Quality rises with every iteration that counts, so the loop ends by itself. The bound keeps a huge graph without
# communities from taking for ever: 1e5 nodes with communities took 11 iterations, 3e4 without any took 70.
_MAX_ITERATIONS = 200
_LEAST_GAIN = 1e-10  # relative to the larger of 1 and the quality: below it, a gain is rounding
_IGRAPH_RANDOM = Lock()


@dataclass(frozen=True)
class LocalGraph:
    """An undirected weighted simple graph on nodes 0..n-1 in canonical order.

    Attributes:
        n: number of nodes.
        u: integers (m,), smaller end of each pair.
        v: integers (m,), larger end; pairs are sorted by (u, v).
        weight: float64 (m,), positive.
    """

    n: int
    u: NDArray[Any]
    v: NDArray[Any]
    weight: NDArray[np.float64]


class _Engine(Protocol):
    """What the loop of `leiden` needs of a library."""

    def improve(self, labels: Labels, iterations: int) -> Labels: ...

    def quality(self, labels: Labels) -> float: ...


def canonical(labels: NDArray[Any]) -> Labels:
    """Number the labels 0, 1, ... by the smallest member of each community; int64 (n,)."""
    _, first, inverse = np.unique(labels, return_index=True, return_inverse=True)
    rank = np.empty(len(first), np.int64)
    rank[np.argsort(first)] = np.arange(len(first))
    return rank[inverse]


def modularity(graph: LocalGraph, labels: NDArray[Any], resolution: float = 1.0) -> float:
    """Return the weighted modularity of a partition of the nodes; 0 for a graph without edges.

    Q = sum over communities of (inner weight / W - resolution * (strength / 2W)^2), W the total weight:
    Newman, Phys. Rev. E 70, 056131 (2004), with the resolution of Reichardt and Bornholdt (2006).

    Args:
        graph: the graph, n nodes.
        labels: non-negative integers (n,), one per node.
        resolution: above 1 favours smaller communities.
    """
    total = float(graph.weight.sum())
    if not total:
        return 0.0
    first, second = labels[graph.u], labels[graph.v]
    inner = float(graph.weight[first == second].sum())
    strength = np.bincount(np.r_[first, second], np.r_[graph.weight, graph.weight])
    return inner / total - resolution * float(np.square(strength / (2 * total)).sum())


def leiden(
    graph: LocalGraph,
    settings: Communities,
    initial: NDArray[Any] | None = None,
    fixed: NDArray[np.bool_] | None = None,
    quality: Quality = "modularity",
) -> Labels:
    """Partition a graph by the Leiden algorithm (Traag, Waltman and van Eck, Sci. Rep. 9, 5233, 2019).

    The result depends on the arguments alone. With `settings.iterations` -1, single iterations with the same seed
    follow each other until one brings no gain, and that one is dropped: so the result, given back as `initial`,
    comes back unchanged. With `initial` the result is never worse than it, and its communities are connected even
    where those of `initial` are not (without `fixed`).

    Args:
        graph: n nodes; isolated ones stay alone.
        settings: engine, resolution, iterations and seed.
        initial: integers (n,) to start from; each node alone if None.
        fixed: bool (n,), True for nodes that keep their community (leidenalg only); needs `initial`.
        quality: what is maximised; igraph knows modularity only. CPM and Surprise: see leidenalg's reference.

    Returns:
        int64 (n,), numbered 0, 1, ... by the smallest member of each community.

    Raises:
        UsageError: the engine cannot do what was asked.
    """
    if not len(graph.u):
        return np.arange(graph.n)
    labels = np.arange(graph.n) if initial is None else canonical(initial)
    engine = _engine(graph, settings, fixed, quality)
    if settings.iterations >= 0:
        labels = canonical(engine.improve(labels, settings.iterations)) if settings.iterations else labels
        return labels if fixed is not None else connected_parts(graph, labels)
    for _ in range(_MAX_ITERATIONS):
        better = _one_better(engine, labels)
        if better is None:
            better = labels if fixed is not None else connected_parts(graph, labels)
            if np.array_equal(better, labels):
                break
        labels = better
    return labels


def is_fixed_point(graph: LocalGraph, settings: Communities, labels: Labels) -> bool:
    """True if `leiden`, started from these canonical labels with `iterations` -1, would give them back."""
    if not np.array_equal(connected_parts(graph, labels), labels):
        return False
    return not len(graph.u) or _one_better(_engine(graph, settings, None, "modularity"), labels) is None


def _one_better(engine: _Engine, labels: Labels) -> Labels | None:
    """Return the labels after one more iteration, None if it brings no gain."""
    found = canonical(engine.improve(labels, 1))
    before, after = engine.quality(labels), engine.quality(found)
    return found if after - before > _LEAST_GAIN * max(1.0, abs(before)) else None


def connected_parts(graph: LocalGraph, labels: Labels) -> Labels:
    """Split each community into its connected parts, which never lowers modularity; int64 (n,), canonical.

    Leiden gives connected communities from a cold start, but igraph moves on from a start that is not connected, and
    now and then moves away the node that held a community together.
    """
    inner = labels[graph.u] == labels[graph.v]
    u, v = graph.u[inner], graph.v[inner]
    root = np.arange(graph.n)
    while len(u):  # every root hooks onto the smallest root beside it, then each node points at its root again
        low = np.minimum(root[u], root[v])
        hooked = root.copy()
        np.minimum.at(hooked, root[u], low)
        np.minimum.at(hooked, root[v], low)
        while not np.array_equal(hooked, hooked[hooked]):
            hooked = hooked[hooked]
        apart = hooked[u] != hooked[v]
        root, u, v = hooked, u[apart], v[apart]
    return canonical(root)


def _engine(graph: LocalGraph, settings: Communities, fixed: NDArray[np.bool_] | None, quality: Quality) -> _Engine:
    if settings.engine == "leidenalg":
        return _Leidenalg(graph, settings, fixed, quality)
    if fixed is not None or quality != "modularity":
        raise UsageError(
            "The engine igraph knows no fixed members and no quality but modularity.",
            "Set communities.engine to leidenalg.",
        )
    return _Igraph(graph, settings)


class _Igraph:
    """igraph's C implementation: modularity only, some 15 times faster than leidenalg."""

    def __init__(self, graph: LocalGraph, settings: Communities) -> None:
        self.local, self.settings = graph, settings
        self.graph = _to_igraph(graph)
        self.weights = graph.weight.tolist()

    def improve(self, labels: Labels, iterations: int) -> Labels:
        import random

        import igraph

        # igraph draws from a process-wide generator, by default Python's own: lend it one of ours for the call,
        # so that the caller's random numbers are the same with and without us.
        with _IGRAPH_RANDOM:
            igraph.set_random_number_generator(random.Random(self.settings.seed))
            try:
                found = self.graph.community_leiden(
                    objective_function="modularity",
                    weights=self.weights,
                    resolution=self.settings.resolution,
                    initial_membership=labels.tolist(),
                    n_iterations=iterations,
                )
            finally:
                igraph.set_random_number_generator(random)
        return np.asarray(found.membership, np.int64)

    def quality(self, labels: Labels) -> float:
        return modularity(self.local, labels, self.settings.resolution)


class _Leidenalg:
    """leidenalg: fixed members and other quality functions."""

    def __init__(
        self, graph: LocalGraph, settings: Communities, fixed: NDArray[np.bool_] | None, quality: Quality
    ) -> None:
        self.graph, self.settings, self.kind = _to_igraph(graph), settings, quality
        self.weights = graph.weight.tolist()
        self.fixed = None if fixed is None else fixed.tolist()

    def improve(self, labels: Labels, iterations: int) -> Labels:
        import leidenalg

        partition = self._partition(labels)
        optimiser = leidenalg.Optimiser()
        optimiser.set_rng_seed(self.settings.seed)
        optimiser.optimise_partition(partition, n_iterations=iterations, is_membership_fixed=self.fixed)
        return np.asarray(partition.membership, np.int64)

    def quality(self, labels: Labels) -> float:
        return float(self._partition(labels).quality())

    def _partition(self, labels: Labels) -> Any:
        import leidenalg

        kinds = {
            "modularity": leidenalg.RBConfigurationVertexPartition,
            "cpm": leidenalg.CPMVertexPartition,
            "surprise": leidenalg.SurpriseVertexPartition,
        }
        given = {} if self.kind == "surprise" else {"resolution_parameter": self.settings.resolution}
        return kinds[self.kind](self.graph, initial_membership=labels.tolist(), weights=self.weights, **given)


def _to_igraph(graph: LocalGraph) -> Any:
    import igraph

    return igraph.Graph(n=graph.n, edges=np.column_stack((graph.u, graph.v)).astype(np.int64))
