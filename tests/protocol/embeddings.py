"""Embeddings without a model: hashed character 3-grams, so that similar texts get similar vectors."""

import base64
import struct
import zlib
from collections.abc import Sequence
from typing import Any

from protocol.matching import fold


def vector(text: str, dimensions: int) -> list[float]:
    """Return a unit vector of that length; it depends on the folded, lower-case text alone."""
    values = [0.0] * dimensions
    padded = f"  {fold(text).casefold()} "
    for start in range(len(padded) - 2):
        code = zlib.crc32(padded[start : start + 3].encode("utf-8", "surrogatepass"))
        values[code % dimensions] += 1.0 if code >> 31 else -1.0
    norm = sum(value * value for value in values) ** 0.5
    return [value / norm for value in values] if norm else [1.0, *values[1:]]


def data(texts: Sequence[str], dimensions: int, base64_wanted: bool, fault: str) -> list[dict[str, Any]]:
    """Return the `data` list of an answer, spoilt by an embedding fault."""
    if fault == "fewer_vectors":
        texts = texts[:-1]
    size = dimensions // 2 if fault == "short_vectors" else dimensions
    found = []
    for index, text in enumerate(texts):
        values = [float("nan")] * size if fault == "nan_vectors" else vector(text, size)
        packed: Any = base64.b64encode(struct.pack(f"<{size}f", *values)).decode() if base64_wanted else values
        found.append({"object": "embedding", "index": index, "embedding": packed})
    return found[::-1] if fault == "reversed" else found
