"""Quality signals against hand counts, and the largest component against networkx."""

import networkx as nx
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pathgraph.quality import quality_table
from pathgraph.settings import Quality


def tables(pairs, n, co_occurs=()):
    typed = [(i, u, v, f"r{i % 3}", "typed", 1 + i) for i, (u, v) in enumerate(pairs)]
    loose = [(1000 + i, u, v, "co_occurs", "co_occurs", 1) for i, (u, v) in enumerate(co_occurs)]
    names = ("edge_id", "source", "target", "relation", "kind", "n_triples")
    types = (pa.int64(), pa.int64(), pa.int64(), pa.string(), pa.string(), pa.int64())
    columns = list(zip(*(typed + loose), strict=True))
    edges = pa.table({name: pa.array(columns[i] if columns else [], types[i]) for i, name in enumerate(names)})
    degree = [len({v if u == x else u for u, v in pairs if x in (u, v)} - {x}) for x in range(n)]
    return {
        "nodes": pa.table(
            {
                "node_id": pa.array(range(n), pa.int64()),
                "name": pa.array([f"n{i}" for i in range(n)], pa.string()),
                "type": pa.array(["" if i % 2 else "ORG" for i in range(n)], pa.string()),
                "degree": pa.array(degree, pa.int64()),
            }
        ),
        "edges": edges,
        "extractions": pa.table({"chunk_id": [1, 2, 3, 4], "status": ["ok", "ok", "failed", "empty"]}),
        "chunks": pa.table({"chunk_id": [1, 2], "kind": ["extract", "search"], "tokens": [500, 300]}),
    }


def signals(*arguments, **options):
    return {row["signal"]: row for row in quality_table(tables(*arguments, **options), Quality()).to_pylist()}


def test_signals_are_counted_over_typed_edges():
    found = signals([(0, 1), (1, 2), (2, 2)], 5, co_occurs=[(3, 4)])
    assert found["orphan_share"]["value"] == pytest.approx(2 / 5)
    assert found["orphan_share"]["verdict"] == "warn"
    assert found["self_loops"]["value"] == 1
    assert found["co_occurs_share"]["value"] == pytest.approx(1 / 4)
    assert found["failed_chunk_share"]["value"] == pytest.approx(1 / 4)
    assert found["triples_per_1000_tokens"]["value"] == pytest.approx(12)
    assert found["untyped_node_share"]["value"] == pytest.approx(2 / 5)
    assert found["largest_component_share"]["value"] == pytest.approx(3 / 5)


def test_an_empty_graph_has_signals_too():
    assert all(row["value"] is not None for row in signals([], 0).values())


@given(
    st.integers(1, 30).flatmap(
        lambda n: st.tuples(st.just(n), st.lists(st.tuples(*[st.integers(0, n - 1)] * 2), max_size=40))
    )
)
def test_the_largest_component_is_networkxs(case):
    n, pairs = case
    graph = nx.Graph(pairs)
    graph.add_nodes_from(range(n))
    expected = max(len(part) for part in nx.connected_components(graph)) / n
    assert signals(pairs, n)["largest_component_share"]["value"] == pytest.approx(expected)
