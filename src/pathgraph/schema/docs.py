"""Renders `docs/tables.md` from the declarations: `python -m pathgraph.schema.docs > docs/tables.md`.

Belongs here: turning declarations into Markdown. Does not: any fact about a table that its declaration does not hold.
"""

import sys
from collections.abc import Iterable

import pyarrow as pa

from pathgraph.schema.table import Column, Table
from pathgraph.schema.tables import TABLES
from pathgraph.store import runs
from pathgraph.store.views import VIEWS, View

_HEAD = """# Tables and views

This page is written by `python -m pathgraph.schema.docs > docs/tables.md`; edit the declarations in
`src/pathgraph/schema/tables.py`, `src/pathgraph/store/views.py` and `src/pathgraph/store/runs.py` instead.

Every snapshot holds every table, each as a folder of Parquet files; `graph.duckdb` and `pathgraph sql` show tables and
views under the names below. Types are DuckDB's. A column is never null unless its row says so. Ids are non-negative
63-bit integers made from content hashes (write them as strings in JSON); `→` names the column whose values an id, or
each id in a list, is among: publishing checks it. Spans count Unicode code points, `start` inclusive from 0, `end`
exclusive.
"""
_EXEMPT = "Describes the run as well as the content: it may differ between an update and a fresh index."
_SIMPLE = {
    pa.int64(): "BIGINT",
    pa.int8(): "TINYINT",
    pa.float64(): "DOUBLE",
    pa.float32(): "FLOAT",
    pa.string(): "VARCHAR",
    pa.bool_(): "BOOLEAN",
    pa.date32(): "DATE",
    pa.timestamp("us", tz="UTC"): "TIMESTAMPTZ",
}


def duckdb_type(kind: pa.DataType) -> str:
    """Return the name DuckDB gives the type when it reads it from Parquet."""
    if isinstance(kind, pa.ListType):
        return f"{duckdb_type(kind.value_type)}[]"
    if isinstance(kind, pa.MapType):
        return f"MAP({duckdb_type(kind.key_type)}, {duckdb_type(kind.item_type)})"
    if isinstance(kind, pa.StructType):
        fields = [kind.field(i) for i in range(kind.num_fields)]
        return "STRUCT(" + ", ".join(f"{field.name} {duckdb_type(field.type)}" for field in fields) + ")"
    return _SIMPLE[kind]


def render() -> str:
    """Return the whole page."""
    names = [*TABLES, "runs", *VIEWS]
    contents = "\n".join(f"- [{name}](#{name})" for name in names)
    tables = [_table(table) for table in TABLES.values()]
    return "\n".join([_HEAD, contents, "\n## Tables\n", *tables, _runs(), "## Views\n", *map(_view, VIEWS.values())])


def _table(table: Table) -> str:
    key = ", ".join(f"`{name}`" for name in table.key)
    about = f"Key: {key}; rows are sorted by it. Schema version {table.version}."
    exempt = f" {_EXEMPT}" if table.exempt else ""
    return f"### {table.name}\n\n{table.doc}\n\n{about}{exempt}\n\n{_columns(table.columns)}"


def _runs() -> str:
    doc = "One run of a flow. Belongs to the store, not to a snapshot: it shows every run up to now."
    return f"### runs\n\n{doc}\n\nKey: `run_id`.\n\n{_columns(runs.COLUMNS)}"


def _columns(columns: Iterable[Column]) -> str:
    return _grid(("column", "type", "meaning"), [(f"`{c.name}`", duckdb_type(c.type), _meaning(c)) for c in columns])


def _meaning(column: Column) -> str:
    null = " May be null." if column.nullable and "null" not in column.doc else ""
    target = f" → `{column.references}`" if column.references else ""
    return f"{column.doc}{null}{target}"


def _view(view: View) -> str:
    return f"### {view.name}\n\n{view.doc}\n\n" + _grid(
        ("column", "meaning"), [(f"`{name}`", doc) for name, doc in view.columns]
    )


def _grid(head: tuple[str, ...], rows: list[tuple[str, ...]]) -> str:
    lines = [head, tuple("---" for _ in head), *rows]
    return "\n".join("| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |" for line in lines) + "\n"


if __name__ == "__main__":
    sys.stdout.write(render())
