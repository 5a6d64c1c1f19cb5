"""Run a server by hand: `python tests/protocol [--port N] [--options JSON] [recordings.jsonl ...]`."""

import argparse
import asyncio
import json
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

sys.path[0] = str(Path(__file__).parents[1])

from protocol.options import Options  # noqa: E402  (the path must be right first)
from protocol.server import serve  # noqa: E402


def _say(address: str) -> None:
    sys.stdout.write(f"{address}\n")
    sys.stdout.flush()


async def _until_stdin_ends(options: dict[str, Any], port: int) -> None:
    """Serve as long as the parent holds our standard input open."""
    server = asyncio.create_task(serve(options, port, _say))
    parent = asyncio.create_task(asyncio.to_thread(sys.stdin.read))
    done, _ = await asyncio.wait({server, parent}, return_when=asyncio.FIRST_COMPLETED)
    server.cancel()
    if server in done:
        server.result()


def main() -> None:
    """Print the address, then serve."""
    parser = argparse.ArgumentParser(
        description=__doc__, epilog=Options.__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--options", default="{}", help="JSON object")
    parser.add_argument("--follow", action="store_true", help="read options from standard input, stop when it ends")
    parser.add_argument("recordings", nargs="*")
    given = parser.parse_args()
    if given.follow:
        asyncio.run(_until_stdin_ends(json.loads(sys.stdin.readline()), given.port))
        return
    options = json.loads(given.options)
    if given.recordings:
        options["recordings"] = given.recordings
    with suppress(KeyboardInterrupt):
        asyncio.run(serve(options, given.port, _say))


main()
