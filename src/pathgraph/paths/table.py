"""The `paths` table: every path of the graph that the flow admits, in sorted batches, never all at once.

Belongs here: finding and writing the rows of a block of sources. Does not: choosing theta (`planning`), writing files.

A path is admitted from its source or from its target. From its source s it is found by walking on from the nodes that
pass the flow of s. From its target t it is found at s too, by looking up which flows arrive at a neighbour of s: the
walks of all flows, ordered by where they end. So the rows of a block of sources are complete without a second pass and
without a sort of the whole table.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from pathgraph.paths.flow import Passed, from_start, handed_on
from pathgraph.paths.graph import Floats, Ints, PathGraph, spans, starts
from pathgraph.paths.planning import PathPlan, blocks, plan
from pathgraph.paths.scoring import Candidates, Levels, Scored, candidates, join_candidates, score
from pathgraph.schema.tables import PATHS
from pathgraph.settings import Paths

Found = tuple[list[Candidates], Levels]


def path_batches(graph: PathGraph, settings: Paths, planned: PathPlan | None = None) -> Iterator[pa.RecordBatch]:
    """Yield the rows of table `paths`, sorted by its key; no batch for a graph without pairs.

    Args:
        graph: the graph.
        settings: alpha, theta, max_hops, max_rows.
        planned: what `plan` returned for this graph and these settings; made here if not given.

    Memory: the flow (some 60 bytes for each walk of two hops that passes) and one block of sources.
    """
    passed = (planned or plan(graph, settings)).passed
    arrivals = _arrivals(graph, passed)
    writer = _Writer(graph)
    for low, high in blocks(_work(graph, passed, arrivals)):
        from_sources, ahead = _from_sources(graph, settings.alpha, passed.of_starts(graph, low, high), (low, high))
        from_targets, behind = _from_targets(graph, settings.alpha, arrivals, (low, high))
        rows = score(graph, settings.alpha, join_candidates(from_sources + from_targets), ahead, behind)
        if len(rows.flow):
            yield writer.batch(rows)


def _from_sources(graph: PathGraph, alpha: float, passed: Passed, block: tuple[int, int]) -> Found:
    """Find the paths that the flows of a block of nodes admit towards larger nodes, and what these flows give."""
    nodes = np.arange(*block)
    hop = graph.walk_beyond(nodes, nodes)[1]

    which, step2 = graph.walk_beyond(graph.far[passed.first], graph.near[passed.first])
    step1 = passed.first[which]

    which, last = graph.walk_beyond(graph.far[passed.step2], graph.near[passed.step1])
    onward = graph.far[last] != graph.far[passed.step1[which]]
    which, last = which[onward], last[onward]

    giver, gift = graph.walk_beyond(passed.node, passed.start)
    start = graph.near[step1]
    found = [
        candidates([hop], False),
        candidates([step1, step2], False),
        candidates([passed.step1[which], passed.step2[which], last], False, passed.resource[which]),
    ]
    return found, [
        (graph.key[hop], from_start(graph, alpha, graph.near[hop])),
        (
            graph.keys(start, graph.far[step2]),
            handed_on(graph, alpha, from_start(graph, alpha, start), graph.far[step1]),
        ),
        (
            graph.keys(passed.start[giver], graph.far[gift]),
            handed_on(graph, alpha, passed.held, passed.node)[giver],
        ),
    ]


@dataclass(frozen=True)
class _Arrivals:
    """What passes in all flows, ordered by the node it has reached, then by the start of the flow.

    The keys are node * n + start, ascending. `back` is the slot from the node towards the start; a walk that ends
    in a goes back by `back1`, a -> b, and `back2`, b -> start.
    """

    first: Ints
    back: Ints
    walk: Ints
    back1: NDArray[np.int32]
    back2: NDArray[np.int32]
    resource: Floats
    level2: Ints
    held: Floats


def _arrivals(graph: PathGraph, passed: Passed) -> _Arrivals:
    """Order the flows by where they arrive."""
    back = np.sort(graph.back[passed.first]).astype(np.int64)
    walk = graph.keys(graph.far[passed.step2], graph.near[passed.step1])
    by_end = np.argsort(walk, kind="stable")
    level2 = graph.keys(passed.node, passed.start)
    by_node = np.argsort(level2, kind="stable")
    return _Arrivals(
        first=graph.key[back],
        back=back,
        walk=walk[by_end],
        back1=graph.back[passed.step2[by_end]],
        back2=graph.back[passed.step1[by_end]],
        resource=passed.resource[by_end],
        level2=level2[by_node],
        held=passed.held[by_node],
    )


def _from_targets(graph: PathGraph, alpha: float, arrivals: _Arrivals, block: tuple[int, int]) -> Found:
    """Find the paths from a block of nodes that flows of larger nodes admit, and what these flows give the block."""
    nodes = np.arange(*block)
    hop = graph.walk_beyond(nodes, nodes)[1]
    slots = np.arange(graph.begin[block[0]], graph.begin[block[1]])

    step1, at = _arriving(graph, arrivals.first, slots)
    step2 = arrivals.back[at]

    last, at3 = _arriving(graph, arrivals.walk, slots)
    onward = graph.far[arrivals.back1[at3]] != graph.near[last]
    last, at3 = last[onward], at3[onward]

    gift, giver = _arriving(graph, arrivals.level2, slots)
    start = graph.far[step2]
    found = [
        candidates([hop], True),
        candidates([step1, step2], True),
        candidates([last, arrivals.back1[at3], arrivals.back2[at3]], True, arrivals.resource[at3]),
    ]
    return found, [
        (graph.key[hop], from_start(graph, alpha, graph.far[hop])),
        (
            graph.keys(graph.near[step1], start),
            handed_on(graph, alpha, from_start(graph, alpha, start), graph.far[step1]),
        ),
        (
            graph.keys(graph.near[gift], arrivals.level2[giver] % max(graph.n, 1)),
            handed_on(graph, alpha, arrivals.held[giver], graph.far[gift]),
        ),
    ]


def _arriving(graph: PathGraph, arrived: Ints, slots: Ints) -> tuple[Ints, Ints]:
    """For each slot s -> a, find what has arrived at a from a start above s.

    Returns:
        (slot, position in `arrived`), in the order of `slots`, then of `arrived`.
    """
    node = graph.far[slots].astype(np.int64) * graph.n
    low = np.searchsorted(arrived, node + graph.near[slots], side="right")
    which, position = spans(low, np.searchsorted(arrived, node + graph.n))
    return slots[which], position


def _work(graph: PathGraph, passed: Passed, arrivals: _Arrivals) -> Floats:
    """Bound the candidates of each source: float64 (n,)."""
    work = graph.degree.astype(np.float64)
    for start, giver in (
        (graph.near[passed.first], graph.far[passed.first]),
        (graph.near[passed.step1], graph.far[passed.step2]),
        (passed.start, passed.node),
    ):
        work += np.bincount(start, weights=graph.degree[giver], minlength=graph.n)
    for keys in (arrivals.first, arrivals.walk, arrivals.level2):
        arrived = np.bincount(keys // max(graph.n, 1), minlength=graph.n)
        work += np.bincount(graph.near, weights=arrived[graph.far], minlength=graph.n)
    return work


class _Writer:
    """Turns scored paths into record batches of table `paths`."""

    def __init__(self, graph: PathGraph) -> None:
        self._graph = graph
        self._edges = pa.ListArray.from_arrays(pa.array(graph.edge_begin, pa.int32()), pa.array(graph.edge_ids))

    def batch(self, rows: Scored) -> pa.RecordBatch:
        """Return the rows as a batch of exactly the declared schema."""
        hops, here = rows.hops, rows.slots.T >= 0
        first = self._graph.near[rows.slots[0]]
        nodes = np.column_stack([first, self._graph.far[rows.slots.T]])
        ids = self._graph.node_ids[nodes[np.column_stack([np.ones(len(hops), bool), here])]]
        begin = starts(hops + 1)
        pairs = self._graph.pair[rows.slots.T[here]]
        columns = [
            pa.array(ids[begin[:-1]]),
            pa.array(ids[begin[1:] - 1]),
            pa.array(hops, pa.int8()),
            _lists(begin, pa.array(ids)),
            _lists(starts(hops), self._edges.take(pairs)),
            pa.array(rows.reliability),
            pa.array(rows.flow),
        ]
        return pa.RecordBatch.from_arrays(columns, schema=PATHS.arrow)


def _lists(begin: Ints, values: "pa.Array[Any]") -> "pa.ListArray[Any]":
    return pa.ListArray.from_arrays(pa.array(begin, pa.int32()), values)
