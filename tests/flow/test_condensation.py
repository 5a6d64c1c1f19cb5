"""Descriptions condensed by a model in a whole run: its own calls, its own figures, next to nothing for an update."""

import json

import pytest

CONDENSED = "Hanbit Electronics makes many products."


def reply(number):
    said = f"Hanbit Electronics is the maker of product line P{number}, sold to customers in many countries."
    names = [
        {"name": "Hanbit Electronics", "type": "ORGANIZATION", "description": said},
        {"name": f"Plant {number}", "type": "LOCATION", "description": f"A plant called {number}."},
    ]
    fact = {"subject": "Hanbit Electronics", "relation": "opened", "object": f"Plant {number}", "description": "So."}
    return json.dumps({"entities": names, "triples": [fact]})


@pytest.fixture
def project(cli, protocol_server):
    """Twenty-nine documents about one company, and a model that answers as recorded."""
    replies = {f"opened plant number {n}.": reply(n) for n in range(40)}
    replies["Condense these statements"] = json.dumps({"description": CONDENSED})
    server = protocol_server(replies=replies)
    (cli.folder / "pathgraph.yaml").write_text(
        f"endpoint: {{model: m, base_url: {server.url}}}\n"
        "extraction: {provider: openai}\nsummaries: {provider: openai}\nembeddings: {model: hashed}\n"
        "graph: {description_tokens: 60, condense_above_tokens: 100, condense_input_tokens: 500}\n",
        "utf-8",
    )
    (cli.folder / "docs").mkdir()
    for number in range(29):
        write(cli, number)
    return cli


def write(cli, number):
    (cli.folder / "docs" / f"{number}.txt").write_text(f"Hanbit Electronics opened plant number {number}.", "utf-8")


def test_an_update_pays_for_the_changed_bucket_and_those_above(project):
    first = project.index("docs")
    assert first["outcome"] == "success"
    assert first["counts"]["extraction.calls"] == 29
    calls = first["counts"]["condensation.calls"]
    assert calls >= 2
    assert first["tokens"]["condensation.in"] > 400 * calls / 2
    assert "condensation" in first["seconds"]
    hanbit = "SELECT description FROM nodes WHERE name = 'Hanbit Electronics'"
    assert project.sql(hanbit) == [{"description": CONDENSED}]
    assert project.sql("SELECT description FROM nodes WHERE name = 'Plant 3'") == [{"description": "A plant called 3."}]
    write(project, 30)
    second = project.index("docs")
    assert second["counts"]["extraction.calls"] == 1
    assert 1 <= second["counts"]["condensation.calls"] <= 3
    assert project.sql("SELECT count(*) AS n FROM failures") == [{"n": 0}]
