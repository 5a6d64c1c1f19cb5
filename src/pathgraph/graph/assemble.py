"""From raw facts and their resolution to the tables triples, mentions, nodes and edges.

Belongs here: aggregation, as pure functions of Arrow tables. Does not: who a name is (`pathgraph.resolution`), node
columns (`pathgraph.graph.nodes`), or any algorithm on the graph.

Every result is a function of the set of rows that come in: rows are put into the order of their ids before anything is
summed or chosen.
"""

from dataclasses import dataclass

import pandas as pd
import pyarrow as pa

from pathgraph.extraction.collect import RawFacts
from pathgraph.extraction.reply import CO_OCCURS
from pathgraph.extraction.schema import FREE, Schema
from pathgraph.graph.canonical import canonical
from pathgraph.graph.nodes import NodeInput, node_table
from pathgraph.graph.overlap import without_overlap_repeats
from pathgraph.graph.text import condensed, said_of_edges
from pathgraph.ids import content_id
from pathgraph.language import script_language
from pathgraph.resolution.resolve import Resolved
from pathgraph.schema.tables import EDGES, MENTIONS, OUT_OF_SCHEMA, TRIPLES


@dataclass(frozen=True)
class Texts:
    """What the facts were extracted from: tables `documents` (document_id, modified_at) and `chunks`."""

    documents: pa.Table
    chunks: pa.Table


@dataclass(frozen=True)
class Graph:
    """The graph's tables, each with its declared schema and sorted by key."""

    triples: pa.Table
    mentions: pa.Table
    nodes: pa.Table
    edges: pa.Table
    out_of_schema: pa.Table


def assemble(
    facts: RawFacts, resolved: dict[str, Resolved], given: Texts, description_tokens: int, schema: Schema = FREE
) -> Graph:
    """Build the graph's tables.

    Args:
        facts: everything extracted from the chunks.
        resolved: who each name is; facts with an unresolved name (punctuation only) are left out.
        given: the documents and chunks that the facts come from.
        description_tokens: budget of one description.
        schema: canonical relations and types; what a fixed one has no place for is put aside, not into the graph.
    """
    stated = _triples(facts.triples().to_pandas(), resolved, given.chunks, schema)
    inside = stated["outside"] == ""
    triples, outside = stated[inside].reset_index(drop=True), stated[~inside].rename(columns={"outside": "reason"})
    mentions = _mentions(facts.mentions().to_pandas(), resolved, given.chunks)
    edges = _edges(triples, given.documents, description_tokens)
    told = facts.descriptions().to_pandas()
    nodes = node_table(NodeInput(triples, mentions, edges, told, resolved, description_tokens, schema))
    return Graph(
        TRIPLES.sort(_arrow(triples, TRIPLES.arrow)),
        MENTIONS.sort(_arrow(mentions, MENTIONS.arrow)),
        nodes,
        EDGES.sort(_arrow(edges, EDGES.arrow)),
        OUT_OF_SCHEMA.sort(_arrow(outside, OUT_OF_SCHEMA.arrow)),
    )


def _arrow(frame: pd.DataFrame, schema: pa.Schema) -> pa.Table:
    if frame.empty:
        return schema.empty_table()
    return pa.Table.from_pandas(frame[schema.names], schema=schema, preserve_index=False)


def _ids_of(names: pd.Series, resolved: dict[str, Resolved]) -> pd.Series:
    """Map names to node ids; -1 for names that are nobody (a missing value would turn 63-bit ids into floats)."""
    known = {name: who.node_id for name, who in resolved.items()}
    return pd.Series([known.get(name, -1) for name in names], index=names.index, dtype="int64")


def _strongest(rows: pd.DataFrame, key: str) -> pd.DataFrame:
    """Return one row an id, whatever their order: a reply may tell one fact twice, with other strengths or types."""
    others = [name for name in ("strength", "description", "subject_type", "object_type", "type") if name in rows]
    ordered = rows.sort_values([key, *others], kind="stable")
    return ordered.drop_duplicates(key, keep="last").reset_index(drop=True)


def _triples(raw: pd.DataFrame, resolved: dict[str, Resolved], chunks: pa.Table, schema: Schema) -> pd.DataFrame:
    """Resolve the ends, read relations by the schema, give each triple its edge, and drop repeats in overlaps."""
    raw["source"] = _ids_of(raw["subject"], resolved)
    raw["target"] = _ids_of(raw["object"], resolved)
    raw = _strongest(raw[(raw["source"] >= 0) & (raw["target"] >= 0)], "triple_id")
    raw = raw[(raw["kind"] != CO_OCCURS) | (raw["source"] != raw["target"])].reset_index(drop=True)
    raw = canonical(raw, schema, resolved)
    fact = ["document_id", "source", "canonical_relation", "target", "kind"]
    raw = without_overlap_repeats(raw, chunks, fact)
    raw["edge_id"] = [
        content_id("edge", source, relation, target, kind)
        for source, relation, target, kind in zip(
            raw["source"], raw["canonical_relation"], raw["target"], raw["kind"], strict=True
        )
    ]
    return raw.sort_values("triple_id", ignore_index=True)


def _mentions(raw: pd.DataFrame, resolved: dict[str, Resolved], chunks: pa.Table) -> pd.DataFrame:
    raw["node_id"] = _ids_of(raw["name"], resolved)
    raw = _strongest(raw[raw["node_id"] >= 0], "mention_id")
    raw = without_overlap_repeats(raw, chunks, ["node_id"])
    raw["language"] = raw["surface"].map({name: script_language(name) for name in raw["surface"].unique()})
    raw["method"] = raw["name"].map({name: who.method for name, who in resolved.items()})
    return pd.DataFrame(raw).sort_values("mention_id", ignore_index=True)


def _edges(triples: pd.DataFrame, documents: pa.Table, budget: int) -> pd.DataFrame:
    """Aggregate triples by edge id, in the order of triple ids so that float sums repeat."""
    dates = documents.select(["document_id", "modified_at"]).to_pandas()
    dates["day"] = dates["modified_at"].dt.date
    rows = triples.merge(dates[["document_id", "day"]], on="document_id", how="left")
    groups = rows.groupby("edge_id", sort=True)
    edges: pd.DataFrame = groups.agg(
        source=("source", "first"),
        relation=("canonical_relation", "first"),
        target=("target", "first"),
        kind=("kind", "first"),
        weight=("strength", "sum"),
        n_triples=("triple_id", "size"),
        n_documents=("document_id", "nunique"),
    ).reset_index()
    edges["chunk_ids"] = groups["chunk_id"].agg(lambda ids: sorted(set(ids))).to_numpy()
    days = rows.dropna(subset=["day"]).groupby("edge_id")["day"]
    for name, chosen in (("first_date", days.min()), ("last_date", days.max())):
        known = dict(zip(chosen.index.tolist(), chosen.tolist(), strict=True))
        edges[name] = pd.Series([known.get(edge) for edge in edges["edge_id"].tolist()], dtype=object)
    texts = condensed(said_of_edges(rows), budget)
    edges["description"] = [texts.get(edge, "") for edge in edges["edge_id"].tolist()]
    return edges
