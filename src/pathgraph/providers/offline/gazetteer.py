"""The user's names in a text: exact, longest first, at word boundaries.

Belongs here: finding. Does not: reading the alias file (`pathgraph.resolution`), normalising names.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from pathgraph.providers.offline.facts import GazetteerEntry
from pathgraph.resolution.aliases import Alias
from pathgraph.resolution.normalise import fold, legal_forms

_WORD = re.compile(r"[^\W_]+")
_CAPITALISED = re.compile(r" ([A-Z][a-z][\w-]*)")
_HANGUL = re.compile(r"[가-힣]")
# What may follow a Hangul name, or a Latin one in Korean text, inside the same word.
_PARTICLE = re.compile(
    r"(?:들)?(?:이|가|은|는|을|를|의|에|에서|에게|에게서|께|께서|와|과|랑|이랑|로|으로|로서|으로서|로써|으로써|로부터|으로부터|"
    r"도|만|까지|부터|마다|보다|처럼|같은|인|이라|이라는|라는|이라고|라고|이다|다|이며|며|이고|고|이나|나|이란|란|조차|뿐)?"
    r"(?:의|은|는|도|만|까지|부터)?(?![^\W_])"
)


# Length of a name, and what stands before its first word ("(주)" has one sign).
Shape = tuple[int, int]


@dataclass(frozen=True)
class Hit:
    """An entry where it stands in a text: `text[start:end] == entry.surface`."""

    start: int
    end: int
    entry: GazetteerEntry


class Gazetteer:
    """An index over names; a look-up costs the length of the text, not the number of names.

    Args:
        entries: names; blank ones and names without a letter or digit are ignored. Of two entries of one surface the
            one with a type wins, then the smaller type, so that their order does not matter.
    """

    def __init__(self, entries: Iterable[GazetteerEntry]) -> None:
        types: dict[str, str] = {}
        for entry in entries:
            surface = entry.surface.strip()
            known = types.get(surface)
            types[surface] = entry.type if not known else min(known, entry.type or known)
        self._entries = {s: GazetteerEntry(s, kind) for s, kind in types.items() if _WORD.search(s)}
        shapes: dict[str, set[Shape]] = defaultdict(set)
        for surface in self._entries:
            first = _WORD.search(surface)
            assert first is not None  # blank surfaces are gone
            shapes[first.group()].add((len(surface), first.start()))
        # Names that begin alike ("Act No. 1" to "Act No. 99999") share few lengths: one look-up a length, not a name.
        self._shapes = {word: sorted(found, reverse=True) for word, found in shapes.items()}

    def __len__(self) -> int:
        return len(self._entries)

    def find(self, text: str) -> list[Hit]:
        """Return the hits in order, none overlapping; of hits at one place the longest."""
        hits: list[Hit] = []
        for word in _WORD.finditer(text) if self._entries else ():
            end = hits[-1].end if hits else 0
            hit = self._at(text, word.start(), word.group()) if word.start() >= end else None
            if hit is not None and hit.start >= end:
                hits.append(hit)
        return hits

    def _at(self, text: str, at: int, word: str) -> Hit | None:
        # A Hangul name may be followed by a particle in the same word, so every beginning of the word may be one.
        ends = range(1, len(word) + 1) if _HANGUL.search(word) and len(word) < 64 else (len(word),)
        shapes = {shape for end in ends for shape in self._shapes.get(word[:end], ())}
        for length, lead in sorted(shapes, reverse=True):
            start, end = at - lead, at - lead + length
            if start < 0 or end > len(text):
                continue
            entry = self._entries.get(text[start:end])
            whole = entry is not None and not _cuts_left(text, start, entry.surface) and _ends(text, end, entry.surface)
            if entry is not None and whole and not _goes_on(text, end, entry.surface):
                return Hit(start, end, entry)
        return None


def _cuts_left(text: str, start: int, surface: str) -> bool:
    return start > 0 and text[start - 1].isalnum() and surface[0].isalnum()


def _ends(text: str, end: int, surface: str) -> bool:
    if end == len(text) or not text[end].isalnum() or not surface[-1].isalnum():
        return True
    return bool(_HANGUL.match(text[end])) and bool(_PARTICLE.match(text, end))


def _goes_on(text: str, end: int, surface: str) -> bool:
    """Tell whether a one-word Latin name is the beginning of a longer one: Kestrel in Kestrel Labs, not Kestrel Inc."""
    following = _CAPITALISED.match(text, end) if surface.isascii() and " " not in surface else None
    return following is not None and fold(following[1]) not in legal_forms()


def entries_of(aliases: Sequence[Alias]) -> list[GazetteerEntry]:
    """Return the names of an alias dictionary: canonicals and aliases, each with the canonical's type."""
    kinds: dict[str, str] = {}
    for alias in aliases:
        kinds[alias.canonical] = kinds.get(alias.canonical) or alias.type
    found = {GazetteerEntry(surface, kinds[a.canonical]) for a in aliases for surface in (a.canonical, a.alias)}
    return sorted(found, key=lambda e: (e.surface, e.type))
