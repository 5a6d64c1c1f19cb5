"""Chunks of a document, of both kinds, with their ids.

Belongs here: the value that is a row of `chunks`. Does not: where cuts fall (`packer`).
"""

from collections import Counter
from dataclasses import asdict, dataclass

from pathgraph.chunking.packer import chunk_spans
from pathgraph.ids import content_id
from pathgraph.settings import Chunking
from pathgraph.tokens import counter


@dataclass(frozen=True)
class Chunk:
    """A row of the `chunks` table; see `pathgraph.schema.tables.CHUNKS` for the columns."""

    chunk_id: int
    document_id: int
    kind: str
    ordinal: int
    start: int
    end: int
    text: str
    tokens: int


def chunk_document(document_id: int, text: str, settings: Chunking) -> list[Chunk]:
    """Return the chunks of one document: those of kind `extract` in order, then those of kind `search`.

    A chunk's id is a hash of document, kind, text and how many earlier chunks of the document and kind have the same
    text: it survives edits elsewhere in the document.

    Args:
        document_id: the document.
        text: its text, sanitised; `start` and `end` count its code points.
        settings: sizes, overlaps and tokenizer.

    Raises:
        MissingExtra: the tokenizer is not installed.
    """
    extract = (settings.extract_tokens, settings.extract_overlap)
    search = (settings.search_tokens, settings.search_overlap)
    return _chunks(document_id, text, "extract", extract, settings.tokenizer) + _chunks(
        document_id, text, "search", search, settings.tokenizer
    )


def rows(chunks: list[Chunk]) -> list[dict[str, object]]:
    """Return the chunks as rows of the `chunks` table."""
    return [asdict(chunk) for chunk in chunks]


def _chunks(document_id: int, text: str, kind: str, sizes: tuple[int, int], tokenizer: str) -> list[Chunk]:
    limit, overlap = sizes
    seen: Counter[str] = Counter()
    chunks = []
    for ordinal, span in enumerate(chunk_spans(text, limit, overlap, counter(tokenizer))):
        part = text[span.start : span.end]
        chunk_id = content_id("chunk", document_id, kind, part, seen[part])
        seen[part] += 1
        chunks.append(Chunk(chunk_id, document_id, kind, ordinal, span.start, span.end, part, span.tokens))
    return chunks
