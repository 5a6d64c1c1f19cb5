"""Bytes to text: which encoding a file is in.

Belongs here: the order of guesses and its thresholds. Does not: cleaning the text (`pathgraph.text`), parsing it
(`pathgraph.loading.formats`).
"""

import codecs
import re
from dataclasses import dataclass

# What a guess may be, apart from UTF-8 and ISO-2022. Wider sets stand for the narrower ones they contain (CP949 for
# EUC-KR, as browsers do). CP1250 and its like are left out: they win over CP1252 on short French and German texts.
_SAMPLED = (
    "cp949", "johab", "big5hkscs", "gb18030", "cp932", "euc_jp", "koi8_r", "cp1251", "cp1252", "cp1253", "cp1254",
    "cp1255", "cp1256", "tis_620",
)  # fmt: skip
_WIDE = ("utf_16_le", "utf_16_be", "utf_32_le", "utf_32_be")
_SUPERSETS = {
    "euc_kr": "cp949", "gb2312": "gb18030", "gbk": "gb18030", "shift_jis": "cp932", "shift_jis_2004": "cp932",
    "big5": "big5hkscs", "ascii": "cp1252", "iso8859-1": "cp1252", "iso8859-9": "cp1254", "euc_jis_2004": "euc_jp",
}  # fmt: skip
_ALIASES = {"x-sjis": "cp932", "x-euc-jp": "euc_jp", "ks_c_5601-1987": "cp949", "windows-949": "cp949"}
_BOMS = (
    (codecs.BOM_UTF8, "utf_8"),
    (codecs.BOM_UTF32_LE, "utf_32_le"),  # before UTF-16, whose mark it starts with
    (codecs.BOM_UTF32_BE, "utf_32_be"),
    (codecs.BOM_UTF16_LE, "utf_16_le"),
    (codecs.BOM_UTF16_BE, "utf_16_be"),
)
_COMMON_HANGUL = frozenset(bytes((a, b)).decode("euc_kr") for a in range(0xB0, 0xC9) for b in range(0xA1, 0xFF))
_HANGUL = re.compile("[가-힣]")
_FOREIGN = re.compile("[^\x00-\x7f]")
_CONTROL = re.compile("[\x00-\x08\x0e-\x1a\x1c-\x1f\x7f]")
# Encodings of alphabets whose words hold no Latin letters: a word that mixes both (caf\xe9) is Western.
_ALPHABETS = frozenset(("koi8_r", "cp1251", "cp1253", "cp1255", "cp1256", "tis_620"))
_HIGH = re.compile(rb"[\x80-\xff]+")
_INSIDE_WORD = re.compile(rb"(?<=[A-Za-z])[\x80-\xff]+|[\x80-\xff]+(?=[A-Za-z])")
_SAMPLE = 256 * 1024  # bytes or characters a guess is judged by
_MAX_BROKEN = 0.02  # share of replaced characters up to which a text counts as damaged, not as misread


@dataclass(frozen=True)
class Decoded:
    """A text, the Python codec that gave it, and how many of its characters stand for bytes that fit no character."""

    text: str
    encoding: str
    replaced: int = 0


def decode(data: bytes, declared: str = "") -> Decoded | None:
    """Return the text of a file, or None when its bytes are no text.

    In this order: byte-order mark; escape sequences (ISO-2022-KR, ISO-2022-JP); strict UTF-8; many NULs: UTF-16 or
    UTF-32; what the file itself declares, when that decodes strictly; strict CP949, then strict Johab, when the
    result is plausible Hangul; UTF-8 or CP949 with a few broken bytes; charset-normalizer.

    Args:
        data: the whole file.
        declared: encoding named by the file itself (HTML `charset`, XML declaration), if any.
    """
    for mark, encoding in _BOMS:
        if data.startswith(mark):
            return _lenient(data[len(mark) :], encoding)
    if b"\x1b" in data[:_SAMPLE] and (escaped := _escaped(data)):
        return escaped
    if data[:_SAMPLE].count(0) * 50 > len(data[:_SAMPLE]):
        return _guessed(data, _WIDE)
    found = _strict(data, "utf_8") or _strict(data, _known(declared)) or _korean(data) or _damaged(data)
    if found is None and not _binary(data):
        found = _guessed(data, _SAMPLED)
    return found if found and _readable(found.text) else None


def _strict(data: bytes, encoding: str) -> Decoded | None:
    if not encoding:
        return None
    try:
        return Decoded(data.decode(encoding), encoding)
    except UnicodeDecodeError:
        return None


def _lenient(data: bytes, encoding: str) -> Decoded:
    text = data.decode(encoding, "replace")
    return Decoded(text, encoding, text.count("\ufffd"))


def _escaped(data: bytes) -> Decoded | None:
    if b"\x1b$)C" in data[:_SAMPLE]:
        return _strict(data, "iso2022_kr")
    if re.search(rb"\x1b(?:\$[@B]|\([JI])", data[:_SAMPLE]):
        return _strict(data, "iso2022_jp") or _strict(data, "iso2022_jp_ext")
    return None


def _known(declared: str) -> str:
    """Return the codec for a declared name, widened; empty for one that is unknown or no text encoding."""
    try:
        name = codecs.lookup(_ALIASES.get(declared.strip().lower(), declared.strip())).name
    except (LookupError, ValueError):
        return ""
    name = _SUPERSETS.get(name, name)
    same = {codecs.lookup(candidate).name for candidate in _SAMPLED}
    return name if name in same else ""


def _korean(data: bytes) -> Decoded | None:
    for encoding in ("cp949", "johab"):
        found = _strict(data, encoding)
        if found and _plausible(found.text):
            return found
    return None


def _plausible(text: str) -> bool:
    """Tell whether the characters beyond ASCII are mostly Hangul, and that of the 2,350 syllables in common use.

    Misread Chinese, Japanese or Cyrillic gives hanja and rare syllables. Ordinary Korean has over 99 % common ones.
    """
    sample = text[:_SAMPLE]
    hangul = _HANGUL.findall(sample)
    common = sum(1 for syllable in hangul if syllable in _COMMON_HANGUL)
    return bool(hangul) and len(hangul) >= 0.6 * len(_FOREIGN.findall(sample)) and common >= 0.9 * len(hangul)


def _damaged(data: bytes) -> Decoded | None:
    for encoding in ("utf_8", "cp949"):
        found = _lenient(data, encoding)
        good = len(_FOREIGN.findall(found.text)) - found.replaced
        few = found.replaced <= max(1, _MAX_BROKEN * good) and good >= 4
        if few and (encoding == "utf_8" or _plausible(found.text)):
            return found
    return None


def _guessed(data: bytes, candidates: tuple[str, ...]) -> Decoded | None:
    from charset_normalizer import from_bytes

    sample = data[:_SAMPLE]
    for threshold in (0.2, 0.9):  # the second for pages of rare characters
        best = from_bytes(sample, cp_isolation=list(candidates), enable_fallback=False, threshold=threshold).best()
        if best is not None:
            break
    else:
        return None
    encoding = _SUPERSETS.get(best.encoding, best.encoding)
    if encoding in _ALPHABETS and len(_INSIDE_WORD.findall(sample)) * 2 > len(_HIGH.findall(sample)):
        encoding = "cp1252"
    return _lenient(data, encoding)


def _binary(data: bytes) -> bool:
    """Tell whether the bytes hold more control characters than any text does."""
    sample = data[:_SAMPLE].decode("latin_1")
    return len(_CONTROL.findall(sample)) * 50 > len(sample)


def _readable(text: str) -> bool:
    sample = text[:_SAMPLE]
    return len(_CONTROL.findall(sample)) * 20 <= len(sample)
