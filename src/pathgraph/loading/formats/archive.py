"""Files that are zip archives of XML (docx, pptx, xlsx, hwpx): the checks before a library opens them.

Belongs here: size limits, the signs of encryption. Does not: what the archive says.
"""

import io
import zipfile

from pathgraph.loading.formats.parts import CannotRead, Raw

OLE_MAGIC = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_FREE = 64 << 20  # bytes an archive may always unpack to
_RATIO = 200  # above that, how many times its own size; office XML packs some 5 to 50 times


def open_archive(raw: Raw) -> zipfile.ZipFile:
    """Return the archive.

    Raises:
        CannotRead: it is an encrypted or old binary office file, or it unpacks to far more than documents do.
        zipfile.BadZipFile: it is no archive.
    """
    if raw.data.startswith(OLE_MAGIC):
        raise CannotRead("encrypted", "It is password-protected, or an old binary file. Save it anew without one.")
    archive = zipfile.ZipFile(io.BytesIO(raw.data))
    entries = [entry for entry in archive.infolist() if entry.filename.lower().endswith((".xml", ".rels"))]
    size = sum(entry.file_size for entry in entries)
    if size > min(raw.settings.max_bytes, max(_FREE, _RATIO * len(raw.data))):
        raise CannotRead("too_large", f"It unpacks to {size} bytes of XML, far more than a document holds.")
    return archive


def row_text(cells: list[str]) -> str:
    """Return one row of a table as `a | b`, each cell on one line; empty when all cells are."""
    flat = [" ".join(cell.split()) for cell in cells]
    return " | ".join(flat) if any(flat) else ""
