"""Many descriptions of one thing as a tree of small requests, so that one new description costs one bucket a level.

Belongs here: the tree, what is asked on each level, which things have enough descriptions. Does not: asking and caching
(`pathgraph.pipeline.condensing`), the rule for the others (`pathgraph.graph.text`).

The distinct descriptions are sorted by a hash of their text. A bucket is the largest range of equal leading hash bits
whose texts fit into one request; the texts made of the buckets are grouped in the same way, again and again, until one
is left. So a description belongs to a bucket by its own hash and by how many lie near it there, and a new one changes
that bucket and those above it. Sizes on upper levels are bounds, not lengths: the tree is a function of the set alone.
"""

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import pandas as pd
import pyarrow as pa

from pathgraph.chunking.sentences import sentences
from pathgraph.ids import digest
from pathgraph.language import detect, script_language
from pathgraph.providers.protocol import CondenseRequest
from pathgraph.settings import GraphSettings
from pathgraph.tokens import estimate

_COLUMNS: list[tuple[str, pa.DataType]] = [("kind", pa.string()), ("id", pa.int64()), ("description", pa.string())]
SAID = pa.schema(_COLUMNS)
OVERHEAD = 3  # tokens that a text costs in a list beside its own
_SHARE = 4  # a text may take the n-th part of a request, so that every bucket above it holds three at least
_TOKENS_A_CHARACTER = 2  # more than any text has


@dataclass(frozen=True)
class Sizes:
    """Bounds in estimated tokens: above which sum a thing is condensed, of a request's texts, of the text it gives."""

    above: int
    room: int
    text: int

    @classmethod
    def of(cls, settings: GraphSettings) -> "Sizes":
        """Return the sizes that the settings ask for."""
        room = settings.condense_input_tokens
        return cls(settings.condense_above_tokens, room, min(settings.description_tokens, room // _SHARE - OVERHEAD))


@dataclass(frozen=True)
class Bucket:
    """The members `start` to `end` of the level below, and the language most descriptions under it are in."""

    start: int
    end: int
    language: str


@dataclass(frozen=True)
class Tree:
    """Descriptions in the order of their hashes, and the levels of buckets over them; the last level is one bucket."""

    texts: tuple[str, ...]
    levels: tuple[tuple[Bucket, ...], ...]

    @property
    def calls(self) -> int:
        """Requests at most: a bucket of one member stands for it, without a request."""
        return sum(bucket.end - bucket.start > 1 for level in self.levels for bucket in level)


def said_above(nodes: pd.DataFrame, edges: pd.DataFrame, above: int) -> pa.Table:
    """Return (kind, id, description) of the nodes and edges whose distinct descriptions have more tokens than `above`.

    Args:
        nodes: owner and text, as `text.said_of_nodes` gives them.
        edges: the same of edges.
        above: estimated tokens.
    """
    parts = [_long(said, above).assign(kind=kind) for kind, said in (("node", nodes), ("edge", edges))]
    both = pd.concat(parts, ignore_index=True).rename(columns={"owner": "id", "text": "description"})
    return pa.Table.from_pandas(both[SAID.names], schema=SAID, preserve_index=False)


def tree(texts: Iterable[str], sizes: Sizes) -> Tree:
    """Return the tree over a set of descriptions; their order and repeats do not matter.

    White space is folded, so that each stands on one line. A description above a quarter of a request is cut at a
    sentence.
    """
    distinct = {clip(_line(text), sizes.room // _SHARE - OVERHEAD) for text in texts} - {""}
    keyed = sorted((int.from_bytes(digest("description", text)), text) for text in distinct)
    keys, ordered = [key for key, _ in keyed], tuple(text for _, text in keyed)
    # The script is told at once, and settles most texts.
    korean = [int(script_language(text) == "ko" and detect(text) == "ko") for text in ordered]
    weights, counts = [estimate(text) + OVERHEAD for text in ordered], [1] * len(ordered)
    levels: list[tuple[Bucket, ...]] = []
    while len(keys) > 1 or (keys and not levels):
        starts = cut(keys, weights, sizes.room)
        spans = list(zip(starts, [*starts[1:], len(keys)], strict=True))
        korean, counts = ([sum(column[start:end]) for start, end in spans] for column in (korean, counts))
        languages = ["ko" if 2 * ours > of else "en" for ours, of in zip(korean, counts, strict=True)]
        levels.append(tuple(Bucket(*span, language) for span, language in zip(spans, languages, strict=True)))
        keys, weights = [keys[start] for start in starts], [sizes.text + OVERHEAD] * len(starts)
    return Tree(ordered, tuple(levels))


def cut(keys: Sequence[int], weights: Sequence[int], room: int) -> list[int]:
    """Return where buckets begin: the largest ranges of one bit prefix that weigh no more than `room`.

    The ranges are the nodes of a binary trie (Fredkin 1960) with its one-way branches left out: whatever enters or
    leaves it changes the nodes above it alone. A single member is a bucket, whatever it weighs.

    Args:
        keys: ascending, distinct.
        weights: of each key.
        room: weight of a bucket at most.
    """
    sums = [0]
    for weight in weights:
        sums.append(sums[-1] + weight)
    starts, waiting = [], [(0, len(keys))] if keys else []
    while waiting:
        start, end = waiting.pop()
        if end - start == 1 or sums[end] - sums[start] <= room:
            starts.append(start)
            continue
        first, last = keys[start], keys[end - 1]
        bit = (first ^ last).bit_length() - 1
        middle = bisect_left(keys, last >> bit << bit, start, end)
        waiting += [(middle, end), (start, middle)]
    return starts


def request(bucket: Bucket, below: Sequence[str], sizes: Sizes) -> CondenseRequest:
    """Return what is asked for a bucket.

    Args:
        bucket: one of a level.
        below: the texts of the level below, or the descriptions.
        sizes: bounds.
    """
    texts = tuple(sorted(set(below[bucket.start : bucket.end])))
    return CondenseRequest(bucket.language, texts, sizes.text)


def clip(text: str, tokens: int) -> str:
    """Return the text without outer blanks, cut to so many tokens: whole sentences, else words, else characters."""
    text = text.strip()
    if estimate(text) <= tokens:
        return text
    ends = [end for _, end in sentences(text)]
    whole = bisect_left(ends, True, key=lambda end: estimate(text[:end]) > tokens)
    if whole:
        return text[: ends[whole - 1]].rstrip()
    most = bisect_left(range(len(text)), True, key=lambda end: estimate(text[: end + 1]) > tokens)
    blank = text.rfind(" ", 1, most + 1)
    return text[: blank if blank > 0 else most].rstrip()


def _long(said: pd.DataFrame, above: int) -> pd.DataFrame:
    """Return the distinct (owner, text) of owners with several texts above so many tokens together."""
    rows = said[["owner", "text"]].drop_duplicates().sort_values(["owner", "text"], ignore_index=True)
    characters = rows["text"].str.len().groupby(rows["owner"]).transform("sum")
    # Counting tokens takes time; few things have so many characters.
    rows = rows[characters * _TOKENS_A_CHARACTER > above]
    sizes = pd.Series([estimate(_line(text)) for text in rows["text"]], index=rows.index, dtype="int64")
    groups = sizes.groupby(rows["owner"])
    return rows[(groups.transform("sum") > above) & (groups.transform("size") > 1)]


def _line(text: str) -> str:
    return " ".join(text.split())
