"""The command `index`: look first, start Prefect only when there is something to do, show progress, sum up."""

import os
import signal
from dataclasses import dataclass
from pathlib import Path

from pydantic import ValidationError

from pathgraph import progress
from pathgraph.cli import local_server
from pathgraph.cli.cost_output import print_paid
from pathgraph.cli.display import Display
from pathgraph.cli.output import PARTIAL, SUCCESS, err, out, print_json, store_option
from pathgraph.cost.budget import parse_limit
from pathgraph.errors import PathgraphError, SettingsError, UsageError
from pathgraph.pipeline.run import RunReport, cache_of
from pathgraph.settings import SETTINGS_FILE, Settings, load_settings


@dataclass(frozen=True)
class Wanted:
    """The command's arguments."""

    paths: tuple[str, ...]
    store: Path
    provider: str | None
    settings_file: Path | None
    allow_deletes: bool
    budget: str | None = None
    batch: bool = False
    wait: bool = True


def run(wanted: Wanted, as_json: bool) -> int:
    """Index and report; return the exit code."""
    settings = batched(settings_of(wanted.settings_file, wanted.provider, wanted.store), wanted)
    if wanted.budget:
        parse_limit(wanted.budget)  # a slip shows before anything is started
    stop_on_signals()
    _warn_of_batches(wanted.store, settings)
    report = _nothing_to_do(wanted, settings) or _index(wanted, settings)
    if as_json:
        print_json(report.model_dump(mode="json"))
    else:
        _sum_up(report)
    return PARTIAL if report.failures else SUCCESS


def settings_of(file: Path | None, provider: str | None, store: Path) -> Settings:
    """Return the settings of a file, else of ./pathgraph.yaml, else of the store's last snapshot, else the defaults.

    A provider given stands for all three sections.

    Raises:
        UsageError: there is no such provider.
        SettingsError: the file is wrong.
    """
    path = file or (SETTINGS_FILE if SETTINGS_FILE.is_file() else None)
    settings = load_settings(path) if path else _last_settings(store)
    if provider is None:
        return settings
    if provider not in {"offline", "openai"}:
        raise UsageError(f"There is no provider {provider}.", "Use --provider offline or --provider openai.")
    raw = settings.model_dump()
    for section in ("extraction", "embeddings", "summaries"):
        raw[section]["provider"] = provider
    return Settings.model_validate(raw)


def _last_settings(root: Path) -> Settings:
    from pathgraph.store.layout import Store

    store = Store(root.expanduser().absolute())
    if store.current_id() is None:
        return Settings()
    err.print("Settings: those of the current snapshot, as neither --settings nor ./pathgraph.yaml is there.")
    try:
        return Settings.model_validate(store.snapshot().manifest.settings)
    except ValidationError as error:
        raise SettingsError(
            "The settings of the current snapshot are those of another version of pathgraph.",
            "Name a settings file: --settings FILE (`pathgraph init` writes one).",
        ) from error


def batched(settings: Settings, wanted: Wanted) -> Settings:
    """Return the settings with what --batch and --no-wait change; raises UsageError when they fit nothing."""
    rules = settings.batch.model_copy(
        update={"enabled": settings.batch.enabled or wanted.batch, "wait": settings.batch.wait and wanted.wait}
    )
    settings = settings.model_copy(update={"batch": rules})
    if wanted.batch and not (settings.in_batches("extraction") or settings.in_batches("summaries")):
        raise UsageError("--batch needs a model behind an endpoint.", "Add --provider openai, or leave --batch out.")
    if not wanted.wait and not rules.enabled:
        raise UsageError("--no-wait says how to use the batch API.", "Add --batch.")
    return settings


def _warn_of_batches(store: Path, settings: Settings) -> None:
    """Say so when answers that are under way would be paid for once more."""
    from pathgraph.store.batches import Batches
    from pathgraph.store.layout import Store

    under_way = Batches(Store(store.expanduser().absolute()).batches).read()
    if under_way and not settings.batch.enabled:
        count = sum(len(one.requests) for one in under_way)
        err.print(
            f"{count:,} requests are under way in batches; without --batch they are asked, and paid for, once more.",
            style="yellow",
        )


def stop_on_signals() -> None:
    """Ctrl-C and SIGTERM ask the stages to stop at their next safe place; a second Ctrl-C stops at once."""
    progress.clear_stop()

    def stop(number: int, _frame: object) -> None:
        err.print("\nStopping: finished work is kept. Press Ctrl-C again to stop at once.", style="yellow")
        progress.request_stop()
        signal.signal(number, signal.SIG_DFL)

    signal.signal(signal.SIGINT, stop)
    signal.signal(signal.SIGTERM, stop)


def _nothing_to_do(wanted: Wanted, settings: Settings) -> RunReport | None:
    """Compare the sources with the current snapshot; a report when they agree, so that no run is started."""
    from pathgraph.pipeline.plan import is_published, plan_index
    from pathgraph.store.layout import Store

    store = Store.create(wanted.store)
    with err.status("Looking for changes ..."):
        plan = plan_index(store, wanted.paths, settings)
        if not is_published(store, cache_of(store), plan):
            return None
    snapshot = store.snapshot()
    counts = {name: table.rows for name, table in snapshot.manifest.tables.items()}
    report = RunReport(flow="index", outcome="unchanged", store=store.root, snapshot=snapshot.id, counts=counts)
    return report.model_copy(update={"published": False})


def _index(wanted: Wanted, settings: Settings) -> RunReport:
    """Run the flow in this process against the local server or the one PREFECT_API_URL names."""
    connect()
    # Only now: importing Prefect takes seconds and reads the environment that was just set.
    from pathgraph.flows.index import index

    with Display(err):
        return index(wanted.store, wanted.paths, settings, wanted.allow_deletes, wanted.budget)


def connect() -> None:
    """Make Prefect use the local server, started where none runs, or the one that PREFECT_API_URL names."""
    local_server.prepare()
    if named := os.environ.get("PREFECT_API_URL"):
        if not local_server.answers(named):
            raise PathgraphError(
                f"No Prefect server answers at {named}, which PREFECT_API_URL names.",
                "Start it, or unset PREFECT_API_URL: pathgraph then starts a local one.",
            )
        return
    server = local_server.start()
    os.environ["PREFECT_API_URL"] = server.api_url
    with err.status("Waiting for the local Prefect server (half a minute the first time) ..."):
        import pathgraph.flows.index  # noqa: F401  (seconds of import while the server starts)

        local_server.wait(server)


def _sum_up(report: RunReport) -> None:
    counts = report.counts
    if report.outcome == "submitted":
        out.print("[bold]Handed in[/]; nothing was published yet.")
        print_paid(report.model_dump(), report.currency)
        for note in report.notes:
            out.print(f"  {note}", markup=False)
        return
    if not report.published:
        out.print(f"Nothing changed; the current snapshot is {report.snapshot}.")
    else:
        out.print(f"[bold green]Published[/] snapshot {report.snapshot}")
    shown = ("documents", "chunks", "triples", "nodes", "edges", "paths", "communities", "summaries")
    out.print("  " + ", ".join(f"{counts[name]:,} {name}" for name in shown if name in counts))
    print_paid(report.model_dump(), report.currency)
    for note in report.notes:
        out.print(f"  {note}")
    if report.failures:
        what = ", ".join(f"{count} in {stage}" for stage, count in report.failures.items())
        out.print(f"[yellow]  Not everything could be done: {what}; the next run tries again.[/]")
        see = 'pathgraph sql "SELECT stage, uri, error, message FROM failures"'
        out.print(f"  See them: {see} {store_option(report.store)}", markup=False)
    out.print(f"  Next: pathgraph status {store_option(report.store)}; any DuckDB client on", markup=False, end=" ")
    out.print(f"{report.store / 'graph.duckdb'}", markup=False)
