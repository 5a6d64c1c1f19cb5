"""How far the built-in token estimate is from the exact o200k count, on real texts; the first six were used to fit it.

Run: PATHGRAPH_CORPORA=<folder> python benchmarks/token_estimate.py      (needs the extra `tokens`)
"""

import argparse
import json
import os
import re
import time
from pathlib import Path

from pathgraph.tokens import counter, estimate

WINDOW = 1_000
SAMPLE = 200_000
FITTED = ["d03*/*.txt", "d06*/docs.jsonl", "d20*/v6/**/*.md", "d16*/medical.json", "d07*/*.jsonl", "d14*/val.jsonl"]
# Of JSON files only the texts count, unless the name says raw.
UNTOUCHED = [
    "d12*/*.json*",
    "d13*/*.json*",
    "d15*/**/*.txt",
    "d05*/*.json*",
    "d08*/*.csv",
    "d02*/*.json*",
    "raw d14*/val.jsonl",
]

TEXTS = re.compile(r'"(?:text|sentence|context|content|passage|document|essay|paragraph_text)": ?"((?:[^"\\]|\\.)*)"')


def sample(root: Path, pattern: str) -> str:
    raw = pattern.startswith("raw ")
    files = [path for path in sorted(root.glob(pattern.removeprefix("raw "))) if path.name != "README.md"]
    text = "\n\n".join(path.read_text("utf-8", "ignore") for path in files)[: 10 * SAMPLE]
    if pattern.endswith((".json*", ".json", ".jsonl")) and not raw:
        text = "\n".join(json.loads(f'"{found}"') for found in TEXTS.findall(text))
    return text[:SAMPLE]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--corpora", type=Path, default=os.environ.get("PATHGRAPH_CORPORA"), help="folder of corpora")
    root = parser.parse_args().corpora
    exact = counter("o200k")
    print("text                      set        tokens  error  windows of 1,000 characters, 5 % .. 95 %  MB per CPU s")
    for pattern in (*FITTED, *UNTOUCHED):
        text = sample(root, pattern)
        if not text:
            continue
        begin = time.process_time()
        guessed = estimate(text)
        speed = len(text.encode("utf-8", "ignore")) / (time.process_time() - begin) / 1e6
        windows = [text[i : i + WINDOW] for i in range(0, len(text), WINDOW)]
        errors = sorted(estimate(window) / exact(window) - 1 for window in windows)
        low, high = errors[len(errors) // 20], errors[-1 - len(errors) // 20]
        kind = "fitted" if pattern in FITTED else "untouched"
        tokens = exact(text)
        error = f"{guessed / tokens - 1:+6.1%} {low:+30.1%} .. {high:+.1%}"
        print(f"{pattern:25s} {kind:9s} {tokens:7d} {error} {speed:10.1f}")


if __name__ == "__main__":
    main()
