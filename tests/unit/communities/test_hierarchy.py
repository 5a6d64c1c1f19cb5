import itertools

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pathgraph.communities.hierarchy import balanced_cut, hierarchy
from pathgraph.communities.leiden import LocalGraph, leiden, modularity
from pathgraph.graph.projection import Projection
from pathgraph.settings import Communities


def projection(graph: nx.Graph) -> Projection:
    """Node i gets id 10 * i + 3; a graph's own weights, else 1."""
    pairs = sorted((min(a, b), max(a, b), d.get("weight", 1.0)) for a, b, d in graph.edges(data=True))
    u, v, w = (np.array([pair[i] for pair in pairs]) for i in range(3))
    ids = 10 * np.arange(graph.number_of_nodes()) + 3
    return Projection(ids, u.astype(np.int32), v.astype(np.int32), w.astype(float))


@st.composite
def projections(draw):
    """Random graphs, some with a clique and a star in them: what Leiden does not split."""
    n = draw(st.integers(0, 45))
    seed = draw(st.integers(0, 10**6))
    rng = np.random.default_rng(seed)
    graph = nx.gnm_random_graph(n, int(draw(st.floats(0, 0.3)) * n * (n - 1) / 2), seed=seed)
    if draw(st.booleans()) and n > 12:
        graph.add_edges_from(nx.complete_graph(10).edges)
        graph.add_edges_from((n - 1, leaf) for leaf in range(n - 9, n - 1))
    nx.set_edge_attributes(graph, {edge: int(rng.integers(1, 9)) for edge in graph.edges}, "weight")
    return projection(graph)


def is_nested(membership: np.ndarray) -> bool:
    return all(
        len(set(zip(fine.tolist(), coarse.tolist(), strict=True))) == fine.max() + 1
        for coarse, fine in itertools.pairwise(membership)
    )


def largest(labels: np.ndarray) -> int:
    return int(np.bincount(labels).max(initial=0))


@given(projections(), st.integers(2, 12), st.sampled_from([-1, 2]), st.integers(1, 4))
@settings(max_examples=80, deadline=None)
def test_nested_complete_bounded_and_canonical(graph, max_size, iterations, max_levels):
    found = hierarchy(graph, Communities(max_size=max_size, iterations=iterations, max_levels=max_levels))
    assert found.dtype == np.int64
    assert found.shape[1] == graph.n
    assert 1 <= len(found) <= max_levels
    assert largest(found[-1]) <= max_size
    for labels in found:
        assert [int(x) for x in dict.fromkeys(labels.tolist())] == list(range(len(set(labels.tolist()))))
    if graph.n:
        assert is_nested(found)
    for coarse, fine in itertools.pairwise(found):
        assert fine.max() > coarse.max()
        small = np.bincount(coarse)[coarse] <= max_size
        assert all(len(set(fine[coarse == label].tolist())) == 1 for label in set(coarse[small].tolist()))


@given(projections(), st.integers(2, 12), st.sampled_from(["igraph", "leidenalg"]))
@settings(max_examples=60, deadline=None)
def test_an_unchanged_graph_gives_the_unchanged_hierarchy_cold_and_warm(graph, max_size, engine):
    wanted = Communities(max_size=max_size, engine=engine, max_levels=50)
    found = hierarchy(graph, wanted)
    assert np.array_equal(hierarchy(graph, wanted), found)
    assert np.array_equal(hierarchy(graph, wanted, found), found)


@given(projections(), projections(), st.integers(2, 12))
@settings(max_examples=40, deadline=None)
def test_a_warm_start_from_anything_is_valid_and_then_stands(graph, other, max_size):
    old = hierarchy(other, Communities(max_size=max_size))
    start = np.full((len(old), graph.n), -1)
    shared = min(graph.n, other.n)
    start[:, :shared] = old[:, :shared]
    wanted = Communities(max_size=max_size, max_levels=50)
    found = hierarchy(graph, wanted, start)
    assert largest(found[-1]) <= max_size
    assert not graph.n or is_nested(found)
    assert np.array_equal(hierarchy(graph, wanted, found), found)


@given(projections(), st.integers(0, 99))
@settings(max_examples=30, deadline=None)
def test_a_community_is_split_the_same_whatever_happens_elsewhere(graph, seed):
    """The graph beside a second component: the sub-trees of its communities are those without it."""
    extra = nx.gnm_random_graph(30, 60, seed=seed)
    more = projection(extra)
    joined = Projection(
        np.r_[graph.node_ids, more.node_ids + 10**6],
        np.r_[graph.u, more.u + graph.n].astype(np.int32),
        np.r_[graph.v, more.v + graph.n].astype(np.int32),
        np.r_[graph.weight, more.weight],
    )
    wanted = Communities(max_size=5, max_levels=50)
    alone, beside = hierarchy(graph, wanted), hierarchy(joined, wanted)
    sets = [{frozenset(np.flatnonzero(level == x).tolist()) for x in level.tolist()} for level in alone]
    others = [{frozenset(np.flatnonzero(level == x).tolist()) for x in level.tolist()} for level in beside]
    for top in sets[0] & others[0]:
        below = [{s for level in tree[1:] for s in level if s < top} for tree in (sets, others)]
        assert below[0] == below[1]


def clique_pair() -> nx.Graph:
    return nx.barbell_graph(8, 0)


CASES = {
    "empty": (nx.empty_graph(0), 5, 1),
    "one node": (nx.empty_graph(1), 5, 1),
    "no edges": (nx.empty_graph(30), 5, 1),
    "one edge": (nx.path_graph(2), 2, 1),
    "two cliques": (clique_pair(), 10, 1),
    "two cliques, small bound": (clique_pair(), 4, 2),
    "star": (nx.star_graph(1000), 100, 2),
    "complete": (nx.complete_graph(150), 30, 2),
    "path": (nx.path_graph(300), 10, 2),
    "cycle": (nx.cycle_graph(300), 10, 2),
    "tree": (nx.balanced_tree(3, 5), 10, 2),
    "bipartite": (nx.complete_bipartite_graph(40, 60), 20, 1),
    "many components": (nx.disjoint_union_all([nx.complete_graph(4)] * 50), 5, 1),
}


@pytest.mark.parametrize(("graph", "max_size", "levels"), CASES.values(), ids=CASES)
@pytest.mark.parametrize("engine", ["igraph", "leidenalg"])
def test_shapes_that_are_hard_to_split(engine, graph, max_size, levels):
    wanted = Communities(engine=engine, max_size=max_size)
    found = hierarchy(projection(graph), wanted)
    assert len(found) >= levels
    assert largest(found[-1]) <= max_size
    assert not graph.number_of_nodes() or is_nested(found)
    assert np.array_equal(hierarchy(projection(graph), wanted, found), found)


def test_two_cliques_are_two_communities():
    assert hierarchy(projection(clique_pair()), Communities()).tolist() == [[0] * 8 + [1] * 8]


def test_a_clique_is_cut_evenly_and_not_into_crumbs():
    found = hierarchy(projection(nx.complete_graph(500)), Communities(max_size=100))
    assert found[0].max() == 0
    assert np.bincount(found[1]).tolist() == [100] * 5


def test_isolated_nodes_cost_nothing_and_stay_alone():
    graph = nx.disjoint_union(nx.complete_graph(5), nx.empty_graph(20_000))
    found = hierarchy(projection(graph), Communities())
    assert found[0, :5].tolist() == [0] * 5
    assert found[0, 5:].tolist() == list(range(1, 20_001))


def test_level_0_is_leiden_on_the_whole_graph():
    graph = projection(nx.connected_caveman_graph(12, 8))
    whole = LocalGraph(graph.n, graph.u, graph.v, graph.weight)
    found = hierarchy(graph, Communities(max_size=4))
    assert np.array_equal(found[0], leiden(whole, Communities()))
    assert modularity(whole, found[0]) > 0.8


def test_levels_beyond_the_limit_are_left_out_before_the_last():
    graph = projection(nx.gnm_random_graph(400, 1200, seed=2))
    deep = hierarchy(graph, Communities(max_size=3, max_levels=50))
    assert len(deep) > 3
    for limit in (1, 2, 3):
        kept = hierarchy(graph, Communities(max_size=3, max_levels=limit))
        assert np.array_equal(kept, np.stack([*deep[: limit - 1], deep[-1]]))


@given(projections(), st.integers(1, 9))
@settings(max_examples=40, deadline=None)
def test_the_cut_is_balanced_and_bounded(graph, max_size):
    labels = balanced_cut(LocalGraph(graph.n, graph.u, graph.v, graph.weight), max_size)
    sizes = np.bincount(labels)
    assert len(sizes) == -(-graph.n // max_size)
    assert not graph.n or sizes.max() - sizes.min() <= 1


def test_the_cut_starts_at_the_hub_with_its_strongest_neighbours():
    star = nx.Graph([(0, leaf, {"weight": float(leaf)}) for leaf in range(1, 10)])
    graph = projection(star)
    labels = balanced_cut(LocalGraph(graph.n, graph.u, graph.v, graph.weight), 5)
    assert labels.tolist() == [0, 1, 1, 1, 1, 1, 0, 0, 0, 0]


def test_a_split_made_at_a_raised_resolution_stands_in_a_warm_start():
    """Found by search: started from its own result at the plain resolution, this graph would end elsewhere."""
    graph = projection(nx.gnm_random_graph(21, 122, seed=860951))
    wanted = Communities(max_size=2, max_levels=50)
    found = hierarchy(graph, wanted)
    assert np.array_equal(hierarchy(graph, wanted, found), found)
