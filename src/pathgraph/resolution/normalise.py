"""Normalising names: what two spellings of one name have in common.

Belongs here: pure functions on strings and the list of legal forms. Does not: the alias dictionary
(`pathgraph.resolution.aliases`) or which names of a corpus become one node (`pathgraph.resolution.resolve`).
"""

import csv
import unicodedata
from dataclasses import dataclass
from functools import cache
from importlib import resources

import regex

# Marks that two spellings of one name may differ in. Letters, digits and marks of every script stay (Korean must
# survive each step), and so do signs that carry meaning in names: C++, C#, AT&T, A/S.
_BLANK = regex.compile(r"[\s_\u00b7\u318d\u30fb‐-―]+|(?<!\d)[.,](?!\d)|[.,](?!\d)|[\"'`´‘’“”«»‹›「」『』《》〈〉;:!?]+")
_HYPHEN = regex.compile(r"(?<=\p{L})-(?=\p{L})")
_BRACKETED_FORM = regex.compile(r"\(([주유합사재株有])\)")
_SPACES = regex.compile(r" +")
_HAS_LETTER = regex.compile(r"[\p{L}\p{N}]")


@dataclass(frozen=True)
class Normal:
    """A normalised name: what is left without the legal form, and that form's canonical spelling ("" for none)."""

    base: str
    form: str


@cache
def legal_forms() -> dict[str, str]:
    """Return every known legal form, folded, with its canonical spelling (`data/legal_forms.csv`)."""
    text = resources.files(__package__).joinpath("data/legal_forms.csv").read_text("utf-8")
    return {fold(row["form"]): row["canonical"] for row in csv.DictReader(text.splitlines())}


def fold(name: str) -> str:
    """Fold case, width, quotes, hyphens, underscores and spaces: NFKC, casefold, one blank between words.

    Empty when the name holds no letter and no digit. Idempotent.
    """
    text = unicodedata.normalize("NFKC", name).casefold()
    text = unicodedata.normalize("NFKC", text)
    text = _HYPHEN.sub(" ", text)
    text = _BRACKETED_FORM.sub(r" (\1) ", text)
    text = _SPACES.sub(" ", _BLANK.sub(" ", text)).strip()
    return text if _HAS_LETTER.search(text) else ""


@cache
def normalise(name: str) -> Normal:
    """Return the folded name apart from its legal form, which may stand before it (㈜한빛) or behind it (Hanbit Inc.).

    A name that is nothing but a legal form ("AG") keeps it as its base.
    """
    words = fold(name).split(" ")
    for cut in range(1, len(words)):
        form = legal_forms().get(" ".join(words[cut:]))
        if form is not None:
            return Normal(" ".join(words[:cut]), form)
    for cut in range(len(words) - 1, 0, -1):
        lead = " ".join(words[:cut])
        form = legal_forms().get(lead)
        if form is not None and not lead.isascii():
            return Normal(" ".join(words[cut:]), form)
    return _attached(words)


def _attached(words: list[str]) -> Normal:
    """Korean and Japanese forms may be written without a blank: 주식회사한빛, 한빛주식회사."""
    joined = " ".join(words)
    for form, canonical in legal_forms().items():
        if len(form) < 4 or form.isascii():
            continue
        if joined.startswith(form) and len(joined) > len(form) + 1:
            return Normal(joined[len(form) :].strip(), canonical)
        if joined.endswith(form) and len(joined) > len(form) + 1:
            return Normal(joined[: -len(form)].strip(), canonical)
    return Normal(joined, "")
