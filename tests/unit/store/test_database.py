"""DuckDB over snapshots: views, `graph.duckdb` from anywhere, SQL that reads and cannot do anything else."""

import subprocess
import sys
from datetime import UTC, datetime

import duckdb
import pytest
from store_sample import KIM, LABS, LONE, MOTORS, document, publish_rows, sample_rows

from pathgraph.errors import StoreBroken, StoreNotFound, UsageError
from pathgraph.schema.tables import TABLES
from pathgraph.store import runs
from pathgraph.store.database import connect, linked, query, relink
from pathgraph.store.layout import Store
from pathgraph.store.views import VIEWS

NASTY = ["plain", 'it\'s "quoted"', "한글 폴더", "100% [a-z] {x,y}", "star*?**", "a;--b"]


def one(store, sql, at=None):
    return query(store, sql, at).to_pylist()


def test_neighbors_show_both_directions(shared):
    seen = one(shared, f"SELECT direction, relation, neighbor FROM neighbors WHERE node_id = {LABS} ORDER BY ALL")
    assert [tuple(row.values()) for row in seen] == [
        ("in", "co_occurs", "김하늘"),
        ("in", "leads", "김하늘"),
        ("in", "praises", "Baram 'Motors'"),
        ("out", "supplies", "Baram 'Motors'"),
    ]
    assert query(shared, "FROM neighbors").num_rows == 8


def test_a_self_loop_is_seen_once(store, rows):
    rows["edges"][1]["target"] = LABS
    publish_rows(store, rows)
    found = one(store, "SELECT direction, neighbor_id FROM neighbors WHERE edge_id = 2")
    assert found == [{"direction": "self", "neighbor_id": LABS}]


def test_every_node_shows_its_community_on_every_level(shared):
    found = one(shared, "SELECT name, level, title, size FROM node_communities ORDER BY level, node_id")
    assert len(found) == 8
    assert found[0] == {"name": "김하늘", "level": 0, "title": "All", "size": 3}
    assert found[6] == {"name": "Baram 'Motors'", "level": 1, "title": None, "size": 1}


def test_triples_carry_the_words_they_rest_on_also_after_an_emoji(shared):
    found = one(shared, "SELECT subject, relation, object, evidence, uri FROM triples_with_source ORDER BY triple_id")
    assert [row["evidence"] for row in found] == [
        "김하늘은 Haneul Labs를 이끈다.",
        "Haneul Labs supplies Baram Motors.",
    ]
    assert (found[1]["subject"], found[1]["object"]) == ("Haneul Labs", "Baram 'Motors'")
    assert found[0]["uri"] == "a/한글 'x'.md"


def test_top_entities_are_ranked(shared):
    found = one(shared, "SELECT rank, node_id FROM top_entities")
    assert [(row["rank"], row["node_id"]) for row in found] == [(1, LABS), (2, MOTORS), (3, KIM), (4, LONE)]


def test_the_community_tree_names_the_chain(shared):
    found = {row["community_id"]: row for row in one(shared, "FROM community_tree")}
    assert found[51]["chain"] == [50, 51]
    assert found[51]["path"] == "All / Core"
    assert found[53]["path"] == "All / 53"
    assert found[52]["parent_id"] is None


def test_a_path_in_words_never_states_a_false_direction(shared):
    found = one(shared, "SELECT path, names, target_name FROM paths_named ORDER BY hops")
    assert found[0] == {
        "path": "김하늘 -[leads]-> Haneul Labs",  # the typed edge, though co_occurs is heavier
        "names": ["김하늘", "Haneul Labs"],
        "target_name": "Haneul Labs",
    }
    assert found[1]["path"] == "김하늘 -[leads]-> Haneul Labs <-[praises]- Baram 'Motors'"
    assert found[1]["names"] == ["김하늘", "Haneul Labs", "Baram 'Motors'"]


def test_every_view_has_the_columns_it_documents(shared):
    for view in VIEWS.values():
        assert query(shared, f"FROM {view.name}").column_names == [name for name, _ in view.columns]
    for table in TABLES.values():
        assert query(shared, f"FROM {table.name}").column_names == [c.name for c in table.columns]


def test_runs_are_there_before_the_first_and_after_the_second(published):
    assert query(published, "FROM runs").column_names == [c.name for c in runs.COLUMNS]
    moment = datetime(2026, 1, 1, tzinfo=UTC)
    for number in (1, 2):
        record = runs.RunRecord(f"r{number}", "index", moment, moment, "success", counts={"chunks": number})
        runs.append(published.runs, record)
    assert one(published, "SELECT run_id, counts['chunks'] AS n FROM runs ORDER BY 1")[1] == {"run_id": "r2", "n": 2}
    with duckdb.connect(str(published.database), read_only=True) as connection:
        assert connection.execute("SELECT count(*) FROM runs").fetchone() == (2,)
    assert runs.read(published.runs).column("run_id").to_pylist() == ["r1", "r2"]


CLIENT = """
import duckdb, sys
for path in sys.argv[1:]:
    with duckdb.connect(path, read_only=True) as c:
        print(c.execute("SELECT title, (SELECT count(*) FROM neighbors) FROM documents").fetchall())
"""


def test_graph_duckdb_opens_from_another_folder_whatever_the_name(tmp_path):
    stores = [Store.create(tmp_path / name / "store") for name in NASTY]
    for store in stores:
        publish_rows(store, sample_rows())
        assert one(store, "SELECT title FROM documents") == [{"title": "A note"}]
        assert linked(store)
    other = Store.create(tmp_path / "starXY" / "store")  # must not be mistaken for star*?**
    publish_rows(other, {"documents": [document(title="other")]})
    (tmp_path / "else").mkdir()
    command = [sys.executable, "-c", CLIENT, *(store.database for store in stores)]
    done = subprocess.run(command, cwd=tmp_path / "else", capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == ["[('A note', 8)]"] * len(NASTY)


def test_graph_duckdb_shows_only_the_current_snapshot_and_an_open_client_keeps_its_own(published):
    first = published.current_id()
    with duckdb.connect(str(published.database), read_only=True) as old:
        publish_rows(published, {"documents": [document(title="second")]}, "run-2")
        assert old.execute("SELECT title FROM documents").fetchall() == [("A note",)]
    with duckdb.connect(str(published.database), read_only=True) as new:
        assert new.execute("SELECT title FROM documents").fetchall() == [("second",)]
    assert one(published, "SELECT title FROM documents", at=first) == [{"title": "A note"}]
    assert not list(published.root.glob(".*"))


def test_after_a_move_relink_repairs(published, tmp_path):
    moved = Store.open(published.root.rename(tmp_path / "moved"))
    assert not linked(moved)
    assert one(moved, "SELECT title FROM documents") == [{"title": "A note"}]
    relink(moved)
    assert linked(moved)
    moved.database.write_bytes(b"damaged")
    assert not linked(moved)
    relink(moved)
    assert linked(moved)
    moved.database.unlink()
    assert not linked(moved)


def test_graph_duckdb_is_written_for_old_clients(shared):
    # The format number stands at byte 12: 64 is what DuckDB 0.10 to 1.1 read, later clients read it too.
    assert int.from_bytes(shared.database.read_bytes()[12:20], "little") == 64


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT name FROM nodes WHERE name LIKE '김%'",
        "FROM nodes",
        "WITH a AS (SELECT 1) SELECT * FROM a",
        "DESCRIBE nodes",
        "SUMMARIZE nodes",
        "SHOW TABLES",
        "PIVOT nodes ON type USING count(*)",
        "EXPLAIN SELECT * FROM nodes",
        "explain analyze FROM nodes",
        "VALUES (1); ",
        "-- a comment\nSELECT 1",
    ],
)
def test_reading_statements_run(shared, sql):
    assert query(shared, sql).num_rows >= 1


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT * FROM read_csv('/etc/passwd')",
        "SELECT * FROM '/etc/hostname.csv'",
        "SELECT * FROM read_text('{folder}/../../CURRENT')",
        "SELECT * FROM read_text('file:///etc/passwd')",
        "SELECT * FROM glob('/etc/*')",
        "SELECT * FROM read_json('http://localhost:1/x')",
        "COPY (SELECT 1) TO '/tmp/pathgraph-test.csv'",
        "COPY (SELECT 1) TO '{folder}/nodes/x.parquet'",
        "EXPLAIN ANALYZE COPY (SELECT 1) TO '{folder}/nodes/x.parquet'",
        "EXPLAIN (ANALYZE) COPY (SELECT 1) TO '{folder}/nodes/x.parquet'",
        "explain /* x */ analyze copy (select 1) to '{folder}/nodes/x.parquet'",
        "EXPORT DATABASE '{folder}'",
        "ATTACH '/tmp/pathgraph-test.db'",
        "ATTACH '{folder}/x.db'",
        "INSTALL httpfs",
        "LOAD httpfs",
        "SET enable_external_access = true",
        "SET lock_configuration = false",
        "PRAGMA enable_external_access",
        "CREATE TABLE x (i INT)",
        "CREATE OR REPLACE VIEW nodes AS SELECT 1",
        "DROP VIEW nodes",
        "INSERT INTO nodes VALUES (1)",
        "CALL force_checkpoint()",
        "PREPARE a AS SELECT 1",
        "SELECT 1; DROP VIEW nodes",
        "BEGIN",
        "nonsense",
        "",
        "SELECT nothing FROM nodes",
        "SELECT * FROM rows",
    ],
)
def test_everything_else_is_refused(shared, sql):
    folder = shared.snapshot().folder
    before = sorted(folder.rglob("*"))
    with pytest.raises(UsageError):
        query(shared, sql.replace("{folder}", str(folder)))
    assert sorted(folder.rglob("*")) == before


def test_python_variables_are_no_tables(shared):
    secret = shared.snapshot().table("nodes")
    assert secret.num_rows == 4
    with pytest.raises(UsageError):
        query(shared, "SELECT * FROM secret")


def test_asking_for_what_is_not_there(published, store, tmp_path):
    with pytest.raises(StoreNotFound):
        query(published, "SELECT 1", at="1999")
    with pytest.raises(StoreNotFound, match="no snapshot yet"):
        query(Store.create(tmp_path / "new"), "SELECT 1")
    published.snapshot().part_paths("nodes")[0].unlink()
    with pytest.raises(StoreBroken, match="doctor"), connect(published.snapshot()):
        pass
