"""Which recordings a prompt is about: those whose text it holds, wholly or in part."""

import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import takewhile

from protocol.recordings import Fact, Recording

WINDOW = 40
LONG = 4 * WINDOW
_ESCAPED = re.compile(r'\\([nrt"])')
_SPACE = re.compile(r"\s+")


def fold(text: str) -> str:
    """Return a text in NFC with single spaces; the escapes of JSON strings count as what they stand for."""
    plain = _ESCAPED.sub(lambda found: '"' if found[1] == '"' else " ", text) if "\\" in text else text
    return _SPACE.sub(" ", unicodedata.normalize("NFC", plain)).strip()


def fold_name(name: str) -> str:
    """Return a name as it would stand in a text: folded, lower case, underscores as spaces."""
    return fold(name.replace("_", " ")).casefold()


@dataclass(frozen=True)
class Match:
    """A recording found in a prompt; `whole`: all of its text stands there; `part`: what does, folded, lower case."""

    recording: Recording
    whole: bool
    part: str

    def has(self, name: str) -> bool:
        """Return whether a name occurs in the part at hand."""
        return fold_name(name) in self.part

    def keeps(self, fact: Fact) -> bool:
        """Return whether a fact can be told from the part at hand: its names stand there.

        Models paraphrase, so a name that stands nowhere in the passage is not asked for; one of the two must be.
        """
        if self.whole:
            return True
        names = (fact.fields[0], fact.fields[-1])
        missing = [name for name in names if not self.has(name)]
        passage = fold(self.recording.text).casefold()
        return len(missing) < 2 and not any(fold_name(name) in passage for name in missing)


class Library:
    """Recordings, indexed by windows of their text. Of recordings with the same text the first counts."""

    def __init__(self, recordings: Iterable[Recording]) -> None:
        unique: dict[str, Recording] = {}
        for recording in recordings:
            unique.setdefault(fold(recording.text), recording)
        unique.pop("", None)
        self._texts = list(unique)
        self._recordings = list(unique.values())
        self._windows: dict[str, list[tuple[int, int]]] = defaultdict(list)
        self._short = [at for at, text in enumerate(self._texts) if len(text) < WINDOW]
        for at, text in enumerate(self._texts):
            last = len(text) - WINDOW
            for offset in sorted({*range(0, last + 1, WINDOW), last} if last >= 0 else ()):
                self._windows[text[offset : offset + WINDOW]].append((at, offset))

    def __len__(self) -> int:
        return len(self._texts)

    def find(self, prompt: str) -> list[Match]:
        """Return the recordings of a prompt in the order of the library."""
        folded = fold(prompt)
        hits: dict[int, list[tuple[int, int]]] = defaultdict(list)
        for start in range(len(folded) - WINDOW + 1):
            for at, offset in self._windows.get(folded[start : start + WINDOW], ()):
                hits[at].append((start, offset))
        whole = {at for at in {*hits, *self._short} if self._texts[at] in folded}
        spans = [
            (found.start(), found.end()) for at in whole for found in re.finditer(re.escape(self._texts[at]), folded)
        ]
        parts = {at: self._texts[at] for at in whole}
        for at in hits.keys() - whole:
            # Passages overlap: text inside a whole one says nothing about its neighbours.
            own = [hit for hit in hits[at] if not any(a <= hit[0] and hit[0] + WINDOW <= b for a, b in spans)]
            if part := _part(self._texts[at], folded, own):
                parts[at] = part
        return [Match(self._recordings[at], at in whole, part.casefold()) for at, part in sorted(parts.items())]


def _part(passage: str, prompt: str, hits: Iterable[tuple[int, int]]) -> str:
    """Return what a prompt holds of a passage: the stretches around common windows.

    Set phrases stand in many passages, so a stretch counts when it is long or holds the passage's beginning or end.
    """
    found, covered = [], -1
    for start, offset in hits:
        if start < covered:
            continue
        left = _common(passage[:offset][::-1], prompt[:start][::-1])
        right = _common(passage[offset:], prompt[start:])
        covered = start + right
        if left == offset or offset + right == len(passage) or left + right >= LONG:
            found.append(passage[offset - left : offset + right])
    return " ".join(found)


def _common(one: str, two: str) -> int:
    """Return how many characters two texts begin with in common."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, two, strict=False)))
