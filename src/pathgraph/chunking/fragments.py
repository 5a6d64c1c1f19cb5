"""Pieces of a sentence that is too large for a chunk: at clauses, else at words, else between grapheme clusters.

Belongs here: cuts inside a sentence. Does not: sentence rules (`sentences`), chunk boundaries (`packer`).
"""

from collections.abc import Callable, Iterator

import regex

from pathgraph.chunking.sentences import Span, joined

_CLAUSE = regex.compile(r"(?<=[,;:，、；：)\]}])\s+(?=\S)|(?<=[，、；：])(?=\S)")
_BLANKS = regex.compile(r"\s+(?=\S)")
_CLUSTER = regex.compile(r"\X")
_KEY = 8  # characters after a place that decide which of several places is taken


def fragments(text: str, span: Span, size: int, count: Callable[[str], int]) -> Iterator[Span]:
    """Yield the spans of pieces of at most `size` tokens that cover what is not blank in the span.

    A piece is at most `size` characters, usually half of it and more. The place of a cut is chosen among those in
    reach by the text after it, so that cuts fall in step again soon after an edit. A grapheme cluster of more than
    `size` tokens is cut between its code points.
    """
    yield from _fragments(text, span, (size, max(1, size)), count)


def _fragments(text: str, span: Span, sizes: tuple[int, int], count: Callable[[str], int]) -> Iterator[Span]:
    """Yield the fragments, each at most `width` characters where clusters allow; sizes are (tokens, width)."""
    size, width = sizes
    start, end = span
    while start < end:
        cut = end if end - start <= width else _place(text, start, end, width)
        last = cut
        while last > start and text[last - 1].isspace():
            last -= 1
        if count(text[start:last]) <= size:
            yield start, last
        elif _CLUSTER.match(text, start, last).end() < last:  # type: ignore[union-attr]
            yield from _fragments(text, (start, last), (size, max(1, width // 2)), count)
        else:
            yield from _code_points(text, (start, last), size, count)
        start = cut


def _place(text: str, start: int, end: int, width: int) -> int:
    """Return the best place to cut in [start + width / 2, start + width], or the first after it."""
    low, high = start + max(1, width // 2), start + width
    for kind in (_CLAUSE, _BLANKS):
        found = [m.end() for m in kind.finditer(text, low, min(end, high + 1)) if not joined(text, m.end())]
        if found:
            return max(found, key=lambda at: text[at : at + _KEY])
    found = []
    for cluster in _CLUSTER.finditer(text, start, end):
        if cluster.end() > high:
            return max(found, key=lambda at: text[at : at + _KEY]) if found else cluster.end()
        if cluster.end() >= low:
            found.append(cluster.end())
    return end


def _code_points(text: str, span: Span, size: int, count: Callable[[str], int]) -> Iterator[Span]:
    """Yield runs of code points of at most `size` tokens, each as long as halving finds it."""
    start, end = span
    while start < end:
        last = min(end, start + size)
        while last - start > 1 and count(text[start:last]) > size:
            last = start + (last - start) // 2
        yield start, last
        start = last
