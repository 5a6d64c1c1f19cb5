"""Vectors of texts, each computed once: from the cache where it is known.

Belongs here: which text of a node, chunk or summary is embedded, and the cached loop. Does not: the models.
"""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from pathgraph import progress
from pathgraph.arrow import rows, where
from pathgraph.errors import ModelError
from pathgraph.ids import content_hash
from pathgraph.providers.protocol import Embedder
from pathgraph.schema.tables import EMBEDDINGS
from pathgraph.store.cache import Cache

STAGE = "embeddings"
NAMESPACE = "embed"


def texts_to_embed(nodes: pa.Table, chunks: pa.Table, summaries: pa.Table) -> list[tuple[str, int, str]]:
    """Return (kind, id, text) of everything that gets a vector: a node's name, a search chunk, a summary with title."""
    search = where(chunks, "kind", "search")
    return [
        *(("node", ident, name) for ident, name in rows(nodes, "node_id", "name")),
        *(("chunk", ident, text) for ident, text in rows(search, "chunk_id", "text")),
        *(
            ("summary", ident, f"{title}\n{summary}")
            for ident, title, summary in rows(summaries, "community_id", "title", "summary")
        ),
    ]


def vector_key(embedder: Embedder, text: str) -> str:
    """Return the cache key of a text's vector."""
    return content_hash(embedder.provider, embedder.model, embedder.dimensions, text)


def embeddings_table(texts: Sequence[tuple[str, int, str]], embedder: Embedder, cache: Cache) -> pa.Table:
    """Return the table `embeddings`; texts that were ever embedded by this model cost nothing."""
    keys = [vector_key(embedder, text) for _, _, text in texts]
    missing = {key: text for key, (_, _, text) in zip(keys, texts, strict=True)}
    for key in known_vectors(list(missing), cache):
        del missing[key]
    progress.reporter().advance(STAGE, len(set(keys)) - len(missing))
    todo = sorted(missing.items(), key=lambda pair: (len(pair[1]), pair[0]))
    batches = [todo[at : at + embedder.batch] for at in range(0, len(todo), embedder.batch)]

    def embed(batch: Sequence[tuple[str, str]]) -> None:
        progress.check_stop()
        vectors = embedder.embed([text for _, text in batch], "passage").astype("<f4")
        cache.put_many(NAMESPACE, {key: row.tobytes() for (key, _), row in zip(batch, vectors, strict=True)})
        progress.reporter().advance(STAGE, len(batch))

    with ThreadPoolExecutor(embedder.parallel, thread_name_prefix="embed") as threads:
        for _ in threads.map(embed, batches):  # raises the first error and drops the batches that wait
            pass
    return EMBEDDINGS.sort(_table(texts, keys, embedder, cache))


def known_vectors(keys: Sequence[str], cache: Cache) -> list[str]:
    """Return those keys whose vector is in the cache."""
    return [key for at in range(0, len(keys), 1000) for key in cache.get_many(NAMESPACE, keys[at : at + 1000])]


def _table(texts: Sequence[tuple[str, int, str]], keys: list[str], embedder: Embedder, cache: Cache) -> pa.Table:
    vectors: NDArray[np.float32] | None = None
    for at in range(0, len(keys), 1000):
        slice_ = keys[at : at + 1000]
        found = cache.get_many(NAMESPACE, slice_)
        for row, key in enumerate(slice_, at):
            vector = np.frombuffer(found[key], "<f4")
            if vectors is None:
                vectors = np.empty((len(keys), len(vector)), np.float32)
            _require_same(vectors.shape[1], len(vector), embedder)
            vectors[row] = vector
    if vectors is None:
        vectors = np.empty((0, embedder.dimensions), np.float32)
    dimensions = vectors.shape[1]
    offsets = pa.array(np.arange(len(keys) + 1, dtype=np.int32) * dimensions, pa.int32())
    return pa.table(
        {
            "kind": pa.array([kind for kind, _, _ in texts], pa.string()),
            "id": pa.array([ident for _, ident, _ in texts], pa.int64()),
            "model": pa.array([embedder.model] * len(keys), pa.string()),
            "dimensions": pa.array([dimensions] * len(keys), pa.int64()),
            "vector": pa.ListArray.from_arrays(offsets, pa.array(vectors.ravel())),
        },
        schema=EMBEDDINGS.arrow,
    )


def _require_same(first: int, other: int, embedder: Embedder) -> None:
    if first != other:
        raise ModelError(
            f"{embedder.model} once gave vectors of {first} dimensions and once of {other}; they cannot be compared.",
            "The endpoint changed its model under one name: name it otherwise, or empty the cache of vectors.",
        )
