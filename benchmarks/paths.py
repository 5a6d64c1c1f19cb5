"""Time, rows and peak memory of the paths table and of the search on line, against naive networkx, on one graph.

    python benchmarks/paths.py                    1e4 nodes / 5e4 pairs and 1e5 / 5e5, Markdown tables
    python benchmarks/paths.py --nodes 10000      one size

Times are CPU seconds of the process. Every measurement runs in a fresh process that reads nodes and edges from
Parquet, so peak memory (maximum resident size) and the cold query include loading. A query has 40 nodes: `local` ones
stand within two hops of one node, as retrieval returns them; `spread` ones are drawn from the whole graph; `hubs` are
the 40 of highest degree. networkx lists the simple paths of at most three edges of each of the 1,560 ordered pairs of
a local query, without any pruning; a few pairs are timed and extrapolated.
"""

import argparse
import json
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import networkx as nx
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from graphs import planted
from numpy.typing import NDArray

from pathgraph.paths import PathGraph, find_paths, path_batches, path_graph, plan
from pathgraph.schema.tables import PATHS
from pathgraph.settings import Paths

QUERY, QUERIES, PAIRS = 40, 20, 6


def write_graph(n: int, folder: Path) -> None:
    projection = planted(n, 5 * n).projection
    edges = {
        "edge_id": np.arange(len(projection.u)),
        "source": projection.node_ids[projection.u],
        "target": projection.node_ids[projection.v],
        "kind": ["typed"] * len(projection.u),
        "weight": projection.weight,
    }
    pq.write_table(pa.table({"node_id": projection.node_ids}), folder / "nodes.parquet", compression="zstd")
    pq.write_table(pa.table(edges), folder / "edges.parquet", compression="zstd")


# pyarrow imports pandas at its first conversion, for about a second that is no part of the work measured here.
pa.array([0])


def read_graph(folder: Path) -> PathGraph:
    node_ids = pq.read_table(folder / "nodes.parquet")["node_id"].to_numpy()
    return path_graph(node_ids, pq.read_table(folder / "edges.parquet"))


def measure_table(folder: Path, theta: float) -> dict[str, float]:
    started = time.process_time()
    graph = read_graph(folder)
    loaded = time.process_time()
    settings = Paths(theta=theta)
    planned = plan(graph, settings)
    counted = time.process_time()
    writing = 0.0
    out = folder / "paths.parquet"
    with pq.ParquetWriter(out, PATHS.arrow, compression="zstd") as writer:
        for batch in path_batches(graph, settings, planned):
            before = time.process_time()
            writer.write_batch(batch)
            writing += time.process_time() - before
    done = time.process_time()
    return {
        "theta": planned.theta,
        "rows": planned.rows,
        "load": loaded - started,
        "plan": counted - loaded,
        "make": done - counted - writing,
        "write": writing,
        "file_mb": out.stat().st_size / 1e6,
        "peak_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
    }


def queries(graph: PathGraph, kind: str) -> list[list[int]]:
    rng = np.random.default_rng(1)
    if kind == "hubs":
        return [graph.node_ids[np.argsort(-graph.degree, kind="stable")[:QUERY]].tolist()]
    if kind == "spread":
        return [rng.choice(graph.node_ids, QUERY, replace=False).tolist() for _ in range(QUERIES)]
    return [graph.node_ids[local(graph, rng)].tolist() for _ in range(QUERIES)]


def local(graph: PathGraph, rng: np.random.Generator) -> NDArray[np.int64]:
    while True:
        around = graph.far[graph.walk(rng.integers(0, graph.n, 1))[1]]
        reached = np.unique(np.concatenate([around, graph.far[graph.walk(around)[1]]]))
        if len(reached) >= QUERY:
            return rng.choice(reached, QUERY, replace=False)


def measure_queries(folder: Path, theta: float) -> dict[str, object]:
    started = time.process_time()
    graph = read_graph(folder)
    loaded = time.process_time()
    figures: dict[str, object] = {"load": loaded - started}
    for kind in ("local", "spread", "hubs"):
        times = []
        for nodes in queries(graph, kind):
            before = time.process_time()
            find_paths(graph, nodes, Paths(), theta=theta)
            times.append(time.process_time() - before)
        if kind == "local":
            figures["first"] = times[0]
        figures[kind] = statistics.median(times)
    return figures


def measure_networkx(folder: Path, theta: float) -> dict[str, float]:
    """CPU seconds of one whole local query, extrapolated from a few pairs; `theta` has no meaning here."""
    graph = read_graph(folder)
    plain = nx.Graph(zip(graph.near.tolist(), graph.far.tolist(), strict=True))
    nodes = graph.positions(np.array(queries(graph, "local")[0])).tolist()
    rng = np.random.default_rng(2)
    pairs = [rng.choice(nodes, 2, replace=False).tolist() for _ in range(PAIRS)]
    before = time.process_time()
    for source, target in pairs:
        sum(1 for _ in nx.all_simple_paths(plain, source, target, cutoff=3))
    return {"query": (time.process_time() - before) / PAIRS * QUERY * (QUERY - 1)}


MEASURES = {"table": measure_table, "queries": measure_queries, "networkx": measure_networkx}


def run_apart(what: str, folder: Path, theta: float) -> dict[str, float]:
    command = [sys.executable, __file__, "--measure", what, "--folder", str(folder), "--theta", str(theta)]
    return json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def report(n: int, folder: Path) -> None:
    write_graph(n, folder)
    print(f"\n{n:,} nodes, {5 * n:,} pairs\n")
    print(
        "| table | rows | load s | plan s | make s | write s | file MB | peak MB |\n|---|---|---|---|---|---|---|---|"
    )
    for theta in (1e-2, 1e-3):
        got = run_apart("table", folder, theta)
        row = [f"theta {got['theta']:g}", f"{got['rows']:,}"]
        row += [f"{got[name]:.2f}" for name in ("load", "plan", "make", "write")]
        print("|", " | ".join([*row, f"{got['file_mb']:.0f}", f"{got['peak_mb']:.0f}"]), "|")
    naive = run_apart("networkx", folder, 0.0)["query"]
    print("\n| 40 nodes on line, ms | local | spread | hubs | first | loading before |\n|---|---|---|---|---|---|")
    for theta in (1e-4, 0.0):
        got = run_apart("queries", folder, theta) if theta or n <= 10_000 else {}
        if got:
            cells = [f"{1000 * got[name]:.1f}" for name in ("local", "spread", "hubs", "first", "load")]
            print("|", " | ".join([f"theta {theta:g}", *cells]), "|")
    print(f"| networkx, no pruning (extrapolated) | {1000 * naive:,.0f} | | | | |")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--nodes", type=int, nargs="+", default=[10_000, 100_000])
    parser.add_argument("--measure", choices=MEASURES, help=argparse.SUPPRESS)
    parser.add_argument("--folder", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--theta", type=float, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.measure:
        print(json.dumps(MEASURES[options.measure](options.folder, options.theta)))
        return
    for n in options.nodes:
        with tempfile.TemporaryDirectory() as folder:
            report(n, Path(folder))


if __name__ == "__main__":
    main()
