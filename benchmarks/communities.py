"""CPU time, modularity and peak memory of the hierarchy against graspologic-native, on one graph, interleaved.

    python benchmarks/communities.py                    1e4 nodes / 5e4 pairs and 1e5 / 5e5, a Markdown table
    python benchmarks/communities.py --nodes 10000      one size

Times are CPU seconds of this process, each the median of the repeats; the methods take turns, so that a busy
machine slows all alike. graspologic-native gets its edges ready-made as strings; ours starts from the arrays of a
`Projection`. Peak memory is the maximum resident size of a fresh process that makes the graph and runs once (Linux
only).
"""

import argparse
import itertools
import json
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import graspologic_native as native
import numpy as np
from graphs import planted
from numpy.typing import NDArray

from pathgraph.communities.hierarchy import hierarchy
from pathgraph.communities.leiden import LocalGraph, modularity
from pathgraph.communities.tables import community_tables
from pathgraph.graph.projection import Projection
from pathgraph.settings import Communities

Membership = NDArray[np.int64]
Method = Callable[[], Membership | list[object]]
NATIVE, DEFAULT = "graspologic-native, 2 iterations", "pathgraph igraph, converged (default)"
WARM = "pathgraph igraph, converged, warm start on the unchanged graph"
LEIDENALG_MOST_NODES = 10_000  # it takes minutes beyond


def methods(projection: Projection, max_size: int) -> dict[str, Method]:
    edges = [(str(a), str(b), float(w)) for a, b, w in zip(projection.u, projection.v, projection.weight, strict=True)]
    found = {
        NATIVE: lambda: native.hierarchical_leiden(
            edges=edges, iterations=2, max_cluster_size=max_size, use_modularity=True, seed=42
        )
    }

    def add(name: str, **changed: object) -> None:
        wanted = Communities(max_size=max_size, **changed)
        found[name] = lambda: hierarchy(projection, wanted)

    add("pathgraph igraph, 2 iterations", iterations=2)
    add(DEFAULT)
    if projection.n <= LEIDENALG_MOST_NODES:
        add("pathgraph leidenalg, 2 iterations", engine="leidenalg", iterations=2)
        add("pathgraph leidenalg, converged", engine="leidenalg")
    return found


def as_membership(result: Membership | list[object], n: int) -> Membership:
    """Bring graspologic-native's rows (node, cluster, level, ...) into our shape; isolated nodes stay alone."""
    if isinstance(result, np.ndarray):
        return result
    depth = 1 + max(row.level for row in result)
    membership = np.full((depth, n), -1)
    for row in result:
        membership[row.level, int(row.node)] = row.cluster
    for above, below in itertools.pairwise(membership):
        below[below < 0] = above[below < 0]
    alone = membership[0] < 0
    membership[:, alone] = membership.max() + 1 + np.arange(np.count_nonzero(alone))
    return membership


def measure(n: int, m: int, repeats: int, max_size: int) -> list[dict[str, object]]:
    projection = planted(n, m).projection
    graph = LocalGraph(n, projection.u, projection.v, projection.weight)
    runs = methods(projection, max_size)
    seconds: dict[str, list[float]] = {}
    results: dict[str, Membership] = {}

    def timed(name: str, run: Method) -> None:
        begin = time.process_time()
        result = run()
        seconds.setdefault(name, []).append(time.process_time() - begin)
        results[name] = as_membership(result, n)

    for _ in range(repeats):
        for name, run in runs.items():
            timed(name, run)
        cold = results[DEFAULT]
        timed(WARM, lambda cold=cold: hierarchy(projection, Communities(max_size=max_size), cold))
        timed("tables of the default hierarchy", lambda cold=cold: tables(projection, cold))
    base = statistics.median(seconds[NATIVE])
    return [row(graph, name, statistics.median(times), base, results[name]) for name, times in seconds.items()]


def tables(projection: Projection, membership: Membership) -> Membership:
    community_tables(projection, membership)
    return membership


def row(graph: LocalGraph, name: str, seconds: float, base: float, membership: Membership) -> dict[str, object]:
    _, last = np.unique(membership[-1], return_inverse=True)
    return {
        "nodes": graph.n,
        "method": name,
        "CPU s": f"{seconds:.2f}",
        "ratio": f"{seconds / base:.2f}",
        "levels": len(membership),
        "Q level 0": f"{modularity(graph, membership[0]):.4f}",
        "Q last level": f"{modularity(graph, last):.4f}",
        "largest": int(np.bincount(last).max()),
    }


def peak(n: int, m: int, name: str, max_size: int) -> str:
    """Run one method in a fresh process and return its peak resident memory, in MB."""
    command = [sys.executable, __file__, "--one", name, "--nodes", str(n), "--pairs", str(m), "--max-size"]
    done = subprocess.run([*command, str(max_size)], capture_output=True, text=True, check=True)
    return str(json.loads(done.stdout)["MB"])


def run_one(n: int, m: int, name: str, max_size: int) -> None:
    projection = planted(n, m).projection
    if name == NATIVE:
        methods(projection, max_size)[name]()
    elif name:
        wanted = Communities(max_size=max_size, iterations=2 if "2 iterations" in name else -1)
        hierarchy(projection, wanted)
    # Not getrusage: a child starts with its parent's peak there.
    status = dict(line.split(":", 1) for line in Path("/proc/self/status").read_text("utf-8").splitlines())
    print(json.dumps({"MB": int(status["VmHWM"].split()[0]) * 1024 // 10**6}))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--nodes", type=int, nargs="*", default=[10_000, 100_000])
    parser.add_argument("--pairs", type=int, help="pairs a graph; five a node if left out")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--max-size", type=int, default=100)
    parser.add_argument("--one", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.one is not None:
        run_one(given.nodes[0], given.pairs, given.one, given.max_size)
        return
    rows = []
    for n in given.nodes:
        m = given.pairs or 5 * n
        for line in measure(n, m, given.repeats, given.max_size):
            with_peak = line["method"] in (NATIVE, DEFAULT)
            line["peak MB"] = peak(n, m, str(line["method"]), given.max_size) if with_peak else ""
            rows.append(line)
        rows.append({"nodes": n, "method": "the graph alone", "peak MB": peak(n, m, "", given.max_size)})
    columns = list(rows[0])
    print("| " + " | ".join(columns) + " |\n|" + "---|" * len(columns))
    for line in rows:
        print("| " + " | ".join(str(line.get(column, "")) for column in columns) + " |")


if __name__ == "__main__":
    main()
