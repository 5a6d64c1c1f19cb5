"""Table-like files: which column is the text, and one document a row.

Belongs here: the choice of columns and the making of parts. Does not: parsing csv, jsonl, parquet or xlsx.
"""

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, islice

from pathgraph.loading.formats.parts import CannotRead, Part, Problem
from pathgraph.settings import Loading
from pathgraph.text import sanitise

Row = Mapping[str, object]

_TEXT = ("text", "content", "contents", "body", "article", "document", "passage", "page_content", "본문", "내용",
         "텍스트", "원문", "기사", "전문")  # fmt: skip
_TITLE = ("title", "headline", "subject", "제목", "표제", "문서명")
_DATE = ("modified_at", "updated_at", "modified", "updated", "date", "published_at", "published", "created_at",
         "timestamp", "수정일", "날짜", "일자", "작성일", "등록일", "발행일")  # fmt: skip
_ID = ("id", "doc_id", "document_id", "docid", "_id", "uid", "문서번호", "문서id", "식별자")
_LOOK = 1000  # rows looked at to find the columns


@dataclass(frozen=True)
class Columns:
    """Names of the columns that have a meaning; empty where the file has none."""

    text: str
    row_id: str
    title: str
    date: str


def row_parts(rows: Iterable[Row | Problem], settings: Loading) -> Iterator[Part | Problem]:
    """Yield one part a row, in file order.

    The id column is the one of the settings, else one of a usual name whose values differ. Without one a row is known
    by the first 12 hexadecimal digits of its text's SHA-256, and a text that repeats counts once. Rows without text and
    ids that repeat are problems; the first row of an id stands.

    Raises:
        CannotRead: there is no text column.
    """
    rows = iter(rows)
    head = list(islice(rows, _LOOK))
    sample = [row for row in head if not isinstance(row, Problem)]
    columns = find_columns(sample, settings) if sample else None
    seen: set[str] = set()
    for number, row in enumerate(chain(head, rows), start=1):
        if isinstance(row, Problem):
            yield row
        else:
            columns = columns or find_columns([row], settings)
            yield from _part(row, number, columns, seen)


def _part(row: Row, number: int, columns: Columns, seen: set[str]) -> Iterator[Part | Problem]:
    text = flat(row.get(columns.text))
    if not text.strip():
        yield Problem("empty", f"Row {number} has no text in column {columns.text}.")
        return
    given = sanitise(flat(row.get(columns.row_id))).strip() if columns.row_id else ""
    key = given or text_key(text)
    if key in seen:
        if given:
            yield Problem("repeated_id", f"Row {number} repeats the id {key}; the first row stands.", text)
        return
    seen.add(key)
    used = {columns.text, columns.row_id, columns.title, columns.date}
    metadata = {name: flat(value) for name, value in row.items() if name not in used and flat(value)}
    title = flat(row.get(columns.title)) if columns.title else ""
    modified = flat(row.get(columns.date)) if columns.date else ""
    yield Part(text, title, modified, metadata, key)


def text_key(text: str) -> str:
    """Return the id of a row that has none: 12 hexadecimal digits of the hash of its sanitised text."""
    return hashlib.sha256(sanitise(text).encode()).hexdigest()[:12]


def find_columns(sample: Sequence[Row], settings: Loading) -> Columns:
    """Return the columns that settings name, else those with a usual name, else (text only) the longest one.

    A title, date or id column that settings name and this file lacks counts as unset: one setting serves many files.

    Raises:
        CannotRead: settings name a text column that the file lacks, or no column holds words.
    """
    names = _names(sample)
    if settings.text_column and settings.text_column not in names:
        raise CannotRead(
            "no_column", f"There is no column {settings.text_column}, only {', '.join(names)}. See loading.text_column."
        )
    text = settings.text_column or text_column(sample)
    if not text:
        raise CannotRead("no_column", "No column holds words. Name one in the setting loading.text_column.")
    rest = [name for name in names if name != text]
    row_id = settings.id_column if settings.id_column in rest else _identifying(_named(rest, _ID), sample)
    title = settings.title_column if settings.title_column in rest else _named(rest, _TITLE)
    date = settings.date_column if settings.date_column in rest else _named(rest, _DATE)
    return Columns(text, row_id or "", title or "", date or "")


def _identifying(name: str, sample: Sequence[Row]) -> str:
    """Return the column if it tells the rows looked at apart; an id that repeats among them is none."""
    found = [flat(row.get(name)).strip() for row in sample] if name else []
    return name if found and all(found) and len(set(found)) == len(found) else ""


def text_column(sample: Sequence[Row]) -> str:
    """Return the column that is the text by its name or, failing that, its length; empty when none holds words."""
    names = _names(sample)
    return _named(names, _TEXT) or _longest(names, sample)


def _names(sample: Sequence[Row]) -> list[str]:
    return list(dict.fromkeys(name for row in sample for name in row))


def _named(names: Sequence[str], wanted: Sequence[str]) -> str:
    folded = {name.strip().casefold(): name for name in reversed(names)}
    return next((folded[name] for name in wanted if name in folded), "")


def _longest(names: Sequence[str], sample: Sequence[Row]) -> str:
    """Return the column with the most characters among those that hold words; ties go to the first."""
    sizes = {name: sum(_words(row.get(name)) for row in sample) for name in names}
    return max(sizes, key=lambda name: sizes[name]) if any(sizes.values()) else ""


def _words(value: object) -> int:
    return len(value) if isinstance(value, str) and any(map(str.isalpha, value)) else 0


def flat(value: object) -> str:
    """Return a cell as text: nothing for null, JSON for lists and objects, ISO 8601 for dates."""
    if value is None or value != value:  # NaN alone differs from itself
        return ""
    if isinstance(value, str):
        return value
    if isinstance(value, Mapping | list | tuple):
        return json.dumps(value, ensure_ascii=False, sort_keys=True, default=str)
    return str(value)
