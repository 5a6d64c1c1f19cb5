"""Relations that are probably one, as groups with a head and a direction for every member.

Belongs here: joining by average linkage. Does not: the evidence (`similar`), or what is written (`propose`).
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pathgraph.discovery.observe import Seen
from pathgraph.discovery.similar import Likeness, likeness

MAX_COMPARED = 300  # the most frequent relations are compared with each other; the rest stand alone
_LINKAGE = 0.3  # average over all pairs across two groups, so that a chain of likenesses does not join everything


@dataclass(frozen=True)
class Member:
    """A relation in a group; `turned` when it reads from object to subject of the head."""

    seen: Seen
    turned: bool
    reason: str


@dataclass(frozen=True)
class Group:
    """Relations that are probably one; the first member is the head, the most frequent."""

    members: tuple[Member, ...]

    @property
    def count(self) -> int:
        """Facts of all members."""
        return sum(member.seen.count for member in self.members)


def grouped(relations: Sequence[Seen], vectors: NDArray[np.float32]) -> list[Group]:
    """Return all relations in groups, the largest first, ties by the head's name.

    Args:
        relations: most frequent first.
        vectors: unit vectors of the names of the first MAX_COMPARED, in the same order.
    """
    links = _links(relations[:MAX_COMPARED], vectors)
    groups: list[dict[int, bool]] = [{at: False} for at in range(len(relations))]
    place = {at: at for at in range(len(relations))}
    for (one, two), link in sorted(links.items(), key=lambda item: (-item[1].score, item[0])):
        left, right = place[one], place[two]
        if left == right or _average(groups[left], groups[right], links) < _LINKAGE:
            continue
        flip = groups[left][one] ^ groups[right][two] ^ link.turned
        groups[left] |= {at: turned ^ flip for at, turned in groups[right].items()}
        place |= dict.fromkeys(groups[right], left)
        groups[right] = {}
    made = [_group(members, relations, links) for members in groups if members]
    return sorted(made, key=lambda group: (-group.count, group.members[0].seen.name))


def _links(relations: Sequence[Seen], vectors: NDArray[np.float32]) -> dict[tuple[int, int], Likeness]:
    near = _nearness(vectors)
    found = {}
    for two in range(len(relations)):
        for one in range(two):
            link = likeness(relations[one], relations[two], float(near[one, two]))
            if link is not None:
                found[one, two] = link
    return found


def _nearness(vectors: NDArray[np.float32]) -> NDArray[np.float64]:
    """Return cosines scaled so that 0 is the mean of the sample: models differ in how near unrelated words are."""
    cosines = np.asarray(vectors @ vectors.T, np.float64)
    others = cosines[~np.eye(len(cosines), dtype=bool)]
    mean = float(others.mean()) if others.size else 0.0
    return np.clip((cosines - mean) / max(1.0 - mean, 1e-6), 0.0, 1.0)


def _average(left: dict[int, bool], right: dict[int, bool], links: dict[tuple[int, int], Likeness]) -> float:
    scores = [links[pair].score if pair in links else 0.0 for pair in (_pair(a, b) for a in left for b in right)]
    return sum(scores) / len(scores)


def _pair(one: int, two: int) -> tuple[int, int]:
    return (one, two) if one < two else (two, one)


def _group(members: dict[int, bool], relations: Sequence[Seen], links: dict[tuple[int, int], Likeness]) -> Group:
    head, *others = sorted(members)
    listed = [Member(relations[head], False, "")]
    for at in others:
        best = max((links[pair] for other in members if (pair := _pair(at, other)) in links), key=lambda k: k.score)
        reason = links[head, at].reason if (head, at) in links else best.reason
        listed.append(Member(relations[at], members[at] ^ members[head], reason))
    return Group(tuple(listed))
