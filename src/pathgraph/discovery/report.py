"""What came out of a discovery, for the closing summary, `--json` and the table `runs`.

Belongs here: the report and the run's record. Does not: the proposal itself.
"""

from collections import Counter
from datetime import UTC, datetime
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field

from pathgraph.cost.paid import paid_for
from pathgraph.discovery.propose import Proposal
from pathgraph.pipeline.run import Run
from pathgraph.providers import usage
from pathgraph.store import runs


class DiscoverReport(BaseModel):
    """What was proposed and what it cost. `outcome` is `success`, or `partial` when something could not be read."""

    model_config = ConfigDict(frozen=True)

    flow: str = "discover"
    outcome: str
    store: Path
    out: Path
    proposal: Proposal
    coverage: float
    counts: dict[str, int] = Field(default_factory=dict)
    failures: dict[str, int] = Field(default_factory=dict)
    seconds: dict[str, float] = Field(default_factory=dict)
    tokens: dict[str, int] = Field(default_factory=dict)
    cost: dict[str, float] = Field(default_factory=dict)
    expected: dict[str, float] = Field(default_factory=dict)
    currency: str = ""


def report_run(run: Run, proposal: Proposal, out: Path) -> DiscoverReport:
    """Return the report, and keep the run's record in the store; no snapshot comes of it."""
    failures = dict(Counter(failure.stage for failure in run.failures()))
    paid = paid_for(usage.paid(), run.settings)
    counts = {"documents": proposal.documents, "triples": proposal.facts, "relations": len(proposal.relations)}
    report = DiscoverReport(
        outcome="partial" if failures else "success",
        store=run.store_root,
        out=out,
        proposal=proposal,
        coverage=round(proposal.coverage, 4),
        counts=counts | {"extraction_calls": int(run.kept("calls", 0))} | paid.calls,
        failures=failures,
        seconds=run.seconds(),
        tokens=paid.tokens,
        cost=paid.cost,
        expected={name: value for name, value in run.kept("expected", {}).items() if name.startswith("extraction.")},
        currency=paid.currency,
    )
    record = runs.RunRecord(
        run_id=run.run_id,
        flow=run.flow,
        started=run.started,
        ended=datetime.now(UTC),
        outcome="partial" if failures else "success",
        counts=report.counts,
        seconds=report.seconds,
        tokens=report.tokens,
        cost=report.cost,
        currency=report.currency,
        expected=report.expected,
    )
    runs.append(run.store.runs, record)
    return report
