import random

import igraph
import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pathgraph.communities.leiden import LocalGraph, canonical, is_fixed_point, leiden, modularity
from pathgraph.errors import UsageError
from pathgraph.settings import Communities

ENGINES = ("igraph", "leidenalg")


def local(graph: nx.Graph) -> LocalGraph:
    pairs = sorted((min(a, b), max(a, b), d.get("weight", 1.0)) for a, b, d in graph.edges(data=True) if a != b)
    u, v, w = (np.array([pair[i] for pair in pairs]) for i in range(3))
    return LocalGraph(graph.number_of_nodes(), u.astype(int), v.astype(int), w.astype(float))


def random_graph(n: int, m: int, seed: int) -> LocalGraph:
    graph = nx.gnm_random_graph(n, m, seed=seed)
    rng = random.Random(seed)
    nx.set_edge_attributes(graph, {edge: rng.randint(1, 90) / 10 for edge in graph.edges}, "weight")
    return local(graph)


graphs = st.builds(
    lambda n, share, seed: random_graph(n, int(share * n * (n - 1) / 2), seed),
    st.integers(2, 40),
    st.floats(0, 0.4),
    st.integers(0, 10**6),
)


@given(graphs, st.floats(0.3, 3), st.integers(0, 99))
@settings(max_examples=50, deadline=None)
def test_modularity_equals_that_of_networkx(graph, resolution, seed):
    labels = np.random.default_rng(seed).integers(0, 5, graph.n)
    oracle = nx.Graph()
    oracle.add_nodes_from(range(graph.n))
    oracle.add_weighted_edges_from(zip(graph.u.tolist(), graph.v.tolist(), graph.weight.tolist(), strict=True))
    parts = [set(np.flatnonzero(labels == label).tolist()) for label in np.unique(labels)]
    expected = nx.community.modularity(oracle, parts, resolution=resolution) if len(graph.u) else 0.0
    assert modularity(graph, labels, resolution) == pytest.approx(expected, abs=1e-12)


@given(st.lists(st.integers(-3, 9), max_size=30))
def test_canonical_labels_count_up_in_order_of_first_use(labels):
    found = canonical(np.array(labels, np.int64))
    assert [int(x) for x in dict.fromkeys(found.tolist())] == list(range(len(set(labels))))
    assert all((found[i] == found[j]) == (labels[i] == labels[j]) for i in range(len(labels)) for j in range(i))


@pytest.mark.parametrize("engine", ENGINES)
@given(graphs, st.floats(0.5, 3), st.integers(0, 3))
@settings(max_examples=40, deadline=None)
def test_a_converged_result_is_a_fixed_point(engine, graph, resolution, seed):
    wanted = Communities(engine=engine, resolution=resolution, seed=seed)
    found = leiden(graph, wanted)
    assert np.array_equal(leiden(graph, wanted, found + 7), found)
    assert is_fixed_point(graph, wanted, found)
    assert np.array_equal(canonical(found), found)


@given(graphs, st.integers(0, 99))
@settings(max_examples=40, deadline=None)
def test_a_warm_start_is_never_worse_than_what_it_starts_from(graph, seed):
    start = np.random.default_rng(seed).integers(0, 4, graph.n)
    found = leiden(graph, Communities(), start)
    assert modularity(graph, found) >= modularity(graph, start) - 1e-12


@given(graphs)
@settings(max_examples=40, deadline=None)
def test_communities_are_connected_even_when_the_start_is_not(graph):
    oracle = nx.Graph(list(zip(graph.u.tolist(), graph.v.tolist(), strict=True)))
    oracle.add_nodes_from(range(graph.n))
    for start in (None, np.arange(graph.n) % 2, np.zeros(graph.n)):
        found = leiden(graph, Communities(), start)
        for label in range(int(found.max()) + 1):
            assert nx.is_connected(oracle.subgraph(np.flatnonzero(found == label).tolist()))


@pytest.mark.parametrize("seed", range(6))
def test_igraph_is_as_good_as_leidenalg(seed):
    graph = random_graph(200, 700, seed)
    ours, oracle = (modularity(graph, leiden(graph, Communities(engine=engine))) for engine in ENGINES)
    assert ours >= oracle - 0.01


def test_the_callers_random_numbers_are_left_alone():
    graph = random_graph(60, 150, 1)
    random.seed(5)
    expected = [random.random() for _ in range(3)]
    random.seed(5)
    first = leiden(graph, Communities())
    assert [random.random() for _ in range(3)] == expected
    assert np.array_equal(leiden(graph, Communities()), first)
    drawn = []
    for _ in range(2):  # igraph draws from Python's generator again, as it does by default
        random.seed(5)
        drawn.append(igraph.Graph.Erdos_Renyi(n=30, m=60).get_edgelist())
    assert drawn[0] == drawn[1]


def test_a_bounded_number_of_iterations_is_no_better_than_convergence():
    graph = random_graph(300, 900, 3)
    once, converged = (modularity(graph, leiden(graph, Communities(iterations=i))) for i in (1, -1))
    assert once <= converged + 1e-12
    assert np.array_equal(leiden(graph, Communities(iterations=0)), np.arange(300))


def test_fixed_members_stay_and_the_others_move():
    graph = local(nx.barbell_graph(6, 0))
    start = np.array([0] * 5 + [1] * 7)  # node 5 belongs to the first clique
    fixed = np.ones(12, bool)
    assert np.array_equal(leiden(graph, Communities(engine="leidenalg"), start, fixed), start)
    fixed[5] = False
    assert leiden(graph, Communities(engine="leidenalg"), start, fixed).tolist() == [0] * 6 + [1] * 6


@pytest.mark.parametrize("quality", ["cpm", "surprise"])
def test_other_quality_functions_find_two_cliques(quality):
    graph = local(nx.barbell_graph(6, 0))
    wanted = Communities(engine="leidenalg", resolution=0.2)
    assert leiden(graph, wanted, quality=quality).tolist() == [0] * 6 + [1] * 6


@pytest.mark.parametrize("ask", [{"fixed": np.zeros(4, bool)}, {"quality": "cpm"}])
def test_igraph_says_what_it_cannot_do(ask):
    with pytest.raises(UsageError, match=r"leidenalg"):
        leiden(local(nx.path_graph(4)), Communities(), **ask)


@pytest.mark.parametrize("n", [0, 1, 5])
@pytest.mark.parametrize("engine", ENGINES)
def test_without_edges_each_node_is_alone(engine, n):
    assert leiden(local(nx.empty_graph(n)), Communities(engine=engine)).tolist() == list(range(n))
