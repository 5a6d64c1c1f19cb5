"""Killed at any moment, the store stays whole, the next run goes on, and the result is that of a run never killed.

PATHGRAPH_KILLS sets how many runs are killed (2 by default; 50 take about ten minutes).
"""

import contextlib
import os
import random
import signal
import subprocess
import time
from pathlib import Path

from pathgraph.cli.output import SUCCESS
from pathgraph.schema.tables import TABLES
from pathgraph.store.cache import Cache
from pathgraph.store.layout import Store
from pathgraph.store.snapshots import verify

KILLS = int(os.environ.get("PATHGRAPH_KILLS", "2"))


def replies(root: Path) -> int:
    """How many extraction replies are durable."""
    return (
        sum(one.entries for one in Cache(root / "cache").stats() if one.namespace == "extract") if root.exists() else 0
    )


def test_sigkill_at_random_moments(cli, docs):
    longest = time.monotonic()
    cli.index("docs", "--store", "whole")
    longest = time.monotonic() - longest
    whole = Store.open(cli.folder / "whole").snapshot()
    moments = random.Random(20261130)
    store = cli.folder / "killed"
    for _ in range(KILLS):
        process = cli.start("index", "docs", "--store", "killed", "--json")
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(moments.uniform(0.5, longest))
        if process.poll() is None:
            process.send_signal(signal.SIGKILL)
        process.communicate()
        if (store / "CURRENT").exists():
            assert verify(Store.open(store).snapshot()) == []
    durable = replies(store)
    report = cli.index("docs", "--store", "killed", code=SUCCESS)
    killed = Store.open(store).snapshot()
    for name in [name for name, table in TABLES.items() if not table.exempt]:
        assert killed.table(name).equals(whole.table(name)), name
    if report["outcome"] != "unchanged":
        assert report["counts"]["extraction_calls"] == 6 - durable
