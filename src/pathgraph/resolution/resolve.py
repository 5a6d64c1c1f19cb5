"""Resolution: which of a corpus's names are one node. A pure function of the set of names and the dictionary.

Belongs here: joining names by normalisation and dictionary. Does not: similarity, which only ever proposes candidates
to a person, or types, which are a property of the node that results (`pathgraph.graph.nodes`).

Two names are one node when they normalise to one base and carry no two *different* legal forms: Deutsche Bank AG and
Deutsche Bank GmbH stay two. A bare name joins a form when exactly one form of it is known; else it is a third node.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from pathgraph.ids import content_id
from pathgraph.resolution.aliases import Alias
from pathgraph.resolution.normalise import fold, normalise


@dataclass(frozen=True)
class Resolved:
    """What a name resolves to.

    Attributes:
        node_id: the node.
        key: the normalised key that the id hashes.
        name: the dictionary's display name, "" where the most frequent surface decides.
        type: the dictionary's type, "" where the majority decides.
        method: `normalised` or `alias`.
    """

    node_id: int
    key: str
    name: str
    type: str
    method: str


def resolve(names: Iterable[str], aliases: Sequence[Alias]) -> dict[str, Resolved]:
    """Resolve every name; names without a letter or digit are left out of the result.

    The result does not depend on the order of names or of the dictionary's lines.
    """
    surfaces = sorted({name for name in names if fold(name)})
    written = [name for alias in aliases for name in (alias.canonical, alias.alias)]
    keys = _keys([*surfaces, *written])
    canonical_of = {keys[a.alias]: keys[a.canonical] for a in aliases if keys[a.alias] != keys[a.canonical]}
    display = _display(aliases, keys, canonical_of)
    types = {_chase(keys[a.canonical], canonical_of): a.type for a in aliases if a.type}
    result = {}
    for surface in surfaces:
        key = _chase(keys[surface], canonical_of)
        method = "normalised" if key == keys[surface] else "alias"
        result[surface] = Resolved(content_id("node", key), key, display.get(key, ""), types.get(key, ""), method)
    return result


def _keys(names: list[str]) -> dict[str, str]:
    """Return each name's key: its base, with the legal form where the base is known with several."""
    forms: dict[str, set[str]] = defaultdict(set)
    for name in names:
        normal = normalise(name)
        if normal.form:
            forms[normal.base].add(normal.form)
    keys = {}
    for name in names:
        normal = normalise(name)
        several = len(forms[normal.base]) > 1 and normal.form
        keys[name] = f"{normal.base} | {normal.form}" if several else normal.base
    return keys


def _chase(key: str, canonical_of: dict[str, str]) -> str:
    """Follow the dictionary to the end. A cycle that only normalisation closes ends at its smallest key."""
    seen = [key]
    while (following := canonical_of.get(seen[-1])) is not None:
        if following in seen:
            return min(seen[seen.index(following) :])
        seen.append(following)
    return seen[-1]


def _display(aliases: Sequence[Alias], keys: dict[str, str], canonical_of: dict[str, str]) -> dict[str, str]:
    """Return the dictionary's name of each key it names as the end of a chain; ties by code point."""
    display: dict[str, str] = {}
    for alias in sorted(aliases, key=lambda a: a.canonical):
        if keys[alias.canonical] not in canonical_of:
            display.setdefault(keys[alias.canonical], alias.canonical)
    return display
