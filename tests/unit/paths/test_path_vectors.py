"""The worked numbers T1 to T7 (public code and paper, computed elsewhere by running each) for both variants."""

import sys
from pathlib import Path as File

import numpy as np
import pytest

from pathgraph.paths import find_paths
from pathgraph.paths.code_variant import edge_weights, score_pair
from pathgraph.paths.flow import pass_flow
from pathgraph.settings import Paths

sys.path.insert(0, str(File(__file__).parent))
from brute import Brute
from path_cases import make_graph

G6 = "AH HT HX AB BC CT"
G8 = "AH HT HD DT AB BC CT Hy Hz"
DIAMOND = "Ax Ay xT yT"
HASH_ORDER = "Ax xy Ay yT yz zT"
SAME_NODES = "Ax Ay xy xT yT"


def fan(middles, direct=False):
    return " ".join(f"A{m} {m}T" for m in "abcd"[:middles]) + (" AT" if direct else "")


def pairs(text):
    """Letters become their code points, so ids order as letters do: capitals first."""
    return [(ord(pair[0]), ord(pair[1])) for pair in text.split()]


def letters(nodes):
    return "".join(map(chr, nodes))


def directed(graph, way, alpha=0.7, theta=0.05):
    """Paths of one direction by the plain oracle."""
    found = Brute(pairs(graph), alpha, theta).from_start(ord(way[0]))
    return {letters(nodes): score for nodes, score, _ in found if nodes[-1] == ord(way[1])}


def searched(graph, among, variant="paper", alpha=0.7, theta=0.05):
    found = find_paths(make_graph(pairs(graph)), list(map(ord, among)), Paths(alpha=alpha), 15, theta, variant)
    return {letters(path.nodes): path.reliability for path in found}


PAPER = [
    (G6, "AT", 0.7, 0.05, {"AHT": 0.7158333, "ABCT": 0.5180556}),
    (G6, "TA", 0.7, 0.05, {"THA": 0.7158333, "TCBA": 0.5180556}),
    (G6, "AT", 0.8, 0.05, {"AHT": 0.7533333, "ABCT": 0.5555556}),
    (G6, "AT", 0.7, 0.1, {"AHT": 0.7158333}),
    (G8, "AT", 0.7, 0.05, {"ABCT": 0.5071667, "AHT": 0.6995}),
    (G8, "AT", 0.7, 0.0, {"ABCT": 0.5071667, "AHT": 0.6995, "AHDT": 0.4826667}),
    (G8, "AT", 0.8, 0.05, {"ABCT": 0.5413333, "AHT": 0.732}),
    (G8, "TA", 0.7, 0.05, {}),
    (G8, "TA", 0.8, 0.05, {"THA": 0.6546667, "TDHA": 0.5253333, "TCBA": 0.472}),
    (DIAMOND, "AT", 0.7, 0.05, {"AxT": 0.7975, "AyT": 0.7975}),
    (HASH_ORDER, "AT", 0.7, 0.05, {"AyT": 0.705625, "AxyT": 0.5870833}),
    (HASH_ORDER, "TA", 0.7, 0.05, {"TyA": 0.705625, "TzyA": 0.5870833}),
    (SAME_NODES, "AT", 0.7, 0.05, {"AxT": 0.7566667, "AyT": 0.7566667, "AxyT": 0.6211111, "AyxT": 0.6211111}),
    (fan(3), "AT", 0.7, 0.05, dict.fromkeys(("AaT", "AbT", "AcT"), 0.7391667)),
    (fan(4), "AT", 0.7, 0.05, dict.fromkeys(("AaT", "AbT", "AcT", "AdT"), 0.71)),
    (fan(3, True), "AT", 0.7, 0.05, {"AT": 1.175, "AaT": 0.675, "AbT": 0.675, "AcT": 0.675}),
]


@pytest.mark.parametrize(("graph", "way", "alpha", "theta", "expected"), PAPER)
def test_paper_one_direction(graph, way, alpha, theta, expected):
    """The oracle agrees with the vectors; the kernel agrees with the oracle (test_paths_brute)."""
    assert directed(graph, way, alpha, theta) == pytest.approx(expected, abs=5e-8)


@pytest.mark.parametrize(
    ("graph", "among", "alpha", "theta", "expected"),
    [
        (G6, "AT", 0.7, 0.05, {"AHT": 0.7158333, "ABCT": 0.5180556}),
        (G6, "AT", 0.7, 0.1, {"AHT": 0.7158333}),
        (G8, "AT", 0.7, 0.05, {"AHT": 0.6995, "ABCT": 0.5071667}),
        (G8, "AT", 0.8, 0.05, {"AHT": 0.732, "ABCT": 0.5413333, "AHDT": 0.5253333}),  # the last from T only
        (DIAMOND, "AT", 0.7, 0.05, {"AxT": 0.7975, "AyT": 0.7975}),
        (HASH_ORDER, "AT", 0.7, 0.05, {"AyT": 0.705625, "AxyT": 0.5870833, "AyzT": 0.5870833}),
        (SAME_NODES, "AT", 0.7, 0.05, {"AxT": 0.7566667, "AyT": 0.7566667, "AxyT": 0.6211111, "AyxT": 0.6211111}),
        (fan(4), "AT", 0.7, 0.05, dict.fromkeys(("AaT", "AbT", "AcT", "AdT"), 0.71)),
        (fan(3, True), "AT", 0.7, 0.05, {"AT": 1.175, "AaT": 0.675, "AbT": 0.675, "AcT": 0.675}),
        (G6, "ATX", 0.7, 0.05, {"AHX": 0.9316667, "THX": 0.9316667, "AHT": 0.7158333, "ABCT": 0.5180556}),
    ],
)
def test_paper_on_line(graph, among, alpha, theta, expected):
    found = searched(graph, among, "paper", alpha, theta)
    assert found == pytest.approx(expected, abs=5e-8)
    assert list(found.values()) == sorted(found.values(), reverse=True)


def test_resources_of_g6_and_g8():
    graph = make_graph(pairs(G6))
    passed = pass_flow(graph, graph.positions(np.array([ord("A")])), 0.7, 0.05, 3)
    assert letters(graph.node_ids[graph.far[passed.first]]) == "BH"
    assert letters(graph.node_ids[passed.node]) == "CX"  # T, .0816667 over 2 neighbours, does not pass on
    assert passed.held == pytest.approx([0.1225, 0.0816667], abs=5e-8)
    graph = make_graph(pairs(G8))
    passed = pass_flow(graph, graph.positions(np.array([ord("T")])), 0.7, 0.05, 3)
    assert letters(graph.node_ids[graph.far[passed.first]]) == "CD"  # H does not pass on
    assert not len(passed.node)


CODE = [
    ("AHT ABCT", 0.3, 0.8, {"AHT": 0.45, "ABCT": 0.4066667}),
    ("AHT ABCT", 0.5, 0.8, {"AHT": 0.25, "ABCT": 0.1666667}),  # 0.5 is not above 0.5
    ("AHT ABCT", 0.05, 0.7, {"AHT": 0.425, "ABCT": 0.365}),
    ("ABCT AHT AHDT", 0.3, 0.8, {"ABCT": 0.4066667, "AHT": 0.35, "AHDT": 0.2333333}),
    ("ABCT AHT AHDT", 0.05, 0.7, {"ABCT": 0.365, "AHT": 0.3375, "AHDT": 0.2658333}),
    ("THA TDHA TCBA", 0.3, 0.8, {"THA": 0.3, "TDHA": 0.2888889, "TCBA": 0.2}),
    ("AxT AyT", 0.3, 0.8, {"AxT": 0.45, "AyT": 0.45}),
    # Of the two values the public code gives with the hash seed, ascending order gives this one.
    ("AxyT AyT AyzT", 0.3, 0.8, {"AxyT": 0.42, "AyT": 0.43, "AyzT": 0.3826667}),
    ("AxT AyT AxyT AyxT", 0.3, 0.8, {"AxT": 0.35, "AyT": 0.35, "AxyT": 0.3, "AyxT": 0.3}),
    ("AaT AbT AcT", 0.3, 0.8, dict.fromkeys(("AaT", "AbT", "AcT"), 0.3)),
    ("AaT AbT AcT AdT", 0.3, 0.8, dict.fromkeys(("AaT", "AbT", "AcT", "AdT"), 0.125)),
    ("AT AaT AbT AcT", 0.3, 0.8, {"AT": 0.25, "AaT": 0.125, "AbT": 0.125, "AcT": 0.125}),
]


@pytest.mark.parametrize(("paths", "threshold", "alpha", "expected"), CODE)
def test_code_one_direction(paths, threshold, alpha, expected):
    scores = score_pair([tuple(map(ord, path)) for path in paths.split()], threshold, alpha)
    assert dict(zip(paths.split(), (score for score, _ in scores), strict=True)) == pytest.approx(expected, abs=5e-8)


def test_code_edge_weights():
    def weights(paths):
        found = edge_weights([tuple(map(ord, path)) for path in paths.split()], 0.3, 0.8)
        return {letters(edge): weight for edge, weight in found.items()}

    assert weights("AHT ABCT") == pytest.approx({"AH": 0.5, "AB": 0.5, "HT": 0.4, "BC": 0.4, "CT": 0.32})
    expected = {"AH": 0.5, "AB": 0.5, "HT": 0.2, "HD": 0.2, "BC": 0.4, "CT": 0.32}  # H-D is too weak to reach D-T
    assert weights("ABCT AHT AHDT") == pytest.approx(expected)


@pytest.mark.parametrize(
    ("graph", "among", "expected"),
    [
        (G6, "ATX", {"AHX": 0.9, "THX": 0.9, "AHT": 0.45, "ABCT": 0.4066667}),
        (G8, "AT", {"ABCT": 0.4066667, "AHT": 0.35, "AHDT": 0.2888889}),
        (SAME_NODES, "AT", {"AxT": 0.35, "AyT": 0.35, "AxyT": 0.3}),  # one path for one set of nodes
        (fan(4), "AT", dict.fromkeys(("AaT", "AbT", "AcT", "AdT"), 0.125)),
    ],
)
def test_code_on_line(graph, among, expected):
    found = searched(graph, among, "code", theta=None)
    assert found == pytest.approx(expected, abs=5e-8)
    assert next(iter(found)) == next(iter(expected))
