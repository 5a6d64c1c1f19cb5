"""What the definition leaves to choices, and what the table must withstand."""

import random
import sys
from pathlib import Path as File

import numpy as np
import pytest

from pathgraph.paths import find_paths, plan, planning
from pathgraph.paths.scoring import order_by
from pathgraph.settings import Paths

sys.path.insert(0, str(File(__file__).parent))
from brute import Brute
from path_cases import make_graph, table_of


def random_pairs(n, m, seed=1, hub=False):
    rng = random.Random(seed)
    pairs = [(rng.randrange(n), rng.randrange(n)) for _ in range(m)]
    return pairs + [(0, other) for other in range(1, n)] * hub


@pytest.mark.parametrize("pairs", [[], [(1, 1)]])
@pytest.mark.parametrize("nodes", [(), (1,), (1, 2)])
def test_no_pairs_no_paths(pairs, nodes):
    graph = make_graph(pairs, nodes)
    assert table_of(graph, Paths()).num_rows == plan(graph, Paths()).rows == 0
    assert find_paths(graph, [1, 2], Paths()) == []
    assert find_paths(graph, [], Paths(), variant="code") == []


def test_start_is_exempt_from_theta():
    """Two hubs of more than 1 / theta neighbours: neither could start a flow, yet they are neighbours."""
    pairs = [(0, 1), *((0, leaf) for leaf in range(10, 40)), *((1, leaf) for leaf in range(50, 80))]
    graph = make_graph(pairs)
    assert [path.nodes for path in find_paths(graph, [0, 1], Paths(), theta=0.05)] == [(0, 1)]
    rows = table_of(graph, Paths(theta=0.05)).to_pylist()
    assert [0, 1] in [row["nodes"] for row in rows]


@pytest.mark.parametrize(("theta", "longest"), [(0.0625, 3), (0.25, 2)])
def test_a_node_exactly_at_theta_propagates(theta, longest):
    # alpha 0.5 on a chain 1-2-3-4: S(2) / deg = 0.5 / 2, S(3) / deg = 0.125 / 2.
    graph = make_graph([(1, 2), (2, 3), (3, 4)])
    assert max(table_of(graph, Paths(alpha=0.5, theta=theta))["hops"].to_pylist()) == longest
    above = np.nextafter(theta, 1)
    assert max(table_of(graph, Paths(alpha=0.5, theta=above))["hops"].to_pylist()) == longest - 1


def test_two_hop_ties_go_by_flow_then_weakest_hop_then_ids():
    # Formula 4 gives all five middles the same score; 20 has a neighbour more, 30 and 40 a weaker hop.
    pairs = [(1, 20), (20, 2), (20, 99), (1, 30), (30, 2), (1, 40), (40, 2), (1, 50), (50, 2), (1, 60), (60, 2)]
    weights = [9, 9, 9, 9, 1, 2, 9, 5, 5, 5, 5]
    found = find_paths(make_graph(pairs, weights=[float(w) for w in weights]), [2, 1], Paths(), theta=0.0)
    two = [path for path in found if path.hops == 2]
    assert len({path.reliability for path in two}) == 1
    assert [path.nodes[1] for path in two] == [50, 60, 40, 30, 20]


def test_co_occurs_only_by_setting():
    pairs, kinds = [(1, 2), (2, 1), (2, 3)], ["typed", "co_occurs", "co_occurs"]
    without = table_of(make_graph(pairs, kinds=kinds), Paths()).to_pylist()
    assert [(row["nodes"], row["edges"]) for row in without] == [([1, 2], [[1000]])]
    with_them = table_of(make_graph(pairs, kinds=kinds, co_occurs=True), Paths()).to_pylist()
    assert [(row["nodes"], row["edges"]) for row in with_them] == [
        ([1, 2], [[1000, 1001]]),
        ([1, 2, 3], [[1000, 1001], [1002]]),
        ([2, 3], [[1002]]),
    ]


def test_path_names_edges_of_both_directions():
    found = find_paths(make_graph([(5, 3), (3, 9), (9, 3)]), [9, 5], Paths())
    assert [(path.nodes, path.edges) for path in found] == [((5, 3, 9), ((1000,), (1001, 1002)))]


@pytest.mark.parametrize("block", [1, 50, 10**6])
def test_blocks_change_nothing(monkeypatch, block):
    """Hub of degree 99 beside sparse parts, in one block or one block a node; also equal to brute force."""
    pairs = random_pairs(100, 150, hub=True)
    graph = make_graph(pairs)
    monkeypatch.setattr(planning, "_BLOCK", block)
    table = table_of(graph, Paths(theta=1e-3))
    expected = Brute(pairs, theta=1e-3).table()
    found = {tuple(row["nodes"]): (row["reliability"], row["flow"]) for row in table.to_pylist()}
    assert found == expected
    assert table.num_rows == len(expected)
    assert table.equals(table.sort_by([(name, "ascending") for name in ("source", "target", "hops")]))


def test_row_order_of_the_edges_changes_nothing():
    pairs = random_pairs(60, 200)
    graph = make_graph(pairs)
    table = table_of(graph, Paths())
    shuffled = pairs[:]
    random.Random(7).shuffle(shuffled)
    other = table_of(make_graph(shuffled), Paths())
    same = ["source", "target", "hops", "nodes", "reliability", "flow"]
    assert table.select(same).equals(other.select(same))


def test_search_agrees_with_the_table():
    pairs = random_pairs(200, 500, hub=True)
    graph = make_graph(pairs)
    among = set(range(0, 200, 5))
    rows = table_of(graph, Paths(theta=1e-3)).to_pylist()
    expected = {
        tuple(row["nodes"]): (row["reliability"], row["flow"], tuple(map(tuple, row["edges"])))
        for row in rows
        if {row["source"], row["target"]} <= among
    }
    found = find_paths(graph, sorted(among), Paths(), 10**9, 1e-3)
    assert {path.nodes: (path.reliability, path.flow, path.edges) for path in found} == expected
    assert find_paths(graph, sorted(among), Paths(), 7, 1e-3) == found[:7]


def test_cap_raises_theta_to_the_first_step_that_fits():
    pairs = random_pairs(80, 240)
    graph = make_graph(pairs)
    full = plan(graph, Paths(theta=1e-3))
    assert (full.theta, full.raised) == (1e-3, False)
    assert not plan(graph, Paths(theta=1e-3, max_rows=full.rows)).raised
    assert plan(graph, Paths(theta=1e-3, max_rows=full.rows - 1)).raised
    capped = plan(graph, Paths(theta=1e-3, max_rows=full.rows // 3))
    assert capped.raised
    assert capped.rows <= full.rows // 3
    assert capped.rows == len(Brute(pairs, theta=capped.theta).table())
    assert len(Brute(pairs, theta=capped.theta / 1.5).table()) > full.rows // 3
    assert table_of(graph, Paths(theta=1e-3, max_rows=full.rows // 3)).num_rows == capped.rows


def test_cap_below_the_number_of_pairs_leaves_the_pairs():
    graph = make_graph(random_pairs(50, 100))
    planned = plan(graph, Paths(theta=0, max_rows=1))
    assert planned.rows == len(graph.weight) > 1
    assert set(table_of(graph, Paths(theta=0, max_rows=1))["hops"].to_pylist()) == {1}


def test_order_by_without_room_for_one_key():
    rng = np.random.default_rng(1)
    major, minor = rng.integers(0, 9, 500), rng.integers(0, 9, 500)
    expected = sorted(range(500), key=lambda i: (major[i], minor[i]))
    assert order_by(major, minor, 9).tolist() == order_by(major, minor, 1 << 62).tolist() == expected


def test_unknown_and_repeated_nodes_are_harmless():
    graph = make_graph([(1, 2)])
    assert [path.nodes for path in find_paths(graph, [2, 2, 77, 1, -5], Paths())] == [(1, 2)]


@pytest.mark.parametrize("name", ["karate_club_graph", "les_miserables_graph", "florentine_families_graph"])
def test_without_theta_the_table_is_every_simple_path(name):
    import networkx as nx

    known = nx.convert_node_labels_to_integers(getattr(nx, name)())
    expected = {
        min(tuple(nodes), tuple(nodes[::-1]))
        for source in known
        for nodes in nx.all_simple_paths(known, source, set(known) - {source}, cutoff=3)
    }
    graph = make_graph(list(known.edges()), list(known.nodes()))
    found = [tuple(nodes) for nodes in table_of(graph, Paths(theta=0))["nodes"].to_pylist()]
    assert set(found) == expected
    assert len(found) == len(expected) == plan(graph, Paths(theta=0)).rows


def test_star_of_many_leaves_is_cut_at_its_hub():
    """50,000 leaves have 1.25e9 two-hop paths; the hub does not pass a leaf's flow on."""
    graph = make_graph([(1, leaf) for leaf in range(2, 50_002)])
    assert plan(graph, Paths()).rows == 50_000
    assert table_of(graph, Paths()).num_rows == 50_000
    assert plan(graph, Paths(theta=0)).theta > 0.7 / 50_000
    assert [path.nodes for path in find_paths(graph, [2, 3], Paths())] == []
    assert [path.nodes for path in find_paths(graph, [2, 3], Paths(), theta=1e-5)] == [(2, 1, 3)]
