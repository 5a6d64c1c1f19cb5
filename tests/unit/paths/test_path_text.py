"""Paths in words never state a false direction."""

from pathgraph.paths.text import EdgeText, path_line

NAMES = {1: "A", 2: "B", 3: "C"}
KNOWN = {10: EdgeText(1, "own", 2), 11: EdgeText(2, "sue", 1), 12: EdgeText(3, "cite", 2), 13: EdgeText(1, "buy", 2)}


def test_each_edge_keeps_its_direction():
    assert path_line([1, 2, 3], [[10], [12]], NAMES, KNOWN) == "A -[own]-> B <-[cite]- C"
    assert path_line([3, 2, 1], [[12], [10]], NAMES, KNOWN) == "C -[cite]-> B <-[own]- A"


def test_parallel_edges_share_an_arrow_a_direction():
    assert path_line([1, 2], [[10, 11, 13]], NAMES, KNOWN) == "A -[buy, own]-> / <-[sue]- B"


def test_a_node_alone_is_its_name():
    assert path_line([1], [], NAMES, KNOWN) == "A"
