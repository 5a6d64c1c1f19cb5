"""The word lists of the Korean reader, read once from `data/ko_*.txt`.

Belongs here: loading the lists and what can be asked of them. Does not: rules that combine words (`korean_names`,
`korean_clauses`). A list's first line says what is on it; a person may edit the files.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from hashlib import blake2b
from importlib.resources import files

_LISTS = ("attributes", "fold", "given", "honorifics", "light", "passing", "surnames", "times", "titles")
_TABLES = ("endings", "names", "roles", "suffixes", "verbs")


@dataclass(frozen=True)
class Lexicon:
    """Words by what they tell.

    Attributes:
        names: well-known name -> its type.
        roles: relational noun -> type of the one who holds the role ('' when open).
        suffixes: (ending, type), longest first.
        endings: class of verb endings -> forms as the tokenizer writes them.
        verbs: class of predicates -> stems.
        passives: stem that is passive by itself -> active stem.
        version: hash of all lists.
    """

    attributes: frozenset[str]
    fold: frozenset[str]
    given: frozenset[str]
    honorifics: frozenset[str]
    light: frozenset[str]
    passing: frozenset[str]
    surnames: frozenset[str]
    times: frozenset[str]
    titles: frozenset[str]
    names: dict[str, str]
    roles: dict[str, str]
    suffixes: tuple[tuple[str, str], ...]
    endings: dict[str, frozenset[str]]
    verbs: dict[str, frozenset[str]]
    passives: dict[str, str]
    version: str

    def is_role(self, word: str) -> bool:
        """Tell whether "A의 <word>" names one who stands in that relation to A."""
        return word in self.titles or word in self.roles

    def is_relational(self, word: str) -> bool:
        """Tell whether the noun relates two names, in either direction."""
        return self.is_role(word) or word in self.attributes

    def role_type(self, word: str) -> str:
        """Return the type of one who has this title or role, '' when open."""
        return "PERSON" if word in self.titles else self.roles.get(word, "")

    def is_person_name(self, text: str) -> bool:
        """Tell whether the text has the shape of a Korean name: three syllables, or four with 남궁 and such."""
        surname = 2 if text[:2] in self.surnames else 1
        rest = text[surname:]
        fits = len(text) in {3, surname + 2} and text[:surname] in self.surnames
        return fits and all(syllable in self.given for syllable in rest)


def _text(name: str) -> str:
    return (files(__package__) / "data" / f"ko_{name}.txt").read_text("utf-8")


def _lines(name: str) -> Iterator[str]:
    return (line for line in _text(name).splitlines() if line.strip() and not line.startswith("#"))


def _table(name: str) -> Iterator[tuple[str, list[str]]]:
    for line in _lines(name):
        key, words = line.split("\t")
        yield key, words.split()


@cache
def lexicon() -> Lexicon:
    """Return the lists, read once."""
    words = {name: frozenset(word for line in _lines(name) for word in line.split()) for name in _LISTS}
    verbs = {key: frozenset(stems) for key, stems in _table("verbs")}
    digest = blake2b("\0".join(_text(name) for name in _LISTS + _TABLES).encode(), digest_size=6).hexdigest()
    suffixes = [(end, kind) for kind, ends in _table("suffixes") for end in ends]
    return Lexicon(
        **words,
        names={word: kind for kind, group in _table("names") for word in group},
        roles={word: "" if kind == "-" else kind for kind, group in _table("roles") for word in group},
        suffixes=tuple(sorted(suffixes, key=lambda e: (-len(e[0]), e))),
        endings={key: frozenset(forms) for key, forms in _table("endings")},
        passives=dict(pair.split("=") for pair in verbs.pop("passive")),
        verbs=verbs,
        version=digest,
    )
