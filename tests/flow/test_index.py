"""`pathgraph index` as a user meets it: first run, nothing to do, bad files, deletions, an empty graph, Ctrl-C."""

import signal
import time

import duckdb


def test_documents_in_graph_out_and_again_for_nothing(cli, docs):
    first = cli.index("docs")
    assert first["outcome"] == "success"
    assert first["counts"]["documents"] == 6
    assert first["counts"]["edges"] > 4
    assert first["counts"]["summaries"] == first["counts"]["communities"]
    # With a server that does not exist: nothing to do must not even look for one.
    again = cli.index("docs", PREFECT_API_URL="http://127.0.0.1:9/api")
    assert (again["outcome"], again["snapshot"]) == ("unchanged", first["snapshot"])
    known = cli.index(PREFECT_API_URL="http://127.0.0.1:9/api")
    assert known["outcome"] == "unchanged"
    facts = cli.sql("SELECT subject, relation, object FROM triples_with_source WHERE kind = 'typed'")
    assert {"subject": "Hanbit Electronics", "relation": "acquire", "object": "Alderbrook Robotics"} in facts
    assert any(fact["subject"] == "한빛전자" and fact["object"] == "누리소프트" for fact in facts)
    with duckdb.connect(str(cli.folder / "data/store/graph.duckdb"), read_only=True) as plain:
        assert plain.execute("SELECT count(*) FROM documents").fetchone() == (6,)


def test_an_edit_costs_its_own_chunk(cli, docs):
    cli.index("docs")
    (docs / "c.txt").write_text("Owen Tresk founded Castellan Logistics. Castellan Logistics owns Port Ember.", "utf-8")
    report = cli.index("docs")
    assert report["counts"]["extraction_calls"] == 1
    assert report["notes"] == ["documents: 1 changed"]
    assert cli.sql("SELECT count(*) AS n FROM nodes WHERE name = 'Port Ember'") == [{"n": 1}]
    assert cli.sql("SELECT count(*) AS n FROM nodes WHERE name = 'Hull'") == [{"n": 0}]


def test_sources_and_settings_are_those_of_last_time(cli, docs):
    (cli.folder / "pathgraph.yaml").rename(cli.folder / "mine.yaml")
    first = cli.index("docs", "--settings", "mine.yaml")
    again = cli.index(PREFECT_API_URL="http://127.0.0.1:9/api")
    assert (again["outcome"], again["snapshot"]) == ("unchanged", first["snapshot"])


def test_nothing_readable_publishes_nothing(cli):
    (cli.folder / "scan.pdf").write_bytes(b"%PDF-1.4 nothing here")
    done = cli.run("index", "scan.pdf")
    assert done.returncode == 1
    assert "None of the documents could be read" in done.stderr
    assert cli.run("status").returncode == 1


def test_a_bad_file_is_a_row_and_exit_code_3_and_is_tried_again(cli, docs):
    (docs / "scan.pdf").write_bytes(b"%PDF-1.4 nothing here")
    report = cli.index("docs", code=3)
    assert (report["outcome"], report["failures"]) == ("partial", {"load": 1})
    assert cli.sql("SELECT stage, uri FROM failures") == [{"stage": "load", "uri": "docs/scan.pdf"}]
    again = cli.index("docs", code=3)
    assert (again["outcome"], again["published"], again["snapshot"]) == ("partial", False, report["snapshot"])
    (docs / "scan.pdf").unlink()
    assert cli.index("docs")["failures"] == {}
    assert cli.sql("SELECT count(*) AS n FROM failures") == [{"n": 0}]


def test_a_known_document_that_cannot_be_read_keeps_its_last_version(cli, docs):
    cli.index("docs")
    (docs / "b.md").unlink()
    (docs / "b.md").symlink_to(docs / "nowhere")
    report = cli.index("docs", code=3)
    assert report["counts"]["documents"] == 6
    assert cli.sql("SELECT count(*) AS n FROM nodes WHERE name = 'Fernvale Instruments'") == [{"n": 1}]


def test_mass_deletion_stops_before_publishing(cli, docs):
    before = cli.index("docs")
    for name in ("a.txt", "b.md"):
        (docs / name).unlink()
    done = cli.run("index", "docs")
    assert done.returncode == 1
    assert "--allow-deletes" in done.stderr
    assert "Traceback" not in done.stderr
    assert cli.run("snapshots", "--json").stdout.count(before["snapshot"]) == 1
    assert cli.index("docs", "--allow-deletes")["counts"]["documents"] == 4


def test_a_missing_folder_is_an_error_with_a_remedy(cli):
    done = cli.run("index", "nowhere")
    assert (done.returncode, "Traceback" in done.stderr) == (1, False)
    assert "Check the path" in done.stderr


def test_documents_without_a_fact_give_a_valid_empty_graph(cli):
    folder = cli.folder / "empty"
    folder.mkdir()
    (folder / "numbers.txt").write_text("1 2 3 4 5. 6 7 8.", "utf-8")
    report = cli.index("empty")
    assert (report["outcome"], report["counts"]["nodes"], report["counts"]["edges"]) == ("success", 0, 0)
    assert cli.sql("SELECT count(*) AS n FROM paths_named") == [{"n": 0}]


def test_ctrl_c_stops_in_order_and_the_next_run_goes_on(cli, docs):
    process = cli.start("index", "docs")
    time.sleep(6)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=60)
    assert process.returncode in {0, 130}, err
    assert "Traceback" not in err
    assert cli.index("docs")["counts"]["documents"] == 6


def test_wrong_usage_is_exit_code_2(cli, docs):
    for arguments in (["index", "--provider", "nobody", "docs"], ["index", "--unknown"], ["sql", "DROP TABLE nodes"]):
        if arguments[0] == "sql":
            cli.index("docs")
        assert cli.run(*arguments).returncode == 2
