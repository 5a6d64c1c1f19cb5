"""Descriptions of nodes and edges from what triples say.

Belongs here: which texts speak of a thing, choosing by rule those that stand for it. Does not: condensing by a model.
"""

import pandas as pd

from pathgraph.extraction.reply import CO_OCCURS
from pathgraph.resolution.resolve import Resolved

SPEAKING = ("edge_id", "source", "target", "kind", "description", "strength")  # columns of triples that are read here
# Four characters a token is far off for Korean, but here it only bounds a description's length.
_CHARACTERS_PER_TOKEN = 4


def said_of_edges(triples: pd.DataFrame) -> pd.DataFrame:
    """Return (owner, text, strength) of every text on an edge: the descriptions of its typed triples.

    Args:
        triples: edge_id, kind, description, strength.
    """
    typed = triples[triples["kind"] != CO_OCCURS]
    return _said(typed["edge_id"], typed["description"], typed["strength"])


def said_of_nodes(told: pd.DataFrame, triples: pd.DataFrame, resolved: dict[str, Resolved]) -> pd.DataFrame:
    """Return (owner, text, strength) of every text on a node: what it was told to be, else what its typed triples say.

    Args:
        told: what replies said about a name: name, description.
        triples: source, target, kind, description, strength.
        resolved: who each name is.
    """
    told = told[told["name"].isin(resolved.keys())]
    owner = pd.Series([resolved[name].node_id for name in told["name"]], index=told.index, dtype="int64")
    stated = _said(owner, told["description"], pd.Series(1.0, index=told.index))
    typed = triples[triples["kind"] != CO_OCCURS]
    ends = [_said(typed[end], typed["description"], typed["strength"]) for end in ("source", "target")]
    implied = pd.concat(ends, ignore_index=True)
    return pd.concat([stated, implied[~implied["owner"].isin(stated["owner"])]], ignore_index=True)


def condensed(said: pd.DataFrame, budget: int) -> dict[int, str]:
    """Return for each owner its distinct texts, strongest first (ties by text), one a line, inside the budget.

    The result depends on the set of rows alone. At least one text stays, however long.

    Args:
        said: owner, text (blank ones are passed over), strength.
        budget: size of one description, in tokens.
    """
    # Sorted before the sum, so that equal sets give equal floats.
    rows = said[said["text"] != ""].sort_values(["owner", "text", "strength"], ignore_index=True)
    rows = rows.groupby(["owner", "text"], sort=False)["strength"].sum().reset_index()
    rows = rows.sort_values(["owner", "strength", "text"], ascending=[True, False, True], ignore_index=True)
    rows["size"] = rows["text"].str.len() + 1
    used = rows.groupby("owner", sort=False)["size"].cumsum()
    first = ~rows["owner"].duplicated()
    kept = rows[first | (used <= budget * _CHARACTERS_PER_TOKEN)]
    joined = kept.groupby("owner", sort=False)["text"].agg("\n".join)
    return dict(zip(joined.index.to_numpy().tolist(), joined.tolist(), strict=True))


def _said(owner: pd.Series, text: pd.Series, strength: pd.Series) -> pd.DataFrame:
    rows = pd.DataFrame({"owner": owner.to_numpy(), "text": text.to_numpy(), "strength": strength.to_numpy()})
    return rows[rows["text"] != ""].reset_index(drop=True)
