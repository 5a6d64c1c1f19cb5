"""How much speaks for two relations being one, and whether in the same direction.

Belongs here: the evidence for one pair. Does not: joining many (`group`).

The rules, strongest first; every one needs types that do not contradict it:
  * the names say the same: equal stems (`acquires`, `was_acquired_by`) or known synonyms (CEO, 대표이사);
  * they connect the same pairs of nodes: half of the pairs of the rarer one, and two at least, or one where the names
    are alike too;
  * the names are alike in writing or in the vectors of the embedding model, and the types of the ends agree.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from difflib import SequenceMatcher

from pathgraph.discovery.observe import Seen
from pathgraph.discovery.words import content, is_known, meaning, prepositions, reads_backwards

_SAME_TYPES = 0.5
_NOT_CONTRARY = 0.25
_SHARED = 0.5
_ALIKE = 0.8
_SOMEWHAT_ALIKE = 0.6
_SHORTEST = 4  # characters; shorter names are alike by chance


@dataclass(frozen=True)
class Likeness:
    """Why two relations may be one. `score` is in (0, 1]; `turned`: one reads from object to subject of the other."""

    score: float
    turned: bool
    reason: str


def likeness(one: Seen, two: Seen, cosine: float) -> Likeness | None:
    """Return what speaks for two relations being one, None when too little does. Symmetric in both.

    Args:
        one: a relation.
        two: another.
        cosine: how near the names' vectors are, 0 for as near as any two names, 1 for equal.
    """
    turned, types, shared = _direction(one, two)
    alike = max(_written_alike(one.name, two.name), cosine)
    rarer = min(len(one.pairs), len(two.pairs))
    if meaning(one.name) == meaning(two.name) and _may_be_one(one, two, turned, types):
        same_words = content(one.name) == content(two.name) or not is_known(one.name)
        return Likeness(1.0, turned, "same words" if same_words else "known synonym")
    if shared >= _SHARED * rarer and (shared > 1 or (shared and alike >= _SOMEWHAT_ALIKE)):
        if types is None or types >= _SAME_TYPES:
            return Likeness(0.6 + 0.3 * shared / rarer, turned, f"same pairs: {shared} of {rarer}")
    elif alike >= _ALIKE and types is not None and types >= _SAME_TYPES:
        return Likeness(0.6 * alike, turned, "alike names, same types")
    return None


def _direction(one: Seen, two: Seen) -> tuple[bool, float | None, int]:
    """Return whether they run in opposite directions, and for that direction: agreement of types, shared pairs."""
    reverse = {(target, source) for source, target in two.pairs}
    shared = len(one.pairs & two.pairs), len(one.pairs & reverse)
    there = _ends(one)
    types = (
        _agreement(there, _ends(two)),
        _agreement(there, {(obj, subj): count for (subj, obj), count in _ends(two).items()}),
    )
    passive = reads_backwards(one.name) != reads_backwards(two.name)
    # Pairs weigh most, then types; a passive form decides between what else is even.
    forward, backward = ((shared[way], round(types[way] or 0.0, 1)) for way in (0, 1))
    turned = passive if forward == backward else backward > forward
    return turned, types[turned], shared[turned]


def _may_be_one(one: Seen, two: Seen, turned: bool, types: float | None) -> bool:
    """Tell whether the types let two relations of one meaning be one.

    A wrong type at one end alone does not forbid it; but with another preposition (`supply`, `supply_to`) another type
    of object is another relation.
    """
    if types is None or types >= _NOT_CONTRARY:
        return True
    if prepositions(one.name) != prepositions(two.name):
        return False
    left, right = _ends(one), _ends(two)
    subjects = {subject for subject, _ in left} & {ends[turned] for ends in right}
    objects = {object_ for _, object_ in left} & {ends[not turned] for ends in right}
    return bool(subjects or objects)


def _ends(seen: Seen) -> dict[tuple[str, str], int]:
    """Return the counts of ends whose types are both known."""
    return {ends: count for ends, count in seen.ends if all(ends)}


def _agreement(one: Mapping[tuple[str, str], int], two: Mapping[tuple[str, str], int]) -> float | None:
    """Return the share of facts that agree in the types of their ends, 0 to 1; None when one has no known types."""
    if not one or not two:
        return None
    totals = sum(one.values()), sum(two.values())
    # Exact, so that neither the order of a set nor Python's way of summing shows in the result.
    return math.fsum(min(one[ends] / totals[0], two[ends] / totals[1]) for ends in one.keys() & two.keys())


def _written_alike(one: str, two: str) -> float:
    """Return how alike two names are in writing, 0 to 1."""
    left, right = sorted((" ".join(content(one)), " ".join(content(two))))
    if min(len(left), len(right)) < _SHORTEST:
        return 0.0
    matcher = SequenceMatcher(None, left, right, autojunk=False)
    return matcher.ratio() if matcher.quick_ratio() >= _SOMEWHAT_ALIKE else 0.0
