import json
import unicodedata
from pathlib import Path

import fsspec
import pytest

from pathgraph.errors import InputError, MissingExtra
from pathgraph.loading.sources import Source, parse_sources, require_distinct_names


@pytest.fixture
def docs(tmp_path):
    for name in ("a.txt", "sub/b.md", "sub/c.txt", ".hidden/d.md"):
        path = tmp_path / "docs" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(name)
    return tmp_path / "docs"


def test_a_folder_a_file_and_a_glob(docs):
    folder, file, glob = parse_sources(["docs", "docs/a.txt", "docs/**/*.md"], docs.parent)
    assert folder == Source("docs", str(docs), "", "folder")
    assert file == Source("docs", str(docs), "a.txt", "file")
    assert glob == Source("docs", str(docs), "**/*.md", "glob")


def test_a_name_can_be_given_and_the_current_folder_has_its_own(docs):
    assert parse_sources(["wiki=docs"], docs.parent)[0].name == "wiki"
    assert parse_sources(["."], docs)[0].name == "docs"
    assert parse_sources([str(docs)], Path("/"))[0].root == str(docs)


def test_an_existing_path_wins_over_name_and_glob(tmp_path):
    for name in ("a=b", "x[1]"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "t.txt").write_text("t")
    assert [s.kind for s in parse_sources(["a=b", "x[1]"], tmp_path)] == ["folder", "folder"]


def test_the_same_argument_twice_is_one_source(docs):
    assert len(parse_sources(["docs", "docs/", "./docs"], docs.parent)) == 1


def test_two_roots_with_one_name_need_another_name(docs):
    other = docs / "sub" / "docs"
    other.mkdir()
    (other / "e.txt").write_text("e")
    with pytest.raises(InputError) as caught:
        parse_sources(["docs", "docs/sub/docs"], docs.parent)
    assert f"docs2={other}" in caught.value.remedy
    assert len(parse_sources(["docs", "inner=docs/sub/docs"], docs.parent)) == 2


@pytest.mark.parametrize("argument", ["missing", "missing/*.md", "docs/*.pdf", "empty", "uris:missing", "x.uris", ""])
def test_what_is_missing_or_empty_is_an_input_error(docs, argument):
    (docs.parent / "empty").mkdir()
    (docs.parent / "empty" / ".hidden").write_text("x")
    arguments = [argument] if argument else []
    with pytest.raises(InputError) as caught:
        parse_sources(arguments, docs.parent)
    assert caught.value.remedy


def test_a_list_of_uris(docs):
    (docs.parent / "pages.uris").write_text("docs/a.txt\n")
    (source,) = parse_sources(["pages.uris"], docs.parent)
    assert source == Source("pages", "", str(docs.parent / "pages.uris"), "uris")
    assert parse_sources([f"p=uris:{docs.parent}/pages.uris"], Path("/"))[0].name == "p"


def test_a_source_survives_the_manifest(docs):
    for source in parse_sources(["docs", "d=docs/a.txt", "g=docs/**/*.md"][:1], docs.parent):
        assert Source.from_json(json.loads(json.dumps(source.to_json()))) == source
    with pytest.raises(InputError):
        Source.from_json({"name": "a", "root": "/", "pattern": "", "kind": "other"})


def test_names_are_nfc_and_hold_no_slash(tmp_path):
    folder = tmp_path / unicodedata.normalize("NFD", "한글 문서")
    folder.mkdir()
    (folder / "a.txt").write_text("a")
    (source,) = parse_sources([str(folder)], tmp_path)
    assert source.name == "한글_문서"


def test_remote_folders_globs_and_files():
    fs = fsspec.filesystem("memory")
    fs.pipe({"/bucket/docs/a.txt": b"a", "/bucket/docs/sub/b.md": b"b"})
    arguments = ["memory://bucket/docs", "g=memory://bucket/docs/**/*.md", "f=memory://bucket/docs/a.txt"]
    folder, glob, file = parse_sources(arguments, Path("/"))
    assert (folder.name, folder.kind, glob.kind, file.kind) == ("docs", "folder", "glob", "file")
    assert glob.pattern == "**/*.md"
    assert file.root == "memory://bucket/docs"
    fs.rm("/bucket", recursive=True)
    with pytest.raises(InputError):
        parse_sources(["memory://bucket/docs"], Path("/"))


def test_a_missing_driver_names_its_extra(monkeypatch):
    def no_driver(url):
        raise ImportError("Install s3fs")

    monkeypatch.setattr(fsspec.core, "url_to_fs", no_driver)
    with pytest.raises(MissingExtra) as caught:
        parse_sources(["s3://bucket/docs"], Path("/"))
    assert caught.value.extra == "s3"
    with pytest.raises(InputError):
        parse_sources(["dropbox://docs"], Path("/"))


def test_an_unknown_protocol_is_an_input_error():
    with pytest.raises(InputError):
        parse_sources(["nonsense://x/y"], Path("/"))


def test_one_name_for_a_root_and_a_list_is_refused():
    with pytest.raises(InputError):
        require_distinct_names([Source("a", "/x", "", "folder"), Source("a", "", "/y.uris", "uris")])
