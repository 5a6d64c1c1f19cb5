"""The user's names in a text: exact, longest first, at word boundaries.

Belongs here: finding. Does not: reading the alias file (`pathgraph.resolution`), normalising names.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from pathgraph.providers.offline.facts import GazetteerEntry
from pathgraph.resolution.aliases import Alias

_WORD = re.compile(r"[^\W_]+")
_HANGUL = re.compile(r"[가-힣]")
# What may follow a Hangul name, or a Latin one in Korean text, inside the same word.
_PARTICLE = re.compile(
    r"(?:들)?(?:이|가|은|는|을|를|의|에|에서|에게|에게서|께|께서|와|과|랑|이랑|로|으로|로서|으로서|로써|으로써|로부터|으로부터|"
    r"도|만|까지|부터|마다|보다|처럼|같은|인|이라|이라는|라는|이라고|라고|이다|다|이며|며|이고|고|이나|나|이란|란|조차|뿐)?"
    r"(?:의|은|는|도|만|까지|부터)?(?![^\W_])"
)


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
        self._by_word: dict[str, list[GazetteerEntry]] = defaultdict(list)
        for surface, kind in types.items():
            first = _WORD.search(surface)
            if first:
                self._by_word[first.group()].append(GazetteerEntry(surface, kind))
        for same in self._by_word.values():
            same.sort(key=lambda e: (-len(e.surface), e.surface))

    def __len__(self) -> int:
        return sum(map(len, self._by_word.values()))

    def find(self, text: str) -> list[Hit]:
        """Return the hits in order, none overlapping; of hits at one place the longest."""
        hits: list[Hit] = []
        for word in _WORD.finditer(text) if self._by_word else ():
            if hits and word.start() < hits[-1].end:
                continue
            hit = self._at(text, word.start(), word.group())
            if hit is not None and (not hits or hit.start >= hits[-1].end):
                hits.append(hit)
        return hits

    def _at(self, text: str, at: int, word: str) -> Hit | None:
        best: Hit | None = None
        # A Hangul name may be followed by a particle in the same word, so every beginning of the word may be one.
        ends = range(1, len(word) + 1) if _HANGUL.search(word) and len(word) < 64 else (len(word),)
        for end in ends:
            for entry in self._by_word.get(word[:end], ()):
                hit = _fit(text, at, entry)
                if hit is not None and (best is None or hit.end - hit.start > best.end - best.start):
                    best = hit
                    break
        return best


def _fit(text: str, at: int, entry: GazetteerEntry) -> Hit | None:
    lead = _WORD.search(entry.surface)
    start = at - (lead.start() if lead else 0)
    end = start + len(entry.surface)
    if start < 0 or not text.startswith(entry.surface, start) or _cuts_left(text, start, entry.surface):
        return None
    return Hit(start, end, entry) if _ends(text, end, entry.surface) else None


def _cuts_left(text: str, start: int, surface: str) -> bool:
    return start > 0 and text[start - 1].isalnum() and surface[0].isalnum()


def _ends(text: str, end: int, surface: str) -> bool:
    if end == len(text) or not text[end].isalnum() or not surface[-1].isalnum():
        return True
    return bool(_HANGUL.match(text[end])) and bool(_PARTICLE.match(text, end))


def entries_of(aliases: Sequence[Alias]) -> list[GazetteerEntry]:
    """Return the names of an alias dictionary: canonicals and aliases, each with the canonical's type."""
    kinds: dict[str, str] = {}
    for alias in aliases:
        kinds[alias.canonical] = kinds.get(alias.canonical) or alias.type
    found = {GazetteerEntry(surface, kinds[a.canonical]) for a in aliases for surface in (a.canonical, a.alias)}
    return sorted(found, key=lambda e: (e.surface, e.type))
