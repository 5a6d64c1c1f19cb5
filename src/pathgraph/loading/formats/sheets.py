"""xlsx: sheets of rows, and sheets that are a table to read.

Belongs here: telling the two apart. Does not: choosing columns (`pathgraph.loading.formats.rows`).
"""

import io
from collections.abc import Iterator
from dataclasses import replace
from datetime import date, datetime
from itertools import chain, islice
from typing import Any

from pathgraph.loading.formats.archive import open_archive, row_text
from pathgraph.loading.formats.parts import Part, Problem, Raw
from pathgraph.loading.formats.rows import Row, flat, row_parts, text_column
from pathgraph.settings import Loading

Cells = tuple[object, ...]

_LOOK = 200  # rows looked at to tell rows from a table
_PROSE = 40  # mean characters from which a column looks like text
_BLANK_ROWS = 10_000  # formatted but empty rows after which a sheet counts as ended


def read_xlsx(raw: Raw) -> Iterator[Part | Problem]:
    """Yield a part for each row of a sheet whose one column is text, and one part for all other sheets together.

    Row ids start with the sheet's name. Formulas give the value that was stored with them.
    """
    import openpyxl

    open_archive(raw)
    book = openpyxl.load_workbook(io.BytesIO(raw.data), read_only=True, data_only=True)
    tables = []
    for sheet in book.worksheets:
        rows = _filled(sheet.iter_rows(values_only=True))
        head = list(islice(rows, _LOOK))
        if _holds_rows(head, raw.settings):
            yield from _row_parts(sheet.title, head, rows, raw.settings)
        else:
            lines = filter(None, (row_text([_cell(cell) for cell in row]) for row in chain(head, rows)))
            tables.append((sheet.title, "\n".join(lines)))
    properties = book.properties
    modified = properties.modified.isoformat() if properties.modified else ""
    text = "\n\n".join(f"## {name}\n\n{table}" for name, table in tables if table)
    if text:
        yield Part(text, properties.title or "", modified, {"author": properties.creator} if properties.creator else {})


def _filled(rows: Any) -> Iterator[Cells]:
    blank = 0
    for row in rows:
        blank = 0 if any(cell is not None for cell in row) else blank + 1
        if blank == 0:
            yield row
        elif blank > _BLANK_ROWS:
            return


def _holds_rows(head: list[Cells], settings: Loading) -> bool:
    """Tell whether the first row is a header of at least two names and one column is text by name or by length."""
    if len(head) < 2:
        return False
    names = [cell for cell in head[0] if cell is not None]
    if len(names) < 2 or len(set(names)) < len(names) or not all(isinstance(name, str) for name in names):
        return False
    if settings.text_column:
        return settings.text_column in [str(name).strip() for name in names]
    rows = [_row(head[0], cells) for cells in head[1:]]
    text = text_column(rows)
    sizes = [len(flat(row.get(text))) for row in rows]
    return sum(sizes) >= _PROSE * len(sizes)


def _row(header: Cells, cells: Cells) -> Row:
    names = [_cell(name).strip() or f"column_{place}" for place, name in enumerate(header, start=1)]
    return {name: _cell(cell) for name, cell in zip(names, cells, strict=False)}


def _row_parts(sheet: str, head: list[Cells], rows: Iterator[Cells], settings: Loading) -> Iterator[Part | Problem]:
    named = (_row(head[0], cells) for cells in chain(head[1:], rows))
    for part in row_parts(named, settings):
        if isinstance(part, Part):
            yield replace(part, row=f"{sheet}/{part.row}", metadata={**part.metadata, "sheet": sheet})
        else:
            yield replace(part, message=f"Sheet {sheet}: {part.message}")


def _cell(value: object) -> str:
    if isinstance(value, datetime | date):
        return value.isoformat().removesuffix("T00:00:00")
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return flat(value)
