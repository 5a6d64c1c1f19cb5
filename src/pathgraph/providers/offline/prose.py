"""The prose in a chunk: its sentences without markup, with their language, each character knowing its place.

Belongs here: what is prose and what is not (code, table rows, link lists), cutting overlong sentences, routing by
script. Does not: sentence boundaries (`pathgraph.chunking.sentences`), reading a sentence.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import regex

from pathgraph.chunking.sentences import sentences

# A "sentence" above this is no sentence, and a parser's time and memory grow with its length.
LIMIT = 1000
_FENCE = regex.compile(r"(?m)^[ \t]*(```|~~~)[ \t]*(?:[\w+#.-]*|\{[^\n]*)[ \t]*$.*?^[ \t]*\1[ \t]*$", regex.DOTALL)
_FRONT_MATTER = regex.compile(r"\A---[ \t]*\n(?:[\w -]+:[^\n]*\n|[ \t]+[^\n]*\n|- [^\n]*\n)+---[ \t]*$", regex.M)
_ROW = regex.compile(r"\s*\||.*\|.*\||.*\t.*\t")
# Markup: its text stays, the rest goes. Images and bare addresses go altogether.
_MARKUP = regex.compile(
    r"!\[[^\]\n]*\]\([^)\s]*\)|https?://\S+|www\.\S+|</?[a-zA-Z][^<>\n]*>"
    r"|(?<=\])\([^)\s]*\)|\[\^?\d{1,3}\]|\[(?=[^\[\]\n]*\]\()|\](?=\()|\*{1,3}|`+|(?<!\w)_{1,2}(?=\w)|(?<=\w)_{1,2}(?!\w)"
)
_LEAD = regex.compile(r"\s*(?:>\s*)*(?:#{1,6}\s+|[-*+•‣◦▪·]\s+|\(?\d{1,3}[.)]\s+|\[[ xX]\]\s+)?")
_CODE = regex.compile(r"[{}<>=;\\|~^$@#%&_]|\(\)|::|->|=>")
_HANGUL = regex.compile(r"\p{Script=Hangul}")
_LATIN = regex.compile(r"\p{Script=Latin}")
_LETTER = regex.compile(r"\p{L}")
_BRACKETS = regex.compile(r"[(\[][^()\[\]]*[)\]]")
# Any English word that is no name; Korean sentences hold Latin names and abbreviations, rarely such words.
_ENGLISH = regex.compile(r"\bThe\b|(?<![\w가-힣])[a-z]{2,}(?![\w가-힣])")
_ENDS_KOREAN = regex.compile(r"[가-힣](?:다|요|까|죠)[\s\p{P}\p{S}]*$|(?:음|함|됨|임)[\s\p{P}\p{S}]*$")
READ_AS_ENGLISH = {"en", "ko", "und", ""}


@dataclass(frozen=True)
class Piece:
    """A sentence to read.

    Attributes:
        text: the sentence on one line, without markup.
        offsets: per character of `text`, its place in the chunk.
        start: of the sentence in the chunk, markup included.
        end: of the sentence in the chunk, markup included.
        language: `en`, `ko`, or '' when no reader knows it.
    """

    text: str
    offsets: tuple[int, ...]
    start: int
    end: int
    language: str

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Return the place in the chunk of a span of `text`, which must not be empty."""
        return self.offsets[start], self.offsets[end - 1] + 1


def pieces(text: str, language: str) -> Iterator[Piece]:
    """Yield the sentences of a chunk that are prose, in order.

    Args:
        text: the chunk's text.
        language: of its document; Latin sentences of a document in neither English nor Korean have no reader.
    """
    fences = [match.span() for pattern in (_FRONT_MATTER, _FENCE) for match in pattern.finditer(text)]
    for whole in sentences(text):
        for start, end in _cut(text, *whole):
            if any(a <= start < b for a, b in fences) or _ROW.match(text, start, end):
                continue
            clean, offsets = _strip(text, start, end)
            if _is_prose(clean):
                yield Piece(clean, offsets, start, end, _route(clean, language))


def _cut(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Yield parts of at most LIMIT characters, cut at a blank where there is one."""
    while end - start > LIMIT:
        blank = max(text.rfind(sign, start + LIMIT // 2, start + LIMIT) for sign in " \n\t;,")
        cut = blank + 1 if blank >= 0 else start + LIMIT
        yield start, cut
        start = cut
    if start < end:
        yield start, end


def _strip(text: str, start: int, end: int) -> tuple[str, tuple[int, ...]]:
    """Return the sentence without markup and with single blanks, and the place of each character."""
    lead = _LEAD.match(text, start, end)
    at = lead.end() if lead else start
    kept: list[int] = []
    for match in _MARKUP.finditer(text, at, end):
        kept.extend(range(at, match.start()))
        at = match.end()
    kept.extend(range(at, end))
    out: list[int] = []
    for i in kept:
        if not text[i].isspace() or (out and not text[out[-1]].isspace()):
            out.append(i)
    while out and text[out[-1]].isspace():
        out.pop()
    return "".join(" " if text[i].isspace() else text[i] for i in out), tuple(out)


def _is_prose(text: str) -> bool:
    """Tell whether a line is words: mostly letters, few signs of code, more than one word."""
    letters = len(_LETTER.findall(text))
    signs = len(_CODE.findall(text))
    visible = len(text) - text.count(" ")
    return letters >= 4 and letters * 2 >= visible and signs * 12 <= visible and (" " in text or letters > 8)


def _route(text: str, language: str) -> str:
    """Return who reads a sentence: Korean when its grammar is Korean, whatever the script of its names."""
    latin = len(_LATIN.findall(text))
    outside = _BRACKETS.sub("", text)
    hangul = len(_HANGUL.findall(outside))
    if hangul:
        if hangul > latin or _ENDS_KOREAN.search(outside) or not _ENGLISH.search(outside):
            return "ko"
        return "en"
    letters = len(_LETTER.findall(text)) - len(_HANGUL.findall(text))
    return "en" if latin and latin * 10 >= letters * 9 and language in READ_AS_ENGLISH else ""
