"""Tasks from sources to documents and chunks."""

import pyarrow as pa

from pathgraph.arrow import values
from pathgraph.pipeline import documents
from pathgraph.pipeline.chunks import chunks_table
from pathgraph.pipeline.plan import require_few_deletions
from pathgraph.pipeline.run import Run
from pathgraph.tasks.begin import items_of
from pathgraph.tasks.stage import stage


@stage
def read_documents(run: Run, allow_deletes: bool) -> int:
    """Read every item into the table `documents`; return how many documents there are."""
    parent = run.store.snapshot(run.parent).table(documents.TABLE) if run.parent else None
    if run.staging.has(documents.TABLE):  # by an attempt that may have known another parent
        table = run.staging.read(documents.TABLE, ["document_id"])
        _guard(parent, table, allow_deletes)
        return table.num_rows
    items = items_of(run)
    with run.stage(documents.STAGE, len(items)):
        read, failures = documents.read_documents(items, run.settings.loading, run.cache)
        table = documents.documents_table(read, [*failures, *run.failures()], parent)
        _guard(parent, table, allow_deletes)
        documents.require_some(table, failures)
        run.keep("changes", documents.changes(parent, table))
        run.keep_failures(documents.STAGE, failures)
        run.staging.write(documents.TABLE, table)
    return table.num_rows


def _guard(parent: pa.Table | None, table: pa.Table, allow_deletes: bool) -> None:
    if parent is not None:
        known, now = (set(values(rows, "document_id")) for rows in (parent, table))
        require_few_deletions(known, now, allow_deletes)


@stage
def chunk_documents(run: Run) -> int:
    """Cut the documents into extract and search chunks; return how many chunks there are."""
    if run.staging.has("chunks"):
        return run.staging.read("chunks", ["chunk_id"]).num_rows
    texts: pa.Table = run.staging.read(documents.TABLE, ["document_id", "text", "route"])
    with run.stage("chunks", texts.num_rows):
        table = chunks_table(texts, run.settings.chunking)
        run.staging.write("chunks", table)
    return table.num_rows
