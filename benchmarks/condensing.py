"""Condensing descriptions: calls and tokens of a first run, and of one description more, by size of the set.

    python benchmarks/condensing.py

No model and no clock: requests are counted as `pathgraph.graph.condense` cuts them, answers taken at full length.
"""

import random
import sys
from collections.abc import Iterable

from pathgraph.graph.condense import Sizes, Tree, request, tree
from pathgraph.ids import content_id
from pathgraph.providers.protocol import CondenseRequest
from pathgraph.settings import GraphSettings
from pathgraph.tokens import estimate

SETS = (20, 50, 100, 200, 500, 1000, 2000)
MORE = 20
TEXT = """Hanbit Electronics makes memory chips in Cheongju and supplies them to makers of phones since 2019 while its
board under Elena Marsh plans a second plant together with Nuri Soft which tests cells for cars"""
WORDS = TEXT.split()


def sentence(draw: random.Random, number: int) -> str:
    """Return a distinct sentence of 8 to 40 words."""
    return f"{' '.join(draw.choices(WORDS, k=draw.randint(8, 40)))} {number}."


def requests(made: Tree, sizes: Sizes) -> set[CondenseRequest]:
    """Return all requests of a tree; an answer stands as a text of full length that names what it rests on."""
    below, found = list(made.texts), set()
    for level in made.levels:
        asked = [request(bucket, below, sizes) for bucket in level]
        found |= {one for one in asked if len(one.texts) > 1}
        below = [one.texts[0] if len(one.texts) == 1 else str(content_id("answer", *one.texts)) for one in asked]
    return found


def tokens(asked: Iterable[CondenseRequest], sizes: Sizes) -> int:
    """Return the tokens of the texts asked about; a number stands for an answer."""
    return sum(sizes.text if text.isdecimal() else estimate(text) for one in asked for text in one.texts)


def main() -> None:
    """Print one row a set size."""
    sizes = Sizes.of(GraphSettings())
    write = sys.stdout.write
    write("| descriptions | levels | calls | tokens in | calls for one more: mean, most | tokens in for one more |\n")
    write("|---|---|---|---|---|---|\n")
    for size in SETS:
        draw = random.Random(size)
        texts = [sentence(draw, number) for number in range(size)]
        whole = tree(texts, sizes)
        first = requests(whole, sizes)
        news = [requests(tree([*texts, sentence(draw, size + n)], sizes), sizes) - first for n in range(MORE)]
        calls = [len(new) for new in news]
        again = sum(tokens(new, sizes) for new in news) / MORE
        row = (
            size,
            len(whole.levels),
            len(first),
            f"{tokens(first, sizes):,}",
            f"{sum(calls) / MORE:.2f}, {max(calls)}",
        )
        write(f"| {' | '.join(map(str, row))} | {again:,.0f} |\n")


if __name__ == "__main__":
    main()
