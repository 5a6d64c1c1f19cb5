"""`pathgraph index --batch`: handed in, taken later, and the same graph as by direct calls."""

import pytest

from pathgraph.schema.tables import TABLES
from pathgraph.store.layout import Store

SETTINGS = """
endpoint: {{model: m, base_url: "{url}"}}
extraction: {{provider: openai}}
summaries: {{provider: openai, min_nodes: 2}}
embeddings: {{model: hashed}}
batch: {{poll_seconds: 0.2}}
"""
FACTS = {
    "a.txt": [
        ["Hanbit Electronics", "acquired", "Alderbrook Robotics"],
        ["Elena Marsh", "founded", "Alderbrook Robotics"],
    ],
    "b.md": [["Fernvale Instruments", "supplies", "Alderbrook Robotics"]],
    "c.txt": [["Owen Tresk", "founded", "Castellan Logistics"], ["Castellan Logistics", "located in", "Hull"]],
    "ko/다.txt": [["한빛배터리", "생산한다", "루멘셀"], ["한빛배터리", "본사", "청주"]],
}


@pytest.fixture
def server(protocol_server, cli, docs):
    records = [{"text": (docs / name).read_text("utf-8"), "triples": facts} for name, facts in FACTS.items()]
    started = protocol_server(process=True, records=records)
    (cli.folder / "pathgraph.yaml").write_text(SETTINGS.format(url=started.url), "utf-8")
    return started


def test_batches_give_the_graph_of_direct_calls(cli, docs, server):
    direct = cli.index("docs", "--store", "direct")
    calls = server.stats()["chat_calls"]
    server.reset()
    report = cli.index("docs", "--store", "batched", "--batch", "--no-wait")
    assert report["outcome"] == "submitted"
    assert not (cli.folder / "batched" / "CURRENT").exists()
    report = cli.index("docs", "--store", "batched", "--batch")
    assert report["outcome"] == direct["outcome"] == "success"
    stats = server.stats()
    assert stats["repeated_prompts"] == 0
    assert stats["chat_calls"] + stats["batch_requests"] == calls
    assert stats["batch_requests"] > 5  # chunks but for one, and reports
    assert direct["counts"]["edges"] == 7
    one, two = (Store.open(cli.folder / name).snapshot() for name in ("direct", "batched"))
    for name in [name for name, table in TABLES.items() if not table.exempt]:
        assert one.table(name).equals(two.table(name)), name
    server.reset()
    assert cli.index("docs", "--store", "batched")["outcome"] == "unchanged"
    runs = cli.run("sql", "SELECT outcome FROM runs ORDER BY started", "--json", "--store", "batched").stdout
    assert runs.count("submitted") == 1


def test_what_does_not_fit_is_said(cli, docs):
    refused = cli.run("index", "docs", "--batch")
    assert refused.returncode == 2
    assert "--provider openai" in refused.stderr
    assert cli.run("index", "docs", "--no-wait").returncode == 2


def test_in_words(cli, docs, server):
    done = cli.run("index", "docs", "--batch", "--no-wait")
    assert done.returncode == 0, done.stderr
    assert "batch_000001" in done.stdout
    assert "again" in done.stdout
