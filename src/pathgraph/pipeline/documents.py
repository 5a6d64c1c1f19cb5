"""Documents of a run: read from the sources, taken from the cache where reading is slow, kept where it fails now.

Belongs here: turning a plan's items into the table `documents`. Does not: formats and encodings (`pathgraph.loading`).
"""

import json
import time
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from datetime import datetime
from pathlib import Path

import pyarrow as pa

from pathgraph import progress
from pathgraph.arrow import rows, values
from pathgraph.errors import InputError
from pathgraph.failure import Failure
from pathgraph.loading.document import Document
from pathgraph.loading.files import is_url
from pathgraph.loading.load import load_item
from pathgraph.loading.scan import Item
from pathgraph.schema.tables import DOCUMENTS
from pathgraph.settings import Loading
from pathgraph.store.cache import Cache

TABLE = STAGE = "documents"
NAMESPACE = "load"
_SLOW_SECONDS = 0.05  # what is read faster than this is not worth a second copy in the cache


def read_documents(
    items: Iterable[tuple[Item, str]], settings: Loading, cache: Cache
) -> tuple[list[Document], list[Failure]]:
    """Read every item; a failed one gives a failure, never an exception.

    Args:
        items: each with its key, under which slow readings are cached.
        settings: how to read.
        cache: the store's cache.
    """
    documents: list[Document] = []
    failures: list[Failure] = []
    for item, key in items:
        progress.check_stop()
        results = _cached(item, key, settings, cache)
        bad = [result for result in results if isinstance(result, Failure)]
        failures += bad
        documents += [result for result in results if isinstance(result, Document)]
        progress.reporter().advance(STAGE, 1, min(1, len(bad)))
    return documents, failures


def _cached(item: Item, key: str, settings: Loading, cache: Cache) -> Sequence[Document | Failure]:
    known = cache.get_many(NAMESPACE, [key]) if key else {}
    if key in known:
        return [_decode(record) for record in json.loads(known[key])]
    began = time.monotonic()
    results = load_item(item, settings)
    if _has_changed(item):  # the key is of the bytes as they were
        return [*results, item.failure("changed", "It changed during the run. The next run reads it again.")]
    slow = time.monotonic() - began > _SLOW_SECONDS
    if slow and not any(isinstance(result, Failure) for result in results):
        records = [
            {**asdict(result), "metadata": dict(result.metadata)} for result in results if isinstance(result, Document)
        ]
        cache.put_many(NAMESPACE, {key: json.dumps(records, default=datetime.isoformat).encode()})
    return results


def _has_changed(item: Item) -> bool:
    """Tell whether a local file is another than when the items were listed."""
    if item.mtime is None or is_url(item.location):
        return False
    try:
        status = Path(item.location).stat()
    except OSError:
        return False  # reading it has failed too, and said so
    return (status.st_size, status.st_mtime) != (item.size, item.mtime)


def _decode(record: dict[str, object]) -> Document:
    when = record["modified_at"]
    modified = datetime.fromisoformat(when) if isinstance(when, str) else None
    return Document(**{**record, "modified_at": modified})  # type: ignore[arg-type]


def documents_table(documents: Sequence[Document], failures: Sequence[Failure], parent: pa.Table | None) -> pa.Table:
    """Return the table: what was read, and the last version of known documents that could not be read now.

    Args:
        documents: what was read.
        failures: what could not be; a failed table file stands for all its rows.
        parent: table `documents` of the current snapshot, None before the first.
    """
    table = DOCUMENTS.from_rows([document.to_row() for document in documents])
    if parent is None or not failures:
        return table
    failed = tuple({failure.uri for failure in failures if failure.stage == "load"})
    read = set(values(table, "document_id"))
    kept = [
        document_id not in read and _is_below(f"{source}/{uri}", failed)
        for source, uri, document_id in rows(parent, "source", "uri", "document_id")
    ]
    return DOCUMENTS.sort(pa.concat_tables([table, parent.filter(pa.array(kept, pa.bool_()))]))


def require_some(table: pa.Table, failures: Sequence[Failure]) -> None:
    """Raise InputError when nothing at all could be read: an empty graph would hide that."""
    if not table.num_rows and failures:
        first = f"{failures[0].uri}: {failures[0].message}"
        raise InputError(
            f"None of the documents could be read ({len(failures)} failures); the first is {first}",
            "Nothing was published. docs/loading.md lists what is read and what each failure means.",
        )


def changes(parent: pa.Table | None, table: pa.Table) -> str:
    """Say in words how many documents are new, changed and gone against the parent's table; empty without any."""
    if parent is None:
        return ""
    before, now = (dict(rows(one, "document_id", "content_hash")) for one in (parent, table))
    counts = {
        "new": len(now.keys() - before.keys()),
        "changed": sum(before[key] != now[key] for key in before.keys() & now.keys()),
        "gone": len(before.keys() - now.keys()),
    }
    said = [f"{count} {what}" for what, count in counts.items() if count]
    return f"documents: {', '.join(said)}" if said else ""


def _is_below(place: str, failed: tuple[str, ...]) -> bool:
    """Tell whether a document's place is a failed one, a row of a failed file, or in a failed folder."""
    return any(place == uri or place.startswith((f"{uri}#", uri if uri.endswith("/") else f"{uri}#")) for uri in failed)
