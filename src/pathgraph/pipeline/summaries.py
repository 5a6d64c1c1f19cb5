"""Summaries of a run: every report written once, kept in the cache before it is used.

Belongs here: the cached loop. Does not: what a report is written from (`pathgraph.summaries`).
"""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict
from functools import partial

import pyarrow as pa

from pathgraph import progress
from pathgraph.failure import Failure
from pathgraph.providers.protocol import Finding, Report, Summariser
from pathgraph.schema.tables import SUMMARIES
from pathgraph.settings import Summaries
from pathgraph.store.cache import Cache
from pathgraph.summaries.plan import Planned, SummaryInputs, plan
from pathgraph.summaries.write import Written, write_summaries

STAGE = "summaries"
NAMESPACE = "report"
Before = Callable[[Callable[[], Iterable[Callable[[], object]]]], None]


class CachedReports(Mapping[str, Report]):
    """The reports of the cache by input hash, read when they are asked for."""

    def __init__(self, cache: Cache) -> None:
        self._cache = cache

    def __getitem__(self, key: str) -> Report:
        record = json.loads(self._cache.get_many(NAMESPACE, [key])[key])
        findings = tuple(Finding(item["text"], tuple(item["triple_ids"])) for item in record["findings"])
        return Report(record["title"], record["summary"], findings)

    def __iter__(self) -> Iterator[str]:
        """Nothing is listed: the cache is asked key by key."""
        return iter(())

    def __len__(self) -> int:
        return 0

    def kept(self, written: Written) -> Written:
        """Make a new report durable, at once and in whichever thread wrote it; return it."""
        if not written.cached and written.row["provider"] != "rule":
            record = json.dumps(asdict(written.report), ensure_ascii=False).encode()
            self._cache.put_many(NAMESPACE, {str(written.row["input_hash"]): record})
        return written


def summaries_table(
    inputs: SummaryInputs, summariser: Summariser, settings: Summaries, cache: Cache, before: Before | None = None
) -> tuple[pa.Table, list[Failure]]:
    """Return the table `summaries`, and a failure for each report that had to be made by rule instead.

    Args:
        inputs: the tables it is made from.
        summariser: who writes.
        settings: sizes and numbers.
        cache: where reports are kept.
        before: sees all reports of a level, as conversations, before they are written.
    """
    batches = plan(inputs, settings)
    progress.reporter().begin(STAGE, sum(len(batch) for batch in batches))
    known = CachedReports(cache)
    rows: list[dict[str, object]] = []
    failures: list[Failure] = []
    with ThreadPoolExecutor(summariser.parallel, thread_name_prefix="reports") as threads:

        def mapper(write: Callable[[Planned], Written], batch: Sequence[Planned]) -> Iterable[Written]:
            if before is not None:
                before(lambda: [partial(write, planned) for planned in batch])
            return threads.map(lambda planned: known.kept(write(planned)), batch)

        for written in write_summaries(batches, summariser, settings, known, mapper):
            progress.check_stop()
            rows.append(written.row)
            failures += [written.failure] if written.failure else []
            progress.reporter().advance(STAGE, 1, int(written.failure is not None))
    return SUMMARIES.from_rows(rows), failures
