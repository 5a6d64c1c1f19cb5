"""Sources: where documents come from, as the user names it and as the store remembers it.

Belongs here: reading the arguments of `index` and the JSON form of a source. Does not: listing or reading files.
"""

import os
import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Literal

from pathgraph.errors import InputError
from pathgraph.loading.files import file_system, is_url, walk
from pathgraph.text import is_unicode

Kind = Literal["folder", "glob", "file", "uris"]
_KINDS: tuple[Kind, ...] = ("folder", "glob", "file", "uris")
_NAMED = re.compile(r"([^/\\=:*?\[\]#]+)=(.+)", re.DOTALL)
_MAGIC = re.compile(r"[*?\[]")


@dataclass(frozen=True)
class Source:
    """One argument of `index`.

    Attributes:
        name: first part of every document's identity; the root folder's name unless the user gave one.
        root: absolute path or URL that document URIs are relative to; empty for a list of URIs.
        pattern: empty for a folder; the glob, relative to the root; the file's name; the path of the list.
        kind: which of the four.
    """

    name: str
    root: str
    pattern: str
    kind: Kind

    def to_json(self) -> dict[str, str]:
        """Return the form that the snapshot's manifest keeps."""
        return asdict(self)

    @classmethod
    def from_json(cls, value: dict[str, str]) -> "Source":
        """Read the manifest's form back; raises InputError when it is none."""
        if set(value) != {"name", "root", "pattern", "kind"} or value["kind"] not in _KINDS:
            raise InputError(f"Not a source: {value}", "The snapshot's manifest is damaged; run `pathgraph doctor`.")
        kind = next(kind for kind in _KINDS if kind == value["kind"])
        return cls(value["name"], value["root"], value["pattern"], kind)


def parse_sources(arguments: Sequence[str], cwd: Path) -> tuple[Source, ...]:
    """Return the sources that the arguments name, in their order, without repeats.

    An argument is a folder, a file, a glob (`docs/**/*.md`, quoted), a list of URIs (`list.uris` or `uris:FILE`), or
    `name=` before one of these. An existing path wins over every other reading of the argument.

    Raises:
        InputError: nothing was given; a root is missing; a folder or glob has no file; two roots share a name;
            a name is no UTF-8.
        MissingExtra: a URL needs a driver that is not installed.
    """
    if not arguments:
        raise InputError("No documents were named.", "Name a folder, file, glob, or list of URIs.")
    sources = tuple(dict.fromkeys(_parse(argument, cwd) for argument in arguments))
    require_distinct_names(sources)
    for source in sources:
        if not is_unicode(f"{source.root}{source.pattern}"):  # the manifest could not name it
            raise InputError(
                f"The name of a source is no UTF-8: {source.root!r}.", "Rename it, or name a folder above."
            )
        require_files(source)
    return sources


def require_distinct_names(sources: Iterable[Source]) -> None:
    """Raise InputError when two roots share a name: their documents could not be told apart."""
    roots: dict[str, str] = {}
    for source in sources:
        root = source.root or source.pattern
        other = roots.setdefault(source.name, root)
        if other != root:
            raise InputError(
                f"Two sources are called {source.name}: {other} and {root}.",
                f"Give one another name: {source.name}2={root}",
            )


def require_files(source: Source) -> None:
    """Raise InputError when a source's root is missing or it has no file at all."""
    if source.kind == "file":
        place = f"{source.root.rstrip('/')}/{source.pattern}"
        if not _exists(place):
            raise InputError(f"There is no file {place}.", "Check the path.")
    elif source.kind == "uris":
        if not _exists(source.pattern):
            raise InputError(f"There is no list {source.pattern}.", "Check the path.")
    elif not _exists(source.root):
        raise InputError(f"There is no folder {source.root}.", "Check the path; is the drive mounted?")
    elif not any(matches(source, found.path) for found in walk(source.root)):
        what = f"No file matches {source.pattern} in" if source.pattern else "There is no file in"
        raise InputError(f"{what} {source.root}.", "Hidden files are ignored; check the path or the glob.")


def matches(source: Source, path: str) -> bool:
    """Tell whether a path relative to the source's root belongs to the source."""
    return not source.pattern or glob_pattern(source.pattern).match(unicodedata.normalize("NFC", path)) is not None


def glob_pattern(glob: str) -> re.Pattern[str]:
    """Return a glob as a regular expression; `**` spans folders, case matters, as everywhere in pathgraph."""
    from fsspec.utils import glob_translate

    return re.compile(glob_translate(unicodedata.normalize("NFC", glob)))


def _parse(argument: str, cwd: Path) -> Source:
    name = ""
    named = _NAMED.fullmatch(argument)
    if named and not (cwd / argument).exists():
        name, argument = named[1], named[2]
    place = argument.removeprefix("uris:")
    if place != argument or argument.endswith(".uris"):
        location = place if is_url(place) else _absolute(place, cwd)
        return Source(_clean(name or Path(location).stem), "", location, "uris")
    source = _remote(argument) if is_url(argument) else _local(argument, cwd)
    return Source(_clean(name or source.name), source.root, source.pattern, source.kind)


def _absolute(path: str, cwd: Path) -> str:
    return os.path.normpath(cwd.absolute() / Path(path).expanduser())


def _local(argument: str, cwd: Path) -> Source:
    path = Path(_absolute(argument, cwd))
    if _MAGIC.search(argument) and not path.exists():
        parts = path.parts
        fixed = next(i for i, part in enumerate(parts) if _MAGIC.search(part))
        root = Path(*parts[:fixed])
        return Source(root.name, str(root), "/".join(parts[fixed:]), "glob")
    if path.is_dir():
        return Source(path.name, str(path), "", "folder")
    if path.exists():
        return Source(path.parent.name, str(path.parent), path.name, "file")
    raise InputError(f"There is no file or folder {argument}.", "Check the path; quote a glob.")


def _remote(url: str) -> Source:
    url = url.rstrip("/")
    parts = url.split("/")
    fixed = next((i for i, part in enumerate(parts) if i > 2 and _MAGIC.search(part)), 0)
    protocol = url.partition("://")[0]
    if fixed and protocol not in {"http", "https"}:
        return Source(parts[fixed - 1], "/".join(parts[:fixed]), "/".join(parts[fixed:]), "glob")
    fs, path = file_system(url)
    if protocol not in {"http", "https"} and fs.isdir(path):
        return Source(parts[-1], url, "", "folder")
    return Source(parts[-2], "/".join(parts[:-1]), parts[-1], "file")


def _exists(location: str) -> bool:
    if not is_url(location):
        return Path(location).exists()
    fs, path = file_system(location)
    return bool(fs.exists(path))


def _clean(name: str) -> str:
    """Return a source name without what would make `source/uri` ambiguous."""
    return re.sub(r"[/\\\s]+", "_", unicodedata.normalize("NFC", name)).strip("_") or "root"
