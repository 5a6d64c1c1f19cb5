"""Community reports without a model: the most telling sentences of the evidence, each with the triples it states.

Belongs here: sentence choice (TextRank, MMR) and the wording around it. Does not: which evidence a report is written
from (`pathgraph.summaries`).
"""

import math
import re
from collections import Counter
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from pathgraph.graph.pagerank import pagerank
from pathgraph.ids import content_hash
from pathgraph.language import detect
from pathgraph.providers.protocol import Finding, Report, ReportRequest
from pathgraph.summaries.rule import rule_report, statements_of, title_of

MAX_SENTENCES = 200  # the most important ones; the similarity matrix is quadratic
SUMMARY_SENTENCES = 3
_MIN_LENGTH = 15
_DIVERSITY = 0.3  # MMR: weight of not repeating what is chosen, against importance
_NEAR_DUPLICATE = 0.7
_UNRELATED = 0.1  # cosine below which two sentences do not vouch for each other (LexRank, Erkan & Radev 2004)

# A sentence that opens so leans on the one before it, which the reader does not see.
_LEANS = re.compile(
    r"(?:그러나|하지만|그런데|그리고|그래서|그러므로|따라서|또한|또는|또|즉|한편|반면|게다가|아울러|이에|이는|이런|그런|이러한|그러한"
    r"|이|그|저|그는|그가|그의)(?=[\s,])"
    r"|(?:이것|그것|저것|여기|거기|이들|그들|그녀)(?=[\s,은는이가을를도의에])"
    r"|(?:but|however|and|or|so|also|then|thus|hence|therefore|moreover|furthermore|meanwhile|instead|besides|yet|this|that"
    r"|these|those|such|it|its|he|his|she|her|they|their|there|here)\b",
    re.IGNORECASE,
)
_OPEN_END = re.compile(r"[-–—:,]\s*$")
_WORD = re.compile(r"\w+")
_HANGUL = re.compile(r"[가-힣]")


class OfflineSummariser:
    """Writes a report from the request's own sentences, in the request's language where it has any; deterministic."""

    provider = "offline"
    parallel = 1
    model = "textrank"
    prompt_hash = content_hash("offline summaries", "1")

    def report(self, request: ReportRequest) -> Report:
        """Return title, up to three sentences as summary and up to `request.findings` cited ones as findings."""
        statements = statements_of(request)[:MAX_SENTENCES]
        usable = [s for s in statements if _stands_alone(s.text)]
        spoken = [detect(s.text) == request.language for s in usable]
        native = [s for s, is_native in zip(usable, spoken, strict=True) if is_native]
        others = [s for s, is_native in zip(usable, spoken, strict=True) if not is_native]
        weight = {item.triple_id: item.weight for item in request.evidence}
        first = _choose(native, request.findings, weight)
        chosen = first + _choose(others, request.findings - len(first), weight)
        if not chosen:
            return rule_report(request)
        summary = " ".join(_ended(s.text) for s in (first or chosen)[:SUMMARY_SENTENCES])
        return Report(title_of(request), summary, tuple(chosen))


def _stands_alone(text: str) -> bool:
    return len(text) >= _MIN_LENGTH and not _LEANS.match(text) and not _OPEN_END.search(text)


def _ended(text: str) -> str:
    return text if text.endswith((".", "!", "?", "…", "。", '"', "”", "’", "'", ")")) else f"{text}."


def _choose(statements: list[Finding], count: int, weight: dict[int, float]) -> list[Finding]:
    """Return up to `count` statements, central ones first, each unlike the ones before it, near-duplicates once.

    TextRank (Mihalcea & Tarau 2004), started from the important evidence, gives the rank; maximal marginal relevance
    (Carbonell & Goldstein 1998) the order.
    """
    if not statements:
        return []
    likeness = _similarity([s.text for s in statements])
    heft = np.array(
        [1 + max(max((weight.get(key, 1.0) for key in s.triple_ids), default=1.0), 0.0) for s in statements]
    )
    u, v = np.nonzero(np.triu(likeness >= _UNRELATED, 1))
    rank = pagerank(len(statements), u.astype(np.int32), v.astype(np.int32), likeness[u, v], np.sqrt(heft))
    rank = rank / rank.max()
    closest = np.zeros(len(statements))
    free = np.ones(len(statements), bool)
    chosen: list[int] = []
    while len(chosen) < count and free.any():
        score = np.where(free, (1 - _DIVERSITY) * rank - _DIVERSITY * closest, -np.inf)
        best = int(np.argmax(score))  # the first among equals: the more important evidence
        chosen.append(best)
        closest = np.maximum(closest, likeness[best])
        free &= likeness[best] <= _NEAR_DUPLICATE
        free[best] = False
    return [statements[i] for i in chosen]


def _similarity(texts: list[str]) -> NDArray[np.float64]:
    """Return the cosine of the sentences' TF-IDF vectors, float64 (n, n), zero diagonal, rounded to six decimals."""
    bags = [Counter(_terms(text)) for text in texts]
    known = Counter(term for bag in bags for term in bag)
    place = {term: i for i, term in enumerate(sorted(term for term, n in known.items() if n > 1))}
    vectors = np.zeros((len(texts), max(1, len(place))))
    length = np.zeros(len(texts))
    for i, bag in enumerate(bags):
        for term, count in bag.items():
            value = (1 + math.log(count)) * (1 + math.log(len(texts) / known[term]))
            length[i] += value * value
            if term in place:  # a term of one sentence alone adds to its length only
                vectors[i, place[term]] = value
    vectors /= np.sqrt(np.maximum(length, 1e-12))[:, None]
    likeness = np.round(vectors @ vectors.T, 6)
    np.fill_diagonal(likeness, 0)
    return likeness


def _terms(text: str) -> list[str]:
    """Return lower-case words, Korean ones as pairs of characters, which particles and endings change little."""
    found: list[str] = []
    for word in _WORD.findall(text.casefold()):
        if _HANGUL.search(word) and len(word) > 1:
            found.extend(a + b for a, b in pairwise(word))
        else:
            found.append(word)
    return found
