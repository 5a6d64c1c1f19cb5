"""csv, tsv, json, jsonl and parquet: rows.

Belongs here: parsing into rows. Does not: choosing columns (`pathgraph.loading.formats.rows`).
"""

import csv
import io
import json
from collections.abc import Iterator
from typing import Any

from pathgraph.loading.formats.parts import CannotRead, Part, Problem, Raw, text_of
from pathgraph.loading.formats.rows import Row, row_parts

_DELIMITERS = ",;\t|"
_RAW = 2000  # characters of a bad row that its failure keeps
_LARGEST_CELL = (1 << 31) - 1


def read_csv(raw: Raw) -> Iterator[Part | Problem]:
    """Yield a part for each row below the header line; the delimiter is the one the header holds most of."""
    text = text_of(raw).text.lstrip("\ufeff")
    yield from row_parts(_csv_rows(text, "\t" if raw.suffix == ".tsv" else _delimiter(text)), raw.settings)


def _csv_rows(text: str, delimiter: str) -> Iterator[Row | Problem]:
    csv.field_size_limit(_LARGEST_CELL)
    lines = csv.reader(io.StringIO(text.replace("\0", ""), newline=""), delimiter=delimiter)
    header = [name.strip() or f"column_{place}" for place, name in enumerate(next(lines, []), start=1)]
    for cells in lines:
        if not cells:
            continue
        if len(cells) > len(header):
            message = (
                f"Line {lines.line_num} has {len(cells)} cells, the header {len(header)}. Quote cells with commas."
            )
            yield Problem("bad_row", message, delimiter.join(cells)[:_RAW])
        else:
            yield dict(zip(header, cells, strict=False))


def _delimiter(text: str) -> str:
    header = text[:10_000].lstrip().partition("\n")[0]
    return max(_DELIMITERS, key=header.count)


def read_jsonl(raw: Raw) -> Iterator[Part | Problem]:
    """Yield a part for each line that is a JSON object; blank lines are skipped, others are problems."""
    yield from row_parts(_jsonl_rows(text_of(raw).text), raw.settings)


def _jsonl_rows(text: str) -> Iterator[Row | Problem]:
    for number, line in enumerate(io.StringIO(text), start=1):
        if not line.strip():
            continue
        try:
            yield _object(json.loads(line))
        except (ValueError, RecursionError) as error:
            yield Problem("bad_row", f"Line {number} is no JSON object: {error}", line[:_RAW])


def read_json(raw: Raw) -> Iterator[Part | Problem]:
    """Yield a part for each object of a list, or one for a single object.

    Raises:
        CannotRead: it is no JSON, or neither an object nor a list.
    """
    try:
        value: Any = json.loads(text_of(raw).text)
    except ValueError as error:
        raise CannotRead("broken", f"It is no valid JSON: {error}") from error
    if isinstance(value, dict):
        value = [value]
    if not isinstance(value, list):
        raise CannotRead("bad_row", "The JSON is neither an object nor a list of objects.")
    yield from row_parts(_json_rows(value), raw.settings)


def _json_rows(values: list[Any]) -> Iterator[Row | Problem]:
    for number, value in enumerate(values, start=1):
        try:
            yield _object(value)
        except ValueError as error:
            yield Problem(
                "bad_row", f"Element {number} is no object: {error}", json.dumps(value, ensure_ascii=False)[:_RAW]
            )


def _object(value: Any) -> Row:
    if not isinstance(value, dict):
        raise ValueError(f"it is a {type(value).__name__}")  # noqa: TRY004 - joins the parser's own ValueError
    return value


def read_parquet(raw: Raw) -> Iterator[Part | Problem]:
    """Yield a part for each row, batch by batch."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    file = pq.ParquetFile(pa.BufferReader(raw.data))
    size = sum(file.metadata.row_group(i).total_byte_size for i in range(file.metadata.num_row_groups))
    if size > raw.settings.max_bytes:
        raise CannotRead("too_large", f"It unpacks to {size} bytes. Raise the setting loading.max_bytes.")
    batches = file.iter_batches(batch_size=1024)
    yield from row_parts((row for batch in batches for row in batch.to_pylist()), raw.settings)
