"""`pathgraph index` while the endpoint fails in every way: what can be had is had, and nothing is paid twice."""

import json
import time

import pytest
from protocol.faults import CHAT, EMBEDDING, spread

WORDS = ["Alder", "Birch", "Cedar", "Dogwood", "Elm", "Fir", "Ginkgo", "Hazel", "Ivy", "Juniper"]


def story(number):
    """Twelve stories share a town, so that there are communities worth a report."""
    first, second = f"{WORDS[number % 10]}{number}", f"{WORDS[number // 10 % 10]}Works{number}"
    town = f"Port{number // 12}"
    triples = [[first, "runs", second], [second, "stands in", town]]
    return {"text": f"{first} runs {second}, and {second} stands in {town}.", "triples": triples}


@pytest.fixture
def project(cli, protocol_server):
    """Return a function that writes stories and settings, and starts the endpoint."""

    def make(count, endpoint=(), **options):
        stories = [story(number) for number in range(count)]
        server = protocol_server(records=stories, **options)
        with (cli.folder / "stories.jsonl").open("w", encoding="utf-8") as lines:
            lines.writelines(json.dumps({"text": one["text"]}) + "\n" for one in stories)
        settings = {
            "endpoint": {"model": "m", "base_url": server.url, "concurrency": 8, **dict(endpoint)},
            "extraction": {"provider": "openai", "shard_chunks": 8},
            "embeddings": {"model": "hashed", "endpoint": {"model": "v"}, "batch": 8},
        }
        (cli.folder / "pathgraph.yaml").write_text(json.dumps(settings), encoding="utf-8")  # JSON is YAML
        return server

    return make


def typed(cli):
    rows = cli.sql("SELECT subject, object FROM triples_with_source WHERE kind = 'typed' ORDER BY subject, object")
    return [(row["subject"], row["object"]) for row in rows]


def expected(numbers):
    facts = (fact for number in numbers for fact in story(number)["triples"])
    return sorted((subject, target) for subject, _, target in facts)


def test_three_calls_in_ten_fail_in_every_way_and_in_every_stage(cli, project):
    faults = {"faults": spread(0.3, CHAT), "embedding_faults": spread(0.3, EMBEDDING)}
    server = project(60, {"timeout_seconds": 15, "max_attempts": 30}, **faults, hang=1, retry_after=0.05, seed=11)
    report = cli.index("stories.jsonl", "--provider", "openai")
    stats = server.stats()
    assert report["failures"] == {}
    assert typed(cli) == expected(range(60))
    assert cli.sql("SELECT count(*) AS n FROM summaries WHERE model = 'm'")[0]["n"] >= 5
    assert (stats["repeated_prompts"], stats["repeated_embedded_texts"]) == (0, 0)
    assert sum(stats["faults"].values()) > 10  # else nothing was shown
    assert cli.index("stories.jsonl", "--provider", "openai")["outcome"] == "unchanged"
    after = server.stats()
    assert [after[name] - stats[name] for name in ("chat_calls", "embedding_calls")] == [0, 0]


def test_a_chunk_that_cannot_be_had_is_one_row_which_the_next_run_tries_again(cli, project):
    server = project(20, {"max_attempts": 2}, poison={"Elm4 ": "prose", "Fir5 ": "500"})
    report = cli.index("stories.jsonl", code=3)
    assert (report["outcome"], report["failures"]) == ("partial", {"extract": 2})
    rows = cli.sql("SELECT stage, error, attempts, raw FROM failures ORDER BY raw")
    assert [(row["stage"], row["error"]) for row in rows] == [("extract", "model")] * 2
    assert "carefully" in rows[1]["raw"]
    assert typed(cli) == expected(set(range(20)) - {4, 5})
    calls = server.stats()["chat_calls"]
    assert calls == 18 + 3 + 2
    assert cli.index("stories.jsonl", code=3)["failures"] == {"extract": 2}
    assert server.stats()["chat_calls"] == calls + 3 + 2
    server.change(poison={})
    assert cli.index("stories.jsonl")["failures"] == {}
    assert server.stats()["chat_calls"] == calls + 3 + 2 + 2
    assert server.stats()["repeated_prompts"] == 0
    assert typed(cli) == expected(range(20))


def test_a_wrong_key_stops_the_run_at_once(cli, project):
    server = project(200, api_key="right")
    done = cli.run("index", "stories.jsonl", OPENAI_API_KEY="sk-wrong-and-secret")
    assert done.returncode == 1
    assert "endpoint.api_key_env" in done.stderr
    assert "Traceback" not in done.stderr
    assert "sk-wrong-and-secret" not in done.stderr + done.stdout
    assert server.stats()["statuses"]["401"] <= 8  # those under way together
    assert not (cli.folder / "data/store/CURRENT").exists()


def test_nobody_at_the_address_stops_the_run_in_seconds(cli, project):
    project(200).stop()
    began = time.monotonic()
    done = cli.run("index", "stories.jsonl")
    assert (done.returncode, "Traceback" in done.stderr) == (1, False)
    assert "Start the model server" in done.stderr
    assert time.monotonic() - began < 90  # a start of Prefect on a busy machine; 200 chunks one by one take an hour


def test_an_endpoint_that_breaks_down_opens_the_circuit_and_the_next_run_goes_on(cli, project):
    server = project(200, {"max_attempts": 3}, per_call=["ok"] * 50, faults={"503": 1.0})
    done = cli.run("index", "stories.jsonl")
    assert (done.returncode, "Traceback" in done.stderr) == (1, False)
    assert "finished calls are not repeated" in done.stderr
    broken = server.stats()
    assert broken["answered_prompts"] == 50
    assert broken["chat_calls"] <= 50 + 3 * (10 + 8)
    server.change(faults={})
    assert cli.index("stories.jsonl")["failures"] == {}
    stats = server.stats()
    assert (stats["answered_prompts"], stats["repeated_prompts"]) == (200, 0)
    assert typed(cli) == expected(range(200))
