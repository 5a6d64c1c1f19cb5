"""Killed at any moment of a run that asks a model: what is paid twice is at most what was under way at a kill.

PATHGRAPH_KILLS sets how many runs are killed (2 by default).
"""

import contextlib
import json
import os
import random
import signal
import subprocess

KILLS = int(os.environ.get("PATHGRAPH_KILLS", "2"))
CALLERS = 8
CHUNKS = max(60, 12 * KILLS)


def story(number):
    return {
        "text": f"Anna{number} founded Works{number} in Port{number}.",
        "triples": [[f"Anna{number}", "founded", f"Works{number}"]],
    }


def wait_for_calls(server, wanted, process):
    """Wait until the server has seen that many calls, or the run is over."""
    while process.poll() is None and server.stats()["chat_calls"] < wanted:
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(0.05)


def test_sigkill_at_random_moments_of_paid_calls(cli, protocol_server, record_testsuite_property):
    server = protocol_server(
        records=[story(number) for number in range(CHUNKS)],
        latency={"mean": 0.25, "sigma": 0.8, "cap": 3},
        faults={"503": 0.05, "truncated": 0.05, "empty": 0.05},
    )
    with (cli.folder / "stories.jsonl").open("w", encoding="utf-8") as lines:
        lines.writelines(json.dumps({"text": story(number)["text"]}) + "\n" for number in range(CHUNKS))
    settings = {
        "endpoint": {"model": "m", "base_url": server.url, "concurrency": CALLERS},
        "extraction": {"provider": "openai", "shard_chunks": 16, "gleanings": 1},
        "embeddings": {"model": "hashed"},
    }
    (cli.folder / "pathgraph.yaml").write_text(json.dumps(settings), encoding="utf-8")
    moments = random.Random(20261130)
    killed_in_calls = 0
    for _ in range(KILLS):
        before = server.stats()["chat_calls"]
        process = cli.start("index", "stories.jsonl", "--json")
        wait_for_calls(server, before + moments.randint(1, 2 * CHUNKS // KILLS), process)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(moments.uniform(0, 0.5))
        if process.poll() is None:
            killed_in_calls += server.stats()["in_flight"] > 0
            process.send_signal(signal.SIGKILL)
        process.communicate()
    assert killed_in_calls >= KILLS // 2  # else nothing was shown
    report = cli.index("stories.jsonl")
    stats = server.stats()
    record_testsuite_property("openai_kills", json.dumps({**stats, "kills": KILLS, "in_calls": killed_in_calls}))
    assert report["failures"] == {}
    assert stats["repeated_prompts"] <= KILLS * CALLERS
    facts = cli.sql("SELECT subject, object FROM triples_with_source WHERE kind = 'typed'")
    assert {(fact["subject"], fact["object"]) for fact in facts} == {
        (f"Anna{number}", f"Works{number}") for number in range(CHUNKS)
    }
