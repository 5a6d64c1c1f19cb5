"""The manifest: what one snapshot consists of, and what it was made from.

Belongs here: the records written to `manifest.json` and to staging marks. Does not: writing the files they describe.
"""

from datetime import datetime
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from pathgraph.errors import StoreBroken
from pathgraph.ids import content_hash


class Record(BaseModel):
    """Base: frozen; keys a later version added are kept out of the way, not an error."""

    model_config = ConfigDict(frozen=True, extra="ignore")


class PartInfo(Record):
    """One Parquet file of a table."""

    name: str
    rows: int
    bytes: int
    sha256: str


class TableInfo(Record):
    """One table of a snapshot; `hash` covers the schema version and every part's bytes."""

    version: int
    rows: int
    hash: str
    parts: tuple[PartInfo, ...]

    @classmethod
    def of(cls, version: int, parts: tuple[PartInfo, ...]) -> "TableInfo":
        """Return the record of these parts."""
        named = [text for part in parts for text in (part.name, part.sha256)]
        return cls(
            version=version, rows=sum(p.rows for p in parts), hash=content_hash("table", version, *named), parts=parts
        )


class RunInfo(Record):
    """What a flow tells about the snapshot it wants published.

    Times left out follow the tables: a snapshot that changes no triple keeps its parent's `triples_as_of`, one that
    keeps the parent's communities keeps their time too, and new communities are as of this snapshot's triples.
    """

    flow: str
    run_id: str = ""
    sources: tuple[dict[str, Any], ...] = ()
    settings: dict[str, Any] = Field(default_factory=dict)
    hashes: dict[str, str] = Field(default_factory=dict, description="Of settings, prompts and schema.")
    theta: float | None = Field(None, description="Effective theta of the paths table.")
    triples_as_of: datetime | None = None
    communities_as_of: datetime | None = None


class Manifest(RunInfo):
    """`manifest.json`: everything about a snapshot that is not a row."""

    id: str
    parent: str | None
    created_at: datetime
    libraries: dict[str, str]
    tables: dict[str, TableInfo]

    def content_hash(self, names: list[str]) -> str:
        """Return a hash of the named tables' contents; equal hashes mean equal rows."""
        return content_hash("snapshot", *[text for name in names for text in (name, self.tables[name].hash)])


def read_manifest(path: Path) -> Manifest:
    """Read a manifest.

    Raises:
        StoreBroken: the file is missing or is no manifest.
    """
    try:
        return Manifest.model_validate_json(path.read_bytes())
    except (OSError, ValidationError) as error:
        raise StoreBroken(
            f"Snapshot {path.parent.name} has no readable manifest: {error}",
            "Run `pathgraph doctor` to see which snapshots are whole.",
        ) from error
