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
    """Return `A -[r, s]-> B <-[t]- C`: a hop's edges stand in one arrow for each direction they have.

    Args:
        nodes: ids along the path.
        edges: for each hop the ids of the edges between its two nodes.
        names: node names by id.
        known: edges by id; all of the path's are there.
    """
    parts = [names[nodes[0]]]
    for at, hop in enumerate(edges):
        parts += [_arrows([known[edge] for edge in hop], nodes[at]), names[nodes[at + 1]]]
    return " ".join(parts)


def _arrows(hop: Sequence[EdgeText], here: int) -> str:
    onward = sorted({edge.relation for edge in hop if edge.source == here})
    back = sorted({edge.relation for edge in hop if edge.source != here})
    arrows = [f"-[{', '.join(onward)}]->"] if onward else []
    return " / ".join([*arrows, *([f"<-[{', '.join(back)}]-"] if back else [])])
