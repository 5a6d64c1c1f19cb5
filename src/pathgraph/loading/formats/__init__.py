"""Formats: one small module each, and the one place that turns a parser's errors into values.

Belongs here: which reader takes which file, and which errors count as a broken file. Does not: any parsing.
"""

import binascii
import csv
import struct
import warnings
import zipfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pkgutil import resolve_name

import yaml

from pathgraph.loading.formats.html import read_html, read_xml
from pathgraph.loading.formats.hwp import read_hwp, read_hwpx
from pathgraph.loading.formats.office import read_docx, read_pptx
from pathgraph.loading.formats.parts import CannotRead, Part, Problem, Raw, Reader
from pathgraph.loading.formats.pdf import read_pdf
from pathgraph.loading.formats.plain import read_markdown, read_text, read_unknown
from pathgraph.loading.formats.sheets import read_xlsx
from pathgraph.loading.formats.tables import read_csv, read_json, read_jsonl, read_parquet
from pathgraph.settings import Loading

# What parsers raise on damaged input beside their own errors. Named one by one: a wrong name in our code
# (NameError, ImportError) must not pass for a bad file.
_DAMAGE: tuple[type[Exception], ...] = (
    ValueError, KeyError, TypeError, IndexError, AttributeError, RecursionError, OverflowError, ZeroDivisionError,
    AssertionError, NotImplementedError, RuntimeError, OSError, EOFError, MemoryError, SyntaxError, struct.error,
    zlib.error, binascii.Error, csv.Error, zipfile.BadZipFile, zipfile.LargeZipFile, yaml.YAMLError,
)  # fmt: skip


@dataclass(frozen=True)
class Format:
    """A kind of file.

    Attributes:
        media_type: MIME type that its documents carry.
        read: its reader.
        errors: dotted names of its library's error bases, imported only when such a file is read.
        rows: True when a file holds many documents.
    """

    media_type: str
    read: Reader
    errors: tuple[str, ...] = ()


_XML = ("lxml.etree.LxmlError",)
_OFFICE = "application/vnd.openxmlformats-officedocument."
_PLAIN = Format("text/plain", read_text)
_UNKNOWN = Format("text/plain", read_unknown)
_MARKDOWN = Format("text/markdown", read_markdown)
_HTML = Format("text/html", read_html, _XML)
_CSV = Format("text/csv", read_csv)
_JSONL = Format("application/jsonl", read_jsonl)

FORMATS: dict[str, Format] = {
    ".txt": _PLAIN,
    ".md": _MARKDOWN,
    ".markdown": _MARKDOWN,
    ".html": _HTML,
    ".htm": _HTML,
    ".xhtml": _HTML,
    ".xml": Format("application/xml", read_xml, _XML),
    ".pdf": Format("application/pdf", read_pdf, ("pypdf.errors.PyPdfError",)),
    ".docx": Format(
        _OFFICE + "wordprocessingml.document",
        read_docx,
        ("docx.opc.exceptions.OpcError", "docx.exceptions.PythonDocxError", *_XML),
    ),
    ".pptx": Format(
        _OFFICE + "presentationml.presentation", read_pptx, ("pptx.exc.PythonPptxError", *_XML)
    ),
    ".xlsx": Format(
        _OFFICE + "spreadsheetml.sheet", read_xlsx, ("openpyxl.utils.exceptions.InvalidFileException", *_XML)
    ),
    ".hwp": Format("application/x-hwp", read_hwp, _XML),
    ".hwpx": Format("application/hwp+zip", read_hwpx, _XML),
    ".csv": _CSV,
    ".tsv": Format("text/tab-separated-values", read_csv),
    ".json": Format("application/json", read_json),
    ".jsonl": _JSONL,
    ".ndjson": _JSONL,
    ".parquet": Format("application/vnd.apache.parquet", read_parquet, ("pyarrow.ArrowException",)),
}  # fmt: skip
# Endings whose files are text by name only, or that a text guess would take for text.
_BINARY = frozenset((".doc", ".ppt", ".xls", ".rtf", ".epub", ".odt", ".zip", ".gz", ".jpg", ".jpeg", ".png", ".gif"))
_OFFICE_OLD = frozenset((".doc", ".ppt", ".xls"))


def format_of(suffix: str, data: bytes) -> Format:
    """Return the format of a file by the ending of its name, else by its first bytes; text when nothing speaks.

    Raises:
        CannotRead: no reader takes such files.
    """
    if suffix in FORMATS:
        return FORMATS[suffix]
    head = data[:1024].lstrip().lower()
    if suffix in _OFFICE_OLD:
        raise CannotRead("unsupported", f"Old binary files ({suffix}) are not read. Save it as {suffix}x.")
    if data.startswith(b"%PDF-"):
        return FORMATS[".pdf"]
    if head.startswith((b"<!doctype html", b"<html")):
        return _HTML
    if suffix in _BINARY or data.startswith((b"PK\x03\x04", b"\xd0\xcf\x11\xe0", b"\x1f\x8b", b"\x89PNG", b"GIF8")):
        raise CannotRead("unsupported", f"Files like this ({suffix or 'no ending'}) are not read. Convert it.")
    return _UNKNOWN


def read_parts(form: Format, data: bytes, suffix: str, settings: Loading) -> Iterator[Part | Problem]:
    """Yield what a file holds; whatever its parser raises on damaged bytes becomes a last `Problem`.

    Parts read before the damage stand. Warnings of the libraries are silenced: the failure says what matters.
    """
    errors: tuple[type[Exception], ...] = (*_DAMAGE, *map(resolve_name, form.errors))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            yield from form.read(Raw(data, suffix, settings))
        except CannotRead as error:
            yield Problem(error.error, str(error))
        except errors as error:
            kind = type(error).__name__
            yield Problem("broken", f"The file is damaged ({kind}: {str(error)[:300]}). Open and save it anew.")
