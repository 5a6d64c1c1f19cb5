"""The words of a relation's name: what is left of it without grammar, and whether two names say the same.

Belongs here: pure functions on names and a short list of terms that are known to mean the same in English and Korean.
Does not: what the relations connect (`similar`).
"""

import csv
from functools import cache
from importlib import resources

import regex

from pathgraph.extraction.schema import fold_term

_CAMEL = regex.compile(r"(?<=[a-z])(?=[A-Z])")
_SPLIT = regex.compile(r"[\s\p{Pc}\p{Pd}·]+")
_PREPOSITIONS = frozenset({"in", "at", "to", "for", "with", "from", "on", "under"})
_GRAMMAR = _PREPOSITIONS | {"a", "an", "the", "is", "are", "was", "were", "be", "been", "being", "has", "have", "had",
                            "of", "by", "as", "its", "their"}  # fmt: skip
_ENDINGS = ("ings", "ing", "ed", "es", "e", "s")
_KOREAN_ENDINGS = ("하였다", "되었다", "합니다", "했다", "됐다", "하다", "되다", "한다", "된다", "하는", "함", "됨")
_PASSIVE_KOREAN = ("되었다", "됐다", "되다", "된다", "됨")
_SHORTEST_STEM = 3


@cache
def words(name: str) -> tuple[str, ...]:
    """Return a name's words in lower case: `isCeoOf` and `is_ceo_of` give (is, ceo, of)."""
    return tuple(word.casefold() for word in _SPLIT.split(_CAMEL.sub(" ", name)) if word)


@cache
def content(name: str) -> tuple[str, ...]:
    """Return the stems of the words that carry meaning; all words of a name that is nothing but grammar."""
    said = words(name)
    return tuple(_stem(word) for word in said if word not in _GRAMMAR) or said


@cache
def meaning(name: str) -> str:
    """Return the known meaning of a name, else its content: equal for names that say the same."""
    key = "_".join(content(name))
    return _known("relation").get(key, key)


def is_known(name: str) -> bool:
    """Tell whether the meaning is from the list of known terms."""
    return "_".join(content(name)) in _known("relation")


def prepositions(name: str) -> frozenset[str]:
    """Return the prepositions that make another relation of it: `supply` and `supply_to` have different objects."""
    return _PREPOSITIONS.intersection(words(name))


def type_meaning(name: str) -> str:
    """Return the known meaning of a type, else the folded name."""
    return _known("type").get(fold_term(name), fold_term(name))


def reads_backwards(name: str) -> bool:
    """Tell whether a name is passive, so that its subject is the one acted upon: `acquired_by`, 인수되다."""
    said = words(name)
    return (len(said) > 1 and said[-1] == "by") or name.endswith(_PASSIVE_KOREAN)


def _stem(word: str) -> str:
    """Strip what inflection adds. Crude on purpose: it only proposes."""
    endings = _ENDINGS if word.isascii() else _KOREAN_ENDINGS
    shortest = _SHORTEST_STEM if word.isascii() else 1
    for ending in endings:
        if word.endswith(ending) and len(word) - len(ending) >= shortest:
            return word[: -len(ending)]
    return word


@cache
def _known(family: str) -> dict[str, str]:
    """Return the meanings of a family's terms by the terms' content, or for types by their folded names."""
    text = resources.files(__package__).joinpath("data/terms.csv").read_text("utf-8")
    found: dict[str, str] = {}
    for row in csv.DictReader(text.splitlines()):
        if row["family"] == family:
            for word in row["words"].split():
                key = "_".join(content(word)) if family == "relation" else fold_term(word)
                found.setdefault(key, row["meaning"])
    return found
