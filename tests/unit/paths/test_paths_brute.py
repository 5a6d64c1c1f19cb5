"""The table, its plan and the search on line equal the definition, on random graphs and by hand-made cases."""

import sys
from pathlib import Path as File

from hypothesis import given, settings
from hypothesis import strategies as st

from pathgraph.paths import find_paths, plan
from pathgraph.settings import Paths

sys.path.insert(0, str(File(__file__).parent))
from brute import Brute
from path_cases import make_graph, table_of

THETAS = [0.0, 1e-4, 1e-3, 1e-2, 0.02, 0.05, 0.2, 1.0]


@st.composite
def graphs(draw):
    """Sparse parts, a clique, a hub, several components, isolated nodes, loops, parallel edges."""
    n = draw(st.integers(1, 24))
    node = st.integers(0, n - 1)
    pairs = draw(st.lists(st.tuples(node, node), max_size=50))
    if draw(st.booleans()):
        hub = draw(node)
        pairs += [(hub, other) for other in range(n)]
    if draw(st.booleans()):
        clique = draw(st.lists(node, max_size=6))
        pairs += [(one, other) for one in clique for other in clique]
    names = draw(st.permutations(range(n)))
    return [(names[one] * 7, names[other] * 7) for one, other in pairs], [name * 7 for name in range(n)]


@settings(max_examples=100, deadline=None)
@given(graphs(), st.sampled_from(THETAS), st.integers(1, 3), st.sampled_from([0.5, 0.7, 1.0]))
def test_table_and_plan_equal_brute_force(case, theta, hops, alpha):
    pairs, nodes = case
    graph = make_graph(pairs, nodes)
    options = Paths(theta=theta, max_hops=hops, alpha=alpha)
    expected = Brute(pairs, alpha, theta, hops).table()
    table = table_of(graph, options)
    rows = table.to_pylist()
    assert [tuple(row["nodes"]) for row in rows] == sorted(
        expected, key=lambda nodes: (nodes[0], nodes[-1], len(nodes), nodes)
    )
    for row in rows:
        reliability, flow = expected[tuple(row["nodes"])]
        assert row["reliability"] == reliability
        assert row["flow"] == flow
        assert (row["source"], row["target"], row["hops"]) == (row["nodes"][0], row["nodes"][-1], len(row["nodes"]) - 1)
        ends = [{tuple(pairs[edge - 1000]) for edge in hop} for hop in row["edges"]]
        steps = zip(row["nodes"], row["nodes"][1:], strict=False)
        assert all(found and found <= {step, step[::-1]} for found, step in zip(ends, steps, strict=True))
    assert plan(graph, options).rows == len(rows)


@settings(max_examples=100, deadline=None)
@given(graphs(), st.sampled_from(THETAS), st.integers(1, 3), st.data())
def test_search_equals_brute_force(case, theta, hops, data):
    pairs, nodes = case
    among = data.draw(st.lists(st.sampled_from([*nodes, -3, 10**9]), max_size=8))
    found = find_paths(make_graph(pairs, nodes), among, Paths(max_hops=hops), 10**9, theta)
    expected = Brute(pairs, 0.7, theta, hops).table(set(among))
    assert {path.nodes: (path.reliability, path.flow) for path in found} == expected
    assert len(found) == len(expected)
    ranks = [(-path.reliability, -path.flow, -min(map(len, path.edges)), path.nodes) for path in found]
    assert ranks == sorted(ranks)  # every edge weighs 1 here


@settings(max_examples=30, deadline=None)
@given(graphs(), st.sampled_from(THETAS))
def test_reliability_stays_in_its_bounds(case, theta):
    """With at most alpha**i of resource on level i, k hops score between 1/k and (1 + alpha + ... + alpha**k) / k."""
    for row in table_of(make_graph(*case), Paths(theta=theta)).to_pylist():
        hops = row["hops"]
        assert 1 / hops <= row["reliability"] <= sum(0.7**level for level in range(hops + 1)) / hops + 1e-12
        assert 0 < row["flow"] <= 0.7**hops
