"""A budget stops a run before it is passed, nothing is published, and the next run pays for no call twice."""

import json

import pytest

SETTINGS = """
endpoint: {{model: gpt-4.1-mini, base_url: "{url}", concurrency: 2}}
extraction: {{provider: openai}}
summaries: {{provider: openai}}
embeddings: {{model: hashed}}
"""


@pytest.fixture
def server(cli, protocol_server):
    server = protocol_server()
    (cli.folder / "pathgraph.yaml").write_text(SETTINGS.format(url=server.url), "utf-8")
    return server


def total(text):
    return json.loads(text)["total"]


def test_a_budget_stops_the_run_and_the_next_one_goes_on(cli, docs, server):
    first = total(cli.run("estimate", "docs", "--json").stdout)
    assert server.stats()["chat_calls"] == 0
    stopped = cli.run("index", "docs", "--budget", "2500tok")
    assert stopped.returncode == 1
    assert "budget is used up" in " ".join(stopped.stderr.split())
    assert "Traceback" not in stopped.stderr
    after = server.stats()
    assert 0 < after["chat_calls"] < 6
    assert after["tokens_in"] + after["tokens_out"] <= 2500 * 1.3
    assert cli.run("status").returncode == 1  # nothing was published

    second = total(cli.run("estimate", "docs", "--json").stdout)
    assert second["cached"] == after["chat_calls"] + first["cached"]
    assert second["tokens_in"] < first["tokens_in"]

    report = cli.index("docs", "--budget", "1.00")
    end = server.stats()
    assert end["repeated_prompts"] == 0
    paid = {name: count for name, count in report["tokens"].items() if name.startswith("extraction")}
    assert paid["extraction.in"] > 0
    assert report["counts"]["extraction.calls"] == 6 - after["chat_calls"]
    assert sum(report["tokens"].values()) == sum(end[name] - after[name] for name in ("tokens_in", "tokens_out"))
    assert report["cost"]["extraction"] == pytest.approx(
        (0.4 * paid["extraction.in"] + 1.6 * paid["extraction.out"]) / 1e6
    )
    assert report["expected"]["extraction.calls"] == report["counts"]["extraction.calls"]
    (run,) = json.loads(cli.run("status", "--json").stdout)["last_runs"]
    assert run["cost"] == report["cost"]
    assert run["currency"] == "USD"
    assert "actual" in cli.run("status").stdout

    assert cli.index("docs", "--budget", "0")["outcome"] == "unchanged"
    assert server.stats()["chat_calls"] == end["chat_calls"]
