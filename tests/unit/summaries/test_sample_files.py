"""The files people start from: the example settings, the alias dictionary and the sample corpus."""

import csv
import re
from pathlib import Path

import pytest
import yaml

from pathgraph.settings import Settings, load_settings

DATA = Path(__file__).parents[3] / "data"
ALIASES = list(csv.DictReader((DATA / "aliases.csv").read_text("utf-8").splitlines()))
DOCUMENTS = sorted(p for p in (DATA / "sample").rglob("*") if p.is_file())
TEXT = {path.relative_to(DATA).as_posix(): path.read_text("utf-8") for path in DOCUMENTS}


def test_the_example_holds_every_setting_with_its_default():
    path = DATA / "settings.example.yaml"
    settings = load_settings(path)
    assert settings.resolution.aliases == DATA / "aliases.csv"
    plain = settings.model_copy(update={"resolution": Settings().resolution})
    assert plain == Settings()
    named = yaml.safe_load(path.read_text("utf-8"))
    assert named.keys() == Settings.model_fields.keys()
    for section, values in named.items():
        if isinstance(values, dict):
            assert values.keys() == type(getattr(settings, section)).model_fields.keys(), section


def test_aliases_name_each_alias_once_and_keep_twins_apart():
    canonical = {row["alias"]: row["canonical"] for row in ALIASES}
    assert len(canonical) == len(ALIASES)
    assert not set(canonical) & set(canonical.values())
    assert canonical["Hanbit Electronics"] != canonical["Hanbit Electric"]
    assert canonical["Nuri Card"] != canonical["Nuri Bank"]


@pytest.mark.parametrize("row", ALIASES, ids=lambda row: row["alias"])
def test_every_alias_and_canonical_name_is_used_in_the_sample(row):
    everything = "\n".join(TEXT.values()).replace("\n", " ")
    assert row["alias"] in everything
    assert row["canonical"] in everything


def test_the_sample_is_balanced_and_every_document_is_dated():
    assert len([name for name in TEXT if name.startswith("sample/ko/")]) == 9
    assert len([name for name in TEXT if name.startswith("sample/en/")]) == 9
    assert {path.suffix for path in DOCUMENTS} == {".md", ".txt", ".csv", ".html"}
    for name, text in TEXT.items():
        assert re.search(r"20\d\d", text[:400]), name
