"""Discovery end to end: from the graph of a sample to a proposal and its file.

Belongs here: the order of the steps. Does not: extraction, which is the index flow's.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from pathgraph.arrow import rows, values
from pathgraph.discovery.group import MAX_COMPARED, grouped
from pathgraph.discovery.observe import facts_of, relations_of
from pathgraph.discovery.propose import Proposal, proposed_relations, proposed_types
from pathgraph.discovery.render import render
from pathgraph.discovery.sample import Sample, stratified
from pathgraph.discovery.words import words
from pathgraph.errors import UsageError
from pathgraph.extraction.schema_file import read_schema
from pathgraph.pipeline.embedding import embeddings_table
from pathgraph.providers.protocol import Embedder
from pathgraph.store.cache import Cache
from pathgraph.store.files import write_atomically

TOP = 10


@dataclass(frozen=True)
class Found:
    """Tables `triples` and `nodes` of the sample, from free extraction."""

    triples: pa.Table
    nodes: pa.Table


def sampled(documents: pa.Table, sample: Sample) -> pa.Table:
    """Return the sample of a table `documents`: of what goes into the graph, one document of each folder in turn."""
    wanted = [i for i, route in enumerate(values(documents, "route")) if route == "graph"]
    table = documents.take(pa.array(wanted, pa.int64()))
    places = [f"{source}/{uri}" for source, uri in rows(table, "source", "uri")]
    return table.take(pa.array(stratified(places, sample), pa.int64()))


def propose(found: Found, documents: int, seed: int, embedder: Embedder, cache: Cache) -> Proposal:
    """Return the proposal.

    Args:
        found: what was extracted.
        documents: how many were read, for the file's head.
        seed: the sample's, for the same.
        embedder: makes vectors of the relations' names; the paid ones are cached.
        cache: where.
    """
    facts = facts_of(found.triples)
    relations = relations_of(facts, dict(rows(found.nodes, "node_id", "type")))
    names = [" ".join(words(one.name)) or one.name for one in relations[:MAX_COMPARED]]
    groups = grouped(relations, _vectors(names, embedder, cache))
    types = proposed_types(values(found.nodes, "types"))
    return Proposal(documents, len(facts), seed, TOP, types, proposed_relations(groups, types))


def _vectors(names: Sequence[str], embedder: Embedder, cache: Cache) -> NDArray[np.float32]:
    if not names:
        return np.empty((0, 0), np.float32)
    table = embeddings_table([("relation", at, name) for at, name in enumerate(names)], embedder, cache)
    by_id = dict(rows(table, "id", "vector"))
    return np.asarray([by_id[at] for at in range(len(names))], np.float32)


def require_free(out: Path, force: bool) -> None:
    """Raise UsageError when the file exists and may not be replaced, or its folder does not."""
    if out.exists() and not force:
        raise UsageError(f"{out} exists.", "Name another file with --out, or replace it with --force.")
    if not out.absolute().parent.is_dir():
        raise UsageError(f"There is no folder {out.parent}.", "Make it, or name another file with --out.")


def write_proposal(proposal: Proposal, out: Path, force: bool) -> None:
    """Write the file, atomically, once it is known to be a valid schema; raises UsageError, see `require_free`."""
    require_free(out, force)
    write_atomically(out, render(proposal).encode())
    read_schema(out)
