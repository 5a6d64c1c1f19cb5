"""What is left to extract, in shards; and the facts, once all replies are in the cache.

Belongs here: the jobs table of a run and reading facts back. Does not: calls (`run`), parsing (`reply`).
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import pyarrow as pa

from pathgraph import progress
from pathgraph.arrow import rows, unique, values, where
from pathgraph.extraction.collect import ChunkPlace, RawFacts
from pathgraph.extraction.reply import parse_reply
from pathgraph.extraction.run import NAMESPACE, Job
from pathgraph.ids import content_hash
from pathgraph.providers.protocol import Extractor
from pathgraph.schema.tables import CHUNKS, DOCUMENTS, EXTRACTIONS
from pathgraph.store.cache import Cache

_LOOKUP = 1000
JOBS = pa.schema(
    [
        *(CHUNKS.arrow.field(name) for name in ("chunk_id", "document_id", "start", "text")),
        *(DOCUMENTS.arrow.field(name) for name in ("source", "uri", "language")),
        pa.field("key", pa.string()),
    ]
)


def jobs_table(chunks: pa.Table, documents: pa.Table, extractor: Extractor) -> pa.Table:
    """Return every extract chunk with the key of its request, in reading order: by document, then place."""
    wanted = where(chunks, "kind", "extract").select(["chunk_id", "document_id", "start", "text"])
    places = documents.select(["document_id", "source", "uri", "language"])
    joined = wanted.join(places, "document_id").sort_by([("document_id", "ascending"), ("start", "ascending")])
    keys = [extractor.request_key(text, language) for text, language in rows(joined, "text", "language")]
    return joined.append_column("key", pa.array(keys, pa.string())).select(JOBS.names).cast(JOBS)


def missing(jobs: pa.Table, cache: Cache) -> pa.Table:
    """Return the jobs whose reply is not in the cache; of equal requests the first, since one call serves all."""
    known: set[str] = set()
    for batch in _batches(jobs):
        known |= cache.get_many(NAMESPACE, values(batch, "key")).keys()
    wanted = []
    for key in values(jobs, "key"):
        wanted.append(key not in known)
        known.add(key)
    return jobs.filter(pa.array(wanted, pa.bool_()))


def shard(jobs: pa.Table, size: int) -> list[pa.Table]:
    """Cut the jobs into tables of at most `size` rows."""
    return [jobs.slice(at, size) for at in range(0, jobs.num_rows, size)]


def jobs_of(table: pa.Table) -> list[Job]:
    """Return a jobs table's rows as values."""
    return [
        Job(row["chunk_id"], row["document_id"], f"{row['source']}/{row['uri']}", row["language"], row["text"])
        for row in table.to_pylist()
    ]


@dataclass(frozen=True)
class Asked:
    """How the replies were asked for; columns of the table `extractions`."""

    extractor: Extractor
    gleanings: int
    schema_hash: str = ""


def collect(jobs: pa.Table, asked: Asked, cache: Cache) -> tuple[RawFacts, pa.Table]:
    """Read all replies back: the facts, and the table `extractions` with one row a chunk."""
    facts = RawFacts()
    table: list[dict[str, object]] = []
    for batch in _batches(jobs):
        progress.check_stop()
        replies = cache.get_many(NAMESPACE, values(batch, "key"))
        for job in batch.to_pylist():
            raw = replies.get(job["key"])
            kept = 0
            status, reply_hash = "failed", ""
            if raw is not None:
                text = raw.decode("utf-8", "surrogatepass")
                place = ChunkPlace(job["chunk_id"], job["document_id"], job["start"])
                kept = facts.add(place, parse_reply(text, job["text"]))
                status, reply_hash = "ok" if kept else "empty", content_hash(text)
            table.append(_extraction(job["chunk_id"], asked, status, reply_hash, kept))
    return facts, EXTRACTIONS.from_rows(table)


def _extraction(chunk_id: int, asked: Asked, status: str, reply_hash: str, kept: int) -> dict[str, object]:
    return {
        "chunk_id": chunk_id,
        "provider": asked.extractor.provider,
        "model": asked.extractor.model,
        "prompt_hash": asked.extractor.prompt_hash,
        "schema_hash": asked.schema_hash,
        "gleanings": asked.gleanings,
        "reply_hash": reply_hash,
        "status": status,
        "n_triples": kept,
    }


def _batches(jobs: pa.Table) -> Iterator[pa.Table]:
    for at in range(0, jobs.num_rows, _LOOKUP):
        yield jobs.slice(at, _LOOKUP)


def names_in(facts: RawFacts) -> Sequence[str]:
    """Return every name the facts hold, once each."""
    triples, mentions = facts.triples(), facts.mentions()
    named = [*unique(triples, "subject"), *unique(triples, "object"), *unique(mentions, "name")]
    return sorted({*named, *unique(facts.descriptions(), "name")})
