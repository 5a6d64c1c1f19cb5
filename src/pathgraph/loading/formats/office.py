"""docx and pptx.

Belongs here: the order in which their text is read. Does not: sheets (`pathgraph.loading.formats.sheets`).
"""

import io
import re
from collections.abc import Iterator
from typing import Any

from pathgraph.loading.formats.archive import open_archive, row_text
from pathgraph.loading.formats.parts import Part, Problem, Raw

_HEADING = re.compile(r"(?:heading|제목)\s*(\d)", re.IGNORECASE)


def read_docx(raw: Raw) -> Iterator[Part | Problem]:
    """Yield the body's paragraphs and tables in order, tracked insertions and content controls included.

    Headings get Markdown's `#`; a table is one line a row. Deleted text, comments, headers and footers are left out.
    """
    import docx

    open_archive(raw)
    document = docx.Document(io.BytesIO(raw.data))
    styles = {style.style_id: style.name or "" for style in document.styles}
    blocks = [block for block in _blocks(document.element.body, styles) if block]
    title, modified, metadata = _core(document.core_properties)
    first = next((block.lstrip("# ") for block in blocks if block.startswith("#")), "")
    yield Part("\n\n".join(blocks), title or first, modified, metadata)


def _core(properties: Any) -> tuple[str, str, dict[str, str]]:
    """Return title, date and metadata of an office file's core properties."""
    date = properties.modified or properties.created
    fields = {name: str(getattr(properties, name) or "") for name in ("author", "subject", "keywords", "category")}
    modified = date.isoformat() if date else ""
    return properties.title or "", modified, {name: value for name, value in fields.items() if value}


def _local(element: Any) -> str:
    return element.tag.rpartition("}")[2] if isinstance(element.tag, str) else ""


def _blocks(body: Any, styles: dict[str, str]) -> Iterator[str]:
    for element in body:
        tag = _local(element)
        if tag == "p":
            yield _paragraph(element, styles)
        elif tag == "tbl":
            yield "\n".join(filter(None, map(_word_row, element.iterfind("{*}tr"))))
        elif tag in {"sdt", "sdtContent", "ins", "customXml"}:
            yield from _blocks(element, styles)


def _paragraph(paragraph: Any, styles: dict[str, str]) -> str:
    text = _word_text(paragraph).strip()
    style = paragraph.find("{*}pPr/{*}pStyle")
    name = styles.get(next(iter(style.values()), ""), "") if style is not None else ""
    if name.lower() == "title":
        return text and f"# {text}"
    heading = _HEADING.match(name)
    return f"{'#' * min(6, int(heading[1]))} {text}" if heading and text else text


def _word_row(row: Any) -> str:
    cells = [cell for cell in row.iter("{*}tc") if next(cell.iterancestors("{*}tr"), None) is row]
    return row_text([" ".join(map(_word_text, cell.iter("{*}p"))) for cell in cells])


def _word_text(paragraph: Any) -> str:
    """Return all text of a paragraph once: the fallback copy of a drawing and deleted text are left out."""
    pieces = []
    for element in paragraph.iter("{*}t", "{*}tab", "{*}br", "{*}cr", "{*}noBreakHyphen"):
        parents = {_local(parent) for parent in element.iterancestors()}
        if "Fallback" in parents or "tabs" in parents:
            continue
        tag = _local(element)
        pieces.append(element.text or "" if tag == "t" else {"tab": "\t", "noBreakHyphen": "-"}.get(tag, "\n"))
    return "".join(pieces)


def read_pptx(raw: Raw) -> Iterator[Part | Problem]:
    """Yield the slides in order, parted by a blank line: shapes in reading order, tables as rows, then the notes."""
    import pptx

    open_archive(raw)
    show = pptx.Presentation(io.BytesIO(raw.data))
    slides = [_slide(slide) for slide in show.slides]
    title, modified, metadata = _core(show.core_properties)
    first = next((s.shapes.title.text_frame.text for s in show.slides if s.shapes.title is not None), "")
    if title in {"", "PowerPoint Presentation", "PowerPoint 프레젠테이션"}:
        title = first
    yield Part("\n\n".join(filter(None, slides)), title, modified, metadata | {"slides": str(len(slides))})


def _slide(slide: Any) -> str:
    texts = []
    for block in slide.element.iter("{*}txBody", "{*}tbl"):
        if next(block.iterancestors("{*}tbl"), None) is not None:
            continue
        if _local(block) == "tbl":
            texts += [row_text([_drawn(cell) for cell in row.iterfind("{*}tc")]) for row in block.iterfind("{*}tr")]
        else:
            texts.append(_drawn(block))
    if slide.has_notes_slide and slide.notes_slide.notes_text_frame is not None:
        texts.append(slide.notes_slide.notes_text_frame.text)
    return "\n".join(text for text in texts if text.strip())


def _drawn(block: Any) -> str:
    return "\n".join("".join(run.text or "" for run in line.iter("{*}t")) for line in block.iter("{*}p")).strip()
