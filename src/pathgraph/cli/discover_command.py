"""The command `discover`: run the flow, show what it proposes, say what comes next."""

from dataclasses import dataclass
from pathlib import Path

from pathgraph.cli import index_command
from pathgraph.cli.cost_output import print_paid
from pathgraph.cli.display import Display
from pathgraph.cli.output import PARTIAL, SUCCESS, err, out, print_json, print_table
from pathgraph.discovery.discover import require_free
from pathgraph.discovery.propose import ProposedRelation
from pathgraph.discovery.report import DiscoverReport
from pathgraph.discovery.sample import Sample
from pathgraph.pipeline.plan import resolve_sources
from pathgraph.settings import Settings
from pathgraph.store.layout import Store


@dataclass(frozen=True)
class Wanted:
    """The command's arguments that say where from and where to."""

    paths: tuple[str, ...]
    store: Path
    provider: str | None
    settings_file: Path | None
    out: Path
    force: bool


def run(wanted: Wanted, sample: Sample, as_json: bool) -> int:
    """Discover and report; return the exit code."""
    settings = index_command.settings_of(wanted.settings_file, wanted.provider, wanted.store)
    # What a person must mend shows before a server is started.
    require_free(wanted.out, wanted.force)
    resolve_sources(Store.create(wanted.store), wanted.paths)
    index_command.stop_on_signals()
    report = _discover(wanted, settings, sample)
    if as_json:
        print_json(report.model_dump(mode="json"))
    else:
        _sum_up(report)
    return PARTIAL if report.failures else SUCCESS


def _discover(wanted: Wanted, settings: Settings, sample: Sample) -> DiscoverReport:
    index_command.connect()
    # Only now: importing Prefect takes seconds and reads the environment that was just set.
    from pathgraph.flows.discover import discover

    with Display(err):
        return discover(wanted.store, wanted.paths, settings, sample, wanted.out, wanted.force)


def _sum_up(report: DiscoverReport) -> None:
    proposal = report.proposal
    shown = proposal.relations[: proposal.top]
    print_table(("relation", "facts", "other names", "ends"), [_row(one) for one in shown])
    out.print(
        f"{proposal.documents:,} documents, {proposal.facts:,} facts, {len(proposal.relations):,} relations; "
        f"these {len(shown)} state {report.coverage:.0%} of the facts."
    )
    print_paid(report.model_dump(), report.currency)
    if report.failures:
        what = ", ".join(f"{count} in {stage}" for stage, count in report.failures.items())
        out.print(f"[yellow]Not everything could be read: {what}.[/]")
    out.print(f"Written: {report.out}. Read it through, then name it in the settings and index:", markup=False)
    out.print(f"  extraction: {{schema_file: {report.out}}}", markup=False)


def _row(one: ProposedRelation) -> tuple[object, ...]:
    forward = [alias.name for alias in one.aliases]
    backward = [f"{alias.name} (turned)" for alias in one.inverse_aliases]
    return one.name, one.count, ", ".join(forward + backward), one.ends[0][0] if one.ends else ""
