"""Checks across tables before a snapshot is published: keys, id collisions, references, the quality gate.

Belongs here: SQL that finds violations, over Parquet parts, so that tables larger than memory can be checked. Does
not: checks of one batch of rows (`parts.conform`).
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa

from pathgraph.schema.table import Column, Table
from pathgraph.schema.tables import TABLES
from pathgraph.store.database import connect_for_checks, quoted, scan

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

Parts = Mapping[str, Sequence[Path]]

# What embeddings.id refers to depends on the row, which a column declaration cannot say.
_EMBEDDED = {"node": "nodes.node_id", "chunk": "chunks.chunk_id", "summary": "summaries.community_id"}
_EXAMPLES = 3


def violations(parts: Parts, changed: set[str], scratch: Path) -> list[str]:
    """Check the tables and return one sentence a violated rule, with a count and up to three examples.

    Args:
        parts: the Parquet files of every table.
        changed: tables that differ from the parent; rules over unchanged tables only are known to hold.
        scratch: folder for what does not fit into memory.
    """
    found: list[str] = []
    with connect_for_checks(scratch) as connection:
        for name in TABLES:
            if name in changed and not TABLES[name].exempt:
                found += [s for path in parts[name] for s in _repeated_keys(connection, TABLES[name], path)]
        for reference in _references():
            if {reference[0], reference[-1].split(".")[0]} & changed:
                found += _dangling(connection, parts, reference)
        if "quality" in changed:
            found += _held(connection, parts)
    return found


def _repeated_keys(connection: "DuckDBPyConnection", table: Table, path: Path) -> list[str]:
    """Find keys that occur twice. Equal keys always fall into one part, so parts are checked one by one.

    Hashes are grouped first: they need a tenth of the memory of keys that hold lists.
    """
    rows, key = scan([path]), ", ".join(quoted(name) for name in table.key)
    hashed = f"SELECT hash({key}) AS h FROM {rows} GROUP BY h HAVING count(*) > 1"
    if connection.execute(f"SELECT count(*) FROM ({hashed})").fetchall() == [(0,)]:
        return []
    columns = ", ".join(quoted(c.name) for c in table.columns)
    repeated = connection.execute(
        f"""SELECT {key}, count(DISTINCT hash({columns})) > 1 AS differ FROM {rows}
            WHERE hash({key}) IN ({hashed}) GROUP BY ALL HAVING count(*) > 1 ORDER BY ALL"""
    ).fetchall()
    found: list[str] = []
    for collide, what in ((False, "rows are there twice"), (True, "keys stand for different rows (id collision)")):
        keys = [row[:-1] if len(row) > 2 else row[0] for row in repeated if row[-1] is collide]
        if keys:
            found.append(f"{table.name}: {len(keys)} {what}, such as {_some(keys)}")
    return found


def _references() -> list[tuple[str, str, str, str]]:
    """Return (table, column, SQL of its ids over `{rows}`, referred column) of every reference."""
    declared = [
        (table.name, column.name, _ids_sql(column), column.references)
        for table in TABLES.values()
        for column in table.columns
        if column.references
    ]
    embedded = [
        ("embeddings", "id", f"SELECT id AS v FROM {{rows}} WHERE kind = '{kind}'", to)
        for kind, to in _EMBEDDED.items()
    ]
    return declared + embedded


def _ids_sql(column: Column) -> str:
    """Return SQL for the ids in a column: itself, or what its lists (of lists, of structs) hold, unnested."""
    sql, kind = f"SELECT {quoted(column.name)} AS v FROM {{rows}}", column.type
    while pa.types.is_list(kind):
        kind, sql = kind.value_type, f"SELECT unnest(v) AS v FROM ({sql})"
        if pa.types.is_struct(kind):
            ids = next(kind.field(i) for i in range(kind.num_fields) if _holds_ids(kind.field(i).type))
            kind, sql = ids.type, f"SELECT v.{quoted(ids.name)} AS v FROM ({sql})"
    return sql


def _holds_ids(kind: pa.DataType) -> bool:
    return pa.types.is_list(kind) and pa.types.is_int64(kind.value_type)


def _dangling(connection: "DuckDBPyConnection", parts: Parts, reference: tuple[str, str, str, str]) -> list[str]:
    name, column, ids_sql, target = reference
    table, referred = target.split(".")
    missing = connection.execute(
        f"""SELECT v FROM (SELECT DISTINCT v FROM ({ids_sql.format(rows=scan(parts[name]))}) WHERE v IS NOT NULL)
            WHERE v NOT IN (SELECT {quoted(referred)} FROM {scan(parts[table])}) ORDER BY v"""
    ).fetchall()
    if not missing:
        return []
    return [f"{name}.{column}: {len(missing)} ids are not in {target}, such as {_some([row[0] for row in missing])}"]


def _held(connection: "DuckDBPyConnection", parts: Parts) -> list[str]:
    rows = connection.execute(
        f"SELECT signal, value, detail FROM {scan(parts['quality'])} WHERE verdict = 'hold' ORDER BY signal"
    ).fetchall()
    return [f"quality: {signal} = {value} holds the snapshot back ({detail})" for signal, value, detail in rows]


def _some(values: Sequence[object]) -> str:
    return ", ".join(str(value) for value in values[:_EXAMPLES])
