"""What the client adds to the latency of calls: wall clock against its bound, processor time, memory.

Run: python benchmarks/calls.py [--calls 5000] [--latency 3] [--tail] [--parallel 64]
Needs the test server of tests/protocol, which runs in a process of its own. The bound is the sum of the latencies
divided by the parallel calls. Reported processor time is this process's alone.
"""

import argparse
import gc
import resource
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from pathgraph.extraction import run
from pathgraph.providers.openai.extractor import OpenAIExtractor
from pathgraph.providers.pool import SHARD_ROUNDS
from pathgraph.settings import Endpoint
from pathgraph.store.cache import Cache

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from protocol.handle import start_process
from protocol.options import Latency

REPLY = '{"entities": [], "triples": [["Hanbit", "supplies", "Nuri"], ["Nuri", "buys_from", "Hanbit"]]}'
SENTENCE = "Hanbit supplies Nuri, and Nuri buys cells from Hanbit under the contract number {}. "


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--calls", type=int, default=640)
    parser.add_argument("--latency", type=float, default=1.0)
    parser.add_argument("--tail", action="store_true", help="log-normal latencies up to 20 s instead of constant ones")
    parser.add_argument("--parallel", type=int, default=64)
    wanted = parser.parse_args()
    latency = Latency(wanted.latency, 0.8 if wanted.tail else 0.0)
    server = start_process(default=REPLY, latency=latency)
    endpoint = Endpoint(model="m", base_url=server.url, concurrency=wanted.parallel)
    jobs = [run.Job(i, i, f"s/{i}", "en", SENTENCE.format(i) * 40) for i in range(wanted.calls)]
    extractor = OpenAIExtractor(endpoint)
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(wanted.parallel) as calls:
        cache = Cache(Path(folder))
        gc.collect()
        wall, cpu = time.perf_counter(), time.process_time()
        failures = _run_shards(jobs, extractor, cache, calls)
        wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    stats = server.stats()
    server.stop()
    bound = stats["latency_seconds"] / wanted.parallel
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"{wanted.calls} calls, {wanted.parallel} parallel, {wanted.latency:g} s{' with a tail' * wanted.tail}")
    print(f"wall {wall:.1f} s, bound {bound:.1f} s: {wall / bound - 1:+.1%}; processor {cpu:.1f} s, {cpu / wall:.1%}")
    print(f"a call costs {1000 * cpu / wanted.calls:.2f} ms; memory at most {memory:.0f} MiB; {len(failures)} failures")
    print(f"calls that the server saw: {stats['chat_calls']}")


def _run_shards(
    jobs: list[run.Job], extractor: OpenAIExtractor, cache: Cache, calls: ThreadPoolExecutor
) -> list[object]:
    """Extract in shards of which four are under way at once, as the flow does."""
    size = SHARD_ROUNDS * extractor.parallel
    shards = [jobs[at : at + size] for at in range(0, len(jobs), size)]
    with ThreadPoolExecutor(4) as tasks:
        found = tasks.map(lambda shard: run.extract(shard, extractor, cache, calls), shards)
        return [failure for failures in found for failure in failures]


if __name__ == "__main__":
    main()
