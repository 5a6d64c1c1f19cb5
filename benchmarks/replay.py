"""Whole corpora through the command line, with the replies that real models gave: what graph comes out, at what price.

Run: PATHGRAPH_CORPORA=<folder> python benchmarks/replay.py [corpus ...]
Writes the documents of each corpus as JSONL, starts the test server of tests/protocol with the corpus's recordings,
runs `pathgraph index` twice and prints what came of it (docs/replay.md). Extraction goes to the server; vectors are
hashed and reports extractive, so that neither takes processor time that says nothing about the endpoint.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from protocol.handle import Handle, start_process

COUNTS = {
    "documents": "SELECT count(*) FROM documents",
    "chunks": "SELECT count(*) FROM chunks WHERE kind = 'extract'",
    "triples": "SELECT count(*) FROM triples",
    "nodes": "SELECT count(*) FROM nodes",
    "edges": "SELECT count(*) FROM edges",
    "relations": "SELECT count(DISTINCT relation) FROM edges",
    "orphans": "SELECT count(*) FROM nodes WHERE degree = 0",
    "paths": "SELECT count(*) FROM paths",
    "communities": "SELECT count(*) FROM communities",
    "failures": "SELECT count(*) FROM failures",
}


@dataclass(frozen=True)
class Corpus:
    """Where documents and recorded replies are, how many of them to take, how replies look, what else is set."""

    file: str
    limit: int | None = None
    output: str = "json"
    settings: dict[str, dict[str, Any]] = field(default_factory=dict)


CORPORA = {
    "d01": Corpus("d01_musique_openie_A/recordings.jsonl", output="raw"),
    # Its chunks of 1,200 tokens were cut by another tokenizer; each has to stay whole to meet its reply.
    "d03": Corpus(
        "d03_carol_gpt4o/recordings_draw_b.jsonl",
        output="raw",
        settings={"chunking": {"extract_tokens": 3000}, "extraction": {"gleanings": 1}},
    ),
    "d05": Corpus("d05_redocred_dev/gold_extraction.jsonl"),
    "d05 uncut": Corpus("d05_redocred_dev/gold_extraction.jsonl", settings={"endpoint": {"max_output_tokens": 16384}}),
    "d06": Corpus("d06_k2nlg_ko/docs.jsonl", limit=300),
}


def documents(path: Path, limit: int | None) -> Iterator[dict[str, str]]:
    """Yield id, title and text of the first passages; gleaning turns have no text of their own."""
    with path.open(encoding="utf-8") as lines:
        rows = [row for row in map(json.loads, lines) if row.get("text")]
    for number, row in enumerate(rows[:limit]):
        name = str(row.get("doc_id") or f"chunk-{number:02d}")
        yield {"id": name, "title": row.get("title") or name, "text": row["text"]}


def index(folder: Path, store: Path) -> tuple[dict[str, Any], int, float]:
    """Run the command; return its report, its exit code and the seconds it took."""
    command = [sys.executable, "-c", "from pathgraph.cli import main; main()"]
    began = time.perf_counter()
    done = subprocess.run(
        [*command, "index", "documents.jsonl", "--store", str(store), "--json"],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode not in {0, 3}:
        sys.exit(done.stderr)
    return json.loads(done.stdout), done.returncode, time.perf_counter() - began


def counts(store: Path) -> dict[str, int]:
    import duckdb

    with duckdb.connect(str(store / "graph.duckdb"), read_only=True) as graph:
        return {name: graph.sql(query).fetchall()[0][0] for name, query in COUNTS.items()}


def replay(name: str, corpora: Path, folder: Path, server: Handle) -> dict[str, Any]:
    """Index a corpus twice; return what came of it."""
    corpus = CORPORA[name]
    with (folder / "documents.jsonl").open("w", encoding="utf-8") as out:
        for document in documents(corpora / corpus.file, corpus.limit):
            out.write(json.dumps(document, ensure_ascii=False) + "\n")
    settings: dict[str, dict[str, Any]] = {
        "endpoint": {"model": "replay", "base_url": server.url, "concurrency": 16},
        "extraction": {"provider": "openai"},
        "embeddings": {"model": "hashed"},
        "loading": {"id_column": "id"},  # else equal texts are one document
    }
    for section, values in corpus.settings.items():
        settings[section] = {**settings.get(section, {}), **values}
    (folder / "pathgraph.yaml").write_text(yaml.safe_dump(settings), encoding="utf-8")
    report, code, seconds = index(folder, folder / "store")
    calls = server.stats()
    again, _, seconds_again = index(folder, folder / "store")
    return {
        "corpus": name,
        **counts(folder / "store"),
        "exit code": code,
        "calls": calls["chat_calls"],
        "asked again after an answer": calls["repeated_prompts"],
        "about no recording": calls["unmatched"],
        "seconds": round(seconds, 1),
        "of them extraction": round(report["seconds"]["extraction"], 1),
        "second run": again["outcome"],
        "calls of the second run": server.stats()["chat_calls"] - calls["chat_calls"],
        "seconds of the second run": round(seconds_again, 1),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("corpora", nargs="*", default=list(CORPORA))
    wanted = parser.parse_args().corpora
    corpora = Path(os.environ["PATHGRAPH_CORPORA"])
    for name in wanted:
        corpus = CORPORA[name]
        server = start_process(recordings=[str(corpora / corpus.file)], output=corpus.output)
        with tempfile.TemporaryDirectory() as folder:
            for what, value in replay(name, corpora, Path(folder), server).items():
                print(f"{what:28} {value if isinstance(value, str) else format(value, ',')}", flush=True)
        server.stop()
        print()


if __name__ == "__main__":
    main()
