"""Chunks of real documents: limits, coverage, fill, and how much of a document's chunks a revision keeps."""

import json
import os
from itertools import pairwise
from pathlib import Path

import pytest

from pathgraph.chunking.packer import chunk_spans
from pathgraph.text import sanitise
from pathgraph.tokens import estimate

ROOT = os.environ.get("PATHGRAPH_CORPORA")
pytestmark = [pytest.mark.real, pytest.mark.skipif(ROOT is None, reason="PATHGRAPH_CORPORA is not set")]
SIZES = [(1200, 100), (300, 50)]


def lines(path: Path) -> list[dict]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def carol(root: Path) -> str:
    return (root / "d03_carol_gpt4o" / "a-christmas-carol.txt").read_text("utf-8")


def korean(root: Path) -> str:
    return "\n\n".join(line["text"] for line in lines(root / "d06_k2nlg_ko" / "docs.jsonl"))


def transcripts(root: Path) -> str:
    turns = lines(root / "d14_qmsum" / "val.jsonl")[0]["meeting_transcripts"]
    return "\n".join(f"{turn['speaker']}: {turn['content']}" for turn in turns)


def medical(root: Path) -> str:
    found = json.loads((root / "d16_graphragbench_medical" / "medical.json").read_text("utf-8"))
    text = (found[0] if isinstance(found, list) else found)["context"]
    assert max(map(len, text.splitlines())) > 50_000
    return text[:200_000]


@pytest.mark.parametrize("corpus", [carol, korean, transcripts, medical])
@pytest.mark.parametrize(("limit", "overlap"), SIZES)
def test_limits_coverage_and_fill(corpus, limit, overlap):
    text = sanitise(corpus(Path(ROOT)))
    spans = chunk_spans(text, limit, overlap, estimate)
    assert max(span.tokens for span in spans) <= limit
    assert sum(span.tokens for span in spans) / len(spans) >= 0.6 * limit
    gaps = [text[a.end : b.start] for a, b in pairwise(spans) if a.end < b.start]
    assert "".join([text[: spans[0].start], *gaps, text[spans[-1].end :]]).strip() == ""


def test_unchanged_documents_keep_their_chunks_and_changed_ones_lose_few_needlessly():
    folder = Path(ROOT) / "d20_history_graphrag_docs"
    new_chunks = needless = 0
    for version in range(6):
        old, new = ({p.relative_to(f): p.read_text("utf-8") for p in f.rglob("*.md")} for f in steps(folder, version))
        for uri in old.keys() & new.keys():
            before, after = (sanitise(version[uri]) for version in (old, new))
            fresh = set(texts(after)) - set(texts(before))
            assert not fresh or before != after
            known = {part.strip() for part in before.split("\n")}
            new_chunks += len(fresh)
            needless += sum(all(part.strip() in known for part in chunk.split("\n")) for chunk in fresh)
    assert new_chunks > 100
    assert needless < 0.35 * new_chunks


def steps(folder: Path, version: int) -> tuple[Path, Path]:
    return folder / f"v{version}", folder / f"v{version + 1}"


def texts(text: str) -> list[str]:
    return [text[span.start : span.end] for span in chunk_spans(text, 300, 50, estimate)]
