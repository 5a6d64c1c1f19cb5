"""Which community reports to write, from what, and in which order.

Belongs here: choosing a community's names, evidence, language and children from the tables, inside the token budget.
Does not: the requests and rows themselves (`write`), any prompt or call.

A triple belongs to the smallest community that holds both of its ends: to a leaf when the leaf holds both, else to the
parent whose children it connects. So a parent's own triples are exactly those that none of its children's reports saw.
"""

import math
from dataclasses import dataclass

import numpy as np
import pandas as pd
import pyarrow as pa
from numpy.typing import NDArray

from pathgraph.providers.protocol import Evidence
from pathgraph.settings import Summaries
from pathgraph.summaries.budget import text_tokens

MAX_NAMES = 20
# Tokens of the words and marks around one piece of evidence or one report in a prompt.
OVERHEAD = 12


@dataclass(frozen=True)
class SummaryInputs:
    """The tables reports are written from, as declared in `pathgraph.schema.tables`, rows in any order."""

    documents: pa.Table
    nodes: pa.Table
    edges: pa.Table
    triples: pa.Table
    communities: pa.Table
    members: pa.Table


@dataclass(frozen=True)
class Planned:
    """One report to write.

    Attributes:
        community_id: the community; one that is carried down unsplit has one report.
        level: first level on which it stands.
        size: nodes in it.
        rank: 10 * sqrt(weight inside / weight inside all communities of level 0); 0 to 10.
        language: language of most of the documents that its triples come from, ties by code.
        names: its most connected nodes, at most 20.
        evidence: its own triples, most important first, inside the budget; `co_occurs` only where it has no typed one.
        children: its sub-communities, heaviest first; empty for a leaf.
    """

    community_id: int
    level: int
    size: int
    rank: float
    language: str
    names: tuple[str, ...]
    evidence: tuple[Evidence, ...]
    children: tuple[int, ...]


def plan(inputs: SummaryInputs, settings: Summaries) -> list[list[Planned]]:
    """Return the reports to write in batches, children's before their parents', each batch by community id.

    The result depends on the sets of rows alone, not on their order.
    """
    # Null parents must not turn 63-bit ids into floats, hence objects.
    communities = inputs.communities.to_pandas(integer_object_nulls=True).sort_values("community_id", ignore_index=True)
    placed = _placed(inputs)
    names = _names(inputs, communities, settings.input_tokens)
    evidence = _evidence(_own(placed), inputs, settings.input_tokens)
    languages = _languages(placed, inputs)
    children = _children(communities)
    total = math.fsum(communities.loc[communities["level"] == 0, "weight"])
    batches: dict[int, list[Planned]] = {}
    columns = (communities[c].tolist() for c in ("community_id", "level", "size", "weight"))
    for key, level, size, weight in zip(*columns, strict=True):
        named, fallback = names.get(key, ((), "und"))
        language = languages.get(key, fallback)
        rank = 10 * math.sqrt(min(1.0, weight / total)) if total > 0 else 0.0
        planned = Planned(key, level, size, rank, language, named, evidence.get(key, ()), children.get(key, ()))
        batches.setdefault(level, []).append(planned)
    # A child first stands on a deeper level than its parent, so the deepest level comes first.
    return [batches[level] for level in sorted(batches, reverse=True)]


def _placed(inputs: SummaryInputs) -> pd.DataFrame:
    """Return (triple position, level, community_id) for every level whose one community holds both ends."""
    members = inputs.members.select(["level", "node_id", "community_id"]).to_pandas()
    source, target = inputs.triples["source"].to_numpy(), inputs.triples["target"].to_numpy()
    parts = [pd.DataFrame({"triple": np.empty(0, np.int64), "level": 0, "community_id": np.empty(0, np.int64)})]
    for level, rows in members.groupby("level", sort=True):
        community = rows.set_index("node_id")["community_id"].sort_index()
        ends = [_lookup(community.index.to_numpy(), community.to_numpy(), ids) for ids in (source, target)]
        inside = np.flatnonzero((ends[0] == ends[1]) & (ends[0] >= 0))
        parts.append(pd.DataFrame({"triple": inside, "level": level, "community_id": ends[0][inside]}))
    return pd.concat(parts, ignore_index=True)


def _lookup(keys: NDArray[np.int64], values: NDArray[np.int64], wanted: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return for each wanted id the value at its place among the ascending keys, -1 where it is not among them."""
    if not len(keys):
        return np.full(len(wanted), -1, np.int64)
    at = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
    return np.where(keys[at] == wanted, values[at], -1)


def _own(placed: pd.DataFrame) -> pd.DataFrame:
    """Return each triple once, with the community of the deepest level that holds both of its ends."""
    return placed.sort_values(["triple", "level"]).drop_duplicates("triple", keep="last")


def _evidence(own: pd.DataFrame, inputs: SummaryInputs, budget: int) -> dict[int, tuple[Evidence, ...]]:
    """Return each community's own triples by edge weight, then strength, then id, while they fit the budget."""
    rows = inputs.triples.select(
        ["triple_id", "edge_id", "source", "target", "canonical_relation", "description", "strength", "kind"]
    ).take(pa.array(own["triple"].to_numpy()))
    frame = rows.to_pandas()
    frame["community_id"] = own["community_id"].to_numpy()
    frame["typed"] = frame["kind"] != "co_occurs"
    frame = frame[frame["typed"] == frame.groupby("community_id")["typed"].transform("any")]
    frame["weight"] = frame["edge_id"].map(_series(inputs.edges, "edge_id", "weight")).fillna(0.0)
    name = _series(inputs.nodes, "node_id", "name")
    frame["subject"], frame["object"] = (frame[end].map(name).fillna("").astype("str") for end in ("source", "target"))
    stated = frame["subject"] + " " + frame["canonical_relation"] + " " + frame["object"]
    # A text that alone would fill the budget is no sentence but a page: its beginning must do.
    frame["text"] = frame["description"].where(frame["description"] != "", stated).str.slice(0, budget // 2)
    frame = frame.sort_values(["community_id", "weight", "strength", "triple_id"], ascending=[True, False, False, True])
    cost = text_tokens(frame["text"]) + text_tokens(stated.loc[frame.index]) + OVERHEAD
    room = budget - budget // 4  # a quarter is kept for the names
    frame = frame[cost.groupby(frame["community_id"]).cumsum() <= room]
    return _grouped(frame)


def _grouped(frame: pd.DataFrame) -> dict[int, tuple[Evidence, ...]]:
    wanted = ("triple_id", "text", "weight", "subject", "canonical_relation", "object")
    columns = [frame[column].tolist() for column in wanted]
    found: dict[int, list[Evidence]] = {}
    for key, *values in zip(frame["community_id"].tolist(), *columns, strict=True):
        found.setdefault(key, []).append(Evidence(*values))
    return {key: tuple(values) for key, values in found.items()}


def _series(table: pa.Table, key: str, value: str) -> pd.Series:
    return table.select([key, value]).to_pandas().set_index(key)[value]


def _names(inputs: SummaryInputs, communities: pd.DataFrame, budget: int) -> dict[int, tuple[tuple[str, ...], str]]:
    """Return each community's most connected names, inside a quarter of the budget, and the first one's language."""
    nodes = inputs.nodes.select(["node_id", "name", "language", "degree", "n_triples", "n_documents"]).to_pandas()
    first = communities[["community_id", "level"]]
    rows = inputs.members.select(["level", "node_id", "community_id"]).to_pandas().merge(first)
    rows = rows.merge(nodes, on="node_id").sort_values(
        ["community_id", "degree", "n_triples", "n_documents", "name", "node_id"],
        ascending=[True, False, False, False, True, True],
    )
    rows = rows.groupby("community_id", sort=False).head(MAX_NAMES)
    rows["name"] = rows["name"].str.slice(0, budget // 4)
    used = (text_tokens(rows["name"]) + 1).groupby(rows["community_id"]).cumsum()
    rows = rows[used <= budget // 4]
    found: dict[int, tuple[list[str], str]] = {}
    for key, name, language in zip(*(rows[c].tolist() for c in ("community_id", "name", "language")), strict=True):
        found.setdefault(key, ([], language))[0].append(name)
    return {key: (tuple(names), language) for key, (names, language) in found.items()}


def _languages(placed: pd.DataFrame, inputs: SummaryInputs) -> dict[int, str]:
    """Return the language of most triples inside each community; unknown languages do not count."""
    language = _series(inputs.documents, "document_id", "language")
    document = inputs.triples["document_id"].to_pandas()
    spoken = document.map(language).fillna("und")
    once = placed.drop_duplicates(["triple", "community_id"])
    rows = pd.DataFrame({"community_id": once["community_id"], "language": spoken.to_numpy()[once["triple"]]})
    counts = rows[rows["language"] != "und"].value_counts(sort=False).reset_index()
    counts = counts.sort_values(["community_id", "count", "language"], ascending=[True, False, True])
    best = counts.drop_duplicates("community_id")
    return dict(zip(best["community_id"].tolist(), best["language"].tolist(), strict=True))


def _children(communities: pd.DataFrame) -> dict[int, tuple[int, ...]]:
    rows = communities[communities["parent_id"].notna()].sort_values(
        ["weight", "size", "community_id"], ascending=[False, False, True]
    )
    found: dict[int, list[int]] = {}
    for child, parent in zip(rows["community_id"].tolist(), rows["parent_id"].tolist(), strict=True):
        found.setdefault(parent, []).append(child)
    return {parent: tuple(children) for parent, children in found.items()}
