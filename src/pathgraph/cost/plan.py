"""The estimate of a run, put together: counts, experience, prices.

Belongs here: the one function that the command and the run share. Does not: the parts.
"""

from collections.abc import Mapping
from dataclasses import replace

from pathgraph.cost import counts
from pathgraph.cost.counts import Planned
from pathgraph.cost.estimate import Estimate, Pace, Work, line
from pathgraph.cost.prices import endpoint_of, load_prices, tariffs
from pathgraph.cost.rates import Rate, learned_rates
from pathgraph.providers import factory, pool
from pathgraph.settings import Settings
from pathgraph.store.cache import Cache
from pathgraph.store.layout import Store

_OPTIONAL = {"gleanings", "condensation"}


def estimate_run(planned: Planned, settings: Settings, store: Store, cache: Cache) -> Estimate:
    """Return what a run will probably take from here on. Nothing is called or written.

    Raises:
        SettingsError: the price list is wrong.
    """
    prices = load_prices(settings.prices)
    paid_to = tariffs(settings, prices)
    measured = counts.measured_replies(planned, settings, cache)
    known, basis = _rates(measured, settings, store)
    sizes = counts.sizes_of(planned, settings, measured)
    embedding, vector_only = counts.embedding_work(planned, sizes, settings, cache)
    works = [
        *counts.extraction_work(planned, settings),
        counts.condensation_work(sizes, planned, settings),
        counts.summary_work(sizes, settings),
        embedding,
    ]
    works = [work for work in works if work.stage not in _OPTIONAL or work.calls + work.cached]
    paces = {work.stage: _pace(work, settings, known[work.stage]) for work in works}
    lines = tuple(line(_corrected(work, known[work.stage]), paces[work.stage], paid_to[work.stage]) for work in works)
    base = {
        f"{work.stage}.{name}": float(value)
        for work in works
        for name, value in (
            ("base_calls", work.calls),
            ("base_in", work.tokens_in),
            ("base_out", work.tokens_out),
            ("concurrency", paces[work.stage].concurrency),
        )
    }
    return Estimate(
        lines=lines,
        vector_only=line(vector_only, paces["embeddings"], paid_to["embeddings"]),
        currency=prices.currency,
        counts={
            "extract_chunks": planned.jobs.num_rows,
            "search_chunks": planned.chunks.num_rows - planned.jobs.num_rows,
            "nodes": sizes.nodes,
            "reports": sizes.reports,
        },
        basis={work.stage: basis[work.stage] for work in works},
        base=base,
    )


def _rates(measured: counts.Measured, settings: Settings, store: Store) -> tuple[Mapping[str, Rate], Mapping[str, str]]:
    """Return each stage's rate and what it rests on; cached replies tell where no run does."""
    known = learned_rates(store, settings)
    basis = {stage: rate.basis for stage, rate in known.items()}
    rate = known["extraction"]
    if endpoint_of(settings, "extraction") is not None and measured.replies and not rate.learned_from:
        known["extraction"] = replace(rate, tokens_out=measured.length)
        basis["extraction"] = f"length of {measured.replies} cached replies, else defaults"
    return known, basis


def _corrected(work: Work, rate: Rate) -> Work:
    return replace(
        work,
        calls=round(work.calls * rate.calls),
        tokens_in=round(work.tokens_in * rate.calls * rate.tokens_in),
        tokens_out=round(work.tokens_out * rate.calls * rate.tokens_out),
    )


def _pace(work: Work, settings: Settings, rate: Rate) -> Pace:
    endpoint = endpoint_of(settings, work.stage)
    if endpoint is not None:
        limits = endpoint.requests_per_minute, endpoint.tokens_per_minute
        return Pace(endpoint.concurrency, rate.seconds, *limits)
    workers = pool.worker_count(settings, work.calls) if work.stage == "extraction" else 0
    parallel = factory.embedder(settings).parallel if work.stage == "embeddings" else 1
    return Pace(max(1, workers, parallel), rate.seconds)
