"""Short reads of Arrow tables.

Belongs here: what several stages say alike. Does not: files, or anything of one stage.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc


def values(table: pa.Table, column: str) -> list[Any]:
    """Return a column as Python values."""
    return table.column(column).to_pylist()


def rows(table: pa.Table, *columns: str) -> Iterator[tuple[Any, ...]]:
    """Yield some columns row by row."""
    return zip(*(values(table, column) for column in columns), strict=True)


def where(table: pa.Table, column: str, value: str, equal: bool = True) -> pa.Table:
    """Return the rows whose column equals the value, or does not."""
    same = np.asarray(table.column(column).to_numpy() == value, np.bool_)
    return table.filter(pa.array(same if equal else ~same, pa.bool_()))


def count(table: pa.Table, column: str, value: object) -> int:
    """Return in how many rows the column equals the value."""
    return int(np.count_nonzero(table.column(column).to_numpy() == value))


def total(table: pa.Table, column: str) -> int:
    """Return the sum of an integer column; 0 without rows."""
    return int(table.column(column).to_numpy().sum()) if table.num_rows else 0


def unique(table: pa.Table, column: str) -> list[Any]:
    """Return the distinct values of a column, in the order they first stand."""
    return pc.unique(table.column(column)).to_pylist()
