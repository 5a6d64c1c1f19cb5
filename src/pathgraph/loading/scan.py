"""Listing the items of a source: one item a file or URI, in the order of their URIs.

Belongs here: which items there are and how one is opened. Does not: what is in them.
"""

import urllib.parse
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from pathgraph.errors import InputError
from pathgraph.failure import Failure
from pathgraph.ids import content_id
from pathgraph.loading import files
from pathgraph.loading.encoding import decode
from pathgraph.loading.sources import Source, matches, require_files
from pathgraph.settings import Loading
from pathgraph.text import sanitise

_LIST_LIMIT = 1 << 28


@dataclass(frozen=True)
class Item:
    """One file or URI that may hold documents.

    Attributes:
        source: name of its source.
        uri: relative to the source's root, `/` between parts, NFC.
        location: path or URL that opens it.
        size: bytes, -1 when unknown.
        mtime: seconds since 1970, None when unknown.
    """

    source: str
    uri: str
    location: str
    size: int = -1
    mtime: float | None = None

    def open(self, limit: int) -> bytes:
        """Return its bytes, at most `limit` + 1 of them; raises OSError when it cannot be read."""
        return files.read(self.location, limit)

    def failure(self, error: str, message: str, raw: str = "") -> Failure:
        """Return a failure row about this item."""
        document_id = content_id("document", self.source, self.uri)
        return Failure("load", f"{self.source}/{self.uri}", error, message, document_id=document_id, raw=raw)


def scan(source: Source, settings: Loading) -> Iterator[Item | Failure]:
    """Yield a source's items sorted by URI, and a failure for each place that cannot be read.

    A failure about a folder has a URI that ends in `/`: nothing is known about what is below it. Two names that are
    equal after Unicode normalisation are one URI: the second is a failure.

    Raises:
        InputError: the root is missing, or the folder or glob has no file at all.
        MissingExtra: a URL needs a driver that is not installed.
    """
    require_files(source)
    found = sorted(_found(source, settings), key=lambda one: (sanitise(one.path), one.path))
    previous = None
    for one in found:
        item = Item(source.name, sanitise(one.path), one.location, one.size, one.mtime)
        if one.error:
            yield item.failure("unreadable", f"Cannot be read: {one.error}. Check its permissions.")
        elif item.uri == previous:
            yield item.failure("same_name", "Two names differ only in Unicode form. Rename one of them.")
        else:
            yield item
        previous = item.uri


def _found(source: Source, settings: Loading) -> Iterator[files.Found]:
    if source.kind == "uris":
        yield from _listed(source.pattern)
    elif source.kind == "file":
        yield _single(f"{source.root.rstrip('/')}/{source.pattern}", source.pattern)
    else:
        for one in files.walk(source.root, settings.follow_links):
            if one.path.endswith("/") or not one.path or matches(source, one.path):
                yield one


def _single(location: str, path: str) -> files.Found:
    if files.is_url(location):
        return files.Found(path, location)
    try:
        status = Path(location).stat()
    except OSError as error:
        return files.Found(path, location, error=str(error))
    return files.Found(path, location, status.st_size, status.st_mtime)


def _listed(location: str) -> Iterator[files.Found]:
    """Read a list of URIs: one a line, `#` starts a comment line, local paths are relative to the list's folder."""
    try:
        decoded = decode(files.read(location, _LIST_LIMIT))
    except OSError as error:
        raise InputError(f"Cannot read the list {location}: {error}", "Check the path and its permissions.") from error
    if decoded is None:
        raise InputError(f"The list {location} is no text.", "Write one URI a line.")
    lines = dict.fromkeys(line.strip() for line in decoded.text.splitlines())
    for line in lines:
        if line and not line.startswith("#"):
            yield _single(_resolve(line, location), line)


def _resolve(line: str, location: str) -> str:
    if line.startswith("file://"):
        return urllib.parse.unquote(urllib.parse.urlsplit(line).path)
    if files.is_url(line):
        return line
    if files.is_url(location):
        return f"{location.rsplit('/', 1)[0]}/{line}"
    return str(Path(location).parent / Path(line).expanduser())


def suffix(uri: str) -> str:
    """Return the lower-case ending of a URI's last part without query, as in `.pdf`; empty when there is none."""
    path = urllib.parse.urlsplit(uri).path if files.is_url(uri) else uri
    return PurePosixPath(path).suffix.lower()
