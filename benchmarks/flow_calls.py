"""What the whole command adds to the latency of its calls: `pathgraph index` on made-up documents, one chunk each.

Run: python benchmarks/flow_calls.py [--calls 5000] [--latency 3] [--tail] [--parallel 64]
As `benchmarks/calls.py`, but through the command line and the flow. The bound is the sum of the latencies divided by
the parallel calls; it is compared with the seconds of the extraction stage. Processor time and memory are the whole
command's.
"""

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from protocol.handle import start_process
from protocol.options import Latency

REPLY = '{"entities": [], "triples": [["Hanbit", "supplies", "Nuri"], ["Nuri", "buys_from", "Hanbit"]]}'
SENTENCE = "Hanbit supplies Nuri, and Nuri buys cells from Hanbit under the contract number {}. "


def prepare(folder: Path, url: str, calls: int, parallel: int) -> None:
    """Write documents and settings."""
    with (folder / "documents.jsonl").open("w", encoding="utf-8") as lines:
        lines.writelines(json.dumps({"text": SENTENCE.format(number) * 40}) + "\n" for number in range(calls))
    settings = {
        "endpoint": {"model": "m", "base_url": url, "concurrency": parallel},
        "extraction": {"provider": "openai"},
        "embeddings": {"model": "hashed"},
    }
    (folder / "pathgraph.yaml").write_text(json.dumps(settings), encoding="utf-8")  # JSON is YAML


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--calls", type=int, default=640)
    parser.add_argument("--latency", type=float, default=1.0)
    parser.add_argument("--tail", action="store_true", help="log-normal latencies up to 20 s instead of constant ones")
    parser.add_argument("--parallel", type=int, default=64)
    wanted = parser.parse_args()
    server = start_process(replies={"Hanbit": REPLY}, latency=Latency(wanted.latency, 0.8 if wanted.tail else 0.0))
    command = [sys.executable, "-c", "from pathgraph.cli import main; main()", "index", "documents.jsonl", "--json"]
    with tempfile.TemporaryDirectory() as folder:
        prepare(Path(folder), server.url, wanted.calls, wanted.parallel)
        subprocess.run([*command[:3], "server", "start"], check=True, capture_output=True)  # its time is not the run's
        before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True)
        wall, after = time.perf_counter() - began, resource.getrusage(resource.RUSAGE_CHILDREN)
    stats = server.stats()
    server.stop()
    stage = json.loads(done.stdout)["seconds"]["extraction"]
    bound = stats["latency_seconds"] / wanted.parallel
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    print(
        f"{stats['chat_calls']} calls, {wanted.parallel} parallel, {wanted.latency:g} s{' with a tail' * wanted.tail}"
    )
    print(f"extraction {stage:.1f} s, bound {bound:.1f} s: {stage / bound - 1:+.1%}; the command {wall:.1f} s")
    print(f"processor {cpu:.1f} s: {cpu / wall:.1%} of the command's time; memory {after.ru_maxrss / 1024:.0f} MiB")


if __name__ == "__main__":
    main()
