"""Finding nodes by a name as people write it.

Belongs here: exact look-up over names and aliases, and suggestions. Does not: linking a question's words to nodes.
"""

import difflib
from collections import defaultdict

import pyarrow as pa

from pathgraph.arrow import rows
from pathgraph.errors import UsageError
from pathgraph.resolution.normalise import fold, normalise

_SUGGESTIONS = 5
_ID_DIGITS = 19  # of 2**63


class Names:
    """An index over a snapshot's nodes by every surface they have."""

    def __init__(self, nodes: pa.Table) -> None:
        """Index the nodes; needs the columns node_id, name, aliases."""
        self.name_of: dict[int, str] = {}
        self._by_fold: dict[str, set[int]] = defaultdict(set)
        self._by_base: dict[str, set[int]] = defaultdict(set)
        self._surfaces: set[str] = set()
        for node, name, aliases in rows(nodes, "node_id", "name", "aliases"):
            self.name_of[node] = name
            for surface in {name, *(alias["surface"] for alias in aliases)}:
                self._surfaces.add(surface)
                self._by_fold[fold(surface)].add(node)
                self._by_base[normalise(surface).base].add(node)

    def find(self, name: str) -> list[int]:
        """Return the nodes that bear the name: as written but for case, width and spaces, else without legal form."""
        found = self._by_fold.get(fold(name)) or self._by_base.get(normalise(name).base) or set()
        return sorted(found)

    def one(self, name: str) -> int:
        """Return the one node of that name; an id in digits is taken as it is.

        Raises:
            UsageError: there is none, or there are several; says which names come near.
        """
        if name.isdecimal() and len(name) <= _ID_DIGITS and int(name) in self.name_of:
            return int(name)
        found = self.find(name)
        if len(found) == 1:
            return found[0]
        if found:
            several = ", ".join(f"{self.name_of[node]} ({node})" for node in found)
            raise UsageError(f"{name} is the name of several nodes: {several}.", "Name one by its id.")
        near = difflib.get_close_matches(name, sorted(self._surfaces), n=_SUGGESTIONS, cutoff=0.5)
        hint = f"Did you mean {', '.join(near)}?" if near else "`pathgraph sql` on top_entities lists names."
        raise UsageError(f"There is no node called {name}.", hint)
