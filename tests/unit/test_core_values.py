"""Ids, sanitising and settings: the small things everything else rests on."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pathgraph.errors import PathgraphError, SchemaError, SettingsError
from pathgraph.ids import content_hash, content_id, members_id
from pathgraph.schema.tables import FAILURES, NODES, TABLES
from pathgraph.settings import Settings, load_settings
from pathgraph.text import sanitise


def test_ids_are_what_they_were():
    """A changed id function would silently rename every row of every store."""
    assert content_id("node", "한빛전자") == 195400680831595885
    assert content_hash("a", "b").startswith("3c9d5910")
    assert members_id("community", [3, 1, 2]) == members_id("community", [1, 2, 3])


@given(st.lists(st.text(), min_size=2, max_size=4))
def test_ids_tell_where_one_part_ends(parts):
    joined = content_id("x", "".join(parts))
    assert 0 <= content_id("x", *parts) < 1 << 63
    assert content_id("x", *parts) != joined or parts == ["".join(parts)]


@given(st.text(st.characters(), max_size=60))
def test_sanitised_text_stays_as_it_is_and_can_be_stored(text):
    clean = sanitise(text)
    assert sanitise(clean) == clean
    assert unicodedata.is_normalized("NFC", clean)
    assert "\x00" not in clean
    assert "\r" not in clean
    clean.encode("utf-8")


def test_sanitising_keeps_joiners_and_makes_hangul_whole():
    assert sanitise("a\x00b\ud800c\r\nd\x0be") == "abc\nd\ne"
    assert sanitise(unicodedata.normalize("NFD", "삼성")) == "삼성"
    assert sanitise("👩‍🔬") == "👩‍🔬"


def test_the_example_settings_are_the_defaults(request):
    path = request.config.rootpath / "data" / "settings.example.yaml"
    read = load_settings(path)
    same = read.model_copy(update={"resolution": Settings().resolution})
    assert same == Settings()
    assert read.resolution.aliases == path.parent / "aliases.csv"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("paths: {thetta: 1}", "paths.thetta"),
        ("chunking: {extract_tokens: 1}", "chunking.extract_tokens"),
        ("chunking: {extract_tokens: 100, extract_overlap: 60}", "extract_overlap"),
        ("- a list", "Settings"),
        ("a: [", "Cannot read"),
    ],
)
def test_wrong_settings_name_the_key_and_the_remedy(tmp_path, text, said):
    path = tmp_path / "s.yaml"
    path.write_text(text, "utf-8")
    with pytest.raises(SettingsError, match=said) as caught:
        load_settings(path)
    assert caught.value.remedy


def test_missing_settings_are_an_error(tmp_path):
    with pytest.raises(SettingsError):
        load_settings(tmp_path / "none.yaml")


def test_every_error_can_carry_a_remedy():
    assert str(PathgraphError("What.", "Do.")) == "What.\nDo."


def test_rows_must_fit_their_table():
    with pytest.raises(SchemaError, match="aliases"):
        NODES.from_rows([{"node_id": 1}])
    with pytest.raises(SchemaError):
        FAILURES.from_rows([{**dict.fromkeys(FAILURES.arrow.names, "x"), "attempts": "many"}])


def test_tables_reference_columns_that_exist():
    for table in TABLES.values():
        for column in table.columns:
            assert column.doc.endswith("."), f"{table.name}.{column.name}"
            if column.references:
                other, name = column.references.split(".")
                assert TABLES[other].column(name).type == TABLES[other].column(TABLES[other].key[0]).type


def test_an_unknown_key_is_met_with_the_one_that_was_meant(tmp_path):
    path = tmp_path / "s.yaml"
    path.write_text("loading: {title_colum: x}\nextracton: {}\n", "utf-8")
    with pytest.raises(SettingsError) as caught:
        load_settings(path)
    assert "loading.title_colum: there is no such key; did you mean title_column?" in str(caught.value)
    assert "did you mean extraction?" in str(caught.value)
