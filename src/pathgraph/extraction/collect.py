"""From the replies on many chunks to the two raw tables resolution starts from.

Belongs here: columns of raw triples and mentions, spans moved from chunk to document. Does not: node ids.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field

import pyarrow as pa

from pathgraph.extraction.reply import CO_OCCURS, Parsed
from pathgraph.ids import content_id
from pathgraph.schema.tables import MENTIONS, NODES, TRIPLES

_PLACE = ("chunk_id", "document_id")
_SAID = (
    "subject",
    "relation",
    "object",
    "subject_type",
    "object_type",
    "description",
    "strength",
    "start",
    "end",
    "kind",
)
RAW_TRIPLES = pa.schema([TRIPLES.arrow.field(name) for name in ("triple_id", *_PLACE, *_SAID)])
RAW_MENTIONS = pa.schema(
    [
        *(MENTIONS.arrow.field(name) for name in ("mention_id", *_PLACE)),
        NODES.arrow.field("name"),
        MENTIONS.arrow.field("surface"),
        NODES.arrow.field("type"),
        *(MENTIONS.arrow.field(name) for name in ("start", "end")),
    ]
)
RAW_DESCRIPTIONS = pa.schema(
    [NODES.arrow.field("name"), NODES.arrow.field("description"), MENTIONS.arrow.field("document_id")]
)


@dataclass(frozen=True)
class ChunkPlace:
    """Where a chunk stands: what is needed to move a span of the chunk into its document."""

    chunk_id: int
    document_id: int
    start: int


@dataclass
class RawFacts:
    """Everything extracted, before resolution: three tables, filled chunk by chunk."""

    _triples: dict[str, list[object]] = field(default_factory=lambda: {name: [] for name in RAW_TRIPLES.names})
    _mentions: dict[str, list[object]] = field(default_factory=lambda: {name: [] for name in RAW_MENTIONS.names})
    _told: dict[str, list[object]] = field(default_factory=lambda: {name: [] for name in RAW_DESCRIPTIONS.names})

    def add(self, place: ChunkPlace, parsed: Parsed) -> int:
        """Add what one chunk's reply holds; return how many typed triples it gave."""
        for t in parsed.triples:
            ident = content_id("triple", place.chunk_id, t.subject, t.relation, t.object, t.start, t.end, t.kind)
            span = (place.start + t.start, place.start + t.end)
            names = (t.subject, t.relation, t.object, t.subject_type, t.object_type, t.description)
            _append(self._triples, (ident, place.chunk_id, place.document_id, *names, t.strength, *span, t.kind))
        for m in parsed.mentions:
            name = m.name or m.surface
            ident = content_id("mention", place.chunk_id, name, m.surface, m.start, m.end)
            row = (
                ident,
                place.chunk_id,
                place.document_id,
                name,
                m.surface,
                m.type,
                place.start + m.start,
                place.start + m.end,
            )
            _append(self._mentions, row)
        for name, description in parsed.descriptions:
            _append(self._told, (name, description, place.document_id))
        return sum(triple.kind != CO_OCCURS for triple in parsed.triples)

    def triples(self) -> pa.Table:
        """Return the raw triples, in the order added."""
        return pa.table(self._triples, schema=RAW_TRIPLES)

    def mentions(self) -> pa.Table:
        """Return the raw mentions, in the order added."""
        return pa.table(self._mentions, schema=RAW_MENTIONS)

    def descriptions(self) -> pa.Table:
        """Return what replies said about entities by name."""
        return pa.table(self._told, schema=RAW_DESCRIPTIONS)


def _append(columns: dict[str, list[object]], row: Iterable[object]) -> None:
    for column, value in zip(columns.values(), row, strict=True):
        column.append(value)
