"""Which recordings a prompt is about: those whose text it holds, wholly or in part."""

import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from protocol.recordings import Fact, Recording

WINDOW = 40
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
    """A recording found in a prompt; `whole`: all of its text stands there."""

    recording: Recording
    whole: bool
    prompt: str  # folded, lower case

    def has(self, name: str) -> bool:
        """Return whether a name occurs in the prompt."""
        return fold_name(name) in self.prompt

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
        self._windows: dict[str, list[int]] = defaultdict(list)
        self._short = [at for at, text in enumerate(self._texts) if len(text) < WINDOW]
        for at, text in enumerate(self._texts):
            last = len(text) - WINDOW
            for start in sorted({*range(0, last + 1, WINDOW), last} if last >= 0 else ()):
                self._windows[text[start : start + WINDOW]].append(at)

    def __len__(self) -> int:
        return len(self._texts)

    def find(self, prompt: str) -> list[Match]:
        """Return the recordings of a prompt in the order of the library."""
        folded = fold(prompt)
        hits = [
            (start, at)
            for start in range(len(folded) - WINDOW + 1)
            for at in self._windows.get(folded[start : start + WINDOW], ())
        ]
        candidates = {at for _, at in hits} | set(self._short)
        whole = {at for at in candidates if self._texts[at] in folded}
        spans = [
            (found.start(), found.end()) for at in whole for found in re.finditer(re.escape(self._texts[at]), folded)
        ]
        # Passages overlap: text inside a whole one says nothing about its neighbours.
        partly = {
            at
            for start, at in hits
            if at not in whole and not any(a <= start and start + WINDOW <= b for a, b in spans)
        }
        lower = folded.casefold()
        return [Match(self._recordings[at], at in whole, lower) for at in sorted(whole | partly)]
