"""Walking and opening files, local or remote.

Belongs here: finding the files below a root, reading their bytes, naming the extra a protocol needs. Does not: what
a source is (`pathgraph.loading.sources`), ids and order (`pathgraph.loading.scan`), formats.
"""

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pathgraph.errors import InputError, MissingExtra

_EXTRAS = {"s3": "s3", "s3a": "s3", "http": "http", "https": "http"}
# What an office program or a desktop leaves beside documents; names that start with a dot are ignored too.
_LITTER = ("~$", "Thumbs.db", "desktop.ini")


@dataclass(frozen=True)
class Found:
    """A file below a root, or a place that could not be read (`error` says why).

    Attributes:
        path: relative to the root, parts joined by `/`, as the file system spells it.
        location: absolute path or URL that opens it.
        size: bytes, or -1 where the place does not tell.
        mtime: seconds since 1970, or None.
        error: empty, or what went wrong.
    """

    path: str
    location: str
    size: int = -1
    mtime: float | None = None
    error: str = ""


def is_url(location: str) -> bool:
    """Tell URLs (`s3://bucket/key`) from local paths."""
    return "://" in location


def file_system(url: str) -> tuple[Any, str]:
    """Return the fsspec file system of a URL and the path inside it.

    Raises:
        MissingExtra: the driver of the protocol is an extra that is not installed.
        InputError: the protocol is unknown or its driver is missing.
    """
    import fsspec

    protocol = url.partition("://")[0]
    try:
        fs, path = fsspec.core.url_to_fs(url)
    except ImportError as error:
        if protocol in _EXTRAS:
            raise MissingExtra(f"Reading {protocol}:// addresses", _EXTRAS[protocol]) from error
        raise InputError(f"Cannot read {url}: {error}", f"Install the fsspec driver for {protocol}.") from error
    except ValueError as error:
        raise InputError(f"Cannot read {url}: {error}", "Use a path, or a URL whose protocol fsspec knows.") from error
    return fs, str(path)


def read(location: str, limit: int) -> bytes:
    """Return at most `limit` + 1 bytes, so that the caller can tell a file that is too large; raises OSError."""
    if not is_url(location):
        with Path(location).open("rb") as stream:
            return stream.read(limit + 1)
    fs, path = file_system(location)
    with fs.open(path, "rb") as remote:
        return bytes(remote.read(limit + 1))


def walk(root: str, follow_links: bool = True) -> Iterator[Found]:
    """Yield every file below a local folder or remote prefix, and every place that could not be read.

    Hidden names and office lock files are ignored, and so is a folder that is a pathgraph store. A symbolic link is
    followed after all real folders were seen, and only to what was not reached yet: loops end, and a file reached
    twice is yielded once, by its path without links where it has one.
    """
    if is_url(root):
        yield from _walk_remote(root)
        return
    seen: set[str] = {os.path.realpath(root)}
    links: list[tuple[str, str]] = []
    yield from _walk_local("", root, seen, links)
    while links and follow_links:
        links.sort(reverse=True)
        path, link = links.pop()
        yield from _follow(path, link, seen, links)


def _walk_local(path: str, folder: str, seen: set[str], links: list[tuple[str, str]]) -> Iterator[Found]:
    """Walk real folders; links found on the way are put on `links`, real paths reached are put into `seen`."""
    pending = [(path, folder)]
    while pending:
        path, folder = pending.pop()
        try:
            with os.scandir(folder) as entries:
                children = sorted((e for e in entries if not hidden(e.name)), key=lambda e: e.name, reverse=True)
        except OSError as error:
            yield Found(f"{path}/" if path else "", folder, error=str(error))
            continue
        real = os.path.realpath(folder)
        if {"CURRENT", "snapshots"} <= {child.name for child in children}:
            continue  # a store: its tables are no documents
        for child in children:
            below = f"{path}/{child.name}" if path else child.name
            if child.is_symlink():
                links.append((below, child.path))
                continue
            target = os.path.join(real, child.name)  # noqa: PTH118
            if target in seen:
                continue
            seen.add(target)
            if child.is_dir():
                pending.append((below, child.path))
            else:
                yield _local_file(below, child.path)


def _follow(path: str, link: str, seen: set[str], links: list[tuple[str, str]]) -> Iterator[Found]:
    target = os.path.realpath(link)
    if target in seen:
        return
    seen.add(target)
    if Path(target).is_dir():
        yield from _walk_local(path, link, seen, links)
    else:
        yield _local_file(path, link)


def _local_file(path: str, location: str) -> Found:
    try:
        status = Path(location).stat()
    except OSError as error:
        return Found(path, location, error=str(error))
    if not Path(location).is_file():
        return Found(path, location, error="It is no regular file (a pipe, socket or device).")
    return Found(path, location, status.st_size, status.st_mtime)


def _walk_remote(root: str) -> Iterator[Found]:
    fs, prefix = file_system(root)
    base = prefix.rstrip("/") + "/"
    for path, info in sorted(fs.find(prefix, detail=True).items()):
        below = path.removeprefix(base)
        if not any(hidden(part) for part in below.split("/")):
            yield Found(below, fs.unstrip_protocol(path), int(info.get("size") or -1), _remote_time(info))


def _remote_time(info: dict[str, Any]) -> float | None:
    value = info.get("LastModified", info.get("mtime", info.get("created")))
    stamp = getattr(value, "timestamp", None)
    if stamp is not None:
        return float(stamp())
    return float(value) if isinstance(value, int | float) else None


def hidden(name: str) -> bool:
    """Tell whether a file or folder of this name is ignored."""
    return name.startswith((".", _LITTER[0])) or name in _LITTER
