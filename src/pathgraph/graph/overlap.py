"""A fact repeated in the overlap of two chunks counts once.

Belongs here: finding those repeats. Does not: repeats anywhere else, which are evidence of their own.
"""

import numpy as np
import pandas as pd
import pyarrow as pa


def without_overlap_repeats(rows: pd.DataFrame, chunks: pa.Table, same: list[str]) -> pd.DataFrame:
    """Drop the later of two rows that say the same from the text that two neighbouring chunks share.

    A row goes when it lies wholly in the text its chunk shares with the chunk before it, and that chunk has a row that
    agrees in `same`, lies wholly in the shared text too, and overlaps it.

    Args:
        rows: at least chunk_id, start, end (in the document) and the columns of `same`; any order, unique index.
        chunks: table `chunks`; only extract chunks count.
        same: columns in which repeats agree; one of them tells the document or node.
    """
    shared = _shared(chunks)
    if rows.empty or shared.empty:
        return rows
    place = rows[["chunk_id", "start", "end", *same]].assign(row=rows.index)
    heads = place.merge(shared, on="chunk_id")
    heads = heads[heads["end"] <= heads["shared_end"]]
    tails = place.merge(shared.drop(columns="chunk_id"), left_on="chunk_id", right_on="before_id")
    tails = tails[tails["start"] >= tails["shared_start"]]
    pairs = heads.merge(tails[["before_id", "start", "end", *same]], on=["before_id", *same], suffixes=("", "_before"))
    repeats = pairs[(pairs["start"] < pairs["end_before"]) & (pairs["start_before"] < pairs["end"])]
    return rows.drop(index=repeats["row"].unique().tolist())


def _shared(chunks: pa.Table) -> pd.DataFrame:
    """Return for each extract chunk that overlaps the one before it: chunk_id, before_id, shared_start, shared_end."""
    frame = chunks.select(["chunk_id", "document_id", "kind", "start", "end"]).to_pandas()
    frame = frame[frame["kind"] == "extract"].sort_values(["document_id", "start", "end"], ignore_index=True)
    before = frame.shift(1)
    overlaps = (before["document_id"] == frame["document_id"]) & (frame["start"] < before["end"])
    kept = np.flatnonzero(overlaps.to_numpy())
    return pd.DataFrame(
        {
            "chunk_id": frame["chunk_id"].to_numpy()[kept],
            "before_id": frame["chunk_id"].to_numpy()[kept - 1],
            "shared_start": frame["start"].to_numpy()[kept],
            "shared_end": frame["end"].to_numpy()[kept - 1],
        }
    )
