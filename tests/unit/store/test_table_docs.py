"""`docs/tables.md` says what the declarations say."""

from pathlib import Path

import pytest

from pathgraph.schema.docs import duckdb_type, render
from pathgraph.schema.tables import TABLES
from pathgraph.store import runs
from pathgraph.store.database import query

PAGE = Path(__file__).parents[3] / "docs" / "tables.md"


def test_the_page_is_up_to_date():
    assert PAGE.read_text("utf-8") == render(), "run: python -m pathgraph.schema.docs > docs/tables.md"


@pytest.mark.parametrize("name", [*TABLES, "runs"])
def test_the_types_are_those_duckdb_shows(shared, name):
    columns = TABLES[name].columns if name in TABLES else runs.COLUMNS
    shown = {row["column_name"]: row["column_type"] for row in query(shared, f"DESCRIBE {name}").to_pylist()}
    said = {c.name: duckdb_type(c.type).replace("TIMESTAMPTZ", "TIMESTAMP WITH TIME ZONE") for c in columns}
    assert {k: v.replace('"', "") for k, v in shown.items()} == said
