"""Sentence boundaries by rules, for Korean, English and text that mixes them; no model.

Belongs here: paragraphs, lines that stand alone (headings, list items, table rows) and sentences, as spans.
Does not: sizes and packing (`pathgraph.chunking.packer`), word lists of a grammar (`pathgraph.providers.offline`).

A decision looks at no more than a few lines or some forty characters around it, so that an edit moves no far boundary.
"""

from collections.abc import Iterator

import regex

Span = tuple[int, int]

# A blank line parts paragraphs.
_PARAGRAPH_BREAK = regex.compile(r"\n(?:[^\S\n]*\n)+")
# A line that is a unit of its own: heading, table row, rule, HTML block, fence; the next line starts anew.
_ALONE = regex.compile(r"\s*(?:#{1,6}\s|\||```|~~~|[-=*_]{3,}\s*$|</?\w[^>]*>\s*$|.*\|.*\|)|.*\t.*\t")
_KOREAN_ITEM = "가나다라마바사아자차카타파하"
# A line that starts a unit: list item, quotation, numbered or lettered item, speaker.
_STARTS = regex.compile(
    r"\s*(?:[-*+•‣◦▪▫·※○●◎□■◇◆▶►☞➤✓✔–—]\s|[>❍]|\(?(?:\d{1,3}|[a-zA-Z"
    + _KOREAN_ITEM
    + r"]|[ivxIVX]{1,4})[.)]\s|[①-⑳㉠-㉻]"
    r"|제\s?\d+\s?[조장절항관편]|[A-Z][\w .'-]{0,40}:\s)"
)
_PAIR = regex.compile(r"\X")
_HANGUL = regex.compile(r"[가-힣]")
# Lines shorter than this are not the result of wrapping prose at a column; longer ones neither.
_WRAP_MIN, _WRAP_MIN_HANGUL, _WRAP_MAX = 45, 30, 140
_WRAP_REACH = 2  # lines either side that tell the column
_WRAP_SLACK = 2  # columns a ragged right margin may vary
_KOREAN_END = regex.compile(
    r"(?:다|니까|까요|세요|네요|군요|어요|아요|해요|예요|에요|지요|죠|습니까|입니까)[\"'”’)\]」』]*$"
)

_CLOSERS = "\"'”’)\\]」』»〉》】〕}*_`"
_OPENERS = "\"'“‘(\\[「『«〈《【〔{*_`¿¡"
# Where a sentence may end: a stop, what closes after it, then a blank; CJK stops and Korean "-다." need no blank.
_CANDIDATE = regex.compile(
    rf"(?<![.!?…])(?P<stop>[.!?…]++)(?P<close>[{_CLOSERS}]{{0,8}}+)(?:\[\d{{1,3}}\]){{0,8}}+(?=\s)"
    rf"|[。！？｡]++[{_CLOSERS}]{{0,8}}+|(?<=[가-힣][다요죠까])[.!?]{{1,8}}+(?=[가-힣A-Z“‘「『])"
)
_NEXT = regex.compile(rf"\s*(?P<open>[{_OPENERS}]*)(?P<word>[\p{{L}}\p{{M}}]*)(?P<sign>.?)")
_LAST_TOKEN = regex.compile(r"[^\s(\[{\"“‘「『<]*$")
_LETTERS_AND_DOTS = regex.compile(r"(?:[A-Za-z]\.)+[A-Za-z]$")
_INITIAL = regex.compile(r"(?:[A-Z]|[A-Z][a-z]?-[A-Z])$")
_KOREAN_DATE = regex.compile(r"(?:^|[\s(~])[’']?\d{2,4}\.\s?\d{1,2}(?:\.\s?\d{1,2})?$")
_YEAR = regex.compile(r"(?:\d{4}|['’‘]\d{2})$")
_MONTH_NEXT = regex.compile(r"\s?\d{1,2}\.")
_ITEM_NUMBER = regex.compile(
    rf"(?:^|\n)\s*[#>*_\s]*(?:\d{{1,3}}(?:\.\d{{1,3}})*|[{_KOREAN_ITEM}]|[A-Za-z]|[ivxIVX]{{1,4}})$"
)


def _words(line: str) -> frozenset[str]:
    return frozenset(line.split())


# Never end a sentence: a name, number or clause follows.
_TITLES = _words(
    "mr mrs ms mx dr prof rev hon st sr sra mme mlle messrs gen col lt sgt capt cmdr adm maj gov sen rep pres "
    "supt vs cf viz eq eqs ca approx e.g i.e univ assn mt ft esp resp incl excl fr br"
)
# Do so only before a number.
_NUMBERED = _words("no nos fig figs vol vols p pp ch chap sec art par ed tab nr op")
# May end one; do when a usual first word follows.
_EITHER = _words(
    "inc ltd co corp llc plc bros jr sr esq ph.d b.a m.a m.d jan feb mar apr jun jul aug sep sept oct nov dec mon "
    "tue wed thu fri sat sun a.m p.m am pm est etc al ave blvd rd dept gmbh bhd pty s.a n.v"
)
_FIRST_WORDS = _words(
    "the a an this that these those it he she they we i you his her its their our my your there here in on at by "
    "for from with after before when while as if although though but and or so however moreover meanwhile then "
    "also both what who why how where which no not one two most some many all each every since during under over "
    "to"
)
_KOREAN_QUOTE_VERBS = regex.compile(
    r"(?:(?:하고|하며|하는|하면서|이?라고|이?라며|이?라는|이?란|고|며|는)(?![가-힣])|했|한다)"
)


def sentences(text: str) -> Iterator[Span]:
    """Yield the spans of the sentences, in code points, in order, without blanks at either end.

    Only a blank that carries a combining mark stays. The spans cover every character that is not blank, never overlap
    and never cross a paragraph break (a blank line). Headings, list items and table rows are sentences of their own.
    No span starts inside a grapheme cluster.
    """
    for start, end in paragraphs(text):
        for first, last in _units(text, start, end):
            yield from _split(text, first, last)


def paragraphs(text: str) -> Iterator[Span]:
    """Yield the spans between blank lines, without blanks at either end."""
    start = 0
    for gap in _PARAGRAPH_BREAK.finditer(text):
        yield from _trimmed(text, start, gap.start())
        start = gap.end()
    yield from _trimmed(text, start, len(text))


def _trimmed(text: str, start: int, end: int) -> Iterator[Span]:
    """Yield the span without the blanks at its ends, nothing when it is all blank.

    A blank that carries a combining mark stays.
    """
    first = start
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    if first < start < end and joined(text, start):
        start -= 1
    if start < end:
        yield start, end


def joined(text: str, at: int) -> bool:
    """Tell whether the character at `at` is a mark on a blank or stop before it, one grapheme cluster with it."""
    return not text[at].isascii() and _PAIR.fullmatch(text, at - 1, at + 1) is not None


def _units(text: str, start: int, end: int) -> Iterator[Span]:
    """Yield runs of lines of one paragraph that were one line before they were wrapped."""
    if text.find("\n", start, end) < 0:
        yield start, end
        return
    lines = _lines(text, start, end)
    begin = lines[0][0]
    for i, (_, line_end) in enumerate(lines[:-1]):
        if not _wrapped(text, lines, i):
            yield from _trimmed(text, begin, line_end)
            begin = lines[i + 1][0]
    yield from _trimmed(text, begin, end)


def _lines(text: str, start: int, end: int) -> list[Span]:
    """Return the lines of a paragraph, without their newlines."""
    lines = []
    while (newline := text.find("\n", start, end)) >= 0:
        lines.append((start, newline))
        start = newline + 1
    lines.append((start, end))
    return lines


def _wrapped(text: str, lines: list[Span], i: int) -> bool:
    """Tell whether the newline after line i only wraps a sentence that goes on.

    A line was wrapped when the next line's first word would not have fitted before the column at which the lines
    around it end.
    """
    start, end = lines[i]
    next_start, next_end = lines[i + 1]
    line, following = text[start : min(end, start + 400)], text[next_start : min(next_end, next_start + 400)]
    width = max(b - a for a, b in lines[max(0, i - _WRAP_REACH) : i + _WRAP_REACH + 1])
    minimum = _WRAP_MIN_HANGUL if _HANGUL.search(line) else _WRAP_MIN
    if width < minimum or end - start > _WRAP_MAX or _ALONE.match(line) or _ALONE.match(following):
        return False
    if _STARTS.match(following) or _KOREAN_END.search(line.rstrip()):
        return False
    word = following.split(maxsplit=1)[0] if following.strip() else ""
    return word[:1].islower() or end - start + 1 + len(word) + _WRAP_SLACK > min(width, _WRAP_MAX)


def _split(text: str, start: int, end: int) -> Iterator[Span]:
    """Yield the sentences of one unit."""
    begin = start
    for found in _CANDIDATE.finditer(text, start, end):
        if found.end() < end and _ends(text, found, start, end):
            yield from _trimmed(text, begin, found.end())
            begin = found.end()
    yield from _trimmed(text, begin, end)


def _ends(text: str, found: "regex.Match[str]", start: int, end: int) -> bool:
    """Tell whether a candidate inside a unit ends a sentence."""
    after = _NEXT.match(text, found.end(), min(end, found.end() + 40))
    assert after is not None  # the pattern matches anything
    at = after.start("open")
    if at < end and joined(text, at):
        return False
    stop, word = found["stop"], after["word"]
    if stop is None:
        return not (found.group()[-1] in "」』”’" and _KOREAN_QUOTE_VERBS.match(word))
    if word.islower() and word[0].isascii():
        return False
    if found["close"] and _KOREAN_QUOTE_VERBS.match(word):
        return False
    before = text[max(start, found.start() - 24) : found.start()]
    if not before.strip(" ([{\"'“‘") or (not word and after["sign"] in {",", ";", ":"}):
        return False  # "(?)", or a list of stops
    if stop == ".":
        if _YEAR.search(before) and _MONTH_NEXT.match(text, found.end()):
            return False
        return _full_stop_ends(before, after, bool(found["close"]))
    if set(stop) & set("!?"):
        return True
    return word[:1].isupper() or bool(regex.search(r"[다요죠까]$", before)) or bool(found["close"])


def _full_stop_ends(before: str, after: "regex.Match[str]", closed: bool) -> bool:
    """Tell whether a single full stop, with at most 24 characters before it, ends a sentence."""
    word, sign = after["word"], after["sign"]
    digit_next = not word and sign.isdigit()
    last = _LAST_TOKEN.search(before)
    token = last[0] if last else ""
    lowered = token.lower()
    if _ITEM_NUMBER.search(before) and (len(before) < 24 or "\n" in before):
        return False
    if _KOREAN_DATE.search(before) and not _starts_english(word):
        return False
    if closed:
        return True
    if lowered in _TITLES or (lowered in _NUMBERED and digit_next):
        return False
    if lowered in _EITHER or _LETTERS_AND_DOTS.search(token):
        return word.lower() in _FIRST_WORDS or (bool(_HANGUL.match(word)) and lowered == "etc")
    if _INITIAL.search(token):
        another_initial = len(word) == 1 and word.isupper() and sign == "."
        return not another_initial if token == "I" else word.lower() in _FIRST_WORDS
    return True


def _starts_english(word: str) -> bool:
    return word[:1].isupper() and len(word) > 1
