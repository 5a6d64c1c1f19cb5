"""Packing: where a text is cut into chunks, and how far chunks overlap.

Belongs here: cut points. Does not: sentence rules (`sentences`), pieces of oversize sentences (`fragments`), ids and
rows (`chunk`).

A greedy packer lets an edit shift every later boundary. Here a cut depends on the text near it: boundaries between
sentences get a priority from the text alone (structure first, then a hash of the sentence that follows), and are
tried from the highest down; one becomes a cut when the piece around it is still too large and both parts keep a
minimum size. So a boundary is settled by the few higher ones around it, wherever they stand in the document.
"""

import zlib
from bisect import bisect, bisect_left, insort
from collections.abc import Callable, Iterator
from itertools import accumulate, pairwise
from typing import NamedTuple

import regex

from pathgraph.chunking.fragments import fragments
from pathgraph.chunking.sentences import joined, sentences

Count = Callable[[str], int]

# Smallest part a preferred cut may leave, as a share of the largest. More fills chunks better and lets an edit reach
# a little further (figures in docs/chunking.md).
MINIMUM_SHARE = 0.35
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


class _Job(NamedTuple):
    """What all chunks of one text share."""

    text: str
    atoms: list[_Atom]
    limit: int
    overlap: int
    count: Count


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
    job = _Job(text, list(_atoms(text, size, count)), limit, overlap, count)
    spans: list[Span] = []
    earlier = 0
    for first, last in pairwise(_cuts(text, job.atoms, size)):
        spans += _fitted(job, (first, last), earlier)
        earlier = first
    return spans


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
    if not atoms:
        return []
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
    found = [0]
    for left, right in pairwise(bisect_left(ends, cut) for cut in cuts):
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


def _fitted(job: _Job, chunk: tuple[int, int], earlier: int) -> list[Span]:
    """Return the chunk of the atoms first to last - 1, begun earlier by what overlap is allowed and fits.

    A whole can have more tokens than its parts together: a chunk too large even without overlap is parted again.

    Args:
        job: what all chunks of the text share.
        chunk: first atom and the one after the last.
        earlier: first atom of the chunk before; an overlap starts after that atom's start.
    """
    first, last = chunk
    text, count = job.text, job.count
    core, end = job.atoms[first].start, job.atoms[last - 1].end
    for start in (*_earlier_starts(job, first, earlier), core):
        tokens = count(text[start:end])
        if tokens <= job.limit:
            return [Span(start, end, tokens)]
    if last - first == 1:
        return [Span(a, b, count(text[a:b])) for a, b in fragments(text, (core, end), job.limit, count)]
    middle = (first + last) // 2
    return _fitted(job, (first, middle), earlier) + _fitted(job, (middle, last), first)


def _earlier_starts(job: _Job, first: int, earlier: int) -> list[int]:
    """Return where a chunk may start to overlap the one before, the earliest first."""
    atoms = job.atoms
    if first == 0 or atoms[first].level >= _AT_HEADING or job.overlap == 0:
        return []
    starts: list[int] = []
    i = first
    while i - 1 > earlier and job.count(job.text[atoms[i - 1].start : atoms[first].start]) <= job.overlap:
        i -= 1
        starts.append(atoms[i].start)
        if atoms[i].level >= _AT_HEADING:
            break
    return starts[::-1] or _word_starts(job, atoms[first - 1], atoms[first].start)


def _word_starts(job: _Job, atom: _Atom, end: int) -> list[int]:
    """Return the earliest word start inside the atom from which to `end` there are no more tokens than may overlap."""
    low = max(atom.start, end - 6 * job.overlap)
    places = [m.end() for m in _WORD_START.finditer(job.text, low, atom.end) if not joined(job.text, m.end())]
    first, last = 0, len(places)
    while first < last:
        middle = (first + last) // 2
        if job.count(job.text[places[middle] : end]) <= job.overlap:
            last = middle
        else:
            first = middle + 1
    return places[first : first + 1]
