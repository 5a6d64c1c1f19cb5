"""The nodes table: one entity with its name, types, aliases, description and counts.

Belongs here: what a node's columns are made of. Does not: who a name is (`pathgraph.resolution`).
"""

from dataclasses import dataclass

import numpy as np
import pandas as pd
import pyarrow as pa

from pathgraph.extraction.reply import CO_OCCURS
from pathgraph.extraction.schema import FREE, Schema
from pathgraph.graph.text import condensed, said_of_nodes
from pathgraph.language import script_language
from pathgraph.resolution.resolve import Resolved
from pathgraph.schema.tables import NODES


@dataclass(frozen=True)
class NodeInput:
    """What nodes are made from: resolved frames, each sorted by its id."""

    triples: pd.DataFrame
    mentions: pd.DataFrame
    edges: pd.DataFrame
    told: pd.DataFrame  # what replies said about a name: name, description, document_id
    resolved: dict[str, Resolved]
    description_tokens: int
    schema: Schema = FREE


def node_table(given: NodeInput) -> pa.Table:
    """Return the nodes table: every node that a triple or mention names, sorted by id."""
    named = _named(given)
    if named.empty:
        return NODES.empty()
    nodes = pd.DataFrame({"node_id": np.sort(named["node_id"].unique())})
    names, surfaces = _ranked(named, "name"), _ranked(named, "surface")
    types = _ranked(named[named["type"] != ""], "type")
    decided = {who.node_id: who for who in given.resolved.values()}

    def column(values: dict[int, list[tuple[str, int]]]) -> list[list[tuple[str, int]]]:
        return [values.get(node, []) for node in nodes["node_id"]]

    nodes["name"] = [
        decided[node].name or ranked[0][0] for node, ranked in zip(nodes["node_id"], column(names), strict=True)
    ]
    nodes["types"] = [
        _first(given.schema.type_of(decided[node].type), [name for name, _ in ranked])
        for node, ranked in zip(nodes["node_id"], column(types), strict=True)
    ]
    nodes["type"] = [names[0] if names else "" for names in nodes["types"]]
    nodes["language"] = nodes["name"].map(script_language)
    nodes["aliases"] = pd.Series([_aliases(ranked) for ranked in column(surfaces)], dtype=object)
    texts = condensed(said_of_nodes(given.told, given.triples, given.resolved), given.description_tokens)
    nodes["description"] = [texts.get(node, "") for node in nodes["node_id"].tolist()]
    for name, counts in _counts(given.triples, given.mentions, given.edges).items():
        nodes[name] = nodes["node_id"].map(counts).fillna(0).astype("int64")
    return pa.Table.from_pandas(nodes[NODES.arrow.names], schema=NODES.arrow, preserve_index=False)


def _named(given: NodeInput) -> pd.DataFrame:
    """Return one row a naming: every mention, and triple ends that no mention of their chunk covers."""
    columns = ["name", "type", "chunk_id"]
    places = given.mentions[["node_id", "surface", *columns]].assign(
        surface=lambda rows: rows["surface"].str.split().str.join(" ")  # a name may be broken over two lines
    )
    ends = pd.concat(
        [given.triples[[end, f"{end}_type", "chunk_id"]].set_axis(columns, axis=1) for end in ("subject", "object")],
        ignore_index=True,
    )
    # By name: source and target may stand in the other order than subject and object.
    ends["node_id"] = ends["name"].map({name: who.node_id for name, who in given.resolved.items()})
    ends["surface"] = ends["name"]
    named = pd.concat([places, _uncovered(ends, places)], ignore_index=True)
    named["type"] = named["type"].map({name: given.schema.type_of(name) for name in named["type"].unique()})
    return named


def _uncovered(ends: pd.DataFrame, places: pd.DataFrame) -> pd.DataFrame:
    covered = pd.MultiIndex.from_frame(places[["chunk_id", "name"]])
    return ends[~pd.MultiIndex.from_frame(ends[["chunk_id", "name"]]).isin(covered)]


def _ranked(named: pd.DataFrame, column: str) -> dict[int, list[tuple[str, int]]]:
    """Return each node's values with counts, most frequent first, ties by code point."""
    counts = named.groupby(["node_id", column], sort=True).size().reset_index(name="count")
    counts = counts.sort_values(["node_id", "count", column], ascending=[True, False, True])
    ranked: dict[int, list[tuple[str, int]]] = {}
    for node, value, count in zip(counts["node_id"], counts[column], counts["count"], strict=True):
        ranked.setdefault(int(node), []).append((str(value), int(count)))
    return ranked


def _aliases(ranked: list[tuple[str, int]]) -> list[dict[str, object]]:
    return [{"surface": name, "language": script_language(name), "count": count} for name, count in ranked]


def _first(decided: str, names: list[str]) -> list[str]:
    """Put the dictionary's type in front of what was seen."""
    return [decided, *(name for name in names if name != decided)] if decided else names


def _counts(triples: pd.DataFrame, mentions: pd.DataFrame, edges: pd.DataFrame) -> dict[str, pd.Series]:
    """Return degree, n_triples and n_documents by node id; co-occurrence counts in the last one alone."""
    typed = edges[(edges["kind"] != CO_OCCURS) & (edges["source"] != edges["target"])]
    pairs = pd.concat([typed[["source", "target"]],
                       typed[["target", "source"]].set_axis(["source", "target"], axis=1)])  # fmt: skip
    facts = triples[triples["kind"] != CO_OCCURS]
    loops = facts["source"] == facts["target"]
    ends = pd.concat([facts["source"], facts["target"][~loops]])
    places = pd.concat([mentions[["node_id", "document_id"]],
                        triples[["source", "document_id"]].set_axis(["node_id", "document_id"], axis=1),
                        triples[["target", "document_id"]].set_axis(["node_id", "document_id"], axis=1)])  # fmt: skip
    return {
        "degree": pairs.drop_duplicates().groupby("source").size(),
        "n_triples": ends.value_counts(),
        "n_documents": places.drop_duplicates().groupby("node_id").size(),
    }
