"""PDF: lines joined into paragraphs.

Belongs here: reading with pypdf and repairing what line breaks did to words. Does not: reading scanned pages (OCR).
"""

import io
import logging
import re
from collections.abc import Iterator
from typing import Any

from pathgraph.loading.formats.parts import CannotRead, Part, Problem, Raw

_HYPHENATED = re.compile(r"[^\W\d_]-$")
_ITEM = re.compile(r"(?:[-•·▪◦○●■□◆※*]|\(?\d{1,3}[.)]|\(?[가-하a-z][.)]|제\s*\d+\s*[조장절항])\s")
# One glyph for several letters is a matter of print, not of spelling.
_LIGATURES = str.maketrans({"ﬀ": "ff", "ﬁ": "fi", "ﬂ": "fl", "ﬃ": "ffi", "ﬄ": "ffl", "ﬅ": "st", "ﬆ": "st"})
_NO_TITLES = frozenset(("untitled", "(anonymous)", "제목 없음"))
_FULL_LINE = 0.7  # share of the page's usual line length below which a line was not wrapped but ended


def read_pdf(raw: Raw) -> Iterator[Part | Problem]:
    """Yield the text of all pages, pages parted by a blank line.

    Raises:
        CannotRead: encrypted with a password; no page holds text (scanned).
    """
    from pypdf import PdfReader

    logging.getLogger("pypdf").setLevel(logging.CRITICAL)
    reader = PdfReader(io.BytesIO(raw.data), strict=False)
    if reader.is_encrypted and not reader.decrypt(""):
        raise CannotRead("encrypted", "The PDF asks for a password. Save it without one.")
    pages = [page.extract_text().translate(_LIGATURES) for page in reader.pages]
    if not any(page.strip() for page in pages):
        raise CannotRead(
            "no_text", f"None of its {len(pages)} pages holds text; it is probably scanned. Run OCR (ocrmypdf) first."
        )
    title, modified, metadata = _information(reader)
    spaced = _keeps_spaces(pages)
    text = "\n\n".join(filter(None, (join_lines(page, spaced) for page in pages)))
    yield Part(text, title, modified, metadata | {"pages": str(len(pages))})


def _information(reader: Any) -> tuple[str, str, dict[str, str]]:
    information = reader.metadata or {}
    fields = {key: str(information.get(key) or "").strip() for key in ("/Title", "/ModDate", "/CreationDate")}
    kept = {name: str(information.get(f"/{name.title()}") or "").strip() for name in ("author", "subject", "keywords")}
    modified = fields["/ModDate"] or fields["/CreationDate"]
    title = "" if fields["/Title"].lower() in _NO_TITLES else fields["/Title"]
    return title, modified, {name: value for name, value in kept.items() if value}


def _keeps_spaces(pages: list[str]) -> bool:
    """Tell whether the file writes the blank at which a line was wrapped, so that a line without one ends mid-word."""
    ends = [
        line[-2:] for page in pages for line in page.split("\n") if len(line) > 20 and _is_hangul(line.rstrip()[-1:])
    ]
    return bool(ends) and sum(end.endswith(" ") for end in ends) >= 0.3 * len(ends)


def join_lines(page: str, spaced: bool) -> str:
    """Join the lines of each paragraph of a page.

    A paragraph ends at a blank line, before a list item or article number, and after a line much shorter than is usual
    on the page, as headings and rows of tables are. A word hyphenated at the line's end is made whole. Korean wraps at
    a blank or inside a word: only where the file keeps its blanks (`spaced`) can the two be told apart; else a blank
    is set.
    """
    lines = page.split("\n")
    lengths = sorted(len(line.strip()) for line in lines if line.strip())
    usual = lengths[int(0.8 * (len(lengths) - 1))] if lengths else 0
    paragraphs: list[str] = []
    open_paragraph = False
    for line in lines:
        stripped = line.strip()
        if not stripped:
            open_paragraph = False
            continue
        if open_paragraph and not _ITEM.match(stripped):
            paragraphs[-1] = _joined(paragraphs[-1], line, spaced)
        else:
            paragraphs.append(line.lstrip())
        open_paragraph = len(stripped) >= _FULL_LINE * usual
    return "\n".join(paragraph.strip() for paragraph in paragraphs)


def _joined(before: str, line: str, spaced: bool) -> str:
    head, tail = before.rstrip(), line.lstrip()
    if _HYPHENATED.search(head) and tail[:1].islower():
        return head[:-1] + line.lstrip()
    wrapped_inside = spaced and before == head and _is_hangul(head[-1:]) and _is_hangul(line[:1])
    return head + ("" if wrapped_inside else " ") + line.lstrip()


def _is_hangul(character: str) -> bool:
    return "가" <= character <= "힣"
