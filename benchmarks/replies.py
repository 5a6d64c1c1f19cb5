"""How many of the raw replies that were recorded from real models can be read, and what of them is lost, by kind.

Run: PATHGRAPH_CORPORA=<folder> python benchmarks/replies.py
The folder holds d03_carol_gpt4o (gpt-4o, tuples with delimiters) and d11_text2kg (Vicuna and Alpaca 13B, calls), as
their READMEs describe. For d03 the records are counted by their opening tag; for d11 the facts are compared with those
that the corpus's own authors read from the same replies (without the ones whose object they left blank).
"""

import json
import os
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pathgraph.extraction.repair import read_records
from pathgraph.extraction.reply import ReplyError, parse_reply

_BLANK = {"", "n/a", "none", "unknown", "null", "*", "-"}
_SIZED = re.compile(r"\d+")


def rows(path: Path) -> Iterator[dict[str, Any]]:
    with path.open(encoding="utf-8") as lines:
        yield from map(json.loads, lines)


def tuples(corpora: Path) -> Counter[str]:
    """Count over both draws of d03: replies, records that were begun, records that were read."""
    found: Counter[str] = Counter()
    for path in sorted((corpora / "d03_carol_gpt4o").glob("recordings_draw_*.jsonl")):
        for row in rows(path):
            raw = row["response"]
            records = read_records(raw, "")
            found["replies"] += 1
            found["unread"] += records is None
            found["entities begun"] += len(re.findall(r"\(\s*\"?entity", raw))
            found["relationships begun"] += len(re.findall(r"\(\s*\"?relationship", raw))
            if records is not None:
                found["entities read"] += len(records.entities)
                found["relationships read"] += len(records.triples)
                found["lost records"] += len(records.problems)
    return found


def calls(corpora: Path) -> dict[str, Counter[str]]:
    """Count over d11, by model: replies by form, lost records by kind, facts here and there."""
    found: dict[str, Counter[str]] = {}
    for path in sorted((corpora / "d11_text2kg").glob("ont_*.jsonl")):
        for row in rows(path):
            for model, reply in row["responses"].items():
                _count(found.setdefault(model, Counter()), reply, row["text"])
    return found


def _count(found: Counter[str], reply: dict[str, Any], text: str) -> None:
    theirs = {tuple(_plain(part) for part in fact) for fact in reply["parsed"]}
    theirs = {fact for fact in theirs if not _BLANK & set(fact)}
    found["replies"] += 1
    found["their facts"] += len(theirs)
    try:
        parsed = parse_reply(reply["raw"], text)
    except ReplyError:
        found["no fact in it"] += 1
        found["no fact in it, but they read some"] += bool(theirs)
        return
    ours = {(_plain(t.subject), _plain(t.relation), _plain(t.object)) for t in parsed.triples}
    found[f"form: {parsed.shape}"] += 1
    found["our facts"] += len(ours)
    found["facts of both"] += len(ours & theirs)
    for problem in parsed.problems:
        found["lost: " + _SIZED.sub("n", problem)] += 1


def _plain(part: str) -> str:
    return " ".join(part.replace("\\_", "_").casefold().split())


def main() -> None:
    corpora = Path(os.environ["PATHGRAPH_CORPORA"])
    tables = {"gpt-4o, tuples (d03)": tuples(corpora), **calls(corpora)}
    for name, counts in tables.items():
        print(f"\n{name}")
        for what, count in sorted(counts.items()):
            print(f"  {what:45} {count:6,}")


if __name__ == "__main__":
    main()
