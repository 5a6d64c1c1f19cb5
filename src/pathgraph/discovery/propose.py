"""From groups of relations to a proposal: types, relations with their ends and aliases, what is left out.

Belongs here: what is proposed. Does not: how it is written down (`render`).
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, zip_longest

import regex

from pathgraph.discovery.group import Group
from pathgraph.discovery.observe import Example, ranked
from pathgraph.discovery.words import type_meaning
from pathgraph.extraction.schema import fold_term

_MIN_KNOWN = 0.5  # share of facts whose types must be known before a direction is proposed
_MIN_SHARE = 0.2  # a rarer type at an end is probably a mistake of the extraction
_MAX_TYPES = 3
_EXAMPLES = 3
_GAPS = regex.compile(r"[\s\p{Pd}]+")


@dataclass(frozen=True)
class ProposedAlias:
    """Another name of a relation, how many facts use it, and why it is taken for the same."""

    name: str
    count: int
    reason: str


@dataclass(frozen=True)
class ProposedType:
    """A type of nodes, how many nodes have it, and its other names."""

    name: str
    count: int
    synonyms: tuple[str, ...]


@dataclass(frozen=True)
class ProposedRelation:
    """A relation as it would stand in the schema; `ends` are its observed types, for the reader."""

    name: str
    count: int
    documents: int
    subjects: tuple[str, ...]
    objects: tuple[str, ...]
    symmetric: bool
    aliases: tuple[ProposedAlias, ...]
    inverse_aliases: tuple[ProposedAlias, ...]
    ends: tuple[tuple[str, int], ...]
    examples: tuple[Example, ...]


@dataclass(frozen=True)
class Proposal:
    """What discovery proposes. `relations` holds all, most frequent first; the first `top` are proposed.

    Attributes:
        documents: documents in the sample.
        facts: typed facts found in them.
        seed: the sample's.
        top: how many relations are proposed.
        types: all types, most frequent first.
        relations: all relations.
    """

    documents: int
    facts: int
    seed: int
    top: int
    types: tuple[ProposedType, ...]
    relations: tuple[ProposedRelation, ...]

    @property
    def coverage(self) -> float:
        """Share of the sample's facts that the proposed relations state."""
        return sum(one.count for one in self.relations[: self.top]) / self.facts if self.facts else 0.0


def proposed_types(nodes: Iterable[Sequence[str]]) -> tuple[ProposedType, ...]:
    """Return the types, synonyms together under the most frequent name.

    Args:
        nodes: the types of each node.
    """
    counts = Counter(name for types in nodes for name in types if fold_term(name))
    meanings: dict[str, list[tuple[str, int]]] = {}
    for name, count in ranked(counts):
        meanings.setdefault(type_meaning(name), []).append((name, count))
    found = [
        ProposedType(names[0][0], sum(count for _, count in names), tuple(name for name, _ in names[1:]))
        for names in meanings.values()
    ]
    return tuple(sorted(found, key=lambda one: (-one.count, one.name)))


def proposed_relations(groups: Sequence[Group], types: Sequence[ProposedType]) -> tuple[ProposedRelation, ...]:
    """Return a relation for each group, in their order."""
    names = {name: one.name for one in types for name in (one.name, *one.synonyms)}
    return tuple(_relation(group, names) for group in groups)


def _relation(group: Group, types: Mapping[str, str]) -> ProposedRelation:
    head = group.members[0].seen
    ends = _ends(group, types)
    symmetric = _is_symmetric(group)
    others = [
        (member, ProposedAlias(member.seen.name, member.seen.count, member.reason)) for member in group.members[1:]
    ]
    return ProposedRelation(
        name=_GAPS.sub("_", head.name),
        count=group.count,
        documents=len(frozenset().union(*(member.seen.documents for member in group.members))),
        subjects=() if symmetric else _types_at(0, ends),
        objects=() if symmetric else _types_at(1, ends),
        symmetric=symmetric,
        aliases=tuple(alias for member, alias in others if symmetric or not member.turned),
        inverse_aliases=tuple(alias for member, alias in others if member.turned and not symmetric),
        ends=tuple((" -> ".join(one or "?" for one in pair), count) for pair, count in ends),
        examples=_examples(group),
    )


def _examples(group: Group) -> tuple[Example, ...]:
    """Return a few facts: one of each member in turn, so that the reader sees what the aliases say."""
    turns = zip_longest(*(member.seen.examples for member in group.members))
    return tuple(dict.fromkeys(one for one in chain.from_iterable(turns) if one is not None))[:_EXAMPLES]


def _ends(group: Group, types: Mapping[str, str]) -> list[tuple[tuple[str, str], int]]:
    """Return the types of the ends in the head's direction, most frequent first."""
    counts: Counter[tuple[str, str]] = Counter()
    for member in group.members:
        for (subject, object_), count in member.seen.ends:
            pair = (types.get(subject, ""), types.get(object_, ""))
            counts[pair[::-1] if member.turned else pair] += count
    return sorted(counts.items(), key=lambda item: (-item[1], item[0]))


def _types_at(end: int, ends: Sequence[tuple[tuple[str, str], int]]) -> tuple[str, ...]:
    """Return the types worth proposing for the subject (0) or object (1); none when too little is known."""
    counts: Counter[str] = Counter()
    for pair, count in ends:
        counts[pair[end]] += count
    total = counts.total()
    known = total - counts.pop("", 0)
    kept = [name for name, count in ranked(counts) if count >= _MIN_SHARE * known][:_MAX_TYPES]
    return tuple(kept) if known >= _MIN_KNOWN * total else ()


def _is_symmetric(group: Group) -> bool:
    """Tell whether two pairs or more, and half of all, are connected in both directions."""
    pairs = {pair[::-1] if member.turned else pair for member in group.members for pair in member.seen.pairs}
    both = [pair for pair in pairs if pair[0] < pair[1] and pair[::-1] in pairs]
    single = {tuple(sorted(pair)) for pair in pairs}
    return len(both) >= 2 and 2 * len(both) >= len(single)
