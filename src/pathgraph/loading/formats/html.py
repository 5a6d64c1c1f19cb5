"""HTML and XML: the text a reader would see.

Belongs here: which elements count and how headings, lists and tables are written. Does not: fetching pages.
"""

import re
from collections.abc import Iterator
from typing import Any

from pathgraph.loading.formats.parts import Part, Problem, Raw, decoding_notes, text_of

_DECLARED = re.compile(
    rb"""<\?xml[^>]{0,200}?encoding\s*=\s*["']([\w.:-]+)|<meta[^>]{0,400}?charset\s*=\s*["']?\s*([\w.:-]+)""",
    re.IGNORECASE,
)
_HIDDEN = frozenset(
    ("script", "style", "nav", "noscript", "template", "svg", "math", "iframe", "object", "head", "title", "button",
     "select", "input", "textarea", "canvas", "audio", "video")
)  # fmt: skip
_BLOCKS = frozenset(
    ("address", "article", "aside", "blockquote", "body", "caption", "center", "dd", "details", "dialog", "div", "dl",
     "dt", "fieldset", "figcaption", "figure", "footer", "form", "header", "hr", "html", "main", "ol", "p",
     "pre", "section", "summary", "table", "ul")
)  # fmt: skip
_CELLS = frozenset(("td", "th"))
_HEADINGS = {f"h{level}": "#" * level + " " for level in range(1, 7)}
_LINE = "\x1e"  # stands for a line break while blanks are folded
_BLOCK = "\x1d"  # stands for a paragraph break
_CELL = "\x1f"  # stands for the border between two cells
_DATES = ("article:modified_time", "last-modified", "dcterms.modified", "article:published_time", "date", "dc.date",
          "dcterms.created", "pubdate")  # fmt: skip


def declared_encoding(data: bytes) -> str:
    """Return the encoding that the head of the file names, or nothing."""
    match = _DECLARED.search(data[:4096])
    return (match[1] or match[2]).decode("ascii") if match else ""


def read_html(raw: Raw) -> Iterator[Part | Problem]:
    """Yield the main text: `<main>` or a sole `<article>` where there is one, else the body, without navigation."""
    from lxml import etree

    decoded = text_of(raw, declared_encoding(raw.data))
    parser = etree.HTMLParser(encoding="utf-8", remove_comments=True, remove_pis=True, huge_tree=True)
    root = etree.fromstring(decoded.text.encode("utf-8", "replace") or b"<p/>", parser)
    metadata = decoding_notes(decoded)
    if root is None:
        yield Part("", metadata=metadata)
        return
    fields = _fields(root)
    date = next((name for name in _DATES if fields.get(name)), "")
    modified = fields.pop(date, "")
    title = root.xpath("string(//title)").strip() or root.xpath("string(//h1)").strip() or fields.pop("og:title", "")
    language = root.get("lang", "")
    metadata |= fields | ({"lang": language} if language else {})
    yield Part(visible_text(_main(root)), title, modified, metadata)


def read_xml(raw: Raw) -> Iterator[Part | Problem]:
    """Yield the text of an XML file, one line an element that holds text; broken XML is read as far as it goes."""
    from lxml import etree

    decoded = text_of(raw, declared_encoding(raw.data))
    parser = etree.XMLParser(
        encoding="utf-8",
        recover=True,
        resolve_entities="internal",
        no_network=True,
        remove_comments=True,
        remove_pis=True,
    )
    root = etree.fromstring(decoded.text.encode("utf-8", "replace"), parser)
    lines = [] if root is None else [re.sub(r"\s+", " ", line).strip() for line in root.itertext()]
    yield Part("\n".join(line for line in lines if line), metadata=decoding_notes(decoded))


def _fields(root: Any) -> dict[str, str]:
    fields: dict[str, str] = {}
    for meta in root.iter("meta"):
        name = (meta.get("name") or meta.get("property") or "").strip().lower()
        content = (meta.get("content") or "").strip()
        if content and name in {*_DATES, "author", "description", "keywords", "og:title"}:
            fields.setdefault(name, content)
    return fields


def _main(root: Any) -> Any:
    mains = root.xpath("//main | //*[@role='main']")
    articles = root.xpath("//article")
    for candidates in (mains, articles):
        if len(candidates) == 1 and candidates[0].xpath("normalize-space()"):
            return candidates[0]
    return root


def visible_text(root: Any) -> str:
    """Return the text below an element: paragraphs parted by a blank line, table rows as `a | b`, items as `- a`."""
    from lxml import etree

    pieces: list[str] = []
    walker = etree.iterwalk(root, events=("start", "end"))
    in_pre = in_cell = 0
    for event, element in walker:
        tag = element.tag if isinstance(element.tag, str) else ""
        step = 1 if event == "start" else -1
        in_pre += step * (tag == "pre")
        in_cell += step * (tag in _CELLS and _holds_data(element))
        if event == "start":
            skip = tag in _HIDDEN or _is_hidden(element)
            pieces.append(" " if in_cell else _before(tag))
            pieces.append("" if skip else _folded(element.text, in_pre))
            if skip:
                walker.skip_subtree()
        else:
            pieces.append(" " if in_cell else _after(element, tag))
            pieces.append("" if element is root else _folded(element.tail, in_pre))
    return _laid_out("".join(pieces))


def _holds_data(cell: Any) -> bool:
    """Tell a cell of a table from one that lays out a page, which holds whole blocks."""
    return cell.find(".//table") is None and sum(1 for _ in cell.iter("p", "div", "h1", "h2", "h3", "h4", "li")) <= 3


def _is_hidden(element: Any) -> bool:
    unseen = element.get("hidden") is not None or element.get("aria-hidden") == "true"
    return unseen or element.get("role") == "navigation"


def _folded(text: str | None, in_pre: int) -> str:
    if not text:
        return ""
    return text.replace("\n", _LINE) if in_pre else re.sub(r"\s+", " ", text)


def _before(tag: str) -> str:
    if tag in _HEADINGS:
        return _BLOCK + _HEADINGS[tag]
    return _BLOCK if tag in _BLOCKS else {"br": _LINE, "tr": _LINE, "li": _LINE + "- "}.get(tag, "")


def _after(element: Any, tag: str) -> str:
    if tag in _CELLS:
        return _CELL if _holds_data(element) else _BLOCK
    return _BLOCK if tag in _HEADINGS or tag in _BLOCKS else {"tr": _LINE, "li": _LINE}.get(tag, "")


def _laid_out(text: str) -> str:
    """Turn the marks into line breaks; inside a row every break is a blank, so that a row stays one line."""
    text = re.sub(rf"{_CELL}[ {_LINE}{_BLOCK}]*(?={_LINE}|{_BLOCK})", _LINE, text)
    blocks = []
    for block in re.split(rf" *{_BLOCK}[ {_BLOCK}]*", text):
        lines = (line.strip().removesuffix(_CELL).replace(_CELL, " | ") for line in block.split(_LINE))
        kept = [re.sub(r" {2,}", " ", line).strip() for line in lines]
        blocks.append("\n".join(line for line in kept if line and line != "-"))
    return "\n\n".join(block for block in blocks if block)
