"""How many tokens a text has: by an estimate without dependencies, or exactly by an offline tokenizer.

Belongs here: counters. Does not: sizes and packing (`pathgraph.chunking`), prices (the provider).
"""

import re
from collections.abc import Callable, Iterable
from functools import cache
from importlib.util import find_spec

from pathgraph.errors import MissingExtra, UsageError

Counter = Callable[[str], int]

# Hundredths of an o200k token, fitted on English and Korean prose, documentation, tables and code (docs/chunking.md).
_WORD, _LONG_LETTER, _DIGITS, _PUNCTUATION, _BREAK = 104, 21, 130, 83, 110
_HANGUL_RUN, _HANGUL, _CJK, _OTHER = 40, 69, 80, 60
_LONG_WORD = 8

_WORDS = re.compile("[A-Za-z]+")
_LONG_WORDS = re.compile(f"[A-Za-z]{{{_LONG_WORD + 1},}}")
_DIGIT_GROUPS = re.compile("[0-9]{1,3}")
_PUNCTUATION_RUNS = re.compile(r"[!-/:-@\[-`{-~]{1,3}")
_BREAKS = re.compile(r"\n+[^\S\n]*|[ \t]{2,80}")
_HANGUL_RUNS = re.compile("[가-힣]+")
_CJK_RUNS = re.compile("[\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]+")
_OTHER_RUNS = re.compile("[^\x00-\x7f가-힣\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]+")

_ENCODINGS = {"o200k": "o200k_base", "cl100k": "cl100k_base"}
# The tokenizer refuses a million characters and more at once.
_PIECE = 500_000


@cache
def counter(name: str) -> Counter:
    """Return the counter that `settings.chunking.tokenizer` names.

    `rule` is the estimate; `o200k` and `cl100k` are exact; `auto` is `o200k` where the extra `tokens` is installed and
    `rule` elsewhere.

    Raises:
        MissingExtra: an exact counter was named and the extra `tokens` is not installed.
        UsageError: there is no counter of this name.
    """
    if name == "auto":
        name = "o200k" if find_spec("bpe_openai") else "rule"
    if name == "rule":
        return estimate
    if name not in _ENCODINGS:
        known = ", ".join(["rule", *_ENCODINGS, "auto"])
        raise UsageError(f"There is no tokenizer '{name}'.", f"Choose one of: {known}.")
    return _exact(name)


def estimate(text: str) -> int:
    """Return about as many tokens as o200k would make of the text; at least 1 unless it is empty.

    A word is a token, its letters beyond the eighth a fifth each; a Hangul syllable two thirds, and each run of them
    a bit more; digits go by three, punctuation by runs. Linear in the length of the text.
    """
    long_words, long_letters = _runs(_LONG_WORDS.findall(text))
    total = (
        _WORD * len(_WORDS.findall(text))
        + _LONG_LETTER * (long_letters - _LONG_WORD * long_words)
        + _DIGITS * len(_DIGIT_GROUPS.findall(text))
        + _PUNCTUATION * len(_PUNCTUATION_RUNS.findall(text))
        + _BREAK * len(_BREAKS.findall(text))
    )
    if not text.isascii():
        hangul_runs, hangul = _runs(_HANGUL_RUNS.findall(text))
        total += _HANGUL_RUN * hangul_runs + _HANGUL * hangul
        total += _CJK * _runs(_CJK_RUNS.findall(text))[1] + _OTHER * _runs(_OTHER_RUNS.findall(text))[1]
    return max((total + 50) // 100, bool(text))


def _runs(found: Iterable[str]) -> tuple[int, int]:
    """Return how many runs there are and their characters together."""
    lengths = [len(run) for run in found]
    return len(lengths), sum(lengths)


def _exact(name: str) -> Counter:
    """Return the counter of a byte-pair encoding; special tokens in the text count as plain text."""
    try:
        import bpe_openai
    except ImportError as error:
        raise MissingExtra(f"The tokenizer '{name}'", "tokens") from error
    encode = bpe_openai.get_encoding(_ENCODINGS[name]).encode_ordinary

    def count(text: str) -> int:
        return sum(len(encode(text[i : i + _PIECE])) for i in range(0, len(text), _PIECE))

    return count
