"""Chunks of a run: which documents are cut into which kinds.

Belongs here: routes and the loop. Does not: where a text is cut (`pathgraph.chunking`).
"""

import pyarrow as pa

from pathgraph import progress
from pathgraph.chunking.chunk import chunk_document
from pathgraph.chunking.chunk import rows as chunk_rows
from pathgraph.schema.tables import CHUNKS
from pathgraph.settings import Chunking

STAGE = "chunks"


def chunks_table(documents: pa.Table, settings: Chunking) -> pa.Table:
    """Return the table `chunks`: both kinds for route graph, search chunks for vector, none for skip.

    Args:
        documents: at least document_id, text and route.
        settings: sizes.
    """
    rows: list[dict[str, object]] = []
    columns = (documents[name].to_pylist() for name in ("document_id", "text", "route"))
    for document_id, text, route in zip(*columns, strict=True):
        progress.check_stop()
        chunks = chunk_document(document_id, text, settings) if route != "skip" else []
        rows += chunk_rows([chunk for chunk in chunks if route == "graph" or chunk.kind == "search"])
        progress.reporter().advance(STAGE)
    return CHUNKS.from_rows(rows)
