"""The local Prefect server: one detached process, found again by the next command, started before Prefect is imported.

Belongs here: finding, starting and stopping that server, and the environment a run needs. Does not: flows. Prefect's
built-in ephemeral server is never used: it takes half a minute a command, forgets task runs and dies on Ctrl-C.
A user's own PREFECT_API_URL is always respected.
"""

import json
import os
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from dataclasses import asdict, dataclass
from pathlib import Path

from filelock import FileLock

from pathgraph.errors import PathgraphError

START_SECONDS = 180  # a first start migrates the database: half a minute alone, more on a busy machine
_QUIET = {
    "DO_NOT_TRACK": "1",
    "PREFECT_SERVER_ANALYTICS_ENABLED": "false",
    # Errors reach the user through the command itself, with their remedy; Prefect would print them with a traceback.
    "PREFECT_LOGGING_LEVEL": "CRITICAL",
    "PREFECT_LOGGING_TO_API_ENABLED": "false",
    "PREFECT_SERVER_LOGGING_LEVEL": "CRITICAL",
    "PREFECT_CLI_COLORS": "false",
}
# The recorder writes one transaction an event by default: 60 ms of server CPU a task run, 18 with these.
_SERVER = {
    "PREFECT_SERVER_SERVICES_TASK_RUN_RECORDER_BATCH_SIZE": "100",
    "PREFECT_SERVER_SERVICES_TASK_RUN_RECORDER_READ_BATCH_SIZE": "100",
    "PREFECT_SERVER_SERVICES_TASK_RUN_RECORDER_FLUSH_INTERVAL": "1",
    "PREFECT_SERVER_SERVICES_EVENT_PERSISTER_READ_BATCH_SIZE": "100",
}


_children: dict[int, subprocess.Popen[bytes]] = {}  # servers that this very process launched


@dataclass(frozen=True)
class LocalServer:
    """A server that this module started."""

    pid: int
    port: int
    version: str

    @property
    def api_url(self) -> str:
        """Address of its API."""
        return f"http://127.0.0.1:{self.port}/api"


def home() -> Path:
    """Return the folder of the server's database and log: PATHGRAPH_HOME, else the platform's state folder."""
    if named := os.environ.get("PATHGRAPH_HOME"):
        return Path(named).expanduser().absolute()
    if os.name == "nt":
        base = Path(os.environ.get("LOCALAPPDATA", Path.home() / "AppData" / "Local"))
    else:
        base = Path(os.environ.get("XDG_STATE_HOME", Path.home() / ".local" / "state"))
    return base / "pathgraph"


def environment() -> dict[str, str]:
    """Return the variables that a run in this process needs, but for the server's address."""
    return {**_QUIET, "PREFECT_HOME": str(home() / "prefect")}


def prepare() -> None:
    """Put the run's environment into this process; what the user set stays. Call before Prefect is imported."""
    for name, value in environment().items():
        os.environ.setdefault(name, value)


def find() -> LocalServer | None:
    """Return the running server that an earlier command started, None when there is none."""
    try:
        server = LocalServer(**json.loads(_record().read_text("utf-8")))
    except (OSError, ValueError, TypeError):
        return None
    return server if is_healthy(server.api_url) else None


def is_healthy(api_url: str, seconds: float = 2.0) -> bool:
    """Tell whether a Prefect API answers at the address within some seconds."""
    try:
        with urllib.request.urlopen(f"{api_url.rstrip('/')}/health", timeout=seconds) as answer:
            return bool(answer.status == 200)
    except (OSError, urllib.error.URLError, ValueError):
        return False


def answers(api_url: str, seconds: float = 10.0) -> bool:
    """Tell whether anything answers at the address: a server that asks for a key refuses, and is there."""
    try:
        with urllib.request.urlopen(f"{api_url.rstrip('/')}/health", timeout=seconds):
            return True
    except urllib.error.HTTPError:
        return True
    except (OSError, ValueError):
        return False


def start() -> LocalServer:
    """Return the running server, or start one without waiting until it answers (`wait` does that).

    Raises:
        PathgraphError: its folder cannot be written.
    """
    folder = home()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with FileLock(folder / "server.lock", timeout=START_SECONDS):
            return find() or _starting() or _launch(folder)
    except OSError as error:
        raise PathgraphError(
            f"Cannot write {folder}, where the local Prefect server keeps its database: {error}",
            "Set PATHGRAPH_HOME to a folder you can write, or PREFECT_API_URL to a server of your own.",
        ) from error


def wait(server: LocalServer) -> None:
    """Wait until the server answers.

    Raises:
        PathgraphError: it ended, or did not answer in time.
    """
    deadline = time.monotonic() + START_SECONDS
    while not is_healthy(server.api_url):
        if not _alive(server.pid) or time.monotonic() > deadline:
            raise PathgraphError(
                f"The local Prefect server did not come up; its log is {home() / 'server.log'}.",
                "Read the log's end; `pathgraph server stop` and the same command again start a fresh one.",
            )
        time.sleep(0.2)


def stop() -> bool:
    """Stop the local server; tell whether there was one."""
    server = find() or _starting()
    _record().unlink(missing_ok=True)
    if server is None:
        return False
    os.kill(server.pid, signal.SIGTERM)
    deadline = time.monotonic() + 15
    while _alive(server.pid) and time.monotonic() < deadline:
        time.sleep(0.1)
    if _alive(server.pid):
        os.kill(server.pid, getattr(signal, "SIGKILL", signal.SIGTERM))
    return True


def _record() -> Path:
    return home() / "server.json"


def _starting() -> LocalServer | None:
    """Return a server another command launched moments ago and that does not answer yet."""
    try:
        server = LocalServer(**json.loads(_record().read_text("utf-8")))
        young = time.time() - _record().stat().st_mtime < START_SECONDS
    except (OSError, ValueError, TypeError):
        return None
    return server if young and _alive(server.pid) else None


def _launch(folder: Path) -> LocalServer:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [sys.executable, "-m", "prefect", "server", "start", "--host", "127.0.0.1", "--port", str(port)]
    settings = {**os.environ, **environment(), **_SERVER, "PREFECT_SERVER_ALLOW_EPHEMERAL_MODE": "false"}
    settings.pop("PREFECT_API_URL", None)
    with (folder / "server.log").open("wb") as log:
        # A session of its own: a Ctrl-C in the terminal must not reach the server.
        process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, env=settings, cwd=folder, start_new_session=True
        )
    _children[process.pid] = process
    server = LocalServer(process.pid, port, sys.version.split()[0])
    _record().write_text(json.dumps(asdict(server)), "utf-8")
    return server


def _alive(pid: int) -> bool:
    """Tell whether the process lives; our own ended child is collected, so that it does not count as alive."""
    if pid in _children:
        return _children[pid].poll() is None
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
