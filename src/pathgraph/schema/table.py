"""The types a table is declared with. One declaration yields the Arrow schema, the checks and `docs/tables.md`.

Belongs here: `Column`, `Table`. Does not: the declarations (`pathgraph.schema.tables`) or any reading and writing.
"""

from dataclasses import dataclass, field

import pyarrow as pa

from pathgraph.errors import SchemaError


@dataclass(frozen=True)
class Column:
    """One column: its Arrow type, what it means (with unit), and whether it may be null."""

    name: str
    type: pa.DataType
    doc: str
    nullable: bool = False
    references: str = ""  # "table.column" whose values this one (or each element of this list) must be among


@dataclass(frozen=True)
class Table:
    """One published table.

    Attributes:
        name: folder name in a snapshot and view name in DuckDB.
        doc: what one row is.
        columns: in file order.
        key: columns that identify a row; rows are sorted by them.
        version: raised when a column changes; snapshots of one version always read together.
        rows_per_part: a table above this many rows is cut into 2**k parts by the top bits of the first key column.
        exempt: True where rows may differ between an update and a fresh index (`failures`, `quality`).
    """

    name: str
    doc: str
    columns: tuple[Column, ...]
    key: tuple[str, ...]
    version: int = 1
    rows_per_part: int = 500_000
    exempt: bool = False
    _by_name: dict[str, Column] = field(init=False, repr=False, compare=False, default_factory=dict)

    def __post_init__(self) -> None:
        self._by_name.update({column.name: column for column in self.columns})

    @property
    def arrow(self) -> pa.Schema:
        """The Arrow schema; the same object's worth for empty and full tables."""
        return pa.schema([pa.field(c.name, c.type, nullable=c.nullable) for c in self.columns])

    def column(self, name: str) -> Column:
        """Return a column by name; raises SchemaError when the table has none of that name."""
        try:
            return self._by_name[name]
        except KeyError:
            raise SchemaError(f"Table {self.name} has no column {name}.") from None

    def empty(self) -> pa.Table:
        """Return a table without rows; its lists are typed."""
        return self.arrow.empty_table()

    def from_rows(self, rows: list[dict[str, object]]) -> pa.Table:
        """Return the rows as an Arrow table of exactly this schema, sorted by key.

        Raises:
            SchemaError: a row lacks a column, has one too many, or holds a value of the wrong type.
        """
        names = {column.name for column in self.columns}
        for row in rows:
            if row.keys() != names:
                odd = sorted(row.keys() ^ names)
                raise SchemaError(f"A row for table {self.name} differs in columns {', '.join(odd)}.")
        try:
            table = pa.Table.from_pylist(rows, schema=self.arrow)
        except (pa.ArrowInvalid, pa.ArrowTypeError, OverflowError) as error:
            raise SchemaError(f"Rows do not fit table {self.name}: {error}") from error
        return self.sort(table)

    def sort(self, table: pa.Table) -> pa.Table:
        """Return the table sorted by key."""
        return table.sort_by([(name, "ascending") for name in self.key]) if table.num_rows > 1 else table
