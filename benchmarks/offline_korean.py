"""What the Korean reader takes out of public corpora; needs PATHGRAPH_CORPORA.

    python benchmarks/offline_korean.py names       d21: KLUE-NER names that come out as names, with their types
    python benchmarks/offline_korean.py relations   d07: KLUE-RE pairs that get a typed fact
    python benchmarks/offline_korean.py texts       d06: K2NLG gold triples whose pair gets a typed fact
    python benchmarks/offline_korean.py speed       CPU seconds to load, characters per CPU-second

The gold sentences are scored by `offline_quality.py --language ko`. `--limit` takes the first lines of a corpus only.
"""

import argparse
import json
import os
import re
import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from gold_score import same_name

from pathgraph.providers.offline.facts import Reading
from pathgraph.providers.offline.korean import KoreanReader

NER_TYPES = {"PS": "PERSON", "OG": "ORGANISATION", "LC": "PLACE"}
Entity = tuple[int, int, str]


def corpus(name: str) -> Path:
    """Return a corpus file; ends the program when it is not there."""
    root = os.environ.get("PATHGRAPH_CORPORA")
    if not root:
        sys.exit("Set PATHGRAPH_CORPORA to the folder of the corpora.")
    return Path(root) / name


def ner_sentences() -> Iterator[tuple[str, list[Entity]]]:
    """Yield the sentences of KLUE-NER with their persons, organisations and places."""
    for block in corpus("d21_klue_ner_ko/klue-ner-v1.1_dev.tsv").read_text("utf-8").split("\n\n"):
        rows = [tuple(line.rsplit("\t", 1)) for line in block.splitlines() if "\t" in line and line[:2] != "##"]
        yield "".join(row[0] for row in rows), list(entities([row[1] for row in rows]))


def entities(tags: list[str]) -> Iterator[Entity]:
    """Yield (start, end, type) of the BIO tags, one a character."""
    start = 0
    for i, tag in enumerate([*tags, "O"]):
        if tag[0] != "I":
            kind = tags[start][2:] if start < len(tags) else ""
            if start < i and tags[start][0] == "B" and kind in NER_TYPES:
                yield start, i, NER_TYPES[kind]
            start = i


def spans(reading: Reading) -> dict[tuple[int, int], str]:
    """Return the spans of all names of a reading with their types."""
    names = [*reading.phrases, *(name for f in reading.facts for name in (f.subject, f.object))]
    return {(n.start, n.end): n.type for n in names}


def names(limit: int) -> dict[str, dict[str, float]]:
    """Return per type: gold names, and the shares with the right span, with a right type, with a wrong type."""
    counts: Counter[tuple[str, str]] = Counter()
    sentences = list(ner_sentences())[:limit]
    readings = KoreanReader().read([text for text, _ in sentences], [])
    for (_, gold), reading in zip(sentences, readings, strict=True):
        found = spans(reading)
        for start, end, kind in gold:
            counts[kind, "gold"] += 1
            if (start, end) in found:
                own = found[start, end]
                counts[kind, "span"] += 1
                counts[kind, "type" if own == kind else "untyped" if not own else "other"] += 1
    shares = ("span", "type", "untyped", "other")
    return {
        kind: {"gold": counts[kind, "gold"]}
        | {share: round(counts[kind, share] / max(counts[kind, "gold"], 1), 3) for share in shares}
        for kind in NER_TYPES.values()
    }


def joins(reading: Reading, one: str, other: str) -> bool:
    """Tell whether a typed fact connects the two names, in whichever direction, by lenient matching."""
    pairs = [(f.subject.text, f.object.text) for f in reading.facts]
    return any(
        (same_name(s, one, lenient=True) and same_name(o, other, lenient=True))
        or (same_name(s, other, lenient=True) and same_name(o, one, lenient=True))
        for s, o in pairs
    )


def relations(limit: int) -> dict[str, float]:
    """Return the share of KLUE-RE pairs that get a typed fact: those with a relation, and those with none."""
    rows = [json.loads(line) for line in corpus("d07_klue_re_ko/klue_re.jsonl").read_text("utf-8").splitlines()][:limit]
    readings = KoreanReader().read([row["sentence"] for row in rows], [])
    counts: Counter[str] = Counter()
    for row, reading in zip(rows, readings, strict=True):
        # A title ("감독") is a relation here and never a node, so a pair with a title cannot be found.
        kind = {"no_relation": "none", "per:title": "title"}.get(row["label"], "related")
        counts[kind] += 1
        counts[f"{kind}_found"] += joins(reading, row["subject"]["word"], row["object"]["word"])
        counts["facts"] += len(reading.facts)
    out: dict[str, float] = {"sentences": len(rows), "facts": counts["facts"]}
    for kind in ("related", "title", "none"):
        out |= {kind: counts[kind], f"{kind}_found": round(counts[f"{kind}_found"] / max(counts[kind], 1), 3)}
    return out


def texts(limit: int) -> dict[str, float]:
    """Return the share of K2NLG's expressed gold triples whose two names a typed fact connects."""
    rows = [json.loads(line) for line in corpus("d06_k2nlg_ko/docs.jsonl").read_text("utf-8").splitlines()][:limit]
    reader = KoreanReader()
    gold = found = facts = 0
    for row in rows:
        readings = reader.read(re.split(r"(?<=[.?!])\s+", row["text"]), [])
        facts += sum(len(r.facts) for r in readings)
        for subject, _, other in row["triples"]:
            gold += 1
            found += any(joins(r, plain(subject), plain(other)) for r in readings)
    return {"texts": len(rows), "facts": facts, "gold": gold, "pair_recall": round(found / max(gold, 1), 3)}


def plain(name: str) -> str:
    """Return a K2NLG name as a text writes it: without underscores and what tells namesakes apart."""
    return re.sub(r"_?\(.*?\)$", "", name).replace("_", " ")


def speed(limit: int) -> dict[str, float]:
    """Return the CPU seconds of the first sentence and the characters read per CPU-second after it."""
    sentences = [text for text, _ in ner_sentences()][:limit]
    begin = time.process_time()
    reader = KoreanReader()
    reader.read(["서울은 대한민국의 수도이다."], [])
    loaded = time.process_time()
    reader.read(sentences, [])
    seconds = time.process_time() - loaded
    characters = sum(map(len, sentences))
    return {"load_seconds": round(loaded - begin, 2), "characters_per_second": round(characters / seconds)}


def main() -> None:
    """Run what the arguments select."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parts: dict[str, Any] = {"names": names, "relations": relations, "texts": texts, "speed": speed}
    parser.add_argument("part", choices=tuple(parts))
    parser.add_argument("--limit", type=int, default=1_000_000, help="sentences or texts at most")
    chosen = parser.parse_args()
    print(json.dumps(parts[chosen.part](chosen.limit), ensure_ascii=False, indent=1))


if __name__ == "__main__":
    main()
