"""Descriptions of nodes and edges from what triples say.

Belongs here: choosing which sentences stand for a thing, by rule. Does not: condensing by a model.
"""

import pandas as pd

# Four characters a token is far off for Korean, but here it only bounds a description's length.
_CHARACTERS_PER_TOKEN = 4


def condensed(owner: pd.Series, text: pd.Series, strength: pd.Series, budget: int) -> dict[int, str]:
    """Return for each owner its distinct texts, strongest first (ties by text), one a line, inside the budget.

    The result depends on the set of (owner, text, strength) alone. At least one text stays, however long.

    Args:
        owner: ids of the things described.
        text: one text a row; blank ones are passed over.
        strength: importance of the text.
        budget: size of one description, in tokens.
    """
    rows = pd.DataFrame({"owner": owner.to_numpy(), "text": text.to_numpy(), "strength": strength.to_numpy()})
    rows = rows[rows["text"] != ""]
    # Sorted before the sum, so that equal sets give equal floats.
    rows = rows.sort_values(["owner", "text", "strength"], ignore_index=True)
    rows = rows.groupby(["owner", "text"], sort=False)["strength"].sum().reset_index()
    rows = rows.sort_values(["owner", "strength", "text"], ascending=[True, False, True], ignore_index=True)
    rows["size"] = rows["text"].str.len() + 1
    used = rows.groupby("owner", sort=False)["size"].cumsum()
    first = ~rows["owner"].duplicated()
    kept = rows[first | (used <= budget * _CHARACTERS_PER_TOKEN)]
    joined = kept.groupby("owner", sort=False)["text"].agg("\n".join)
    return dict(zip(joined.index.to_numpy().tolist(), joined.tolist(), strict=True))
