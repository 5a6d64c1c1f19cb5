"""CPU and memory of extraction through the batch API: `python benchmarks/batch.py [CHUNKS]`, 5,000 by default.

The server runs in a process of its own. Printed: seconds by the wall and of this process's CPU, peak memory, and the
same for a second process that takes the answers of batches handed in before.
"""

import json
import resource
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from protocol.handle import start_process

from pathgraph.extraction.run import Job, extract
from pathgraph.providers import batching
from pathgraph.providers.openai import chat
from pathgraph.settings import Settings
from pathgraph.store.cache import Cache

WORDS = " ".join(f"Person{number} works for Company{number}." for number in range(160))  # some 1,200 tokens
REPLY = json.dumps(
    {"triples": [{"subject": f"P{n}", "relation": "works_for", "object": f"C{n}", "strength": 8} for n in range(20)]}
)


def main(count: int) -> None:
    """Settle and extract so many chunks; print the figures."""
    server = start_process(replies={"Person1 ": REPLY})
    settings = Settings.model_validate(
        {
            "endpoint": {"model": "m", "base_url": server.url},
            "extraction": {"provider": "openai"},
            "batch": {"enabled": True, "poll_seconds": 0.5},
        }
    )
    chat._dialects[server.url, "m"] = chat.Dialect()
    jobs = [Job(number, 1, "docs/x", "en", f"{number}. {WORDS}") for number in range(count)]
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(8) as threads:
        place = batching.Place(Cache(Path(folder)), Path(folder) / "batches", "work")
        batched = batching.extractor(settings, place)
        for name, step in {
            "batches": lambda: batched.desk.settle(
                lambda: (partial(batched.provider.reply, j.text, "en") for j in jobs)
            ),
            "replies": lambda: extract(jobs, batched.provider, place.cache, threads),
            "clean-up": batched.desk.forget,
        }.items():
            wall, cpu = time.monotonic(), time.process_time()
            step()
            peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
            print(f"{name:9} {time.monotonic() - wall:6.1f} s, CPU {time.process_time() - cpu:6.1f} s, peak {peak} MiB")
    stats = server.stats()
    print({name: stats[name] for name in ("batch_requests", "chat_calls", "other_calls", "repeated_prompts")})
    server.stop()


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 5000)
