"""The commands `estimate` and `cache` over a handful of files, without Prefect and without a model."""

import json

import pytest
from typer.testing import CliRunner

from pathgraph.cli.app import app
from pathgraph.pipeline.run import cache_of
from pathgraph.store.layout import Store

SETTINGS = """
endpoint: {model: gpt-4.1-mini, base_url: "http://localhost:9/v1", concurrency: 10}
extraction: {provider: openai}
summaries: {provider: openai}
embeddings: {provider: openai, endpoint: {model: text-embedding-3-small}}
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    docs = tmp_path / "docs"
    docs.mkdir()
    for number in range(6):
        text = f"Company {number} supplies company {number + 1}. 회사 {number}은 서울에 있다.\n"
        (docs / f"{number}.txt").write_text(text * 20, "utf-8")
    (docs / "copy.txt").write_text((docs / "0.txt").read_text("utf-8"), "utf-8")
    (tmp_path / "s.yaml").write_text(SETTINGS, "utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(*arguments, code=0, stdin=None):
    done = CliRunner().invoke(app, [*arguments, "--store", "store"], input=stdin)
    assert done.exit_code == code, (done.stdout, done.stderr, done.exception)
    return done


def estimated(*arguments):
    return json.loads(run("estimate", "docs", *arguments, "--json").stdout)


def stages(found):
    return {line["stage"]: line for line in found["stages"]}


def test_a_model_is_priced_stage_by_stage(folder):
    found = estimated("--settings", "s.yaml")
    lines, total = stages(found), found["total"]
    assert found["counts"]["documents"] == 7
    assert lines["extraction"]["calls"] == 6  # the copy is asked about once
    assert lines["extraction"]["model"] == "gpt-4.1-mini"
    price = (0.4 * lines["extraction"]["tokens_in"] + 1.6 * lines["extraction"]["tokens_out"]) / 1e6
    assert lines["extraction"]["cost"] == pytest.approx(price)
    assert total["cost"] == pytest.approx(sum(line["cost"] for line in lines.values()))
    assert 0 < found["vector_only"]["cost"] < lines["embeddings"]["cost"] < total["cost"]
    assert total["batch_cost"] < total["cost"]
    assert found["currency"] == "USD"


def test_rules_cost_nothing(folder):
    found = estimated("--provider", "offline", "--settings", "s.yaml")
    assert found["total"]["cost"] == found["total"]["tokens_in"] == 0
    assert stages(found)["extraction"]["calls"] == 6


def test_cached_replies_are_not_counted_again(folder):
    before = estimated("--settings", "s.yaml")
    from pathgraph.chunking.chunk import chunk_document
    from pathgraph.language import detect
    from pathgraph.providers import factory
    from pathgraph.settings import load_settings

    settings = load_settings(folder / "s.yaml")
    costs, cached = [before["total"]["cost"]], []
    cache = cache_of(Store.open(folder / "store"))
    for number in range(6):
        text = (folder / "docs" / f"{number}.txt").read_text("utf-8").strip()
        for chunk in chunk_document(1, text, settings.chunking):
            for language in {detect(text), "ko", "en"}:
                key = factory.extractor(settings).request_key(chunk.text, language)
                cache.put_many("extract", {key: b'{"entities": [], "triples": []}'})
        found = estimated("--settings", "s.yaml")
        costs.append(stages(found)["extraction"]["cost"])
        cached.append(stages(found)["extraction"]["cached"])
    assert cached == [1, 2, 3, 4, 5, 6]
    assert costs[-1] == 0
    assert costs == sorted(costs, reverse=True)


def test_an_unknown_price_is_said_and_tokens_are_still_given(folder):
    (folder / "p.yaml").write_text("currency: KRW\nmodels: [{model: 'text-*', input: 30}]", "utf-8")
    (folder / "s.yaml").write_text(SETTINGS.replace("localhost", "models.example.com") + "prices: p.yaml\n", "utf-8")
    done = run("estimate", "docs", "--settings", "s.yaml")
    assert "No price is known for gpt-4.1-mini" in done.stdout
    assert "KRW" in done.stdout
    found = estimated("--settings", "s.yaml")
    assert found["total"]["cost"] is None
    assert found["total"]["tokens_in"] > 0
    assert stages(found)["embeddings"]["cost"] > 0


def test_a_bad_price_list_or_budget_stops_before_anything(folder):
    (folder / "p.yaml").write_text("models: [{model: a}]", "utf-8")
    (folder / "s.yaml").write_text(SETTINGS + "prices: p.yaml\n", "utf-8")
    assert "models.0.input" in run("estimate", "docs", "--settings", "s.yaml", code=2).stderr
    assert "2000000tok" in run("index", "docs", "--budget", "much", code=2).stderr


def test_estimate_says_what_it_cannot_read(folder):
    (folder / "docs" / "broken.pdf").write_bytes(b"%PDF-1.4 broken")
    assert "cannot be read" in run("estimate", "docs", "--settings", "s.yaml").stdout


def test_cache_stats_and_prune(folder):
    run("estimate", "docs", "--settings", "s.yaml")
    cache = cache_of(Store.open(folder / "store"))
    cache.put_many("extract", {"k": b"{}"})
    cache.put_many("condense", {"k": b"x"})
    assert {one["namespace"] for one in json.loads(run("cache", "stats", "--json").stdout)} == {"extract", "condense"}
    assert "extraction replies" in run("cache", "stats").stdout
    kinds = {
        one["kind"]: one["unneeded"] for one in json.loads(run("cache", "prune", "--dry-run", "--json").stdout)["kinds"]
    }
    assert kinds == {"extract": 1, "condense": 0}
    assert "--yes" in run("cache", "prune", code=2).stderr
    assert "30d" in run("cache", "prune", "--older-than", "soon", code=2).stderr
    run("cache", "prune", "--older-than", "1d", "--yes")
    assert len(json.loads(run("cache", "stats", "--json").stdout)) == 2
    run("cache", "prune", "--yes")
    assert [one["namespace"] for one in json.loads(run("cache", "stats", "--json").stdout)] == ["condense"]
