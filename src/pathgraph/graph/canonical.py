"""Resolved facts in the schema's terms: canonical relation, true direction, and what a fixed schema has no place for.

Belongs here: applying `pathgraph.extraction.schema` to rows. Does not: the schema itself, aggregation (`assemble`).
"""

import pandas as pd

from pathgraph.extraction.reply import CO_OCCURS
from pathgraph.extraction.schema import Schema
from pathgraph.resolution.resolve import Resolved


def canonical(raw: pd.DataFrame, schema: Schema, resolved: dict[str, Resolved]) -> pd.DataFrame:
    """Return the rows with canonical_relation, inverted and outside, and source and target in canonical direction.

    What has no direction (co-occurrence, a symmetric relation) starts from the smaller id, so that both orders are one
    edge. A row depends on itself alone, and co-occurrence is in no schema.

    Args:
        raw: raw triples with source and target, the ids of subject and object.
        schema: what is applied.
        resolved: whose dictionary types, where there are any, stand before the extracted ones.
    """
    ends = [_types(raw, end, resolved) for end in ("subject", "object")]
    said = list(zip(raw["relation"], *ends, strict=True))
    readings = {key: schema.read(*key) for key in set(said)}
    read = [readings[key] for key in said]
    fact = raw["kind"] != CO_OCCURS
    rows = raw.copy()
    rows["canonical_relation"] = pd.Series([one.relation for one in read], raw.index, "str").where(
        fact, raw["relation"]
    )
    rows["outside"] = pd.Series([one.outside for one in read], raw.index, "str").where(fact, "")
    turned = fact & pd.Series([one.turned for one in read], raw.index, "bool")
    undirected = ~fact | pd.Series([one.symmetric for one in read], raw.index, "bool")
    # A symmetric relation may have been written in either order, so turning it says nothing.
    swap = turned.where(~undirected, raw["source"] > raw["target"])
    rows.loc[swap, ["source", "target"]] = raw.loc[swap, ["target", "source"]].to_numpy()
    rows["inverted"] = swap
    return rows


def _types(raw: pd.DataFrame, end: str, resolved: dict[str, Resolved]) -> list[str]:
    """Return the type of each subject or object: the dictionary's, else the extracted one."""
    return [resolved[name].type or given for name, given in zip(raw[end], raw[f"{end}_type"], strict=True)]
