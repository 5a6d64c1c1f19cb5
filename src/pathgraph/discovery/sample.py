"""Which documents stand for a corpus.

Belongs here: the draw. Does not: reading documents.
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain, zip_longest

from pathgraph.ids import digest


@dataclass(frozen=True)
class Sample:
    """How many documents to draw at most, and the seed of the draw."""

    size: int = 20
    seed: int = 42


def stratified(places: Sequence[str], sample: Sample) -> list[int]:
    """Return the positions of a sample, ascending: one of each folder in turn until there are enough.

    Every folder is in it before any is in it twice, so that a large folder does not hide what only a small one says.
    A place is drawn by its name and the seed alone: the order of the places does not matter.

    Args:
        places: `source/uri` of each document; a row of a table file (`file#row`) has the file for its folder.
        sample: how many to draw; another seed draws others.
    """
    folders: defaultdict[str, list[int]] = defaultdict(list)
    for position in sorted(range(len(places)), key=lambda i: digest("sample", sample.seed, places[i])):
        folders[_folder(places[position])].append(position)
    order = sorted(folders, key=lambda name: digest("folder", sample.seed, name))
    rounds = zip_longest(*(folders[name] for name in order))
    drawn = [position for position in chain.from_iterable(rounds) if position is not None]
    return sorted(drawn[: sample.size])


def _folder(place: str) -> str:
    file, mark, _ = place.rpartition("#")
    return file if mark else place.rpartition("/")[0]
