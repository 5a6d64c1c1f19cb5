"""How good the offline extractor is: on the gold sentences, and on public corpora where PATHGRAPH_CORPORA names them.

    python benchmarks/offline_quality.py --language en --split untouched     the gold table of docs/offline.md
    python benchmarks/offline_quality.py --corpus d05                        Re-DocRED, 500 documents
    python benchmarks/offline_quality.py --corpus d12                        MINE, 50 essays

`--errors` lists what was wrong and missed; do not use it on the untouched half while changing rules.
"""

import argparse
import json
import os
import re
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from gold_score import Sentence, Triple, load_gold, match, normalise, same_name, score

ROOT = Path(__file__).parents[1]
CORPORA = {"d05": "d05_redocred_dev/gold_extraction.jsonl", "d12": "d12_mine/essays.jsonl"}
# The baseline: a name, one of a few phrases, a name. No model.
_NAME = r"((?:[A-Z][\w&-]*)(?: (?:of |the |de |van )?[A-Z0-9][\w&-]*)*)"
_PATTERNS = [
    (re.compile(_NAME + r" (?:was|were|is) (\w+ed|built|bought|written|made) by (?:the )?" + _NAME), True),
    (re.compile(_NAME + r" (?:is|was) (?:the|a|an) ([\w -]{3,30}) of (?:the )?" + _NAME), False),
    (re.compile(_NAME + r", (?:the|a|an)? ?([\w -]{3,30}) of (?:the )?" + _NAME), False),
    (re.compile(_NAME + r" (?:is|was)? ?(\w+ed in|born in) (?:the )?" + _NAME), False),
    (re.compile(_NAME + r" (\w+(?:ed|s)|bought|sold|built|won)(?: the| a)? " + _NAME), False),
]


def regex_triples(text: str) -> list[Triple]:
    """Return what the regular expressions find; the baseline every rule has to beat."""
    found = []
    for pattern, passive in _PATTERNS:
        for m in pattern.finditer(text):
            one, relation, other = m.groups()
            found.append((other, relation, one) if passive else (one, relation, other))
    return found


def typed(reply: str) -> list[Triple]:
    """Return the typed triples of a reply."""
    return [(t["subject"], t["relation"], t["object"]) for t in json.loads(reply)["triples"] if t["kind"] == "typed"]


def extractor() -> Any:
    """Return the extractor, its models loaded."""
    from pathgraph.providers.offline.extractor import OfflineExtractor

    made = OfflineExtractor()
    made.reply("Microsoft acquired LinkedIn.", "en")
    return made


def gold_quality(language: str, split: str, errors: bool) -> None:
    """Print the scores on the gold sentences of one language."""
    every = load_gold(ROOT / "tests" / "golden" / f"offline_gold_{language}.jsonl")
    gold = [s for s in every if split in {s.split, "all"}]
    engine = extractor()
    found = [typed(engine.reply(s.text, language)) for s in gold]
    if errors:
        for sentence, triples in zip(gold, found, strict=True):
            print_errors(sentence, triples)
    table = {"rules": score(zip(found, (s.triples for s in gold), strict=True)).row()}
    if language == "en":
        table["regex baseline"] = score((regex_triples(s.text), s.triples) for s in gold).row()
    for name, row in table.items():
        print(f"{language} {split} ({len(gold)} sentences), {name}: {json.dumps(row)}")


def print_errors(sentence: Sentence, found: list[Triple]) -> None:
    """Print the false and the missed triples of a sentence, if any."""
    hits = match(found, sentence.triples, lenient=True)
    wrong = [t for i, t in enumerate(found) if i not in hits]
    missed = [t for j, t in enumerate(sentence.triples) if j not in hits.values()]
    if wrong or missed:
        print(f"{sentence.id} {sentence.text}\n    wrong {wrong}\n    missed {missed}")


def documents(corpus: str) -> list[dict[str, Any]]:
    """Read a corpus; ends the program when it is not there."""
    root = os.environ.get("PATHGRAPH_CORPORA")
    if not root:
        sys.exit("Set PATHGRAPH_CORPORA to the folder of the corpora.")
    return [json.loads(line) for line in (Path(root) / CORPORA[corpus]).read_text("utf-8").splitlines()]


def detokenise(text: str) -> str:
    """Undo the blanks that Re-DocRED has around signs."""
    text = re.sub(r" ([,.;:!?%)\]]|'s\b|n't\b)", r"\1", text)
    text = re.sub(r"([(\[]) ", r"\1", text)
    return re.sub(r" ([-–]) ", r"\1", re.sub(r'" ([^"]*?) "', r'"\1"', text))


def same_any(surfaces: list[str], names: list[str]) -> bool:
    """Tell whether one of the surfaces matches one of the names leniently."""
    return any(same_name(s, n, lenient=True) for s in surfaces for n in names)


def redocred(limit: int) -> None:
    """Print entity recall, pair recall and the share of typed triples that join a gold pair."""
    engine = extractor()
    counts = dict.fromkeys(("entities", "entities_found", "pairs", "typed_pairs", "any_pairs"), 0)
    counts |= dict.fromkeys(("typed", "typed_both_gold", "typed_gold_pair"), 0)
    start, characters = time.process_time(), 0
    replies = []
    for document in documents("d05")[:limit]:
        text = detokenise(document["text"])
        characters += len(text)
        replies.append((document, json.loads(engine.reply(text, "en"))))
    seconds = time.process_time() - start
    for document, reply in replies:
        for key, n in redocred_counts(document, reply):
            counts[key] += n
    ratios = {
        "entity_recall": counts["entities_found"] / counts["entities"],
        "pair_recall_typed": counts["typed_pairs"] / counts["pairs"],
        "pair_recall_typed_or_co_occurs": counts["any_pairs"] / counts["pairs"],
        "typed_triples_between_gold_entities_that_are_gold_pairs": counts["typed_gold_pair"]
        / max(counts["typed_both_gold"], 1),
    }
    print(json.dumps(counts))
    print(json.dumps({k: round(v, 3) for k, v in ratios.items()}))
    print(f"{characters} characters, {characters / seconds:.0f} characters per CPU-second")


def redocred_counts(document: dict[str, Any], reply: dict[str, Any]) -> Iterator[tuple[str, int]]:
    """Yield the counts of one document; dates and numbers, which are no nodes, are left out."""
    gold = {e["name"]: e["mentions"] for e in document["entities"] if e["type"] not in {"TIME", "NUM"}}
    owner: dict[str, set[str]] = {}
    for entity in reply["entities"]:
        name = entity["name"]
        owner[name] = {g for g, mentions in gold.items() if same_any(mentions, [name])}
    pairs = {frozenset((h, t)) for h, _, t in document["triples"] if h in gold and t in gold and h != t}
    joined: dict[str, set[frozenset[str]]] = {"typed": set(), "co_occurs": set()}
    for triple in reply["triples"]:
        ends = owner.get(triple["subject"], set()), owner.get(triple["object"], set())
        here = {frozenset((a, b)) for a in ends[0] for b in ends[1] if a != b}
        joined[triple["kind"]] |= here
        if triple["kind"] == "typed":
            yield "typed", 1
            yield "typed_both_gold", int(bool(here))
            yield "typed_gold_pair", int(bool(here & pairs))
    yield "entities", len(gold)
    yield "entities_found", len(set().union(*owner.values()) if owner else set())
    yield "pairs", len(pairs)
    yield "typed_pairs", len(pairs & joined["typed"])
    yield "any_pairs", len(pairs & (joined["typed"] | joined["co_occurs"]))


def stems(text: str) -> frozenset[str]:
    """Return the words without their endings, function words left out."""
    words = re.findall(r"[a-z]+", text.lower())
    return frozenset(re.sub(r"(?:ies|es|s|ing|ed|ly|y|e)$", "", w) for w in words if len(w) > 2 and w != "the")


def carried(facts: list[str], relations: list[Triple]) -> int:
    """Count the facts both ends of some relation stand in, word by word."""
    ends = {(stems(s), stems(o)) for s, _, o in relations}
    return sum(any(a and b and a != b and a <= words and b <= words for a, b in ends) for words in map(stems, facts))


def largest_share(relations: list[Triple], names: set[str]) -> float:
    """Return the share of the names in the largest component of the graph of the relations."""
    parent = {name: name for name in names}

    def root(name: str) -> str:
        while parent[name] != name:
            parent[name] = parent[parent[name]]
            name = parent[name]
        return name

    for subject, _, other in relations:
        parent[root(normalise(subject))] = root(normalise(other))
    sizes: dict[str, int] = {}
    for name in names:
        sizes[root(name)] = sizes.get(root(name), 0) + 1
    return max(sizes.values(), default=0) / max(len(names), 1)


def mine(limit: int) -> None:
    """Print fact recall and connectedness a system: ours, typed and all, and the recorded ones by the same measure."""
    engine = extractor()
    essays = documents("d12")[:limit]
    totals: dict[str, list[float]] = {}
    for essay in essays:
        reply = json.loads(engine.reply(essay["text"], "en"))
        every = [(t["subject"], t["relation"], t["object"]) for t in reply["triples"]]
        own = [(t["subject"], t["relation"], t["object"]) for t in reply["triples"] if t["kind"] == "typed"]
        systems = {"offline, typed": own, "offline, typed + co_occurs": every}
        systems |= {k: [tuple(map(str, r)) for r in v["relations"]] for k, v in essay["systems"].items()}
        for name, relations in systems.items():
            nodes = {normalise(x) for s, _, o in relations for x in (s, o)}
            row = totals.setdefault(name, [0, 0, 0, 0])
            for i, value in enumerate(
                (carried(essay["facts"], relations), len(nodes), len(relations), largest_share(relations, nodes))
            ):
                row[i] += value
    facts = sum(len(e["facts"]) for e in essays)
    for name, (kept, size, edges, reached) in totals.items():
        means = f"{size / len(essays):.0f} nodes, {edges / len(essays):.0f} relations an essay"
        print(f"{name}: facts carried {kept / facts:.2f}, largest component {reached / len(essays):.2f}, {means}")


def main() -> None:
    """Run what the arguments select."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--language", choices=("en", "ko"), default="en")
    parser.add_argument("--split", choices=("tuned", "untouched", "all"), default="untouched")
    parser.add_argument("--errors", action="store_true")
    parser.add_argument("--corpus", choices=tuple(CORPORA))
    parser.add_argument("--limit", type=int, default=1_000_000, help="documents at most")
    chosen = parser.parse_args()
    if chosen.corpus == "d05":
        redocred(chosen.limit)
    elif chosen.corpus == "d12":
        mine(chosen.limit)
    else:
        gold_quality(chosen.language, chosen.split, chosen.errors)


if __name__ == "__main__":
    main()
