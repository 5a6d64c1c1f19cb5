"""Embeddings without a model: hashed character 3-grams, so that similar texts get similar vectors."""

import base64
import struct
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from protocol.matching import fold
from protocol.options import Options


def vector(text: str, dimensions: int) -> list[float]:
    """Return a unit vector of that length; it depends on the folded, lower-case text alone."""
    values = [0.0] * dimensions
    padded = f"  {fold(text).casefold()} "
    for start in range(len(padded) - 2):
        code = zlib.crc32(padded[start : start + 3].encode("utf-8", "surrogatepass"))
        values[code % dimensions] += 1.0 if code >> 31 else -1.0
    norm = sum(value * value for value in values) ** 0.5
    return [value / norm for value in values] if norm else [1.0, *values[1:]]


@dataclass(frozen=True)
class Call:
    """A request for embeddings; `packed`: as base64."""

    texts: Sequence[str]
    model: str
    dimensions: int
    packed: bool


def read_call(body: Mapping[str, Any], options: Options) -> Call:
    """Return a request body's call; raises ValueError or KeyError when it is none that the server takes."""
    texts = [body["input"]] if isinstance(body["input"], str) else list(body["input"])
    if not texts or not all(isinstance(text, str) and text for text in texts):
        raise ValueError("'input' must be a text or a list of texts, none of them empty")
    if len(texts) > options.embedding_inputs:
        raise ValueError(f"'input' may hold {options.embedding_inputs} texts, not {len(texts)}")
    size = body.get("dimensions") or options.dimensions
    return Call(texts, body.get("model", ""), size, body.get("encoding_format") == "base64")


def data(call: Call, fault: str) -> list[dict[str, Any]]:
    """Return the `data` list of an answer, spoilt by an embedding fault."""
    texts = call.texts[:-1] if fault == "fewer_vectors" else call.texts
    size = call.dimensions // 2 if fault == "short_vectors" else call.dimensions
    found = []
    for index, text in enumerate(texts):
        values = [float("nan")] * size if fault == "nan_vectors" else vector(text, size)
        packed: Any = base64.b64encode(struct.pack(f"<{size}f", *values)).decode() if call.packed else values
        found.append({"object": "embedding", "index": index, "embedding": packed})
    return found[::-1] if fault == "reversed" else found
