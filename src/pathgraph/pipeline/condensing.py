"""Descriptions of a run condensed by a model: every request made once, its answer kept in the cache before it is used.

Belongs here: the cached loop over the levels of all trees. Does not: trees (`pathgraph.graph.condense`), prompts.
"""

from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

import pyarrow as pa

from pathgraph import progress
from pathgraph.arrow import rows
from pathgraph.errors import ModelError, ModelRejected
from pathgraph.failure import Failure
from pathgraph.graph.condense import Bucket, Sizes, Tree, clip, request, tree
from pathgraph.providers.protocol import Condenser, CondenseRequest
from pathgraph.store.cache import Cache

STAGE = "condensation"
NAMESPACE = "condense"
Owner = tuple[str, int]


@dataclass
class _Growing:
    """A thing's tree and the texts of the level reached; the first failure ends it."""

    tree: Tree
    texts: Sequence[str]
    failure: ModelError | None = None
    asked: dict[Bucket, str] = field(default_factory=dict)


def trees_of(said: pa.Table, sizes: Sizes) -> dict[Owner, Tree]:
    """Return the tree of each thing in a table of `graph.condense.SAID`."""
    texts: dict[Owner, list[str]] = {}
    for kind, ident, text in rows(said, "kind", "id", "description"):
        texts.setdefault((kind, ident), []).append(text)
    return {owner: tree(texts[owner], sizes) for owner in sorted(texts)}


def condense(
    trees: Mapping[Owner, Tree], condenser: Condenser, sizes: Sizes, cache: Cache
) -> tuple[dict[Owner, str], list[Failure]]:
    """Return the description of each thing, level by level over all trees; and a failure for each that has none.

    An answer is durable in the cache before anything is made of it; equal requests are made once.

    Raises:
        ModelRejected: the endpoint refuses for good; answers that had come are kept.
        Stopped: somebody asked to stop; the same.
    """
    growing = {owner: _Growing(tree, tree.texts) for owner, tree in trees.items()}
    with ThreadPoolExecutor(condenser.parallel, thread_name_prefix="condense") as threads:
        for level in range(max((len(tree.levels) for tree in trees.values()), default=0)):
            here = [one for one in growing.values() if one.failure is None and level < len(one.tree.levels)]
            wanted: dict[str, CondenseRequest] = {}
            for one in here:
                one.asked = _asked(one, level, sizes, condenser, wanted)
            answers = _answers(wanted, condenser, cache, threads)
            for one in here:
                _grow(one, level, answers, sizes)
    done = {owner: one.texts[0] for owner, one in growing.items() if one.failure is None and one.texts}
    failures = [_failure(owner, one.failure) for owner, one in growing.items() if one.failure is not None]
    return done, failures


def described(table: pa.Table, kind: str, texts: Mapping[Owner, str]) -> pa.Table:
    """Return the table of nodes or edges with these descriptions in place of those it has."""
    known = rows(table, f"{kind}_id", "description")
    new = [texts.get((kind, ident), text) for ident, text in known]
    at = table.schema.get_field_index("description")
    return table.set_column(at, table.schema.field(at), pa.array(new, table.schema.field(at).type))


def _asked(
    one: _Growing, level: int, sizes: Sizes, condenser: Condenser, wanted: dict[str, CondenseRequest]
) -> dict[Bucket, str]:
    """Add to `wanted` what a tree asks on a level; return the key of each bucket that asks."""
    keys = {}
    for bucket in one.tree.levels[level]:
        asks = request(bucket, one.texts, sizes)
        if len(asks.texts) > 1:
            keys[bucket] = condenser.request_key(asks)
            wanted[keys[bucket]] = asks
    return keys


def _grow(one: _Growing, level: int, answers: Mapping[str, str | ModelError], sizes: Sizes) -> None:
    """Replace a tree's texts by those of the level, or note the first failure."""
    texts: list[str] = []
    for bucket in one.tree.levels[level]:
        answer = answers[one.asked[bucket]] if bucket in one.asked else one.texts[bucket.start]
        if isinstance(answer, ModelError):
            one.failure = answer
            return
        texts.append(clip(answer, sizes.text))
    one.texts = texts


def _answers(
    wanted: Mapping[str, CondenseRequest], condenser: Condenser, cache: Cache, threads: ThreadPoolExecutor
) -> dict[str, str | ModelError]:
    """Return the answer to each request, from the cache where it is known."""
    known = {key: text.decode() for key, text in cache.get_many(NAMESPACE, list(wanted)).items()}
    progress.reporter().advance(STAGE, len(known))

    def answer(key: str) -> str | ModelError:
        progress.check_stop()
        try:
            text = condenser.condense(wanted[key])
        except ModelRejected:
            raise
        except ModelError as error:
            progress.reporter().advance(STAGE, 1, 1)
            return error
        cache.put_many(NAMESPACE, {key: text.encode()})
        progress.reporter().advance(STAGE)
        return text

    todo = [key for key in wanted if key not in known]
    return {**known, **dict(zip(todo, threads.map(answer, todo), strict=True))}  # the first error drops what waits


def _failure(owner: Owner, error: ModelError) -> Failure:
    where = f"{owner[0]}/{owner[1]}"
    return Failure("condense", where, type(error).__name__, str(error), attempts=error.attempts, raw=error.raw)
