"""Small graphs for the path tests."""

import numpy as np
import pyarrow as pa

from pathgraph.paths import path_batches, path_graph
from pathgraph.schema.tables import PATHS


def make_graph(pairs, nodes=(), kinds=None, weights=None, co_occurs=False):
    ids = np.array(sorted({node for pair in pairs for node in pair} | set(nodes)), np.int64)
    count = len(pairs)
    edges = pa.table(
        {
            "edge_id": pa.array(range(1000, 1000 + count), pa.int64()),
            "source": pa.array([pair[0] for pair in pairs], pa.int64()),
            "target": pa.array([pair[1] for pair in pairs], pa.int64()),
            "kind": pa.array(kinds or ["typed"] * count, pa.string()),
            "weight": pa.array(weights or [1.0] * count, pa.float64()),
        }
    )
    return path_graph(ids, edges, co_occurs)


def table_of(graph, options):
    batches = list(path_batches(graph, options))
    return pa.Table.from_batches(batches, schema=PATHS.arrow)
