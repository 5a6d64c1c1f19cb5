"""Starting a server in a thread or a process of its own, and talking to it."""

import asyncio
import json
import os
import subprocess
import sys
import threading
import urllib.request
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import suppress
from pathlib import Path
from typing import Any

from protocol.options import plain
from protocol.server import serve


class Handle:
    """A running server.

    Attributes:
        root: address of /stats; `url`: base URL for clients of the API (ends in /v1).
    """

    def __init__(self, root: str, stop: Callable[[], None]) -> None:
        self.root = root
        self.url = f"{root}/v1"
        self.stop = stop

    def stats(self) -> dict[str, Any]:
        """Return GET /stats; see protocol.stats."""
        return self._call("/stats")

    def reset(self) -> None:
        """Forget all calls: attempts count from 1 again."""
        self._call("/reset", {})

    def change(self, **options: Any) -> None:
        """Replace some options from now on."""
        self._call("/options", plain(options))

    def _call(self, path: str, body: Any = None) -> dict[str, Any]:
        data = None if body is None else json.dumps(body).encode()
        with urllib.request.urlopen(urllib.request.Request(self.root + path, data), timeout=30) as answer:
            value: dict[str, Any] = json.load(answer)
        return value


def _signal(loop: asyncio.AbstractEventLoop, stop: asyncio.Event) -> None:
    with suppress(RuntimeError):  # the loop may just have ended
        loop.call_soon_threadsafe(stop.set)


def start_thread(**options: Any) -> Handle:
    """Start a server in a thread of this process."""
    started: Future[tuple[str, Callable[[], None]]] = Future()

    async def main() -> None:
        stop, loop = asyncio.Event(), asyncio.get_running_loop()

        def ready(address: str) -> None:
            started.set_result((address, lambda: _signal(loop, stop)))

        serving = asyncio.create_task(serve(plain(options), 0, ready))
        await asyncio.wait({serving, asyncio.create_task(stop.wait())}, return_when=asyncio.FIRST_COMPLETED)
        if serving.done():
            started.set_exception(serving.exception() or RuntimeError("the protocol server ended by itself"))

    thread = threading.Thread(target=lambda: asyncio.run(main()), name="protocol-server", daemon=True)
    thread.start()
    address, signal = started.result(30)

    def stop() -> None:
        if thread.is_alive():
            signal()
            thread.join(30)

    return Handle(address, stop)


def start_process(port: int = 0, **options: Any) -> Handle:
    """Start a server in a process of its own, whose load does not count as this one's; it ends with this process."""
    process = subprocess.Popen(
        [sys.executable, str(Path(__file__).parent), "--port", str(port), "--follow"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONHASHSEED": "0"},
    )
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(json.dumps(plain(options)) + "\n")
    process.stdin.flush()
    line = process.stdout.readline()

    def stop() -> None:
        for pipe in (process.stdin, process.stdout):
            if pipe is not None and not pipe.closed:
                pipe.close()
        process.wait(30)

    if not line:
        stop()
        raise RuntimeError("the protocol server did not start")
    return Handle(line.strip(), stop)
