"""hwp 5 (OLE) and hwpx (zip): the Korean word processor's formats, after Hancom's published file specification.

Belongs here: walking their records and elements. Does not: containers (olefile, zipfile) and XML (lxml).
"""

import io
import logging
import struct
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from pathgraph.loading.formats.archive import OLE_MAGIC, open_archive, row_text
from pathgraph.loading.formats.parts import CannotRead, Part, Problem, Raw

_PARA_TEXT, _CTRL_HEADER, _LIST_HEADER, _TABLE = 67, 71, 72, 77  # record tags of a section
_COMPRESSED, _PASSWORD, _DISTRIBUTION, _DRM = 1 << 0, 1 << 1, 1 << 2, 1 << 4  # flags of FileHeader
_ONE_UNIT = frozenset((0, 10, 13, *range(24, 32)))  # control characters that stand alone; the others take 8 units
_SPELLED = {9: "\t", 10: "\n", 24: "-", 30: "\u00a0", 31: " "}
# Tags whose paragraphs are not read where they stand: page headers and footers, and hidden comments.
_LEFT_OUT = frozenset((b"daeh", b"toof", b"tcmt"))
_SUMMARY = "\x05HwpSummaryInformation"
_ENCRYPTED = "It is protected by a password or DRM. Save it without one."


def read_hwp(raw: Raw) -> Iterator[Part | Problem]:
    """Yield the body of an hwp 5 file: paragraphs, tables as rows, text boxes and notes in record order.

    Raises:
        CannotRead: protected, or of version 3 and older.
    """
    import olefile

    if raw.data.startswith(b"PK"):
        yield from read_hwpx(raw)
        return
    if not raw.data.startswith(OLE_MAGIC):
        raise CannotRead("unsupported", "It is no hwp 5 file. Save it as hwp 5, hwpx or docx.")
    logging.getLogger("olefile").setLevel(logging.CRITICAL)
    with olefile.OleFileIO(io.BytesIO(raw.data)) as ole:
        (flags,) = struct.unpack_from("<I", ole.openstream("FileHeader").read(40), 36)
        if flags & (_PASSWORD | _DISTRIBUTION | _DRM):
            raise CannotRead("encrypted", _ENCRYPTED)
        sections = sorted(
            (int(name.removeprefix("Section")), name)
            for storage, name, *_ in filter(lambda parts: len(parts) == 2, ole.listdir())
            if storage == "BodyText"
        )
        texts, left = [], raw.settings.max_bytes
        for _, name in sections:
            data = ole.openstream(f"BodyText/{name}").read()
            data = _inflate(data, left) if flags & _COMPRESSED else data
            left -= len(data)
            texts.append(_Section(data).text())
        title, modified, metadata = _summary(ole)
    yield Part("\n\n".join(filter(None, texts)), title, modified, metadata)


def _inflate(data: bytes, limit: int) -> bytes:
    unpacker = zlib.decompressobj(-15)
    unpacked = unpacker.decompress(data, max(1, limit))
    if unpacker.unconsumed_tail:
        raise CannotRead("too_large", "It unpacks to more than the setting loading.max_bytes.")
    return unpacked


def _summary(ole: Any) -> tuple[str, str, dict[str, str]]:
    """Return title, date and author; properties 2, 4, 12 and 13 of an OLE summary."""
    if not ole.exists(_SUMMARY):
        return "", "", {}
    found = ole.getproperties(_SUMMARY, convert_time=True)
    date = found.get(13) or found.get(12)
    author = str(found.get(4) or "").partition("\0")[0].strip()
    modified = date.isoformat() if hasattr(date, "isoformat") else ""
    return str(found.get(2) or "").partition("\0")[0].strip(), modified, {"author": author} if author else {}


def _records(data: bytes) -> Iterator[tuple[int, int, bytes]]:
    """Yield (tag, level, payload); the header packs tag, level and size into 10, 10 and 12 bits."""
    place = 0
    while place + 4 <= len(data):
        (head,) = struct.unpack_from("<I", data, place)
        place += 4
        size = head >> 20
        if size == 0xFFF:
            (size,) = struct.unpack_from("<I", data, place)
            place += 4
        yield head & 0x3FF, (head >> 10) & 0x3FF, data[place : place + size]
        place += size


@dataclass
class _OpenTable:
    """A table while its records are walked: its level, whether its caption is over, its cells as (row, texts)."""

    level: int
    begun: bool = False
    cells: list[tuple[int, list[str]]] = field(default_factory=list)


class _Section:
    """One section's text while its records are walked.

    A table is a control record; list headers one level deeper are its caption (before the table record) and then its
    cells. A paragraph belongs to the innermost open cell. A finished table goes to the lines, or into the cell around.
    """

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.lines: list[str] = []
        self.tables: list[_OpenTable] = []
        self.skipped: int | None = None  # level of a left-out control

    def text(self) -> str:
        """Return the section's lines."""
        for tag, level, payload in _records(self.data):
            self._close(level)
            if self.skipped is not None:
                continue
            if tag == _CTRL_HEADER:
                self._control(level, payload)
            elif self.tables and level == self.tables[-1].level + 1:
                self._of_table(tag, payload)
            elif tag == _PARA_TEXT:
                self._add(_decoded(payload).strip())
        self._close(0)
        return "\n".join(filter(None, self.lines))

    def _of_table(self, tag: int, payload: bytes) -> None:
        table = self.tables[-1]
        if tag == _TABLE:
            table.begun = True
        elif tag == _LIST_HEADER and table.begun and len(payload) >= 12:
            (row,) = struct.unpack_from("<H", payload, 10)
            table.cells.append((row, []))
        elif tag == _PARA_TEXT:
            self._add(_decoded(payload).strip())

    def _control(self, level: int, payload: bytes) -> None:
        kind = payload[:4]
        if kind in _LEFT_OUT:
            self.skipped = level
        elif kind == b" lbt":
            self.tables.append(_OpenTable(level))

    def _add(self, text: str) -> None:
        if self.tables and self.tables[-1].cells:
            self.tables[-1].cells[-1][1].append(text)
        else:
            self.lines.append(text)

    def _close(self, level: int) -> None:
        """End what is not above a record of this level."""
        if self.skipped is not None and level <= self.skipped:
            self.skipped = None
        while self.tables and level <= self.tables[-1].level:
            rows: dict[int, list[str]] = {}
            for row, texts in self.tables.pop().cells:
                rows.setdefault(row, []).append(" ".join(texts))
            self._add("\n".join(filter(None, (row_text(rows[row]) for row in sorted(rows)))))


def _decoded(payload: bytes) -> str:
    """Return a paragraph's UTF-16 text without its inline controls, which take eight units each."""
    pieces, place, start = [], 0, 0
    end = len(payload) // 2
    units = struct.unpack(f"<{end}H", payload[: 2 * end])
    while place < end:
        if units[place] >= 32:
            place += 1
            continue
        pieces.append(payload[2 * start : 2 * place].decode("utf-16-le", "replace"))
        pieces.append(_SPELLED.get(units[place], ""))
        place += 1 if units[place] in _ONE_UNIT else 8
        start = place
    pieces.append(payload[2 * start : 2 * end].decode("utf-16-le", "replace"))
    return "".join(pieces)


def read_hwpx(raw: Raw) -> Iterator[Part | Problem]:
    """Yield the body of an hwpx file: paragraphs and tables of all sections in order.

    Raises:
        CannotRead: protected by a password.
    """
    from lxml import etree

    archive = open_archive(raw)
    names = archive.namelist()
    parser = etree.XMLParser(resolve_entities=False, no_network=True, huge_tree=True)
    if "META-INF/manifest.xml" in names and b"encryption-data" in archive.read("META-INF/manifest.xml"):
        raise CannotRead("encrypted", _ENCRYPTED)
    sections = sorted(
        (name for name in names if name.startswith("Contents/section") and name.endswith(".xml")),
        key=lambda name: (len(name), name),
    )
    texts = ["\n".join(_lines(etree.fromstring(archive.read(name), parser))) for name in sections]
    fields: dict[str, str] = {}
    if "Contents/content.hpf" in names:
        package = etree.fromstring(archive.read("Contents/content.hpf"), parser)
        fields = {meta.get("name", ""): (meta.text or "").strip() for meta in package.iter("{*}meta")}
        fields["title"] = package.findtext("{*}metadata/{*}title") or ""
    author = fields.get("creator", "")
    modified = fields.get("ModifiedDate") or fields.get("CreatedDate") or ""
    yield Part(
        "\n\n".join(filter(None, texts)), fields.get("title", ""), modified, {"author": author} if author else {}
    )


def _lines(element: Any) -> Iterator[str]:
    """Yield paragraphs and table rows in order; a paragraph's own text comes before what is anchored in it."""
    for child in element:
        tag = child.tag.rpartition("}")[2] if isinstance(child.tag, str) else ""
        if tag == "tbl":
            for row in child.iterfind("{*}tr"):
                yield row_text([" ".join(_lines(cell)) for cell in row.iterfind("{*}tc")])
        elif tag in {"header", "footer", "hiddenComment"}:
            continue
        else:
            if tag == "p":
                yield _own_text(child)
            yield from filter(None, _lines(child))


def _own_text(paragraph: Any) -> str:
    spelled = {"tab": "\t", "lineBreak": "\n", "nbSpace": "\u00a0", "fwSpace": " ", "hyphen": "-"}
    pieces = []
    for text in paragraph.iterfind("{*}run/{*}t"):
        pieces.append(text.text or "")
        for child in text:
            tag = child.tag.rpartition("}")[2] if isinstance(child.tag, str) else ""
            pieces += [spelled.get(tag, child.text or ""), child.tail or ""]
    return "".join(pieces).strip()
