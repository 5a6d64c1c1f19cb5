"""Paths on line: the most reliable paths among a few given nodes.

Belongs here: finding the candidates among the nodes, ranking, the value `Path`. Does not: the scores (`scoring`,
`code_variant`), which nodes a question is about (retrieval).
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from pathgraph.paths.code_variant import THRESHOLD, score_like_code
from pathgraph.paths.flow import from_start, handed_on, pass_flow
from pathgraph.paths.graph import Flags, Floats, Ints, PathGraph, spans
from pathgraph.paths.scoring import Candidates, Scored, candidates, join_candidates, score
from pathgraph.settings import Paths

Variant = Literal["paper", "code"]


@dataclass(frozen=True)
class Path:
    """A path between two nodes.

    Attributes:
        nodes: ids from the smaller to the larger end.
        edges: for each hop the ids of the edges between its two nodes, either direction, ascending.
        reliability: formula 4 (variant `paper`) or the public code's score, larger of both directions.
        flow: what arrives along this path alone (`paper`), or the resource of its last edge (`code`).
    """

    nodes: tuple[int, ...]
    edges: tuple[tuple[int, ...], ...]
    reliability: float
    flow: float

    @property
    def hops(self) -> int:
        """Number of edges."""
        return len(self.edges)


def find_paths(
    graph: PathGraph,
    nodes: Sequence[int],
    settings: Paths,
    limit: int = 15,
    theta: float | None = None,
    variant: Variant = "paper",
) -> list[Path]:
    """Return the best paths between any two of the nodes, best first.

    Args:
        graph: the graph.
        nodes: node ids, any order; unknown ones are ignored.
        settings: alpha (variant `paper`), max_hops, online_theta.
        limit: how many paths at most.
        theta: instead of `online_theta` (variant `paper`), or the threshold of variant `code`.
        variant: `paper` for formulas 2 to 4, `code` for the scores of PathRAG's public code (`code_variant`).

    Order: reliability, then flow, then weight of the weakest hop, all descending, then node ids, ascending.
    """
    among = graph.positions(np.array(nodes, np.int64))
    if variant == "code":
        every = score_among(graph, among, settings, theta=0.0)
        scored = score_like_code(graph, every, THRESHOLD if theta is None else theta)
        return list(islice(_one_per_node_set(_ranked(graph, scored)), limit))
    scored = score_among(graph, among, settings, settings.online_theta if theta is None else theta)
    return list(islice(_ranked(graph, _at_least_as_reliable(scored, limit)), limit))


def score_among(graph: PathGraph, among: Ints, settings: Paths, theta: float) -> Scored:
    """Return all paths between any two of the nodes, scored by the paper's formulas.

    One flow for each node serves all its pairs. The last hop is not walked: the neighbours of the given nodes are
    looked up among the nodes that pass a flow on.
    """
    alpha = settings.alpha
    doors = _Doors(graph, among)
    passed = pass_flow(graph, among, alpha, theta, settings.max_hops, doors.is_entry)

    slots = graph.walk(among)[1]
    hop = slots[doors.wanted[graph.far[slots]]]

    which, step2 = doors.of(graph.far[passed.first])
    step1 = passed.first[which]
    onward = graph.far[step2] != graph.near[step1]
    step1, step2 = step1[onward], step2[onward]
    start = graph.near[step1]

    which, last = doors.of(graph.far[passed.step2])
    walk1, walk2, held = passed.step1[which], passed.step2[which], passed.resource[which]
    onward = (graph.far[last] != graph.near[walk1]) & (graph.far[last] != graph.far[walk1])

    giver, gift = doors.of(passed.node)
    given = [
        (graph.near[hop], graph.far[hop], from_start(graph, alpha, graph.near[hop])),
        (start, graph.far[step2], handed_on(graph, alpha, from_start(graph, alpha, start), graph.far[step1])),
        (passed.start[giver], graph.far[gift], handed_on(graph, alpha, passed.held, passed.node)[giver]),
    ]
    three = [walk1[onward], walk2[onward], last[onward]]
    found = _both_ways(graph, [hop]) + _both_ways(graph, [step1, step2]) + _both_ways(graph, three, held[onward])
    ahead = [_towards(graph, start, end, amount, start < end) for start, end, amount in given]
    behind = [_towards(graph, end, start, amount, start > end) for start, end, amount in given]
    return score(graph, alpha, join_candidates(found), ahead, behind)


def _towards(
    graph: PathGraph, low: NDArray[np.integer], high: NDArray[np.integer], amount: Floats, kept: Flags
) -> tuple[Ints, Floats]:
    return graph.keys(low[kept], high[kept]), amount[kept]


def _both_ways(graph: PathGraph, hops: Sequence[Ints], held: Floats | None = None) -> list[Candidates]:
    """Split paths of one length by whether they run towards their larger end, and write all from the smaller one."""
    up = graph.near[hops[0]] < graph.far[hops[-1]]
    held = np.zeros(len(up)) if held is None else held
    back = [graph.back[slots[~up]] for slots in reversed(hops)]
    return [candidates([slots[up] for slots in hops], False, held[up]), candidates(back, True, held[~up])]


class _Doors:
    """The slots that lead into a few wanted nodes, found by the node they start from."""

    def __init__(self, graph: PathGraph, among: Ints) -> None:
        out = graph.walk(among)[1]
        entry = graph.far[out]
        order = np.argsort(entry, kind="stable")
        self._entries, self._slots = entry[order], graph.back[out[order]].astype(np.int64)
        self.is_entry = np.zeros(graph.n, bool)
        self.is_entry[entry] = True
        self.wanted = np.zeros(graph.n, bool)
        self.wanted[among] = True

    def of(self, nodes: NDArray[np.int32]) -> tuple[Ints, Ints]:
        """Return (index into `nodes`, slot from that node into a wanted one), wanted nodes ascending."""
        near = np.flatnonzero(self.is_entry[nodes])
        low, high = (np.searchsorted(self._entries, nodes[near], side=side) for side in ("left", "right"))
        which, position = spans(low, high)
        return near[which], self._slots[position]


def _at_least_as_reliable(scored: Scored, limit: int) -> Scored:
    """Leave out what cannot be among the first `limit`: sorting thousands of ties by five keys costs more than flow."""
    if not 0 < limit < len(scored.flow):
        return scored
    lowest = np.partition(scored.reliability, -limit)[-limit]
    kept = scored.reliability >= lowest
    return Scored(scored.slots[:, kept], scored.reliability[kept], scored.flow[kept])


def _ranked(graph: PathGraph, scored: Scored) -> Iterator[Path]:
    """Yield the paths, best first."""
    if not len(scored.flow):
        return
    there = scored.slots >= 0
    weakest = np.where(there, graph.weight[graph.pair[scored.slots]], np.inf).min(axis=0)
    nodes = np.vstack([graph.near[scored.slots[0]], np.where(there, graph.far[scored.slots], -1)])
    for row in np.lexsort((*nodes[::-1], -weakest, -scored.flow, -scored.reliability)):
        yield _path(graph, scored, int(row))


def _one_per_node_set(paths: Iterable[Path]) -> Iterator[Path]:
    """Keep the best of the paths over the same nodes, as the public code does, whatever their order along the path."""
    seen: set[frozenset[int]] = set()
    for path in paths:
        if (nodes := frozenset(path.nodes)) not in seen:
            seen.add(nodes)
            yield path


def _path(graph: PathGraph, scored: Scored, row: int) -> Path:
    slots = [int(slot) for slot in scored.slots[:, row] if slot >= 0]
    nodes = [graph.near[slots[0]], *(graph.far[slot] for slot in slots)]
    return Path(
        nodes=tuple(int(graph.node_ids[node]) for node in nodes),
        edges=tuple(graph.edges_of(slot) for slot in slots),
        reliability=float(scored.reliability[row]),
        flow=float(scored.flow[row]),
    )
