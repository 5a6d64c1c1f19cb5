"""What is not known before a run: how long replies are, how long calls take. By experience, else by defaults.

Belongs here: the defaults and what they rest on, corrections learned from the store's own runs. Does not: counting.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from pydantic import ValidationError

from pathgraph.cost.prices import PAID_STAGES, endpoint_of
from pathgraph.errors import StoreError
from pathgraph.settings import Settings
from pathgraph.store import runs
from pathgraph.store.layout import Store

# Tokens of a reply to a chunk of n tokens: 300 + 0.4 n; replies of gpt-4o to 42 chunks of a novel have 0.63 n.
REPLY_TOKENS, REPLY_SHARE = 300, 0.4
GLEANED_SHARE = 0.5  # of the first reply's tokens, which another round adds
REPORT_TOKENS_IN, REPORT_TOKENS_OUT = 500, 200  # material and text of one community's report
NODES_A_CHUNK, COMMUNITIES_A_NODE, REPORTS_A_NODE = 8.0, 0.2, 0.08  # about what four corpora give (docs/cost.md)
REPORTS_A_CHANGED_CHUNK = 3  # its community and the two above
NAMES_APART = 0.8  # of the names in a sample of replies, the share that other replies will not name again
CONDENSED_A_CHUNK, CONDENSED_TOKENS_IN, CONDENSED_TOKENS_OUT = 0.05, 500, 120  # requests for long descriptions
NAME_TOKENS, SUMMARY_TOKENS, RULE_TOKENS = 4, 100, 20  # what is embedded of a node, a report, a report by rule
# A call to an endpoint.
SECONDS = {"extraction": 3.0, "gleanings": 3.0, "condensation": 4.0, "summaries": 5.0, "embeddings": 1.0}
OFFLINE_SECONDS = {"extraction": 0.2, "gleanings": 0.0, "condensation": 0.0, "summaries": 0.01, "embeddings": 0.5}
_RUNS = 5  # the newest runs that are learned from


@dataclass(frozen=True)
class Rate:
    """How a stage differs from the defaults: factors on calls and on tokens a call, seconds of a call, calls known."""

    seconds: float
    calls: float = 1.0
    tokens_in: float = 1.0
    tokens_out: float = 1.0
    learned_from: int = 0

    @property
    def basis(self) -> str:
        """Say what the rate rests on."""
        return f"learned from {self.learned_from:,} calls of earlier runs" if self.learned_from else "defaults"


def default_rate(settings: Settings, stage: str) -> Rate:
    """Return the rate of a stage nothing is known about."""
    return Rate((SECONDS if endpoint_of(settings, stage) is not None else OFFLINE_SECONDS)[stage])


def learned_rates(store: Store, settings: Settings) -> dict[str, Rate]:
    """Return the rate of each paid stage, learned from the newest runs that asked the same model in the same way."""
    totals: dict[str, dict[str, float]] = {stage: {} for stage in PAID_STAGES}
    counted = dict.fromkeys(PAID_STAGES, 0)
    for record in reversed(runs.read(store.runs).to_pylist()):
        then = _settings_of(store, record)
        for stage in PAID_STAGES if then is not None else ():
            if counted[stage] < _RUNS and then is not None and _alike(settings, then, stage):
                counted[stage] += _add(totals[stage], record, stage)
    return {stage: _rate(stage, default_rate(settings, stage), totals[stage]) for stage in PAID_STAGES}


def _settings_of(store: Store, record: Mapping[str, Any]) -> Settings | None:
    """Return the settings of a run that came to its end; None when they are not known any more."""
    if record["outcome"] not in {"success", "partial"} or not record["snapshot"] or not record["expected"]:
        return None
    try:
        return Settings.model_validate(store.snapshot(record["snapshot"]).manifest.settings)
    except (StoreError, ValidationError):  # vacuumed, or of another version
        return None


def _alike(now: Settings, then: Settings, stage: str) -> bool:
    one, other = endpoint_of(now, stage), endpoint_of(then, stage)
    if one is None or other is None:
        return False  # rules pay nothing, and their speed is the machine's
    same = now.extraction.gleanings == then.extraction.gleanings and now.prompts == then.prompts
    return one.model == other.model and (same or stage not in {"extraction", "gleanings"})


def _add(total: dict[str, float], record: Mapping[str, Any], stage: str) -> int:
    """Add a run's numbers of a stage, if it made calls that were expected; return 1 if it did."""
    counts, tokens, expected = (dict(record[name] or ()) for name in ("counts", "tokens", "expected"))
    calls, planned = counts.get(f"{stage}.calls", 0), expected.get(f"{stage}.base_calls", 0)
    if not calls or not planned:
        return 0
    endpoint_calls = min(calls, expected.get(f"{stage}.concurrency", 1))
    found = {
        "calls": calls,
        "planned": planned,
        "in": tokens.get(f"{stage}.in", 0),
        "out": tokens.get(f"{stage}.out", 0),
        # What the defaults would have said of as many calls.
        "base_in": expected.get(f"{stage}.base_in", 0) * calls / planned,
        "base_out": expected.get(f"{stage}.base_out", 0) * calls / planned,
        "busy": dict(record["seconds"] or ()).get(stage, 0.0) * endpoint_calls,
    }
    for name, value in found.items():
        total[name] = total.get(name, 0.0) + value
    return 1


def _rate(stage: str, default: Rate, total: Mapping[str, float]) -> Rate:
    if not total:
        return default
    rate = replace(default, seconds=total["busy"] / total["calls"] or default.seconds, learned_from=int(total["calls"]))
    if stage == "embeddings":  # which texts it has is counted, and they have the tokens that were counted
        return rate
    rate = replace(rate, tokens_in=_ratio(total, "in"), tokens_out=_ratio(total, "out"))
    # The number of reports is itself taken from the last snapshot; that of chunks is exact.
    return rate if stage == "summaries" else replace(rate, calls=total["calls"] / total["planned"])


def _ratio(total: Mapping[str, float], name: str) -> float:
    return total[name] / total[f"base_{name}"] if total[f"base_{name}"] else 1.0
