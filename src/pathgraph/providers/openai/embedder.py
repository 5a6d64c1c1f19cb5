"""Vectors from an embeddings endpoint: few requests, and nothing taken on trust.

Belongs here: requests, the check of what comes back, unit vectors. Does not: which texts, the cache
(`pathgraph.pipeline.embedding`).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from pathgraph.cost import meter
from pathgraph.errors import ModelRejected
from pathgraph.providers.openai import loop
from pathgraph.providers.openai.client import Body, client_of
from pathgraph.providers.openai.errors import BadReply, TooLong, Unsupported
from pathgraph.settings import Endpoint
from pathgraph.tokens import estimate

Vectors = NDArray[np.float32]
_BLANK = "-"  # stands for a text of blanks, which endpoints refuse
_MIN_HALVED = 16  # characters; a text that is too long is embedded in halves down to this


@dataclass(frozen=True)
class Embedded:
    """Vectors of one request and the tokens paid for them."""

    vectors: Vectors
    total_tokens: int


class OpenAIEmbedder:
    """Asks an endpoint for vectors. Thread-safe.

    `dimensions` is the number asked for, 0 when the model decides; then the first reply tells, and a later one that
    differs is an error. `batch` texts are worth giving at once, by `parallel` callers.
    """

    provider = "openai"

    def __init__(self, endpoint: Endpoint, dimensions: int | None, batch: int) -> None:
        self.model = str(endpoint.model)
        self.dimensions = dimensions or 0
        self.batch, self.parallel = batch, endpoint.concurrency
        self._endpoint = endpoint
        self._seen = self.dimensions

    def embed(self, texts: Sequence[str], role: Literal["passage", "query"] = "passage") -> Vectors:
        """Return an array of shape (len(texts), dimensions), unit rows; a row depends on its text alone.

        Raises:
            ModelError: too few vectors, vectors without a direction, or other dimensions than before, in every try.
            ModelRejected: the endpoint refuses for good.
            Stopped: somebody asked to stop.
        """
        del role  # one kind of vector serves both
        batches = [texts[at : at + self.batch] for at in range(0, len(texts), self.batch)]
        found = [loop.run(self._batch([text if text.strip() else _BLANK for text in batch])) for batch in batches]
        return np.vstack(found) if found else np.empty((0, self._seen), np.float32)

    async def _batch(self, texts: Sequence[str]) -> Vectors:
        """Return the vectors of the texts; halves the batch, then the text, while it is too long for the endpoint."""
        try:
            return await self._request(texts)
        except (TooLong, Unsupported) as error:
            if len(texts) > 1:
                half = len(texts) // 2
                return np.vstack([await self._batch(texts[:half]), await self._batch(texts[half:])])
            if isinstance(error, Unsupported) or len(texts[0]) < _MIN_HALVED:
                raise ModelRejected(
                    f"{self.model} at {self._endpoint.base_url} does not embed: {error}",
                    "Check embeddings.endpoint.model, and leave embeddings.dimensions out if the model has one size.",
                ) from error
        half = len(texts[0]) // 2
        pair = await self._batch([texts[0][:half]]), await self._batch([texts[0][half:]])
        return _unit(pair[0] + pair[1])

    async def _request(self, texts: Sequence[str]) -> Vectors:
        client = await client_of(self._endpoint)
        body: Body = {"model": self.model, "input": list(texts), "encoding_format": "float"}
        if self.dimensions:
            body["dimensions"] = self.dimensions
        expected = sum(estimate(text) for text in texts)

        def read(reply: Mapping[str, Any]) -> Embedded:
            return self._read(reply, len(texts), expected)

        async with meter.call("embeddings", expected, 0) as payment:
            embedded, _ = await client.call("/embeddings", body, read, self._endpoint, expected)
            payment.tokens_in = embedded.total_tokens
        return embedded.vectors

    def _read(self, reply: Mapping[str, Any], wanted: int, expected: int) -> Embedded:
        data = reply.get("data")
        rows = data if isinstance(data, list) else []
        if len(rows) != wanted or not all(isinstance(row, dict) for row in rows):
            raise BadReply(f"{len(rows)} vectors came for {wanted} texts", str(reply)[:2000])
        rows = sorted(rows, key=lambda row: row.get("index", 0))
        try:
            vectors = np.array([row.get("embedding") for row in rows], np.float32)
        except (ValueError, TypeError) as error:
            raise BadReply("the vectors are no lists of numbers of one length", str(reply)[:2000]) from error
        if vectors.ndim != 2 or not vectors.shape[1]:
            raise BadReply("the vectors are no lists of numbers", str(reply)[:2000])
        self._require_dimensions(vectors.shape[1])
        paid = reply.get("usage")
        tokens = paid.get("prompt_tokens") if isinstance(paid, dict) else None
        return Embedded(_unit(vectors), tokens if isinstance(tokens, int) and tokens > 0 else expected)

    def _require_dimensions(self, found: int) -> None:
        self._seen = self._seen or found
        if found != self._seen:
            raise BadReply(
                f"vectors of {found} dimensions where {self._seen} were expected (unset embeddings.dimensions if the"
                " model has one size; else the endpoint changed its model meanwhile)"
            )


def _unit(vectors: Vectors) -> Vectors:
    """Return the rows at length one; raises BadReply for a row without a direction."""
    length = np.linalg.norm(vectors.astype(np.float64), axis=1, keepdims=True)
    if not np.isfinite(length).all() or not (length > 0).all():
        raise BadReply("a vector is zero or holds what is no number")
    unit: Vectors = (vectors / length).astype(np.float32)
    return unit
