"""Tables as folders of parts: exact schema, sorted rows, equal bytes for equal rows, parts by the bits of the id."""

import random

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pathgraph.errors import SchemaError, StoreBroken, StoreError
from pathgraph.schema.table import Column, Table
from pathgraph.schema.tables import COMMUNITY_MEMBERS, EMBEDDINGS, FAILURES, NODES, PATHS, QUALITY, TABLES
from pathgraph.store.parts import ROW_GROUP, TableWriter, id_column, part_bits, read_table, write_table

THING = Table(
    "things",
    "For tests.",
    (
        Column("thing_id", pa.int64(), "Id."),
        Column("note", pa.string(), "Text.", nullable=True),
        Column("links", pa.list_(pa.int64()), "Ids."),
    ),
    key=("thing_id",),
    rows_per_part=10,
)


def things(ids):
    rows = [{"thing_id": i, "note": None if i % 3 else f"n{i}", "links": list(range(i % 4))} for i in ids]
    return pa.Table.from_pylist(rows, schema=THING.arrow)


def spread(count, seed=0):
    return [random.Random(f"{seed}-{i}").getrandbits(63) for i in range(count)]


@pytest.mark.parametrize(
    ("rows", "bits"), [(0, 0), (1, 0), (10, 0), (11, 1), (20, 1), (21, 2), (40, 2), (41, 3), (10_000, 10)]
)
def test_the_number_of_parts_is_the_smallest_power_of_two_that_is_enough(rows, bits):
    assert part_bits(rows, 10) == bits
    assert -(-rows // 2**bits) <= 10
    assert bits == 0 or rows > 10 * 2 ** (bits - 1)


def test_the_first_id_of_the_key_chooses_the_part():
    found = {name: id_column(table) for name, table in TABLES.items()}
    assert found["community_members"] == "node_id"
    assert found["paths"] == "source"
    assert found["embeddings"] == "id"
    assert found["failures"] is found["quality"] is None
    assert {found[n] for n in ("documents", "chunks", "triples")} == {"document_id", "chunk_id", "triple_id"}


@settings(max_examples=40, deadline=None)
@given(st.lists(st.integers(0, 2**63 - 1), unique=True, max_size=60), st.randoms())
def test_any_row_order_gives_the_same_sorted_files(tmp_path_factory, ids, order):
    folder = tmp_path_factory.mktemp("parts")
    shuffled = list(ids)
    order.shuffle(shuffled)
    first = write_table(folder / "a", THING, things(ids))
    assert first == write_table(folder / "b", THING, things(shuffled))
    assert read_table(folder / "a", THING).column("thing_id").to_pylist() == sorted(ids)
    bits = part_bits(len(ids), 10)
    assert [p.name for p in first.parts] == [f"part-{i:05d}.parquet" for i in range(2**bits)]
    for number, part in enumerate(first.parts):
        held = read_table(folder / "a", THING, [part.name]).column("thing_id").to_pylist()
        assert [i >> (63 - bits) for i in held] == [number] * len(held)
        assert part.rows == len(held)


def test_a_changed_row_changes_one_part(tmp_path):
    ids = spread(75)
    before = write_table(tmp_path / "a", THING, things(ids))
    after = write_table(tmp_path / "b", THING, things([*ids[1:], ids[0] ^ 1]))
    changed = [p.name for p, q in zip(before.parts, after.parts, strict=True) if p != q]
    assert len(before.parts) == 8
    assert changed == [f"part-{ids[0] >> 60:05d}.parquet"]
    assert before.hash != after.hash


def test_batch_sizes_do_not_show_in_the_bytes(tmp_path):
    rows = 2 * ROW_GROUP + 17
    wide = Table(THING.name, THING.doc, THING.columns, THING.key)
    ids = pa.array(range(rows), pa.int64())
    notes = pa.array([None if i % 7 else f"n{i % 1000}" for i in range(rows)])
    table = pa.Table.from_arrays([ids, notes, pa.array([[i % 5] for i in range(rows)])], schema=wide.arrow)
    whole = write_table(tmp_path / "whole", wide, table)
    for step in (70_001, ROW_GROUP, rows):
        with TableWriter(tmp_path / str(step), wide, rows) as writer:
            for start in range(0, rows, step):
                writer.write(table.slice(start, step))
        assert writer.info == whole


def test_streamed_parts_equal_those_written_at_once(tmp_path):
    ids = sorted(spread(95))
    whole = write_table(tmp_path / "a", THING, things(ids))
    assert write_table(tmp_path / "b", THING, iter(things(ids).to_batches(max_chunksize=7))) == whole
    with TableWriter(tmp_path / "c", THING, len(ids)) as writer:
        for batch in things(ids).to_batches(max_chunksize=9):
            writer.write(batch)
            assert len(writer._open) <= 1  # memory: one part at a time when rows come in id order
    assert writer.info == whole


def test_parts_by_a_later_key_column(tmp_path):
    small = Table("community_members", "", COMMUNITY_MEMBERS.columns, COMMUNITY_MEMBERS.key, rows_per_part=10)
    rows = [
        {"level": level, "node_id": i, "community_id": 1, "provisional": False}
        for level in (1, 0)
        for i in spread(30, seed=level)
    ]
    table = pa.Table.from_pylist(rows, schema=small.arrow)
    info = write_table(tmp_path / "m", small, table)
    assert [p.rows > 0 for p in info.parts] == [True] * 8
    for part in info.parts:
        held = read_table(tmp_path / "m", small, [part.name]).to_pylist()
        assert held == sorted(held, key=lambda row: (row["level"], row["node_id"]))


def test_rows_out_of_order_are_refused_within_and_across_batches(tmp_path):
    with pytest.raises(SchemaError, match="not sorted by thing_id"), TableWriter(tmp_path / "a", THING, 2) as writer:
        writer.write(things([2, 1]))
    with TableWriter(tmp_path / "b", THING, 2) as writer:
        writer.write(things([2]))
        with pytest.raises(SchemaError, match="not sorted"):
            writer.write(things([1]))
    row = {"source": 1, "target": 2, "hops": 1, "nodes": [1, 2], "edges": [[1]], "reliability": 0.1, "flow": 0.1}
    rows = pa.Table.from_pylist([row | {"target": 3}, row], schema=PATHS.arrow)
    with pytest.raises(SchemaError, match="source, target, hops"):
        write_table(tmp_path / "c", PATHS, rows)


@pytest.mark.parametrize("name", list(TABLES))
def test_empty_tables_keep_their_types(tmp_path, name):
    info = write_table(tmp_path / name, TABLES[name], TABLES[name].empty())
    assert (info.rows, len(info.parts)) == (0, 1)
    assert read_table(tmp_path / name, TABLES[name]).schema == TABLES[name].arrow


def test_columns_can_be_chosen(tmp_path):
    write_table(tmp_path / "t", THING, things(spread(30)))
    read = read_table(tmp_path / "t", THING, columns=["links", "thing_id"])
    assert read.column_names == ["links", "thing_id"]
    with pytest.raises(SchemaError, match="no column odd"):
        read_table(tmp_path / "t", THING, columns=["odd"])


NO_NOTES = things([1]).drop_columns("note")


@pytest.mark.parametrize(
    ("table", "message"),
    [
        (NO_NOTES, "table things differ in columns note"),
        (things([1]).append_column("odd", pa.array([1])), "columns odd"),
        (things([1]).set_column(1, "note", pa.array([1])), r"things\.note is int64, declared string"),
        (things([1]).set_column(0, "thing_id", pa.array([1], pa.int32())), r"things\.thing_id is int32"),
        (things([1]).set_column(0, "thing_id", pa.array([None], pa.int64())), r"things\.thing_id holds 1 nulls"),
        (things([1]).set_column(2, "links", pa.array([["x"]])), r"things\.links is list<item: string>"),
        (things([1]).set_column(2, "links", pa.array([[1, None]])), r"Lists in column things\.links hold nulls"),
        (things([1]).append_column("note", pa.array(["twice"])), "one twice"),
    ],
)
def test_rows_that_do_not_fit_are_refused_by_name(tmp_path, table, message):
    with pytest.raises(SchemaError, match=message):
        write_table(tmp_path / "t", THING, table)


def test_a_negative_id_is_refused_when_it_would_choose_a_part(tmp_path):
    with pytest.raises(SchemaError, match="negative id"):
        write_table(tmp_path / "t", THING, things([-5, *range(20)]))


def test_column_order_and_list_field_names_do_not_matter(tmp_path):
    table = things(spread(5))
    renamed = pa.list_(pa.field("element", pa.int64(), nullable=False))
    turned = table.set_column(2, "links", table.column("links").cast(renamed)).select(["links", "note", "thing_id"])
    assert write_table(tmp_path / "a", THING, turned) == write_table(tmp_path / "b", THING, table)


def test_damaged_and_unwritable_places_are_told(tmp_path):
    write_table(tmp_path / "t", THING, things([1]))
    with pytest.raises(StoreError, match="exists"):
        write_table(tmp_path / "t", THING, things([1]))
    (tmp_path / "t" / "part-00000.parquet").write_bytes(b"no parquet")
    with pytest.raises(StoreBroken, match="things"):
        read_table(tmp_path / "t", THING)


def test_tables_whose_keys_hold_no_id_or_nulls_are_one_part(tmp_path):
    row = {"stage": "load", "uri": "u", "error": "e", "message": "m", "attempts": 1, "raw": ""}
    rows = [row | {"document_id": d, "chunk_id": None} for d in (5, None, 3)]
    info = write_table(tmp_path / "f", FAILURES, pa.Table.from_pylist(rows, schema=FAILURES.arrow))
    assert len(info.parts) == 1
    assert read_table(tmp_path / "f", FAILURES, columns=["document_id"]).column(0).to_pylist() == [3, 5, None]
    assert QUALITY.key == ("signal",)
    assert NODES.version == EMBEDDINGS.version == 1
