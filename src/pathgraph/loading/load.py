"""Loading: items in, documents and failures out, one file at a time.

Belongs here: identity, limits and the order of results. Does not: formats, encodings, listing.
"""

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import PurePosixPath

from pathgraph.failure import Failure
from pathgraph.ids import content_hash, content_id
from pathgraph.loading.dates import parse_date
from pathgraph.loading.document import Document, clean_title, hash_document, route_of
from pathgraph.loading.formats import Format, format_of, read_parts
from pathgraph.loading.formats.parts import CannotRead, Part, Problem
from pathgraph.loading.scan import Item, scan, suffix
from pathgraph.loading.sources import Source, require_distinct_names
from pathgraph.settings import Loading
from pathgraph.text import sanitise

VERSION = 2  # raise it when the same bytes give other documents than before
_PROBLEM_LIMIT = 100  # failure rows of one file; what follows is counted in one more

Results = Sequence[Document | Failure]


def load(
    sources: Iterable[Source], settings: Loading, known: Mapping[str, Results] | None = None
) -> Iterator[Document | Failure]:
    """Yield every document of the sources and every failure, file by file, in the order of sources and URIs.

    Args:
        sources: as from `parse_sources`; a file that two of them share counts once.
        settings: limits, columns, routes.
        known: results of earlier loads by `item_key`; such items are not parsed again.

    Raises:
        InputError: a root is missing, a folder or glob is empty, or two roots share a name.
        MissingExtra: a URL needs a driver that is not installed.
    """
    for item in items(sources, settings):
        if isinstance(item, Failure):
            yield item
            continue
        found = known.get(item_key(item, settings)) if known else None
        yield from load_item(item, settings) if found is None else found


def items(sources: Iterable[Source], settings: Loading) -> Iterator[Item | Failure]:
    """Yield the items of all sources, each once; raises as `load` does."""
    sources = tuple(sources)
    require_distinct_names(sources)
    seen: set[tuple[str, str]] = set()
    for source in sources:
        for item in scan(source, settings):
            key = (item.source, item.uri) if isinstance(item, Item) else ("", item.uri)
            if key not in seen:
                seen.add(key)
                yield item


def item_key(item: Item, settings: Loading) -> str:
    """Return a hash of everything that `load_item` depends on; empty when the item cannot be read."""
    try:
        data = item.open(settings.max_bytes)
    except OSError:
        return ""
    mtime = repr(item.mtime) if settings.file_times else ""
    raw = hashlib.sha256(data).digest()
    return content_hash("load", VERSION, item.source, item.uri, mtime, settings.hash(), raw)


def load_item(item: Item, settings: Loading) -> list[Document | Failure]:
    """Return the documents of one file and what could not be read of it; never raises for what the file holds.

    Documents of rows get `#` and the row's id behind the file's URI. At most 101 failures come from one file.
    """
    try:
        data = _bytes(item, settings)
        ending = suffix(item.uri)
        form = format_of(ending, data)
    except CannotRead as error:
        return [item.failure(error.error, str(error))]
    results: list[Document | Failure] = []
    problems = 0
    for part in read_parts(form, data, ending, settings):
        result = _document(item, part, form, settings) if isinstance(part, Part) else _failure(item, part)
        problems += isinstance(result, Failure)
        if isinstance(result, Document) or problems <= _PROBLEM_LIMIT:
            results.append(result)
    if problems > _PROBLEM_LIMIT:
        more = problems - _PROBLEM_LIMIT
        results.append(item.failure("more", f"{more} more rows of this file failed in the same ways or others."))
    return results or [item.failure("empty", "The file holds no rows.")]


def _bytes(item: Item, settings: Loading) -> bytes:
    limit = settings.max_bytes
    too_large = CannotRead("too_large", f"It is larger than {limit} bytes. Raise the setting loading.max_bytes.")
    if item.size > limit:
        raise too_large
    try:
        data = item.open(limit)
    except FileNotFoundError as error:
        raise CannotRead("missing", f"It is gone: {error}. Was it moved during the run?") from error
    except OSError as error:
        raise CannotRead("unreadable", f"Cannot be read: {error}. Check its permissions.") from error
    if len(data) > limit:
        raise too_large
    if not data.strip():
        raise CannotRead("empty", "The file is empty. Delete it, or fill it.")
    return data


def _failure(item: Item, problem: Problem) -> Failure:
    return item.failure(problem.error, problem.message, problem.raw)


def _document(item: Item, part: Part, form: Format, settings: Loading) -> Document | Failure:
    from pathgraph.language import detect

    text = sanitise(part.text)
    uri = item.uri if part.row is None else f"{item.uri}#{sanitise(part.row)}"
    if not text.strip():
        return replace(item, uri=uri).failure("no_text", "It was read but holds no text.")
    metadata = {sanitise(key): sanitise(value) for key, value in part.metadata.items() if value}
    modified_at = parse_date(part.modified) if part.modified else None
    if part.modified and modified_at is None:
        metadata["date"] = sanitise(part.modified)
    if modified_at is None and settings.file_times and item.mtime is not None:
        modified_at = datetime.fromtimestamp(item.mtime, UTC)
    title = clean_title(part.title) or clean_title(_file_name(uri))
    route = route_of(f"{item.source}/{uri}", form.media_type, settings.routes)
    return Document(
        document_id=content_id("document", item.source, uri),
        source=item.source,
        uri=uri,
        title=title,
        text=text,
        content_hash=hash_document(title, text, route, metadata),
        language=detect(text),
        media_type=form.media_type,
        route=route,
        modified_at=modified_at,
        metadata=metadata,
    )


def _file_name(uri: str) -> str:
    path, _, row = uri.rpartition("#") if "#" in uri else (uri, "", "")
    stem = PurePosixPath(path).stem
    return f"{stem} {row}".strip() or uri
