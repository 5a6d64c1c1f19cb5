"""Quality signals of a snapshot: figures that tell whether the graph came out well.

Belongs here: measuring and judging. Does not: holding a snapshot back, or showing the figures.
"""

from collections import Counter

import numpy as np
import pyarrow as pa

from pathgraph.arrow import count, total, values, where
from pathgraph.arrow import rows as rows_of
from pathgraph.extraction.reply import CO_OCCURS
from pathgraph.schema.tables import QUALITY
from pathgraph.settings import Quality

_SENTENCE_WORDS = 9  # a node name of this many words or more is probably a sentence


def quality_table(tables: dict[str, pa.Table], settings: Quality) -> pa.Table:
    """Return the table `quality`.

    Args:
        tables: nodes, edges, extractions, chunks (columns kind and tokens) and communities' members by name.
        settings: thresholds.
    """
    nodes, edges = tables["nodes"], tables["edges"]
    typed = where(edges, "kind", CO_OCCURS, equal=False)
    extract = where(tables["chunks"], "kind", "extract")
    triples = total(typed, "n_triples")
    failed = _ratio(count(tables["extractions"], "status", "failed"), tables["extractions"].num_rows)
    tokens = total(extract, "tokens")
    orphans = _ratio(count(nodes, "degree", 0), nodes.num_rows)
    top = _top_share(typed, 3)
    loops = int(np.count_nonzero(typed["source"].to_numpy() == typed["target"].to_numpy()))
    untyped = _ratio(count(nodes, "type", ""), nodes.num_rows)
    loose = _ratio(edges.num_rows - typed.num_rows, edges.num_rows)
    warn = settings
    rows = [
        _row("orphan_share", orphans, "Share of nodes without a typed edge to another.", warn.orphan_share_warn),
        _row("top3_relation_share", top, "Share of typed triples in three relations.", warn.top_relations_warn),
        _row("failed_chunk_share", failed, "Share of chunks without a usable reply.", warn.failed_chunks_warn),
        _row("co_occurs_share", loose, "Share of co_occurs edges."),
        _row("triples_per_1000_tokens", _ratio(1000 * triples, tokens), "Typed triples per 1,000 tokens read."),
        _row("untyped_node_share", untyped, "Share of nodes without a type."),
        _row("self_loops", loops, "Typed edges from a node to itself."),
        _row("sentence_like_names", _sentences(values(nodes, "name")), "Node names of nine words or more."),
        _row("largest_component_share", _largest_component(nodes, edges), "Share of nodes in the largest component."),
    ]
    return QUALITY.from_rows(rows)


def _row(signal: str, value: float, detail: str, threshold: float | None = None) -> dict[str, object]:
    verdict = "warn" if threshold is not None and value > threshold else "ok"
    return {"signal": signal, "value": float(value), "threshold": threshold, "verdict": verdict, "detail": detail}


def _ratio(part: float, whole: float) -> float:
    return part / whole if whole else 0.0


def _top_share(typed: pa.Table, top: int) -> float:
    """Return the share of triples in the most frequent relations."""
    by_name: Counter[str] = Counter()
    for relation, triples in rows_of(typed, "relation", "n_triples"):
        by_name[relation] += triples
    return _ratio(sum(most for _, most in by_name.most_common(top)), by_name.total())


def _sentences(names: list[str]) -> int:
    return sum(len(name.split()) >= _SENTENCE_WORDS for name in names)


def _largest_component(nodes: pa.Table, edges: pa.Table) -> float:
    """Return the share of nodes in the largest component, by repeated halving of labels (no graph library needed)."""
    ids = np.sort(nodes["node_id"].to_numpy())
    if not len(ids):
        return 0.0
    u = np.searchsorted(ids, edges["source"].to_numpy())
    v = np.searchsorted(ids, edges["target"].to_numpy())
    label = np.arange(len(ids))
    while True:
        low = np.minimum(label[u], label[v])
        new = label.copy()
        np.minimum.at(new, u, low)
        np.minimum.at(new, v, low)
        # A label is a node too: its own label is nearer to the component's smallest.
        new = new[new]
        if np.array_equal(new, label):
            return float(np.bincount(label).max() / len(ids))
        label = new
