"""The commands `server start`, `server stop`, `server status`."""

from pathgraph.cli import local_server
from pathgraph.cli.output import FAILED, SUCCESS, err, out, print_json


def start() -> int:
    """Start the local server or find it, and wait until it answers."""
    with err.status("Starting the local Prefect server (half a minute the first time) ..."):
        server = local_server.start()
        local_server.wait(server)
    out.print(f"The local Prefect server answers at {server.api_url} (process {server.pid}).")
    return SUCCESS


def stop() -> int:
    """Stop the local server."""
    out.print("Stopped." if local_server.stop() else "It was not running.")
    return SUCCESS


def status(as_json: bool) -> int:
    """Say whether the local server runs."""
    server = local_server.find()
    if as_json:
        print_json({"running": server is not None, "api_url": server.api_url if server else None})
    else:
        out.print(f"It answers at {server.api_url}." if server else "It does not run; `pathgraph index` starts it.")
    return SUCCESS if server else FAILED
