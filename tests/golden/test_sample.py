"""What the sample corpus must show, whatever the rules learn later; and its counts, to see what a change moves."""

import json
from pathlib import Path

import pytest

from pathgraph.schema.tables import TABLES
from pathgraph.store.database import query
from pathgraph.store.snapshots import verify

COUNTS = Path(__file__).parent / "sample_counts.json"


def rows(store, statement):
    return query(store, statement).to_pylist()


def test_counts_are_known(sample_store, request):
    counts = {name: table.rows for name, table in sample_store.snapshot().manifest.tables.items()}
    if request.config.getoption("--regen"):
        COUNTS.write_text(json.dumps(counts, indent=1) + "\n", "utf-8")
    assert counts == json.loads(COUNTS.read_text("utf-8"))


def test_the_snapshot_is_whole(sample_store):
    assert verify(sample_store.snapshot()) == []
    assert sample_store.snapshot().rows("failures") == 0


def test_one_company_under_three_names_is_one_node(sample_store):
    found = rows(sample_store, "SELECT a.surface FROM nodes, unnest(aliases) AS u(a) WHERE name = '한빛전자'")
    assert {"한빛전자", "㈜한빛전자", "Hanbit Electronics"} <= {row["surface"] for row in found}
    assert rows(sample_store, "SELECT count(*) AS n FROM nodes WHERE name = '한빛전자'") == [{"n": 1}]


@pytest.mark.parametrize("pair", [("한빛전자", "한빛전기"), ("누리카드", "누리뱅크")])
def test_look_alikes_are_two_nodes(sample_store, pair):
    assert len(rows(sample_store, f"SELECT 1 FROM nodes WHERE name IN {pair}")) == 2


def test_a_regulation_supersedes_another_in_both_languages(sample_store):
    found = rows(
        sample_store,
        "SELECT DISTINCT relation FROM triples_with_source "
        "WHERE subject = '전지순환규정' AND object = '배터리안전규정'",
    )
    relations = {row["relation"] for row in found}
    assert relations & {"대체", "폐지"}
    assert relations & {"replace", "repeal", "supersede"}


def test_evidence_is_the_text_at_its_span(sample_store):
    found = rows(sample_store, "SELECT evidence, subject FROM triples_with_source WHERE kind = 'typed'")
    assert len(found) > 100
    assert all(row["evidence"].strip() for row in found)


@pytest.mark.parametrize(("table", "column"), [("chunks", "text"), ("mentions", "surface")])
def test_spans_are_the_text_they_claim(sample_store, table, column):
    at_span = f'substring(d.text, t.start + 1, t."end" - t.start) = t.{column}'
    counts = f"SELECT count(*) AS n, count(*) FILTER (WHERE {at_span}) AS good FROM {table} t JOIN documents d USING"
    (found,) = rows(sample_store, f"{counts} (document_id)")
    assert found["n"] == found["good"] > 0


def test_every_node_has_a_community_on_every_level(sample_store):
    assert rows(sample_store, "SELECT 1 FROM nodes, (SELECT DISTINCT level FROM community_members) l WHERE NOT EXISTS "
                "(FROM community_members m WHERE m.node_id = nodes.node_id AND m.level = l.level)") == []  # fmt: skip


def test_every_declared_table_is_there(sample_store):
    assert set(sample_store.snapshot().manifest.tables) == set(TABLES)
