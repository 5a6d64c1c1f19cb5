"""The alias file: what it gives, and that each fault is named with its line."""

import pytest

from pathgraph.errors import SettingsError
from pathgraph.resolution.aliases import read_aliases


def write(tmp_path, text):
    path = tmp_path / "aliases.csv"
    path.write_text(text, "utf-8")
    return path


def test_lines_are_read_with_type_and_line(tmp_path):
    path = write(tmp_path, "\ufeffcanonical,alias,type,note\n한빛전자,Hanbit Electronics,organisation,x\n\nLG,엘지,,\n")
    first, second = read_aliases(path)
    assert (first.canonical, first.alias, first.type, first.line) == (
        "한빛전자",
        "Hanbit Electronics",
        "ORGANISATION",
        2,
    )
    assert (second.alias, second.type) == ("엘지", "")


def test_two_columns_are_enough(tmp_path):
    assert len(read_aliases(write(tmp_path, "canonical,alias\nA,B\n"))) == 1


def test_no_file_no_aliases():
    assert read_aliases(None) == ()


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("name,alias\nA,B\n", "line 1"),
        ("", "line 1"),
        ("canonical,alias,colour\nA,B,red\n", "line 1"),
        ("canonical,alias\nA,B\nC,B\n", "line 3"),
        ("canonical,alias,type\nA,B,PERSON\nA,C,PLACE\n", "line 3"),
        ("canonical,alias\nA,B\nB,A\n", "line 2"),
        ("canonical,alias\nA,\n", "line 2"),
        ("canonical,alias\nA,B,PERSON,x,y\n", "line 2"),
        ("canonical,alias\n...,B\n", "line 2"),
    ],
)
def test_faults_name_their_line(tmp_path, text, fault):
    with pytest.raises(SettingsError, match=fault) as caught:
        read_aliases(write(tmp_path, text))
    assert caught.value.remedy


def test_all_faults_come_at_once(tmp_path):
    with pytest.raises(SettingsError) as caught:
        read_aliases(write(tmp_path, "canonical,alias\nA,\nC,\n"))
    assert "line 2" in str(caught.value)
    assert "line 3" in str(caught.value)


@pytest.mark.parametrize("content", [b"\xff\xfe\x00", None])
def test_an_unreadable_file_is_an_error(tmp_path, content):
    path = tmp_path / "a.csv"
    if content:
        path.write_bytes(content)
    with pytest.raises(SettingsError):
        read_aliases(path)
