"""Path scores as PathRAG's public code computes them, for comparison with the paper's form.

Belongs here: the scores of given paths. Does not: finding the paths, ranking them.

The resource stands on edges, not nodes. For one ordered pair of nodes only the candidate paths between the two count:
at each node it is split evenly over the next nodes on any of them, so a hub costs nothing. The first hop is not
decayed, later ones are; what an edge holds is passed on only above the threshold; a score is the mean over the path's
edges; no path is dropped. The public code walks Python sets of strings, so its sums, and what is compared with the
threshold half-way through a sum, change with the hash seed. Here nodes are taken in ascending order.
"""

import math
from collections import defaultdict
from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from pathgraph.paths.graph import PathGraph
from pathgraph.paths.scoring import Scored

ALPHA = 0.8
THRESHOLD = 0.3

Nodes = tuple[int, ...]
Weights = dict[tuple[int, int], float]


def score_like_code(graph: PathGraph, paths: Scored, threshold: float = THRESHOLD, alpha: float = ALPHA) -> Scored:
    """Score all simple paths between some nodes (`paths`, whose own scores are ignored) as the public code does.

    `flow` of the result is the resource of the path's last edge, in the direction of the higher score.
    """
    by_pair: dict[tuple[int, int], list[int]] = defaultdict(list)
    sequences = _sequences(graph, paths)
    for row, nodes in enumerate(sequences):
        by_pair[nodes[0], nodes[-1]].append(row)
    reliability, flow = np.zeros(len(sequences)), np.zeros(len(sequences))
    for rows in by_pair.values():
        forward = [sequences[row] for row in rows]
        backward = [nodes[::-1] for nodes in forward]
        for row, *scores in zip(
            rows, score_pair(forward, threshold, alpha), score_pair(backward, threshold, alpha), strict=True
        ):
            reliability[row], flow[row] = max(scores)
    return Scored(paths.slots, reliability, flow)


def score_pair(paths: Sequence[Nodes], threshold: float, alpha: float) -> list[tuple[float, float]]:
    """Return (score, weight of the last edge) of each path; all lead from one node to one other."""
    weights = edge_weights(paths, threshold, alpha)
    scores = []
    for nodes in paths:
        along = [weights.get(edge, 0.0) for edge in pairwise(nodes)]
        scores.append((math.fsum(along) / len(along), along[-1]))
    return scores


def edge_weights(paths: Sequence[Nodes], threshold: float, alpha: float) -> Weights:
    """Return the resource of each directed edge that is reached, for the paths from one node to one other."""
    source, target = paths[0][0], paths[0][-1]
    follow: dict[int, set[int]] = defaultdict(set)
    for nodes in paths:
        for node, after in pairwise(nodes):
            follow[node].add(after)
    weights: Weights = defaultdict(float)

    def spread(node: int, amount: float, depth: int) -> None:
        share = amount / len(follow[node])
        for after in sorted(follow[node]):
            weights[node, after] += share
            held = weights[node, after]
            if after != target and depth < 3 and held > threshold:
                spread(after, held * alpha, depth + 1)

    spread(source, 1.0, 1)
    return weights


def _sequences(graph: PathGraph, paths: Scored) -> list[Nodes]:
    """Return the nodes of each path, as positions."""
    far = np.where(paths.slots >= 0, graph.far[paths.slots], -1)
    rows = np.vstack([graph.near[paths.slots[0]], far]).T.tolist()
    return [tuple(node for node in row if node >= 0) for row in rows]
