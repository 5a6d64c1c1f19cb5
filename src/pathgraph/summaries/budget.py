"""How many tokens a report's input takes, by an estimate that is rather too high than too low.

Belongs here: the estimate. Does not: exact counts and the packing of chunks (`pathgraph.chunking`).
"""

import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

# Three tokens for ten bytes of UTF-8, rounded up: 0.3 a letter of English, 0.9 a Hangul syllable. Both are near the
# most that common tokenizers take.


def tokens(text: str) -> int:
    """Return the estimated number of tokens of a text."""
    return -(-3 * len(text.encode("utf-8", "surrogatepass")) // 10)


def text_tokens(texts: pd.Series) -> pd.Series:
    """Return `tokens` of each text, int64, under the index of the texts."""
    size = pc.binary_length(pa.array(texts, pa.large_string())).to_numpy(zero_copy_only=False)
    return pd.Series(-(-3 * size // 10), texts.index, "int64")
