"""Packing: where a text is cut into chunks, and how far chunks overlap.

Belongs here: cut points. Does not: sentence rules (`sentences`), pieces of oversize sentences (`fragments`), ids and
rows (`chunk`).

A greedy packer lets an edit shift every later boundary. Here a cut depends on the text near it: boundaries between
sentences get a priority from the text alone (structure first, then a hash of the sentence that follows), and are
tried from the highest down; one becomes a cut when the piece around it is still too large and both parts keep a
minimum size. So a boundary is settled by the few higher ones around it, wherever they stand in the document.
"""

import zlib
from bisect import bisect, insort
from collections.abc import Callable, Iterator
from itertools import accumulate, pairwise
from typing import NamedTuple

import regex

from pathgraph.chunking.fragments import fragments
from pathgraph.chunking.sentences import joined, sentences

Count = Callable[[str], int]

# Smallest part a preferred cut may leave, as a share of the largest. More fills chunks better and lets an edit reach
# further: at 0.3 chunks are filled to some 0.62 and an edit changes more than two neighbours about once in 2,000.
MINIMUM_SHARE = 0.3
# A run of blanks longer than this always parts chunks, so that no chunk consists of blanks.
WIDE_GAP = 1_000
_HASHED = 64
_HEADING = regex.compile(r"#{1,6}\s")
_WIDE, _AT_HEADING, _PARAGRAPH, _LINE, _SENTENCE, _WITHIN = 5, 4, 3, 2, 1, 0
_WORD_START = regex.compile(r"\s(?=\S)")


class Span(NamedTuple):
    """One chunk: code points `start` to `end` of the text, and its size in tokens."""

    start: int
    end: int
    tokens: int


class _Atom(NamedTuple):
    """What is never cut: a sentence, or a fragment of one that is too large."""

    start: int
    end: int
    tokens: int  # with the blanks before it
    level: int  # of the boundary before it


def chunk_spans(text: str, limit: int, overlap: int, count: Count) -> list[Span]:
    """Return the chunks of a text, in order.

    No chunk has more than `limit` tokens by `count`. Every character that is not blank is in a chunk. A chunk begins
    with up to `overlap` tokens of the text before it, whole sentences where one fits, except at a heading. No chunk
    starts or ends inside a grapheme cluster, unless the cluster alone has more than `limit` tokens.

    Args:
        text: the document's text.
        limit: most tokens of a chunk, its overlap included; at least 4, the most a single code point can have.
        overlap: most tokens a chunk repeats; at most half of `limit`.
        count: counts tokens.
    """
    size = limit - overlap
    atoms = list(_atoms(text, size, count))
    if not atoms:
        return []
    cuts = _cuts(text, atoms, size)
    return [span for chunk in pairwise(cuts) for span in _fitted(text, atoms, chunk, (limit, overlap), count)]


def _atoms(text: str, size: int, count: Count) -> Iterator[_Atom]:
    """Yield sentences, those of more than `size` tokens in fragments."""
    previous_end, previous_heading = 0, True
    for start, end in sentences(text):
        level = _level(text, previous_end, start, previous_heading)
        lead = previous_end if level < _WIDE else start
        # An upper bound of characters spares counting what is certainly too large.
        tokens = count(text[lead:end]) if end - lead <= 12 * size else size + 1
        if tokens <= size:
            yield _Atom(start, end, max(1, tokens), level)
        else:
            yield from _fragment_atoms(text, (start, end), level, size, count)
        previous_end, previous_heading = end, level < _WIDE and _is_heading(text, start)


def _fragment_atoms(text: str, span: tuple[int, int], level: int, size: int, count: Count) -> Iterator[_Atom]:
    previous_end = span[0]
    for start, end in fragments(text, span, size, count):
        wide = start - previous_end > WIDE_GAP
        lead = start if wide else previous_end
        yield _Atom(start, end, max(1, count(text[lead:end])), _WIDE if wide else level)
        previous_end, level = end, _WITHIN


def _level(text: str, previous_end: int, start: int, after_heading: bool) -> int:
    """Return how good a place to cut the boundary before a sentence is."""
    gap = text[previous_end:start]
    if len(gap) > WIDE_GAP:
        return _WIDE
    if after_heading:
        return _WITHIN
    if _is_heading(text, start):
        return _AT_HEADING
    return min(_PARAGRAPH, _SENTENCE + gap.count("\n"))


def _is_heading(text: str, start: int) -> bool:
    return _HEADING.match(text, start) is not None


def _cuts(text: str, atoms: list[_Atom], size: int) -> list[int]:
    """Return the indices of the atoms that start a chunk, and their number at the end.

    Pieces between cuts have at most `size` tokens, counted as the sum of their atoms.
    """
    ends = [0, *accumulate(atom.tokens for atom in atoms)]
    minimum = int(MINIMUM_SHARE * size)
    priority = [_priority(text, atom) for atom in atoms]
    # In tokens from the start of the text; equal priorities from left to right, so that repeated text is cut in step.
    cuts = [0, *(ends[i] for i in range(1, len(atoms)) if atoms[i].level == _WIDE), ends[-1]]
    for i in sorted(range(1, len(atoms)), key=priority.__getitem__, reverse=True):
        at = bisect(cuts, ends[i])
        left, right = cuts[at - 1], cuts[at] if at < len(cuts) else ends[-1]
        if right - left > size and ends[i] - left >= minimum and right - ends[i] >= minimum:
            insort(cuts, ends[i])
    index = {tokens: i for i, tokens in enumerate(ends)}
    found = [0]
    for left, right in pairwise(index[cut] for cut in cuts):
        found += _halved(atoms, ends, (left, right), size)
    return found


def _priority(text: str, atom: _Atom) -> int:
    """Return the priority of the boundary before an atom: its level, then a hash of how the atom begins."""
    head = text[atom.start : min(atom.end, atom.start + _HASHED)]
    return atom.level << 32 | zlib.crc32(head.encode("utf-8", "surrogatepass"))


def _halved(atoms: list[_Atom], ends: list[int], piece: tuple[int, int], size: int) -> list[int]:
    """Return the cuts inside a piece and its end: none when it fits, else the one nearest to its middle, and so on."""
    left, right = piece
    if ends[right] - ends[left] <= size or right - left == 1:
        return [right]
    middle = ends[left] + ends[right]
    best = min(range(left + 1, right), key=lambda i: (atoms[i].level == _WITHIN, abs(2 * ends[i] - middle), i))
    return _halved(atoms, ends, (left, best), size) + _halved(atoms, ends, (best, right), size)


def _fitted(text: str, atoms: list[_Atom], chunk: tuple[int, int], sizes: tuple[int, int], count: Count) -> list[Span]:
    """Return the chunk of the atoms first to last - 1, begun earlier by what overlap is allowed and fits.

    A whole can have more tokens than its parts together: a chunk too large even without overlap is parted again.
    """
    first, last = chunk
    limit, overlap = sizes
    core, end = atoms[first].start, atoms[last - 1].end
    for start in (*_earlier_starts(text, atoms, first, overlap, count), core):
        tokens = count(text[start:end])
        if tokens <= limit:
            return [Span(start, end, tokens)]
    if last - first == 1:
        return [Span(a, b, count(text[a:b])) for a, b in fragments(text, (core, end), limit, count)]
    middle = (first + last) // 2
    return [span for part in ((first, middle), (middle, last)) for span in _fitted(text, atoms, part, sizes, count)]


def _earlier_starts(text: str, atoms: list[_Atom], first: int, overlap: int, count: Count) -> list[int]:
    """Return where a chunk may start to overlap the one before, the earliest first."""
    starts: list[int] = []
    i, used = first, 0
    while i > 0 and atoms[i].level < _AT_HEADING:
        used += atoms[i - 1].tokens
        if used > overlap:
            break
        i -= 1
        starts.append(atoms[i].start)
    if not starts and first > 0 and atoms[first].level < _AT_HEADING and overlap:
        starts = _word_starts(text, atoms[first - 1], atoms[first].start, overlap, count)
    return starts[::-1]


def _word_starts(text: str, atom: _Atom, end: int, overlap: int, count: Count) -> list[int]:
    """Return the earliest word start inside the atom from which to `end` there are at most `overlap` tokens, if any."""
    low = max(atom.start, end - 6 * overlap)
    places = [m.end() for m in _WORD_START.finditer(text, low, atom.end) if not joined(text, m.end())]
    first, last = 0, len(places)
    while first < last:
        middle = (first + last) // 2
        if count(text[places[middle] : end]) <= overlap:
            last = middle
        else:
            first = middle + 1
    return places[first : first + 1]
