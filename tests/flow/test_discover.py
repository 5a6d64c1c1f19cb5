"""`pathgraph discover` as a user meets it: a proposal, and a second full run that uses it without a new call."""

import json

import pytest

from pathgraph.extraction.schema_file import read_schema

TEXTS = {
    "en/a.txt": "Elena Marsh is the chief executive of Alderbrook Robotics. Alderbrook Robotics acquired Pell Labs.",
    "en/b.txt": "Owen Tresk is the chief executive of Castellan Logistics. Hanbit Electronics acquired Nuri Card.",
    "ko/가.txt": "서민우 대표이사는 한빛전자를 이끈다. 한빛전자는 누리소프트를 인수했다.",
    "ko/나.txt": "오세란은 누리금융의 대표이사이다. 누리금융은 누리뱅크를 인수했다.",
}


@pytest.fixture
def company_news(tmp_path):
    folder = tmp_path / "news"
    for name, text in TEXTS.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, "utf-8")
    return folder


def discover(cli, *arguments, code=0):
    done = cli.run("discover", *arguments, "--json")
    assert done.returncode == code, done.stderr
    return json.loads(done.stdout) if code in {0, 3} else done.stderr


def test_a_proposal_groups_both_languages_and_the_next_full_run_uses_it(cli, company_news):
    report = discover(cli, "news")
    assert (report["outcome"], report["proposal"]["documents"], report["counts"]["extraction_calls"]) == (
        "success",
        4,
        4,
    )
    schema = read_schema(cli.folder / "schema.yaml")
    groups = {frozenset((one.name, *one.aliases, *one.inverse_aliases)) for one in schema.relations}
    assert any({"chief_executive_of", "대표이사"} <= group for group in groups)
    assert any({"acquire", "인수"} <= group for group in groups)
    assert cli.run("snapshots", "--json").returncode != 0 or cli.run("snapshots", "--json").stdout.strip() == "[]"
    assert not list((cli.folder / "data/store/staging").glob("*"))

    plain = cli.index("news")
    assert plain["counts"]["extraction_calls"] == 0, "discovery and index share the cache"
    before = {row["relation"] for row in cli.sql("SELECT DISTINCT relation FROM edges WHERE kind = 'typed'")}
    assert {"acquire", "인수"} <= before

    settings = "embeddings: {model: hashed}\nextraction: {processes: 1, schema_file: schema.yaml}\n"
    (cli.folder / "pathgraph.yaml").write_text(settings, "utf-8")
    used = cli.index("news")
    assert (used["outcome"], used["counts"]["extraction_calls"]) == ("success", 0)
    rows = cli.sql("SELECT relation, n_triples FROM edges WHERE kind = 'typed'")
    assert len({row["relation"] for row in rows} & {"acquire", "인수"}) == 1
    assert cli.sql("SELECT count(DISTINCT schema_hash) AS n, min(length(schema_hash)) AS size FROM extractions") == [
        {"n": 1, "size": 64}
    ]
    assert cli.index("news")["outcome"] == "unchanged"


def test_an_edited_schema_is_used_at_once_and_a_fixed_one_loses_nothing(cli, company_news):
    settings = "embeddings: {model: hashed}\nextraction: {processes: 1, schema_file: my/schema.yaml}\n"
    (cli.folder / "pathgraph.yaml").write_text(settings, "utf-8")
    (cli.folder / "my").mkdir()
    file = cli.folder / "my/schema.yaml"
    file.write_text("relations:\n - name: took_over\n   aliases: [acquire, 인수]\n", "utf-8")
    free = cli.index("news")
    facts = cli.sql("SELECT count(*) AS n FROM triples WHERE kind = 'typed'")[0]["n"]
    file.write_text("mode: fixed\n" + file.read_text("utf-8"), "utf-8")
    fixed = cli.index("news")
    assert fixed["counts"]["extraction_calls"] == 0
    assert fixed["snapshot"] != free["snapshot"]
    assert cli.sql("SELECT DISTINCT relation FROM edges WHERE kind = 'typed'") == [{"relation": "took_over"}]
    kept = cli.sql("SELECT count(*) AS n FROM triples WHERE kind = 'typed'")[0]["n"]
    aside = cli.sql("SELECT count(*) AS n FROM out_of_schema WHERE reason = 'relation'")[0]["n"]
    assert kept + aside == facts
    assert aside == fixed["counts"]["out_of_schema"] > 0
    assert any("out_of_schema" in note for note in fixed["notes"])

    file.write_text("relations:\n - name: took_over\n   alias: [acquire]\n", "utf-8")
    done = cli.run("index", "news")
    assert (done.returncode, "line 3: a relation has no key alias" in done.stderr) == (2, True)


def test_a_file_is_kept_unless_forced_and_a_missing_folder_is_an_error(cli, company_news):
    (cli.folder / "schema.yaml").write_text("mine", "utf-8")
    assert "--force" in discover(cli, "news", code=2)
    assert (cli.folder / "schema.yaml").read_text("utf-8") == "mine"
    assert "Check the path" in discover(cli, "nowhere", "--out", "other.yaml", code=1)
    assert "Name them" in discover(cli, "--out", "other.yaml", code=1)


def test_a_small_sample_takes_each_folder_in_turn_and_bad_files_are_told(cli, company_news):
    report = discover(cli, "news", "--sample", "2", "--out", "two.yaml")
    assert (report["proposal"]["documents"], report["counts"]["extraction_calls"]) == (2, 2)
    names = {example["subject"] for one in report["proposal"]["relations"] for example in one["examples"]}
    assert any(name.isascii() for name in names)
    assert not all(name.isascii() for name in names)
    (company_news / "en/bad.pdf").write_bytes(b"%PDF-1.4 nothing here")
    report = discover(cli, "news", "--out", "all.yaml", code=3)
    assert (report["outcome"], report["failures"]) == ("partial", {"load": 1})
    skip = 'loading: {routes: [{match: "**", route: skip}]}\nembeddings: {model: hashed}\n'
    (cli.folder / "skip.yaml").write_text(skip, "utf-8")
    told = discover(cli, "news", "--out", "none.yaml", "--settings", "skip.yaml", code=1)
    assert "goes into the graph" in told
    assert "Traceback" not in told
    assert not (cli.folder / "none.yaml").exists()
