"""The scorer of the offline extractor's gold sets, and of any other set of (subject, relation, object).

Gold format: JSONL, one sentence a line:

    {"id": "en-001", "split": "tuned" | "untouched", "text": "...", "triples": [["subject", "relation", "object"]]}

`relation` is a short canonical phrase and is read in the direction subject -> object; a sentence that states no fact
between entities has no triples. Matching, exactly:

* strict: after `normalise`, both names are equal, subject with subject and object with object.
* lenient: as strict, but a name also matches when one of the two contains the other and the shorter has at least
  60 % of the longer's characters.
* neither compares relations; `relations` is the share of leniently matched pairs whose relations share a word that
  is no function word, after cutting verb endings (`founded_by`/`found`), so a wrong relation shows there.

A prediction matches at most one gold triple and the other way round (a maximum matching). A swapped subject and
object is wrong twice: one false, one missed.
"""

import json
import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

Triple = tuple[str, str, str]

SHARE = 0.6
_LEGAL = re.compile(
    r"\b(?:inc|corp|corporation|incorporated|company|co|ltd|limited|llc|plc|ag|gmbh|sa|nv|se)\b\.?|㈜|\(주\)|주식회사"
)
_ARTICLE = re.compile(r"^(?:the|a|an|its|his|her|their)\s+")
_PARTICLE = re.compile(r"(?<=[가-힣]{2})(?:은|는|이|가|을|를|의|에|에서|와|과|으로|로|도)$")
_VERB_END = re.compile(r"(?:ing|ed|es|s|e|d)$")
_FUNCTION_WORDS = frozenset(
    re.findall(r"\w+", "a an and as at be been by for from has have in is of on or the to was were with")
)


@dataclass(frozen=True)
class Sentence:
    """One line of a gold file."""

    id: str
    split: str
    text: str
    triples: tuple[Triple, ...]


@dataclass(frozen=True)
class Score:
    """Counts over a set of sentences."""

    predicted: int
    gold: int
    lenient: int
    strict: int
    relations: int

    @staticmethod
    def _f1(p: float, r: float) -> float:
        return 2 * p * r / (p + r) if p + r else 0.0

    def row(self) -> dict[str, float]:
        """Return precision, recall and F1, lenient and strict, and the share of agreeing relations."""
        out: dict[str, float] = {"predicted": self.predicted, "gold": self.gold}
        for kind, hits in (("lenient", self.lenient), ("strict", self.strict)):
            p, r = hits / max(self.predicted, 1), hits / max(self.gold, 1)
            out |= {f"{kind}_p": round(p, 3), f"{kind}_r": round(r, 3), f"{kind}_f1": round(self._f1(p, r), 3)}
        out["relations"] = round(self.relations / max(self.lenient, 1), 3)
        return out


def load_gold(path: Path) -> list[Sentence]:
    """Read a gold file; raises ValueError when an id comes twice or a split has another name."""
    rows = [json.loads(line) for line in path.read_text("utf-8").splitlines() if line.strip()]
    gold = [Sentence(r["id"], r["split"], r["text"], tuple((s, p, o) for s, p, o in r["triples"])) for r in rows]
    if len({s.id for s in gold}) != len(gold) or {s.split for s in gold} - {"tuned", "untouched"}:
        raise ValueError(f"{path}: duplicate id or unknown split")
    return gold


def normalise(name: str) -> str:
    """Return the name casefolded, without articles, legal forms, trailing particles, punctuation and spaces."""
    text = unicodedata.normalize("NFKC", name).casefold().replace("’", "'").strip()
    text = _ARTICLE.sub("", re.sub(r"'s$", "", text))
    compact = re.sub(r"[\W_]+", "", _LEGAL.sub(" ", text)) or re.sub(r"[\W_]+", "", text)
    return _PARTICLE.sub("", compact)


def same_name(one: str, other: str, lenient: bool) -> bool:
    """Tell whether two names match, strictly or leniently."""
    a, b = sorted((normalise(one), normalise(other)), key=len)
    if a == b:
        return bool(a)
    return lenient and bool(a) and a in b and len(a) >= SHARE * len(b)


def same_relation(one: str, other: str) -> bool:
    """Tell whether two relations share a content word, verb endings cut."""

    def words(relation: str) -> set[str]:
        found = re.split(r"[\W_]+", relation.casefold())
        return {_VERB_END.sub("", w) if len(w) > 3 else w for w in found if w and w not in _FUNCTION_WORDS}

    return bool(words(one) & words(other)) or one.casefold() == other.casefold()


def match(predicted: Sequence[Triple], gold: Sequence[Triple], lenient: bool) -> dict[int, int]:
    """Return a maximum matching: index of a prediction -> index of its gold triple (augmenting paths)."""

    def fits(p: Triple, g: Triple) -> bool:
        return same_name(p[0], g[0], lenient) and same_name(p[2], g[2], lenient)

    options = {i: [j for j, g in enumerate(gold) if fits(p, g)] for i, p in enumerate(predicted)}
    owner: dict[int, int] = {}

    def place(i: int, seen: set[int]) -> bool:
        for j in options[i]:
            if j not in seen:
                seen.add(j)
                if j not in owner or place(owner[j], seen):
                    owner[j] = i
                    return True
        return False

    for i in range(len(predicted)):
        place(i, set())
    return {i: j for j, i in owner.items()}


def score(pairs: Iterable[tuple[Sequence[Triple], Sequence[Triple]]]) -> Score:
    """Score (predicted, gold) of many sentences; a prediction given twice in a sentence counts once."""
    predicted = gold = lenient = strict = relations = 0
    for found, truth in pairs:
        unique = list({(normalise(s), r, normalise(o)): (s, r, o) for s, r, o in found}.values())
        hits = match(unique, truth, lenient=True)
        predicted += len(unique)
        gold += len(truth)
        lenient += len(hits)
        strict += len(match(unique, truth, lenient=False))
        relations += sum(same_relation(unique[i][1], truth[j][1]) for i, j in hits.items())
    return Score(predicted, gold, lenient, strict, relations)
