"""Damaged stores through the command line: no traceback, and every remedy that doctor prints works when followed."""

import json
import os
import re
import shlex
import subprocess

import pytest
from store_sample import publish_rows, sample_rows
from typer.testing import CliRunner

from pathgraph.cli.app import app
from pathgraph.errors import StoreBroken, UsageError
from pathgraph.lookup import Names
from pathgraph.store import runs
from pathgraph.store.layout import Store


@pytest.fixture
def cli(tmp_path, monkeypatch):
    monkeypatch.setenv("PATHGRAPH_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("COLUMNS", "200")

    def run(*arguments):
        done = CliRunner().invoke(app, [str(argument) for argument in arguments])
        assert done.exception is None or isinstance(done.exception, SystemExit), done.exception
        return done

    return run


def _spoil(path, content):
    path.unlink()  # a hard link's other names keep the good bytes
    path.write_bytes(content)


@pytest.mark.parametrize("damage", ["cut", "flipped", "gone"])
def test_a_damaged_part_is_an_error_in_sql_and_a_fault_in_doctor(cli, published, damage):
    part = published.snapshot().part_paths("nodes")[0]
    good = part.read_bytes()
    middle = len(good) // 2
    flipped = good[: middle - 30] + bytes(byte ^ 0x5A for byte in good[middle - 30 :])
    _spoil(part, {"cut": good[:200], "flipped": flipped, "gone": b""}[damage])
    if damage == "gone":
        part.unlink()
    asked = cli("sql", "SELECT * FROM nodes", "--store", published.root)
    assert asked.exit_code == 1
    assert "pathgraph doctor --store" in asked.stderr
    checked = cli("doctor", "--store", published.root)
    assert checked.exit_code == 1
    assert f"rm -r {published.current} && pathgraph index PATH --store {published.root}" in checked.stdout


@pytest.mark.skipif(os.name != "posix", reason="runs the remedy in a shell")
@pytest.mark.parametrize("content", [b"", b"garbage", b"\xff\xfe", None])
def test_doctor_says_how_to_mend_current(cli, tmp_path, content):
    store = Store.create(tmp_path / "it's a store")
    publish_rows(store, sample_rows())
    whole = store.current_id()
    store.current.unlink()
    if content is not None:
        store.current.write_bytes(content)
    found = json.loads(cli("doctor", "--json", "--store", store.root).stdout)
    remedy = next(f["remedy"] for f in found if f["detail"].endswith(f"{whole} is whole"))
    command = re.sub("^[^:]*: ", "", remedy)
    subprocess.run(["sh", "-c", command], check=True)
    assert store.current_id() == whole
    assert cli("doctor", "--store", store.root).exit_code == 0


def test_doctor_names_the_store_when_it_was_moved(cli, published):
    moved = published.root.rename(published.root.with_name("moved store"))
    found = json.loads(cli("doctor", "--json", "--store", moved).stdout)
    remedy = next(f["remedy"] for f in found if f["what"] == "graph.duckdb")
    assert cli(*shlex.split(remedy.partition("pathgraph ")[2])).exit_code == 0
    assert cli("doctor", "--store", moved).exit_code == 0


def test_one_damaged_manifest_hides_no_other_snapshot(cli, published):
    first = published.current_id()
    rows = sample_rows()
    rows["documents"][0]["title"] = "Another title"
    publish_rows(published, rows)
    _spoil(published.snapshots / first / "manifest.json", b"{")
    listed = cli("snapshots", "--json", "--store", published.root)
    assert [one["id"] for one in json.loads(listed.stdout)] == [published.current_id()]
    assert first in listed.stderr


def test_damaged_or_deleted_run_records_do_not_hide_the_graph(cli, published):
    (published.runs / "zzz.parquet").write_bytes(b"junk")
    with pytest.raises(StoreBroken, match=r"zzz\.parquet"):
        runs.read(published.runs)
    assert cli("status", "--store", published.root).exit_code == 1
    for path in published.runs.iterdir():
        path.unlink()
    published.runs.rmdir()
    assert cli("sql", "SELECT count(*) FROM nodes", "--store", published.root).exit_code == 0


def test_repeated_column_names_lose_no_value(cli, published):
    asked = ["sql", "SELECT 1 AS x, 2 AS x, 3 AS x_1, 4 AS x", "--store", published.root]
    assert json.loads(cli(*asked, "--json").stdout) == [{"x": 1, "x_2": 2, "x_1": 3, "x_3": 4}]
    assert re.findall(r"\d", cli(*asked).stdout.splitlines()[3]) == ["1", "2", "3", "4"]


def test_json_is_standard_json(cli, published):
    asked = cli("sql", "SELECT 'nan'::DOUBLE AS a, ['-inf'::DOUBLE] AS b", "--json", "--store", published.root)
    assert json.loads(asked.stdout, parse_constant=pytest.fail) == [{"a": None, "b": [None]}]


@pytest.mark.parametrize(
    "value", ["TIMESTAMP 'infinity'", "DATE '99999-01-01'", "TIMESTAMP_NS '2020-01-01 00:00:00.1'"]
)
def test_times_beyond_python_are_an_error_with_a_remedy_or_shown(cli, published, value):
    for form in ([], ["--json"]):
        asked = cli("sql", f"SELECT {value} AS v", "--store", published.root, *form)
        assert asked.exit_code == 0 or "VARCHAR" in asked.stderr
    assert cli("sql", f"SELECT ({value})::VARCHAR AS v", "--store", published.root).exit_code == 0


@pytest.mark.parametrize("name", ["²", "٣", "9" * 5000, ""])
def test_digits_that_are_no_id_are_a_name(published, name):
    names = Names(published.snapshot().table("nodes", ["node_id", "name", "aliases"]))
    with pytest.raises(UsageError):
        names.one(name)


def test_no_statement_is_wrong_usage_with_an_example(cli, published):
    for text in ("", ";", "SELECT * FROM a FROM"):
        asked = cli("sql", text, "--store", published.root)
        assert asked.exit_code == 2
        assert len(asked.stderr.strip().splitlines()) > 1
