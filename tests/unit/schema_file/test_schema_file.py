"""Reading a schema file: what it may say, and every fault with its line, all at once."""

import pytest

from pathgraph.errors import SettingsError
from pathgraph.extraction.schema import FREE
from pathgraph.extraction.schema_file import read_schema

GOOD = """
mode: fixed
types:
  - name: ORGANISATION
    description: a company, an authority or a school
    synonyms: [ORGANIZATION, COMPANY, 회사]
  - name: PERSON
relations:
  - name: leads
    description: runs it from day to day
    aliases: [CEO, 대표이사, is_ceo_of, chief_executive_of]
    inverse_aliases: [led_by]
    subject: 회사
    object: [person, ORGANISATION]
  - name: partner_of
    symmetric: true
"""


@pytest.fixture
def faults(tmp_path):
    """Return what is wrong with a text, with the file's path left out."""

    def read(text):
        path = tmp_path / "schema.yaml"
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        with pytest.raises(SettingsError) as caught:
            read_schema(path)
        assert caught.value.remedy
        return caught.value.message.removeprefix(f"{path}").removeprefix(": ")

    return read


def test_a_file_says_types_and_relations(tmp_path):
    path = tmp_path / "schema.yaml"
    path.write_text("\ufeff" + GOOD, "utf-8")
    schema = read_schema(path)
    leads, partner = schema.relations
    assert (schema.fixed, [one.name for one in schema.types]) == (True, ["ORGANISATION", "PERSON"])
    assert schema.types[0].synonyms == ("ORGANIZATION", "COMPANY", "회사")
    assert (leads.subjects, leads.objects, leads.inverse_aliases) == (
        ("ORGANISATION",),
        ("PERSON", "ORGANISATION"),
        ("led_by",),
    )
    assert (partner.symmetric, leads.symmetric, partner.subjects) == (True, False, ())


def test_no_file_is_the_empty_schema():
    assert read_schema(None) is FREE
    assert FREE.hash == ""


def test_the_hash_is_of_what_it_says_not_of_how_it_is_written(tmp_path):
    path = tmp_path / "schema.yaml"
    hashes = []
    for text in (GOOD, "# a comment\n" + GOOD, GOOD.replace("[led_by]", '["led_by"]'), GOOD.replace("CEO", "COO")):
        path.write_text(text, "utf-8")
        hashes.append(read_schema(path).hash)
    assert hashes[0] == hashes[1] == hashes[2] != hashes[3]


def test_words_that_yaml_takes_for_booleans_and_numbers_are_names(tmp_path):
    path = tmp_path / "schema.yaml"
    path.write_text("relations:\n  - name: on\n    aliases: [no, 2019, 1e3, =]\n", "utf-8")
    (relation,) = read_schema(path).relations
    assert (relation.name, relation.aliases) == ("on", ("no", "2019", "1e3", "="))


def test_all_faults_come_at_once_with_their_lines(faults):
    found = faults(
        """mode: strict
types:
  - name: PERSON
    synonym: [HUMAN]
  - PLACE
relations:
  - name: leads
    aliases: CEO
    subject: PERSONS
    symmetric: maybe
  - description: nameless
colour: red
"""
    )
    for line, words in {
        1: "mode is 'strict'; it can be free or fixed",
        4: "a type has no key synonym",
        5: "a type must be written as key: value",
        8: "the alias list must be a list",
        9: "type PERSONS is not listed under types",
        10: "symmetric must be true or false",
        11: "this relation has no name",
        12: "the file has no key colour",
    }.items():
        assert f"line {line}: {words}" in found
    assert found.count("line ") == 8


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "relations:\n - name: leads\n   aliases: [CEO]\n - name: runs\n   aliases: [c.e.o, ceo]",
            "line 5: ceo is an alias of runs here and an alias of leads in line 3",
        ),
        (
            "relations:\n - name: leads\n   aliases: [runs]\n - name: runs\n   aliases: [leads]",
            "line 4: runs is a relation of its own here and an alias of leads in line 3; "
            "line 5: leads is an alias of runs here and a relation of its own in line 2",
        ),
        (
            "relations:\n - name: leads\n   aliases: [heads]\n   inverse_aliases: [Heads]",
            "line 4: Heads is an inverse alias of leads here and an alias of leads in line 3",
        ),
        (
            "relations:\n - name: leads\n   inverse_aliases: [leads]",
            "line 3: leads is an inverse alias of leads here and a relation of its own in line 2",
        ),
        (
            "relations:\n - name: leads\n - name: Leads",
            "line 3: Leads is a relation of its own here and a relation of its own in line 2",
        ),
        (
            "types:\n - name: ORG\n   synonyms: [COMPANY]\n - name: COMPANY\n   synonyms: [ORG]",
            "line 4: COMPANY is a type of its own here and a synonym of ORG in line 3; "
            "line 5: ORG is a synonym of COMPANY here and a type of its own in line 2",
        ),
        ("relations:\n - name: co_occurs", "line 2: co_occurs is the name of sentence co-occurrence; choose another"),
        (
            "relations:\n - name: near\n   symmetric: true\n   inverse_aliases: [far]",
            "line 4: near is symmetric, so its names have no inverse: use aliases",
        ),
        (
            "types: [{name: A}, {name: B}]\nrelations:\n - {name: near, subject: A, object: B, symmetric: true}",
            "line 3: near is symmetric, so subject and object need the same types",
        ),
        ("mode: fixed", "line 1: mode is fixed, but no relation is listed, so no fact would be kept"),
        ("mode: free\nmode: free", "line 2: mode is there twice"),
        ("relations:\n - name: ''\n   aliases: ['_ _']", "line 2: this relation is empty; line 3: this alias is empty"),
        ("relations:\n - name: [a]", "line 2: the name must be text; line 2: this relation is empty"),
        ("", "line 1: the file says nothing; it needs types or relations"),
        ("- a", "line 1: the file must be written as key: value, with the keys mode, types, relations"),
        ("types: &t [*t]", "line 1: a type must be written as key: value, with the keys name, description, synonyms"),
    ],
)
def test_a_fault_names_its_line(faults, text, expected):
    assert faults(text) == expected


@pytest.mark.parametrize(
    "text",
    ["a: [", "a: b: c", '"\\UFFFFFFFF"', '"\\U00110000"', "[" * 5000, "a: 1\n--- \nb: 2", "*unknown", "\t- a", b"\xff"],
    ids=["open", "colon", "escape", "escape2", "deep", "two", "anchor", "tab", "bytes"],
)
def test_what_is_no_yaml_is_a_settings_error(faults, text):
    assert faults(text)


def test_a_missing_file_is_a_settings_error(tmp_path):
    with pytest.raises(SettingsError, match="UTF-8"):
        read_schema(tmp_path / "none.yaml")


def test_spellings_of_one_alias_in_one_relation_are_no_fault(tmp_path):
    path = tmp_path / "schema.yaml"
    path.write_text("relations:\n - name: leads\n   aliases: [is_ceo_of, Is CEO of, isCeoOf, Leads]\n", "utf-8")
    assert len(read_schema(path).relations[0].aliases) == 4
