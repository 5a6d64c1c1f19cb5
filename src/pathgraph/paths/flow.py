"""PathRAG's resource flow (arXiv 2502.14902, formulas 2 and 3) from many start nodes at once.

Belongs here: which nodes a flow reaches and passes, with what resource. Does not: whole paths, their reliability
(formula 4) and their order.

A start holds 1. Level by level, each node that propagates gives alpha * resource / degree to every neighbour; a node
is set once, on the level where it is first reached, to the sum of what it is given on that level. It propagates while
resource / degree >= theta; the start always does. The inner nodes of a path of at most three edges stand on levels
1 and 2, so two levels decide which paths there are; `settle` adds what the last node of a path receives.
Sums run in ascending order of the giving node: equal graphs give equal bits on every machine.
"""

from collections.abc import Sequence
from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import NDArray

from pathgraph.paths.graph import Flags, Floats, Ints, PathGraph


@dataclass(frozen=True)
class Passed:
    """The nodes that pass the flow on, and the walks to them, for some start nodes.

    Attributes:
        first: int32, slots from a start to a neighbour that propagates, by start, then neighbour.
        step1, step2: int32, slots of each walk start -> a -> b whose a and b both propagate, by start, a, b.
        resource: float64, resource of b for each of these walks.
        close: bool, whether b is a neighbour of the start (level 1).
        start, node: int32, each start and each node that propagates on level 2 once, by start, then node.
        held: float64, resource of that node.
    """

    first: NDArray[np.int32]
    step1: NDArray[np.int32]
    step2: NDArray[np.int32]
    resource: Floats
    close: Flags
    start: NDArray[np.int32]
    node: NDArray[np.int32]
    held: Floats

    def of_starts(self, graph: PathGraph, low: int, high: int) -> "Passed":
        """Return the part that belongs to the starts low .. high - 1."""
        slots, nodes = graph.begin[[low, high]].astype(np.int32), np.array([low, high], np.int32)
        of_first = slice(*np.searchsorted(self.first, slots))
        of_walk = slice(*np.searchsorted(self.step1, slots))
        of_node = slice(*np.searchsorted(self.start, nodes))
        return Passed(
            first=self.first[of_first],
            step1=self.step1[of_walk],
            step2=self.step2[of_walk],
            resource=self.resource[of_walk],
            close=self.close[of_walk],
            start=self.start[of_node],
            node=self.node[of_node],
            held=self.held[of_node],
        )


def from_start(graph: PathGraph, alpha: float, start: NDArray[np.integer]) -> Floats:
    """Return what a start, which holds 1, gives to each of its neighbours: their resource."""
    gift: Floats = alpha / graph.degree[start]
    return gift


def handed_on(graph: PathGraph, alpha: float, resource: Floats, node: NDArray[np.integer]) -> Floats:
    """Return what a node that propagates gives to each of its neighbours (the summand of formula 2)."""
    gift: Floats = alpha * resource / graph.degree[node]
    return gift


def join_passed(parts: Sequence[Passed]) -> Passed:
    """Join what was computed for consecutive groups of starts (at least one group)."""
    return Passed(*(np.concatenate([getattr(part, field.name) for part in parts]) for field in fields(Passed)))


def propagating(graph: PathGraph, slots: Ints, alpha: float, theta: float) -> Ints:
    """Return those of the slots start -> neighbour whose neighbour passes the flow of its start on (level 1)."""
    resource = from_start(graph, alpha, graph.near[slots])
    return slots[resource / graph.degree[graph.far[slots]] >= theta]


def pass_flow(
    graph: PathGraph, starts: Ints, alpha: float, theta: float, max_hops: int, level2: Flags | None = None
) -> Passed:
    """Let the flow of every start run as far as an inner node of a path of `max_hops` edges can stand.

    Args:
        graph: n nodes, m pairs.
        starts: int64, nodes, ascending, each once.
        alpha: share of the resource that survives a hop, (0, 1].
        theta: lower bound of resource / degree, >= 0.
        max_hops: 1 to 3; below 3 the second level is not needed and stays empty, below 2 the first one too.
        level2: bool (n,), the nodes that matter as second inner node; all if None.
    """
    slots = graph.walk(starts)[1]
    first = propagating(graph, slots, alpha, theta) if max_hops > 1 else slots[:0]
    which, step2 = graph.walk(graph.far[first]) if max_hops > 2 else (slots[:0], slots[:0])
    step1 = first[which]
    onward = graph.far[step2] != graph.near[step1]
    if level2 is not None:
        onward &= level2[graph.far[step2]]
    step1, step2 = step1[onward], step2[onward]

    start = graph.near[step1]
    given = handed_on(graph, alpha, from_start(graph, alpha, start), graph.far[step1])
    order, group, keys = grouped(graph.keys(start, graph.far[step2]))
    total = np.bincount(group, weights=given[order], minlength=len(keys))
    at_start, at_node = np.divmod(keys, max(graph.n, 1))

    close = contains(graph.key[slots], keys)
    held = np.where(close, from_start(graph, alpha, at_start), total)
    passes = held / graph.degree[at_node] >= theta
    new = passes & ~close

    of_walk = np.empty(len(order), np.int64)
    of_walk[order] = group
    kept = np.flatnonzero(passes[of_walk])
    return Passed(
        first=first.astype(np.int32),
        step1=step1[kept].astype(np.int32),
        step2=step2[kept].astype(np.int32),
        resource=held[of_walk[kept]],
        close=close[of_walk[kept]],
        start=at_start[new].astype(np.int32),
        node=at_node[new].astype(np.int32),
        held=held[new],
    )


def settle(keys: Ints, levels: Sequence[tuple[Ints, Floats]]) -> Floats:
    """Return the resource that the last node of a path holds.

    Args:
        keys: int64, ascending, each once: a start and a last node as one number.
        levels: for level 1, 2, ...: (key, amount given), amounts of one key in ascending order of the giving node.
            On level 1 the one giver is the start. Keys beyond `keys` are ignored.

    Returns:
        float64, for each key the sum of what it is given on the first level that gives it anything; 0 if none does.
    """
    resource = np.zeros(len(keys))
    open_ = np.ones(len(keys), bool)
    if not len(keys):
        return resource
    for key, amount in levels:
        at = np.minimum(np.searchsorted(keys, key), len(keys) - 1)
        known = (keys[at] == key) & open_[at]
        resource += np.bincount(at[known], weights=amount[known], minlength=len(keys))
        open_[at[known]] = False
    return resource


def grouped(keys: Ints) -> tuple[Ints, Ints, Ints]:
    """Group equal keys.

    Returns:
        order: int64 (k,), positions by key, positions of one key ascending.
        group: int64 (k,), number of the group of each of these positions.
        unique: int64, the key of each group, ascending.
    """
    order = np.argsort(keys, kind="stable")
    ordered = keys[order]
    new = np.ones(len(keys), bool)
    new[1:] = ordered[1:] != ordered[:-1]
    return order, np.cumsum(new) - 1, ordered[new]


def contains(ascending: Ints, keys: Ints) -> Flags:
    """Return which of the keys are among the ascending ones."""
    if not len(ascending):
        return np.zeros(len(keys), bool)
    at = np.minimum(np.searchsorted(ascending, keys), len(ascending) - 1)
    found: Flags = ascending[at] == keys
    return found
