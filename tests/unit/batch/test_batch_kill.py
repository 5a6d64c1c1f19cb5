"""SIGKILL at every step: the next process goes on, and no request is paid twice."""

import ast
import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from .batch_parts import cached, reply_of, run, settings_for, texts_of, under_way

SCRIPT = Path(__file__).with_name("killed_run.py")
POINTS = next(
    [ast.literal_eval(key) for key in node.value.keys]
    for node in ast.parse(SCRIPT.read_text("utf-8")).body
    if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "POINTS"
)


@pytest.fixture(scope="module")
def driver():
    """A process without threads that forks the runs: importing everything once is enough."""
    with subprocess.Popen(
        [sys.executable, SCRIPT], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        yield process
        process.stdin.close()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.parametrize("point", POINTS)
def test_killed_at_any_step_nothing_is_paid_twice(driver, server_of, place, tmp_path, known_dialect, point):
    server = server_of(7)
    known_dialect(server)
    driver.stdin.write(json.dumps([server.url, str(tmp_path / "cache"), 7, point]) + "\n")
    driver.stdin.flush()
    child = int(driver.stdout.readline())
    assert driver.stdout.readline() == "paused\n"
    os.kill(child, signal.SIGKILL)
    settings = settings_for(server.url)
    assert run(settings, place, texts_of(7)) == []
    stats = server.stats()
    assert (stats["batch_requests"], stats["chat_calls"], stats["repeated_prompts"]) == (7, 0, 0)
    assert cached(settings, place, texts_of(7)) == [reply_of(number) for number in range(7)]
    assert under_way(place) == []
