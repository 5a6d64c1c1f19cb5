"""The document: one input item as the pipeline sees it.

Belongs here: the value, its identity and its hash. Does not: reading files (`pathgraph.loading.load`).
"""

import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from datetime import datetime

from pathgraph.ids import content_hash
from pathgraph.loading.sources import glob_pattern
from pathgraph.settings import RouteRule
from pathgraph.text import sanitise

_TITLE_LIMIT = 300


@dataclass(frozen=True)
class Document:
    """A row of the `documents` table; see `pathgraph.schema.tables.DOCUMENTS` for the columns."""

    document_id: int
    source: str
    uri: str
    title: str
    text: str
    content_hash: str
    language: str
    media_type: str
    route: str
    modified_at: datetime | None
    metadata: Mapping[str, str]

    def to_row(self) -> dict[str, object]:
        """Return the row; the map as pairs sorted by key, which is what Arrow takes."""
        return {**asdict(self), "metadata": sorted(self.metadata.items())}


def hash_document(title: str, text: str, route: str, metadata: Mapping[str, str]) -> str:
    """Return what `update` compares: a hash of title, text, route and metadata, and of nothing else."""
    pairs = [part for pair in sorted(metadata.items()) for part in pair]
    return content_hash(title, text, route, *pairs)


def clean_title(title: str) -> str:
    """Return a title as one sanitised line of at most 300 characters."""
    return re.sub(r"\s+", " ", sanitise(title)).strip()[:_TITLE_LIMIT]


def route_of(place: str, media_type: str, rules: tuple[RouteRule, ...]) -> str:
    """Return the route of the first rule whose glob matches `source/uri` or that names the media type, else graph."""
    for rule in rules:
        if rule.match == media_type or glob_pattern(rule.match).match(place):
            return rule.route
    return "graph"
