"""How many extract chunks an edit changes, on seven releases of a documentation, against a greedy packer.

Run: PATHGRAPH_CORPORA=<folder> python benchmarks/chunk_locality.py
The folder holds d20_history_graphrag_docs (v0 .. v6, changes.json), d03, d06, d14, d16 as their READMEs describe.
"""

import argparse
import json
import os
import random
import resource
import statistics
import time
from collections.abc import Callable, Iterator
from dataclasses import astuple, dataclass
from itertools import pairwise
from pathlib import Path

from pathgraph.chunking.packer import chunk_spans
from pathgraph.chunking.sentences import paragraphs, sentences
from pathgraph.text import sanitise
from pathgraph.tokens import Counter, counter

Packer = Callable[[str, int, int, Counter], list[str]]
HISTORY = "d20_history_graphrag_docs"


def local(text: str, limit: int, overlap: int, count: Counter) -> list[str]:
    return [text[start:end] for start, end, _ in chunk_spans(text, limit, overlap, count)]


def greedy(text: str, limit: int, overlap: int, count: Counter) -> list[str]:
    """Fill each chunk with sentences from the left: the packer most pipelines use, with the same limits."""
    spans = list(sentences(text))
    ends = [0, *(end for _, end in spans)]
    sizes = [count(text[ends[i] : ends[i + 1]]) for i in range(len(spans))]
    chunks, first = [], 0
    while first < len(spans):
        last, used = first + 1, sizes[first]
        while last < len(spans) and used + sizes[last] <= limit:
            used += sizes[last]
            last += 1
        chunks.append(text[spans[first][0] : spans[last - 1][1]])
        if last == len(spans):
            break
        back, used = last, 0
        while back - 1 > first and used + sizes[back - 1] <= overlap:
            back -= 1
            used += sizes[back]
        first = back
    return chunks


PACKERS: dict[str, Packer] = {"local": local, "greedy": greedy}


def documents(folder: Path) -> dict[str, str]:
    return {
        path.relative_to(folder).as_posix(): sanitise(path.read_text("utf-8"))
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path.suffix in {".md", ".txt", ".yml", ".yaml", ".ipynb"}
    }


def changed_paragraphs(old: str, new: str) -> list[str]:
    before = {old[a:b] for a, b in paragraphs(old)}
    return [new[a:b] for a, b in paragraphs(new) if new[a:b] not in before]


@dataclass
class Step:
    """What one packer makes of the modified files of one step."""

    chunks: int = 0
    new: int = 0
    needless: int = 0  # new, though no changed paragraph begins or ends in it
    tokens: int = 0  # of the new chunks: what a model would read again

    def add(self, old: set[str], new: list[str], changed: list[str], count: Counter) -> None:
        """Count the chunks of one file, before and after."""
        fresh = [chunk for chunk in new if chunk not in old]
        self.chunks += len(new)
        self.new += len(fresh)
        self.needless += sum(not any(part[:40] in c or part[-40:] in c for part in changed) for c in fresh)
        self.tokens += sum(map(count, fresh))

    def line(self) -> str:
        """Return the figures as cells of the table."""
        kept = 1 - self.new / max(1, self.chunks)
        return f"{self.chunks:7d} {self.new:5d} {self.needless:9d} {self.tokens:8d} {kept:7.1%}"


def tally(
    name: str,
    old: dict[str, str],
    new: dict[str, str],
    changed: dict[str, list[str]],
    sizes: tuple[int, int],
    count: Counter,
) -> Step:
    step = Step()
    for uri, parts in changed.items():
        before, after = (PACKERS[name](version[uri], *sizes, count) for version in (old, new))
        step.add(set(before), after, parts, count)
    return step


def history(root: Path, sizes: tuple[int, int], count: Counter) -> None:
    """Print, a step between releases, what share of the modified files' chunk texts is kept."""
    versions = [documents(root / HISTORY / f"v{i}") for i in range(7)]
    print(f"\nModified files of {HISTORY}, limit {sizes[0]}, overlap {sizes[1]}")
    print("step   files  changed paragraphs  packer  chunks   new  needless  tokens    kept")
    totals = {name: Step() for name in PACKERS}
    for i, (old, new) in enumerate(pairwise(versions)):
        modified = [uri for uri in new if uri in old and old[uri] != new[uri]]
        changed = {uri: changed_paragraphs(old[uri], new[uri]) for uri in modified}
        for name in PACKERS:
            step = tally(name, old, new, changed, sizes, count)
            totals[name] = Step(*(a + b for a, b in zip(astuple(totals[name]), astuple(step), strict=True)))
            print(f"v{i}-v{i + 1} {len(modified):6d} {sum(map(len, changed.values())):19d}  {name:6s} {step.line()}")
    for name, total in totals.items():
        print(f"all {'':27s} {name:6s} {total.line()}")


def single_edits(text: str, sizes: tuple[int, int], count: Counter, rounds: int) -> dict[str, list[int]]:
    """Insert, delete or replace one sentence at random; return how many new chunks do not hold the edit."""
    rng = random.Random(7)
    reaches: dict[str, list[int]] = {name: [] for name in PACKERS}
    spans = list(sentences(text))
    before = {name: set(packer(text, *sizes, count)) for name, packer in PACKERS.items()}
    for _ in range(rounds):
        start, end = spans[rng.randrange(len(spans))]
        a, b = spans[rng.randrange(len(spans))]
        kind = rng.choice(["insert", "delete", "replace"])
        # Reversed, so that it is a sentence that stands nowhere else.
        new = "" if kind == "delete" else text[a:b][::-1] + " "
        edited = text[:start] + new + text[start if kind == "insert" else end :]
        for name, packer in PACKERS.items():
            fresh = [chunk for chunk in packer(edited, *sizes, count) if chunk not in before[name]]
            probe = edited[max(0, start - 1) : start + len(new) + 1]
            reaches[name].append(sum(probe not in chunk and (not new or new[:20] not in chunk) for chunk in fresh))
    return reaches


def corpora(root: Path) -> Iterator[tuple[str, str]]:
    yield "d03 A Christmas Carol", (root / "d03_carol_gpt4o" / "a-christmas-carol.txt").read_text("utf-8")
    lines = (root / "d06_k2nlg_ko" / "docs.jsonl").read_text("utf-8").splitlines()
    yield "d06 Korean", "\n\n".join(json.loads(line)["text"] for line in lines)
    lines = (root / "d14_qmsum" / "val.jsonl").read_text("utf-8").splitlines()
    turns = (turn for line in lines for turn in json.loads(line)["meeting_transcripts"])
    yield "d14 transcripts", "\n".join(f"{turn['speaker']}: {turn['content']}" for turn in turns)
    medical = json.loads((root / "d16_graphragbench_medical" / "medical.json").read_text("utf-8"))
    medical = medical if isinstance(medical, list) else [medical]
    yield "d16 medical", "\n\n".join(item["context"] for item in medical)


def fill(root: Path, count: Counter) -> None:
    print("\ncorpus                 limit  chunks  largest  mean fill  MB per CPU second")
    for name, raw in corpora(root):
        text = sanitise(raw)
        for limit, overlap in ((1200, 100), (300, 50)):
            begin = time.process_time()
            spans = chunk_spans(text, limit, overlap, count)
            spent = time.process_time() - begin
            sizes = [span.tokens for span in spans]
            speed = len(text.encode()) / spent / 1e6
            mean = statistics.mean(sizes) / limit
            print(f"{name:22s} {limit:5d} {len(spans):7d} {max(sizes):8d} {mean:10.3f} {speed:18.1f}")


def reach(root: Path, count: Counter, rounds: int) -> None:
    print(f"\n{rounds} edits of one sentence each: new chunks that do not hold the edit")
    print("corpus                 limit  packer   mean  over two  most")
    for name, raw in corpora(root):
        for sizes in ((1200, 100), (300, 50)):
            text = sanitise(raw)[: sizes[0] * 80]
            for packer, counts in single_edits(text, sizes, count, rounds).items():
                mean = statistics.mean(counts)
                beyond = sum(n > 2 for n in counts) / len(counts)
                print(f"{name:22s} {sizes[0]:5d}  {packer:6s} {mean:6.2f} {beyond:9.1%} {max(counts):5d}")


ONE_LINE = {
    "English sentences": "The cat sat on the mat near the old house. ",
    "Korean sentences": "삼성전자는 하만을 인수했다. ",
    "no stop": "word ",
    "no stop, no blank": "가",
}


def one_line(megabytes: int, count: Counter) -> None:
    print(f"\nOne line of {megabytes} MB           limit  chunks  CPU seconds  peak memory so far, MiB")
    for name, unit in ONE_LINE.items():
        text = unit * (megabytes * 1_000_000 // len(unit.encode()))
        for limit, overlap in ((1200, 100), (300, 50)):
            begin = time.process_time()
            chunks = len(chunk_spans(text, limit, overlap, count))
            spent = time.process_time() - begin
            peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
            print(f"{name:22s} {limit:10d} {chunks:7d} {spent:12.1f} {peak:8d}")


def sentence_speed(root: Path) -> None:
    print("\ncorpus                 sentences  MB per CPU second, sentences alone")
    for name, raw in corpora(root):
        begin = time.process_time()
        found = sum(1 for _ in sentences(raw))
        print(f"{name:22s} {found:9d} {len(raw.encode()) / (time.process_time() - begin) / 1e6:8.1f}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--corpora", type=Path, default=os.environ.get("PATHGRAPH_CORPORA"), help="folder of corpora")
    parser.add_argument("--tokenizer", default="rule", help="rule, o200k, cl100k or auto")
    parser.add_argument("--rounds", type=int, default=50, help="single edits a corpus and size")
    parser.add_argument("--long", type=int, default=10, help="megabytes of the one-line texts; 0 leaves them out")
    arguments = parser.parse_args()
    if arguments.corpora is None:
        parser.error("name the folder by --corpora or PATHGRAPH_CORPORA")
    count = counter(arguments.tokenizer)
    for sizes in ((1200, 100), (300, 50)):
        history(arguments.corpora, sizes, count)
    fill(arguments.corpora, count)
    sentence_speed(arguments.corpora)
    if arguments.long:
        one_line(arguments.long, count)
    if arguments.rounds:
        reach(arguments.corpora, count, arguments.rounds)


if __name__ == "__main__":
    main()
