import networkx as nx
import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pathgraph.communities.hierarchy import hierarchy
from pathgraph.communities.tables import community_tables
from pathgraph.graph.projection import Projection, project
from pathgraph.ids import members_id
from pathgraph.schema.tables import COMMUNITIES, COMMUNITY_MEMBERS, EDGES
from pathgraph.settings import Communities


def edges_table(rows: list[tuple[int, int, float]]) -> pa.Table:
    columns = {
        "edge_id": pa.array(
            [members_id("edge", (1000 + i, *row[:2])) for i, row in enumerate(sorted(rows))], pa.int64()
        ),
        "source": pa.array([row[0] for row in sorted(rows)], pa.int64()),
        "target": pa.array([row[1] for row in sorted(rows)], pa.int64()),
        "kind": pa.array(["typed"] * len(rows), EDGES.column("kind").type),
        "weight": pa.array([row[2] for row in sorted(rows)], pa.float64()),
    }
    return pa.table(columns)


@st.composite
def inputs(draw):
    """Node ids and edges with self-loops, parallel edges and both directions; a shuffle of both."""
    n, seed = draw(st.integers(1, 30)), draw(st.integers(0, 10**6))
    rng = np.random.default_rng(seed)
    ids = np.unique(rng.integers(0, 1 << 62, n))
    ends = rng.choice(ids, (draw(st.integers(0, 80)), 2))
    rows = [(int(a), int(b), float(rng.integers(1, 9)) / 10) for a, b in ends]
    return ids, edges_table(rows), rng.permutation(len(ids)), rng.permutation(len(rows))


@given(inputs(), st.integers(2, 9))
@settings(max_examples=60, deadline=None)
def test_the_tables_do_not_depend_on_the_order_of_rows(case, max_size):
    ids, edges, of_nodes, of_edges = case
    wanted = Communities(max_size=max_size)
    straight = project(ids, edges, 0.1)
    shuffled = project(ids[of_nodes], edges.take(pa.array(of_edges)), 0.1)
    first, second = (community_tables(p, hierarchy(p, wanted)) for p in (straight, shuffled))
    assert first[0].equals(second[0])
    assert first[1].equals(second[1])


@given(inputs(), st.integers(2, 9))
@settings(max_examples=60, deadline=None)
def test_the_tables_tell_the_same_as_brute_force(case, max_size):
    ids, edges, _, _ = case
    graph = project(ids, edges, 0.1)
    membership = hierarchy(graph, Communities(max_size=max_size))
    communities, members = community_tables(graph, membership)
    assert communities.schema.equals(COMMUNITIES.arrow)
    assert members.schema.equals(COMMUNITY_MEMBERS.arrow)
    assert communities.equals(COMMUNITIES.sort(communities))
    assert members.equals(COMMUNITY_MEMBERS.sort(members))
    expected = brute_force(graph, membership)
    assert communities.num_rows == len(expected)
    for row in communities.to_pylist():
        assert row.pop("weight") == pytest.approx(expected[row["community_id"]].pop("weight"))
        assert row == expected[row["community_id"]]
    listed = {(row["level"], row["node_id"]): row["community_id"] for row in members.to_pylist()}
    assert len(listed) == members.num_rows == membership.size
    for (level, node), community in listed.items():
        at = membership[level] == membership[level][np.searchsorted(graph.node_ids, node)]
        assert community == members_id("community", graph.node_ids[at].tolist())


def brute_force(graph: Projection, membership: np.ndarray) -> dict[int, dict[str, object]]:
    """One set of nodes at a time, from the finest description there is: sets."""
    found: dict[int, dict[str, object]] = {}
    position = {int(node): i for i, node in enumerate(graph.node_ids)}
    pairs = list(zip(graph.u.tolist(), graph.v.tolist(), graph.weight.tolist(), strict=True))
    for level, labels in enumerate(membership):
        for label in set(labels.tolist()):
            nodes = graph.node_ids[labels == label].tolist()
            key = members_id("community", nodes)
            inside = {position[node] for node in nodes}
            parent = None
            if level:
                at = membership[level - 1] == membership[level - 1][position[nodes[0]]]
                parent = members_id("community", graph.node_ids[at].tolist())
            row = found.setdefault(key, {"community_id": key, "level": level, "parent_id": parent})
            row["last_level"] = level
            row["size"], row["stale_share"] = len(nodes), 0.0
            row["weight"] = sum(w for a, b, w in pairs if a in inside and b in inside)
    return found


def test_a_community_that_is_not_split_is_one_row_over_its_levels():
    graph = nx.disjoint_union(nx.connected_caveman_graph(6, 6), nx.complete_graph(3))
    u, v = np.array(sorted((min(e), max(e)) for e in graph.edges), np.int32).T
    projection = Projection(np.arange(39), u, v, np.ones(len(u)))
    membership = hierarchy(projection, Communities(max_size=5))
    communities, members = community_tables(projection, membership)
    rows = {row["community_id"]: row for row in communities.to_pylist()}
    triangle = rows[members_id("community", [36, 37, 38])]
    assert (triangle["level"], triangle["last_level"], triangle["parent_id"]) == (0, len(membership) - 1, None)
    assert (triangle["size"], triangle["weight"]) == (3, 3.0)
    assert all(row["parent_id"] in rows for row in rows.values() if row["level"])
    assert members.num_rows == 39 * len(membership)


def test_the_empty_graph_gives_empty_typed_tables():
    nothing = Projection(np.empty(0, np.int64), np.empty(0, np.int32), np.empty(0, np.int32), np.empty(0))
    communities, members = community_tables(nothing, hierarchy(nothing, Communities()))
    assert communities.equals(COMMUNITIES.empty())
    assert members.equals(COMMUNITY_MEMBERS.empty())
