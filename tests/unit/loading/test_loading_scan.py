import os
import unicodedata
from pathlib import Path

import fsspec
import pytest

from pathgraph.errors import InputError
from pathgraph.failure import Failure
from pathgraph.loading import files
from pathgraph.loading.scan import Item, scan, suffix
from pathgraph.loading.sources import Source
from pathgraph.settings import Loading


def write(root, *names):
    for name in names:
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(name)


def listed(root, pattern="", settings=None):
    kind = "glob" if pattern else "folder"
    return list(scan(Source("s", str(root), pattern, kind), settings or Loading()))


def uris(root, pattern="", settings=None):
    return [one.uri for one in listed(root, pattern, settings)]


def test_items_come_sorted_with_size_and_time(tmp_path):
    write(tmp_path, "b.txt", "a/z.txt", "a.txt", "가.txt")
    found = listed(tmp_path)
    assert [one.uri for one in found] == ["a.txt", "a/z.txt", "b.txt", "가.txt"]
    assert found[0].size == 5
    assert found[0].mtime == (tmp_path / "a.txt").stat().st_mtime
    assert found[0].open(3) == b"a.tx"


def test_hidden_lock_and_store_files_are_ignored(tmp_path):
    write(tmp_path, "a.txt", ".git/config", ".b", "~$a.docx", "Thumbs.db", "st/CURRENT", "st/snapshots/x/part.parquet")
    assert uris(tmp_path) == ["a.txt"]


def test_globs_span_folders_with_two_stars_only(tmp_path):
    write(tmp_path, "a.md", "x/b.md", "x/y/c.md", "x/d.txt")
    assert uris(tmp_path, "*.md") == ["a.md"]
    assert uris(tmp_path, "**/*.md") == ["a.md", "x/b.md", "x/y/c.md"]
    assert uris(tmp_path, "x/**") == ["x/b.md", "x/d.txt", "x/y/c.md"]


def test_loops_end_and_a_file_counts_once_by_its_real_path(tmp_path):
    root = tmp_path / "root"
    write(root, "z/real.txt")
    write(tmp_path, "outside/far.txt")
    (root / "z" / "loop").symlink_to(root)
    (root / "a_link").symlink_to(root / "z")
    (root / "b_link.txt").symlink_to(root / "z" / "real.txt")
    (root / "c_out").symlink_to(tmp_path / "outside")
    (root / "d_out").symlink_to(tmp_path / "outside")
    (root / "up").symlink_to(tmp_path)
    (tmp_path / "outside" / "back").symlink_to(root)
    assert uris(root) == ["c_out/far.txt", "z/real.txt"]
    assert uris(root, settings=Loading(follow_links=False)) == ["z/real.txt"]


def test_a_hard_link_is_a_document_of_its_own(tmp_path):
    write(tmp_path, "a.txt")
    os.link(tmp_path / "a.txt", tmp_path / "b.txt")
    assert uris(tmp_path) == ["a.txt", "b.txt"]


def test_dangling_links_and_pipes_are_failures(tmp_path):
    write(tmp_path, "a.txt")
    (tmp_path / "gone.txt").symlink_to(tmp_path / "nowhere")
    os.mkfifo(tmp_path / "pipe.txt")
    failed = [one for one in listed(tmp_path) if isinstance(one, Failure)]
    assert [(one.uri, one.error) for one in failed] == [("s/gone.txt", "unreadable"), ("s/pipe.txt", "unreadable")]


def test_an_unreadable_folder_is_a_failure_that_ends_in_a_slash(tmp_path, monkeypatch):
    write(tmp_path, "a.txt", "shut/b.txt")
    real = os.scandir

    def scandir(path):
        if str(path).endswith("shut"):
            raise PermissionError(13, "Permission denied", str(path))
        return real(path)

    monkeypatch.setattr(files.os, "scandir", scandir)
    found = listed(tmp_path)
    assert [type(one) for one in found] == [Item, Failure]
    assert (found[1].uri, found[1].error) == ("s/shut/", "unreadable")


def test_names_equal_after_normalisation_are_one_uri(tmp_path):
    write(tmp_path, unicodedata.normalize("NFC", "가각.txt"), unicodedata.normalize("NFD", "가각.txt"))
    item, failure = listed(tmp_path)
    assert {item.uri, failure.uri.removeprefix("s/")} == {"가각.txt"}
    assert failure.error == "same_name"


def test_a_name_that_is_no_unicode_is_listed(tmp_path):
    name = os.fsdecode(b"caf\xe9.txt")
    (tmp_path / name).write_text("x")
    (item,) = listed(tmp_path)
    assert item.open(10) == b"x"
    item.uri.encode()


def test_a_list_of_uris_keeps_its_lines(tmp_path):
    write(tmp_path, "docs/a.txt")
    fsspec.filesystem("memory").pipe({"/bucket/b.txt": b"remote"})
    lines = ["# comment", "", "docs/a.txt", f"file://{tmp_path}/docs/a.txt", "memory://bucket/b.txt", "docs/gone.txt"]
    (tmp_path / "list.uris").write_text("\n".join([*lines, "docs/a.txt"]))
    found = list(scan(Source("list", "", str(tmp_path / "list.uris"), "uris"), Loading()))
    assert [one.uri for one in found if isinstance(one, Item)] == sorted([lines[2], lines[3], lines[4]])
    assert next(one.open(9) for one in found if one.uri.startswith("memory")) == b"remote"
    assert [one.uri for one in found if isinstance(one, Failure)] == ["list/docs/gone.txt"]


@pytest.mark.parametrize("pattern", ["", "*.pdf"])
def test_nothing_found_raises(tmp_path, pattern):
    if pattern:
        write(tmp_path, "a.txt")
    with pytest.raises(InputError):
        listed(tmp_path, pattern)
    with pytest.raises(InputError):
        listed(tmp_path / "missing", pattern)


def test_remote_items(tmp_path):
    fs = fsspec.filesystem("memory")
    fs.pipe({"/scan/docs/b.txt": b"bb", "/scan/docs/a/c.txt": b"c", "/scan/docs/.x": b"x"})
    found = list(scan(Source("docs", "memory://scan/docs", "", "folder"), Loading()))
    assert [(one.uri, one.size, one.open(9)) for one in found] == [("a/c.txt", 1, b"c"), ("b.txt", 2, b"bb")]


@pytest.mark.parametrize(
    ("uri", "ending"),
    [("a/B.PDF", ".pdf"), ("https://x.org/a.html?q=b.pdf#c", ".html"), ("a", ""), ("a.b/c", ""), ("x#1.md", ".md")],
)
def test_suffix(uri, ending):
    assert suffix(uri) == ending


def test_paths_with_links_on_the_way_to_the_root_work(tmp_path):
    write(tmp_path, "real/a.txt")
    (tmp_path / "alias").symlink_to(tmp_path / "real")
    assert uris(tmp_path / "alias") == ["a.txt"]
    assert Path(listed(tmp_path / "alias")[0].location).read_text() == "real/a.txt"
