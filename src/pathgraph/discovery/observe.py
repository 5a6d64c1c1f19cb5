"""What free extraction found in a sample: every relation with its counts, its ends, the pairs it connects.

Belongs here: counting. Does not: which relations mean the same (`similar`, `group`).
"""

from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

import pyarrow as pa

from pathgraph.arrow import rows, where
from pathgraph.extraction.reply import CO_OCCURS
from pathgraph.extraction.schema import fold_term

_EXAMPLES = 3


@dataclass(frozen=True)
class Example:
    """One fact as found: its ends and the words that state it."""

    subject: str
    object: str
    text: str


@dataclass(frozen=True)
class Seen:
    """One relation, all its spellings together.

    Attributes:
        name: the most frequent spelling, ties by code point.
        spellings: every spelling with its count, most frequent first.
        documents: ids of the documents that state it.
        ends: how many facts have (type of subject, type of object); an unknown type is "".
        pairs: (source, target) node ids it connects.
        examples: a few facts.
    """

    name: str
    spellings: tuple[tuple[str, int], ...]
    documents: frozenset[int]
    ends: tuple[tuple[tuple[str, str], int], ...]
    pairs: frozenset[tuple[int, int]]
    examples: tuple[Example, ...]

    @property
    def count(self) -> int:
        """Facts that state it."""
        return sum(count for _, count in self.spellings)


@dataclass(frozen=True)
class Fact:
    """One typed triple, as counted here."""

    document: int
    subject: str
    relation: str
    object: str
    text: str
    source: int
    target: int


def facts_of(triples: pa.Table) -> list[Fact]:
    """Return the typed triples of the table, in the order of their ids."""
    columns = ("document_id", "subject", "relation", "object", "description", "source", "target")
    typed = where(triples, "kind", CO_OCCURS, equal=False).sort_by("triple_id")
    return [Fact(*row) for row in rows(typed, *columns)]


def relations_of(facts: Iterable[Fact], type_of: dict[int, str]) -> list[Seen]:
    """Return every relation, most frequent first, ties by name.

    Args:
        facts: what was extracted.
        type_of: each node's type.
    """
    groups: defaultdict[str, list[Fact]] = defaultdict(list)
    for fact in facts:
        groups[fold_term(fact.relation)].append(fact)
    for unusable in ("", fold_term(CO_OCCURS)):  # nothing but marks; the name of what is no relation
        groups.pop(unusable, None)
    return sorted((_seen(group, type_of) for group in groups.values()), key=lambda one: (-one.count, one.name))


def _seen(facts: list[Fact], type_of: dict[int, str]) -> Seen:
    spellings = ranked(Counter(fact.relation for fact in facts))
    ends = Counter((type_of.get(fact.source, ""), type_of.get(fact.target, "")) for fact in facts)
    told = {(fact.source, fact.target): Example(fact.subject, fact.object, fact.text) for fact in reversed(facts)}
    examples = sorted(told.values(), key=lambda one: (len(one.text), one.text, one.subject, one.object))
    return Seen(
        spellings[0][0],
        spellings,
        frozenset(fact.document for fact in facts),
        tuple(sorted(ends.items(), key=lambda item: (-item[1], item[0]))),
        frozenset(told),
        tuple(examples[:_EXAMPLES]),
    )


def ranked(counts: Counter[str]) -> tuple[tuple[str, int], ...]:
    """Return the counted names, most frequent first, ties by code point."""
    return tuple(sorted(counts.items(), key=lambda item: (-item[1], item[0])))
