"""Morphemes of a sentence and the nouns they make, as the Korean rules see them.

Belongs here: the morpheme and word values, and what is a noun to the rules. Does not: calling the tokenizer
(`korean`), names and their types (`korean_names`).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from pathgraph.providers.offline.korean_lexicon import lexicon

NOUN_TAGS = frozenset({"NNG", "NNP", "SL", "SH", "SN", "XPN", "W_HASHTAG"})
PROPER_TAGS = frozenset({"NNP", "SL", "SH"})
PLURAL = "들"
_COUNTERS = frozenset({"NNB", "NR", "SW", "XSN"})
_ORDINALS = frozenset(["대", "회", "차", "호", "기", "조", "항", "장", "권", "편", "공화국"])
_JOINERS = frozenset({"-", "&", "+", "'", "’", "."})


class Morpheme(NamedTuple):
    """One morpheme; `known` is the gazetteer's type, None when the gazetteer does not know the word."""

    form: str
    tag: str
    start: int
    end: int
    known: str | None = None


@dataclass(frozen=True)
class Word:
    """The nouns of one space-delimited word, particles cut off: `text == sentence[start:end]`."""

    morphemes: tuple[Morpheme, ...]
    text: str

    @property
    def start(self) -> int:
        """First code point in the sentence."""
        return self.morphemes[0].start

    @property
    def end(self) -> int:
        """Code point after the last."""
        return self.morphemes[-1].end

    @property
    def known(self) -> str | None:
        """Type by the gazetteer when the whole word is one of its names, else None."""
        return self.morphemes[0].known if len(self.morphemes) == 1 else None

    @property
    def proper(self) -> bool:
        """Whether it holds a proper noun, a foreign word or a name of the user."""
        return any(m.tag in PROPER_TAGS or m.known is not None for m in self.morphemes)

    @property
    def adjectival(self) -> bool:
        """Whether it is no noun but for its form: "성공적", or a bare number."""
        last = self.morphemes[-1]
        return (last.tag == "XSN" and last.form == "적") or all(m.tag == "SN" for m in self.morphemes)

    @property
    def single_proper(self) -> bool:
        """Whether it is one proper noun to the tokenizer."""
        return len(self.morphemes) == 1 and self.morphemes[0].tag == "NNP"

    @property
    def nouns(self) -> int:
        """Number of noun morphemes, one-syllable affixes not counted."""
        return sum(m.tag in NOUN_TAGS and m.tag != "XPN" for m in self.morphemes)


def is_noun(morphemes: Sequence[Morpheme], i: int) -> bool:
    """Tell whether morpheme `i` can stand in a noun phrase."""
    m = morphemes[i]
    if m.tag == "SN":
        return not _counts(morphemes, i)
    if m.tag in NOUN_TAGS:
        return True
    if m.tag == "MM":  # "한빛전자" taken for 한 + 빛전자
        after = morphemes[i + 1] if i + 1 < len(morphemes) else None
        return after is not None and after.start == m.end and after.tag in NOUN_TAGS
    if m.tag == "NNB" and i >= 2 and morphemes[i - 1].tag == "SN":
        return (m.form in _ORDINALS and morphemes[i - 2].form == "제") or (m.form == "세" and _named(morphemes, i - 1))
    if i == 0 or morphemes[i - 1].end != m.start:
        return False
    if m.tag == "NNB":  # "서정" + "호"
        return morphemes[i - 1].tag in {"NNG", "NNP"} and lexicon().is_person_name(morphemes[i - 1].form + m.form)
    if m.tag == "XSN":
        return morphemes[i - 1].tag in NOUN_TAGS
    return m.form in _JOINERS and _between_latin(morphemes, i)


def _counts(morphemes: Sequence[Morpheme], i: int) -> bool:
    """Whether a number counts something ("130억 원", "15.4%", "3명") rather than being part of a name ("S25")."""
    if i and morphemes[i - 1].form == "제":
        return False
    if i + 1 < len(morphemes) and morphemes[i + 1].form == "세" and _named(morphemes, i):
        return False
    after = morphemes[i + 1] if i + 1 < len(morphemes) else None
    return after is not None and after.tag in _COUNTERS and after.form not in {"-", "&", "+"}


def _named(morphemes: Sequence[Morpheme], i: int) -> bool:
    """Whether a proper noun stands before: the number of a monarch or a pope ("비오 5세"), not an age."""
    return i > 0 and morphemes[i - 1].tag == "NNP"


def _between_latin(morphemes: Sequence[Morpheme], i: int) -> bool:
    after = morphemes[i + 1] if i + 1 < len(morphemes) else None
    latin = {"SL", "SN"}
    return after is not None and after.start == morphemes[i].end and {after.tag, morphemes[i - 1].tag} <= latin


def words_of(morphemes: Sequence[Morpheme], text: str) -> list[Word]:
    """Split a run of noun morphemes at the spaces; a plural mark at a word's end is cut off."""
    groups: list[list[Morpheme]] = []
    for m in morphemes:
        if groups and groups[-1][-1].end == m.start:
            groups[-1].append(m)
        else:
            groups.append([m])
    stripped = [_singular(group) for group in groups]
    return [Word(_whole_person(g), text[g[0].start : g[-1].end]) for g in stripped if g]


def _whole_person(group: list[Morpheme]) -> tuple[Morpheme, ...]:
    """Join a person's name that the tokenizer took apart ("길" + "서진", "서정" + "호")."""
    name = "".join(m.form for m in group)
    torn = len(group) > 1 and (len(group[0].form) == 1 or group[-1].tag == "NNB")
    if torn and lexicon().is_person_name(name):
        return (Morpheme(name, "NNP", group[0].start, group[-1].end),)
    return tuple(group)


def _singular(group: list[Morpheme]) -> list[Morpheme]:
    end = len(group)
    while end and group[end - 1].tag == "XSN" and group[end - 1].form == PLURAL:
        end -= 1
    return group[:end]
