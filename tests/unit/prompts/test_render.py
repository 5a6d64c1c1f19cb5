"""Prompts: values are literal, a document cannot end its section, wrong files are found before anything is paid."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pathgraph.errors import SettingsError
from pathgraph.prompts.forms import EXTRACTION, REPORT
from pathgraph.prompts.render import LANGUAGES, PROMPTS, check_prompts, fenced, parse_prompt, prompt

GOOD = "<!-- system -->\nBe brief.\n{{format}}\n<!-- user -->\n{{ document }}\n"


@pytest.mark.parametrize("name", PROMPTS)
@pytest.mark.parametrize("language", LANGUAGES)
def test_every_built_in_prompt_fits(name, language):
    values = {field: f"<{field}>" for field in PROMPTS[name]}
    said = " ".join(message["content"] for message in prompt(name, language).messages(values))
    assert all(value in said for value in values.values())
    assert "{{" not in said


def test_other_languages_get_the_english_prompt():
    assert prompt("extract.v1", "fr") == prompt("extract.v1", "en") != prompt("extract.v1", "ko")


@given(st.text())
def test_values_are_taken_literally(text):
    wild = text + "{{format}} {document} %s \\1"
    (_, user) = parse_prompt(GOOD, "extract.v1", "x").messages({"format": "F", "document": wild})
    assert user["content"] == wild


@given(st.text())
def test_a_text_cannot_end_its_section(text):
    for inner in (text, fenced(text), fenced(text) + text):
        section = fenced(inner)
        mark, *_, end = section.split("\n")
        assert section == f"{mark}\n{inner}\n{end}"
        assert (section.count(mark[1:-1]), end) == (2, mark.replace("<", "</"))
        assert fenced(inner) == section


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (GOOD.replace("{{format}}", ""), "{{format}}"),
        (GOOD.replace("{{ document }}", "{{dokument}}"), "{{dokument}}"),
        (GOOD.replace("<!-- user -->", ""), "user"),
        ("Hello\n" + GOOD, "user"),
        (GOOD + GOOD, "user"),
        ("", "user"),
    ],
)
def test_a_wrong_file_is_found_before_anything_is_paid(tmp_path, text, says):
    (tmp_path / "extract.v1.ko.md").write_text(text, "utf-8")
    with pytest.raises(SettingsError, match=r"extract\.v1\.ko") as caught:
        check_prompts(tmp_path)
    assert says in str(caught.value)


def test_a_good_file_replaces_ours_and_strange_ones_are_said(tmp_path):
    (tmp_path / "extract.v1.en.md").write_text("\ufeff" + GOOD, "utf-8")
    check_prompts(tmp_path)
    assert prompt("extract.v1", "en", tmp_path).system == "Be brief.\n{{format}}"
    (tmp_path / "extract.v9.en.md").write_text(GOOD, "utf-8")
    with pytest.raises(SettingsError, match="v9"):
        check_prompts(tmp_path)
    (tmp_path / "extract.v9.en.md").unlink()
    (tmp_path / "extract.v1.ko.md").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(SettingsError, match="UTF-8"):
        check_prompts(tmp_path)
    with pytest.raises(SettingsError, match="no folder"):
        check_prompts(tmp_path / "missing")


@pytest.mark.parametrize("schema", [EXTRACTION, REPORT])
def test_schemas_are_strict_all_the_way_down(schema):
    def check(part):
        if part.get("type") == "object":
            assert part["additionalProperties"] is False
            assert part["required"] == list(part["properties"])
            for inner in part["properties"].values():
                check(inner)
        elif part.get("type") == "array":
            check(part["items"])

    check(schema)
