"""What a format reader takes and gives.

Belongs here: these values. Does not: any reading.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field

from pathgraph.loading.encoding import Decoded, decode
from pathgraph.settings import Loading


@dataclass(frozen=True)
class Raw:
    """A file's bytes with what a reader may need to know: the lower-case ending of its name and the settings."""

    data: bytes
    suffix: str
    settings: Loading


@dataclass(frozen=True)
class Part:
    """One document of a file, before it gets an identity.

    Attributes:
        text: as read, not sanitised yet.
        title: empty when the document has none of its own.
        modified: the date as written; empty when there is none.
        metadata: everything else.
        row: id of the row inside the file; None when the part is the whole file.
    """

    text: str
    title: str = ""
    modified: str = ""
    metadata: Mapping[str, str] = field(default_factory=dict)
    row: str | None = None


@dataclass(frozen=True)
class Problem:
    """A part that could not be read; the rest of the file goes on."""

    error: str
    message: str
    raw: str = ""


class CannotRead(Exception):
    """A whole file cannot be read; becomes one failure row.

    Args:
        error: stable kind, listed in docs/loading.md.
        message: what happened and what to do.
    """

    def __init__(self, error: str, message: str) -> None:
        super().__init__(message)
        self.error = error


Reader = Callable[[Raw], Iterator[Part | Problem]]


def text_of(raw: Raw, declared: str = "") -> Decoded:
    """Return the file's text; raises CannotRead when its bytes are no text."""
    decoded = decode(raw.data, declared)
    if decoded is None:
        raise CannotRead("undecodable", "The bytes are no text in a known encoding. Save the file as UTF-8.")
    return decoded


def decoding_notes(decoded: Decoded) -> dict[str, str]:
    """Return metadata about the decoding: nothing for sound UTF-8, else the encoding and what was lost."""
    notes = {} if decoded.encoding == "utf_8" else {"encoding": decoded.encoding}
    if decoded.replaced:
        notes |= {"encoding": decoded.encoding, "replaced_characters": str(decoded.replaced)}
    return notes
