"""One thing that could not be done: a value that travels beside the results and becomes a row of `failures`.

Belongs here: the value. Does not: errors that stop a run (`pathgraph.errors`).
"""

from dataclasses import asdict, dataclass

from pathgraph.text import sanitise

RAW_LIMIT = 20_000


@dataclass(frozen=True)
class Failure:
    """A row of the `failures` table; see `pathgraph.schema.tables.FAILURES` for the columns."""

    stage: str
    uri: str
    error: str
    message: str
    document_id: int | None = None
    chunk_id: int | None = None
    attempts: int = 1
    raw: str = ""

    def row(self) -> dict[str, object]:
        """Return the row, its free texts sanitised and the raw text cut."""
        row = asdict(self)
        row["message"] = sanitise(self.message)
        row["raw"] = sanitise(self.raw[:RAW_LIMIT])
        return row
