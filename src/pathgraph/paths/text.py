"""A path in words: one line, each edge in its true direction.

Belongs here: rendering. Does not: choosing or ordering paths.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class EdgeText:
    """What a path shows of an edge."""

    source: int
    relation: str
    target: int


def path_line(
    nodes: Sequence[int], edges: Sequence[Sequence[int]], names: Mapping[int, str], known: Mapping[int, EdgeText]
) -> str:
    """Return `A -[r]-> B <-[s]- C`; several edges of a hop are joined by ` / `, each with its own direction.

    Args:
        nodes: ids along the path.
        edges: for each hop the ids of the edges between its two nodes.
        names: node names by id.
        known: edges by id; all of the path's are there.
    """
    parts = [names[nodes[0]]]
    for at, hop in enumerate(edges):
        arrows = [_arrow(known[edge], nodes[at]) for edge in hop]
        parts += [" / ".join(dict.fromkeys(arrows)), names[nodes[at + 1]]]
    return " ".join(parts)


def _arrow(edge: EdgeText, here: int) -> str:
    return f"-[{edge.relation}]->" if edge.source == here else f"<-[{edge.relation}]-"
