"""Short ways to write facts for the tests of discovery."""

import numpy as np

from pathgraph.discovery.group import MAX_COMPARED, grouped
from pathgraph.discovery.observe import Fact, relations_of

TYPES = {
    **dict.fromkeys(range(100), "PERSON"),
    **dict.fromkeys(range(100, 200), "ORGANISATION"),
    200: "PRODUCT",
    300: "",
}


def fact(source, relation, target, document=1, text="It is said."):
    return Fact(document, f"n{source}", relation, f"n{target}", text, source, target)


def groups_of(*facts, vectors=None):
    """Group the facts' relations; without vectors, names are as unlike as can be."""
    relations = relations_of(facts, TYPES)
    count = min(len(relations), MAX_COMPARED)
    return grouped(relations, np.eye(count, dtype=np.float32) if vectors is None else vectors(relations[:count]))


def named(groups):
    """Return each group as {name: turned}."""
    return [{member.seen.name: member.turned for member in group.members} for group in groups]
