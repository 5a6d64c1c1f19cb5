"""The commands and their arguments. Each body lives in a module of its own, imported when the command runs.

Belongs here: names, options, help texts. Does not: bodies.
"""

from pathlib import Path
from typing import Annotated

import typer

from pathgraph import __version__

STORE = Path("data/store")

app = typer.Typer(
    name="pathgraph",
    help="Turn documents into a graph of entities, relations and paths, kept as Parquet and queried with DuckDB.",
    epilog="Start here: pathgraph index DOCUMENTS, then pathgraph status, then pathgraph sql. "
    "Exit codes: 0 success, 1 failed, 2 wrong usage, 3 done with failures recorded.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)

Store = Annotated[
    Path, typer.Option("--store", "-s", envvar="PATHGRAPH_STORE", help="Folder of the store.", show_default=True)
]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON document on stdout, all else on stderr.")]
SettingsFile = Annotated[
    Path | None,
    typer.Option("--settings", help="Settings in YAML; without it ./pathgraph.yaml where there is one."),
]
Provider = Annotated[
    str | None, typer.Option("--provider", help="Who extracts, embeds and summarises: offline or openai.")
]
Sources = Annotated[
    list[str] | None,
    typer.Argument(help="Folders, files, quoted globs, lists of URIs (x.uris), or name=path; none: as last time."),
]
At = Annotated[str | None, typer.Option("--at", help="A snapshot's id, or its beginning; the current one by default.")]


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"pathgraph {__version__}")
        raise typer.Exit


@app.callback()
def _root(
    version: Annotated[bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")] = (
        False
    ),
) -> None:
    pass


@app.command()
def init(
    folder: Annotated[Path, typer.Argument(help="Where to start a project; made when it is missing.")] = Path(),
) -> None:
    """Start a project: write pathgraph.yaml (every setting, explained) and aliases.csv."""
    from pathgraph.cli import init_command, output

    output.guarded(lambda: init_command.run(folder))


@app.command()
def index(
    paths: Sources = None,
    store: Store = STORE,
    provider: Provider = None,
    settings: SettingsFile = None,
    budget: Annotated[
        str | None,
        typer.Option("--budget", help="Stop before more is paid: money, as in 5.00, or tokens, as in 2000000tok."),
    ] = None,
    batch: Annotated[
        bool, typer.Option("--batch", help="Extract and summarise through the batch API: cheaper, within a day.")
    ] = False,
    wait: Annotated[
        bool,
        typer.Option("--wait/--no-wait", help="With --batch: wait for it; else hand in, end, and run again later."),
    ] = True,
    allow_deletes: Annotated[
        bool, typer.Option("--allow-deletes", help="Publish even when over a fifth of the known documents is gone.")
    ] = False,
    json: Json = False,
) -> None:
    """Read documents and build everything: chunks, triples, nodes, edges, paths, communities, summaries, vectors.

    Run it again at any time: nothing new costs nothing, and a stopped or killed run goes on where it was.
    """
    from pathgraph.cli import index_command, output

    wanted = index_command.Wanted(tuple(paths or ()), store, provider, settings, allow_deletes, budget, batch, wait)
    output.guarded(lambda: index_command.run(wanted, json))


@app.command()
def estimate(
    paths: Sources = None,
    store: Store = STORE,
    provider: Provider = None,
    settings: SettingsFile = None,
    json: Json = False,
) -> None:
    """Say what `index` would take: calls, tokens, minutes and money by stage. Reads the documents, calls no model."""
    from pathgraph.cli import estimate_command, output

    asked = estimate_command.Asked(tuple(paths or ()), store, provider, settings)
    output.guarded(lambda: estimate_command.run(asked, json))


@app.command()
def discover(
    paths: Sources = None,
    store: Store = STORE,
    out: Annotated[Path, typer.Option("--out", "-o", help="Where to write the proposal.")] = Path("schema.yaml"),
    sample: Annotated[int, typer.Option("--sample", help="Documents to read, of each folder in turn.", min=1)] = 20,
    seed: Annotated[int, typer.Option("--seed", help="Another seed draws other documents.")] = 42,
    force: Annotated[bool, typer.Option("--force", help="Replace the file if there is one.")] = False,
    provider: Provider = None,
    settings: SettingsFile = None,
    json: Json = False,
) -> None:
    """Propose a schema from a sample of the documents: its types, top relations and their other names, to be edited.

    Publishes nothing. What it pays for, the next `index` finds in the store's cache.
    """
    from pathgraph.cli import discover_command, output
    from pathgraph.discovery.sample import Sample

    wanted = discover_command.Wanted(tuple(paths or ()), store, provider, settings, out, force)
    output.guarded(lambda: discover_command.run(wanted, Sample(sample, seed), json))


@app.command()
def status(store: Store = STORE, json: Json = False) -> None:
    """Say what the current snapshot holds, how fresh it is, what failed, and how good it looks."""
    from pathgraph.cli import output, read_commands

    output.guarded(lambda: read_commands.status(store, json))


@app.command()
def sql(
    statement: Annotated[str | None, typer.Argument(help="One SELECT; without it a shell with history opens.")] = None,
    store: Store = STORE,
    at: At = None,
    json: Json = False,
    limit: Annotated[int, typer.Option("--limit", help="Rows to print; 0 for all. JSON prints all.", min=0)] = 50,
) -> None:
    """Ask the snapshot in SQL (DuckDB, read-only). `SHOW TABLES` lists tables and views."""
    from pathgraph.cli import output, sql_command

    asked = sql_command.Asked(store, at, json, limit)
    output.guarded(lambda: sql_command.run(asked, statement))


@app.command()
def paths(
    source: Annotated[str, typer.Argument(help="A node's name or alias.")],
    target: Annotated[str, typer.Argument(help="Another one.")],
    store: Store = STORE,
    at: At = None,
    limit: Annotated[int, typer.Option("--limit", help="Paths to print.", min=1, max=1_000_000)] = 10,
    theta: Annotated[
        float | None, typer.Option("--theta", help="Smallest resource / degree to go on; see docs.", min=0)
    ] = None,
    json: Json = False,
) -> None:
    """Show the most reliable paths between two nodes, each edge in its true direction."""
    from pathgraph.cli import output, paths_command

    asked = paths_command.Asked(source, target, store, at, limit, theta)
    output.guarded(lambda: paths_command.run(asked, json))


@app.command()
def snapshots(store: Store = STORE, json: Json = False) -> None:
    """List the snapshots of the store, newest first."""
    from pathgraph.cli import output, read_commands

    output.guarded(lambda: read_commands.snapshots(store, json))


@app.command()
def doctor(
    store: Store = STORE,
    relink: Annotated[bool, typer.Option("--relink", help="Rewrite graph.duckdb, after the store was moved.")] = False,
    json: Json = False,
) -> None:
    """Check Python, the extras, the local server and the store's integrity; say what to do about each fault."""
    from pathgraph.cli import doctor_command, output

    output.guarded(lambda: doctor_command.run(store, relink, json))


cache = typer.Typer(help="The cache of replies, vectors and reports that were paid for.", no_args_is_help=True)
app.add_typer(cache, name="cache")


@cache.command("stats")
def cache_stats(store: Store = STORE, json: Json = False) -> None:
    """Say what the cache holds, by kind."""
    from pathgraph.cli import cache_commands, output

    output.guarded(lambda: cache_commands.stats(store, json))


@cache.command("prune")
def cache_prune(
    store: Store = STORE,
    older_than: Annotated[
        str | None, typer.Option("--older-than", help="Only what is older, as in 30d; condensed texts go by age alone.")
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only say what would go.")] = False,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
    json: Json = False,
) -> None:
    """Remove what neither a snapshot nor an unfinished run needs. Not while an index runs."""
    from pathgraph.cli import cache_commands, output

    asked = cache_commands.Pruning(store, older_than, dry_run, yes)
    output.guarded(lambda: cache_commands.prune(asked, json))


server = typer.Typer(help="The local Prefect server that runs flows for this user.", no_args_is_help=True)
app.add_typer(server, name="server")


@server.command("start")
def server_start() -> None:
    """Start it, or find the one that runs."""
    from pathgraph.cli import output, server_commands

    output.guarded(server_commands.start)


@server.command("stop")
def server_stop() -> None:
    """Stop it."""
    from pathgraph.cli import output, server_commands

    output.guarded(server_commands.stop)


@server.command("status")
def server_status(json: Json = False) -> None:
    """Say whether it runs and where."""
    from pathgraph.cli import output, server_commands

    output.guarded(lambda: server_commands.status(json))


def main() -> None:
    """Run the command line."""
    app()
