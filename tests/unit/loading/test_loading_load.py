import json
import time
from datetime import UTC, datetime
from pathlib import Path

import pytest

from pathgraph.errors import InputError
from pathgraph.failure import Failure
from pathgraph.ids import content_id
from pathgraph.loading import Document, Item, Source, item_key, load, load_item, parse_sources
from pathgraph.loading.document import clean_title, hash_document
from pathgraph.schema.tables import DOCUMENTS, FAILURES
from pathgraph.settings import Loading, RouteRule

SETTINGS = Loading()


def loaded(root, settings=SETTINGS):
    return list(load(parse_sources([str(root)], Path("/")), settings))


def item(tmp_path, name, content=b"text"):
    path = tmp_path / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return Item("s", name, str(path), path.stat().st_size, path.stat().st_mtime)


def test_a_document_fits_its_table(tmp_path):
    (tmp_path / "a.md").write_text("---\ntitle: T\ndate: 2024-03-05\nowner: 김\n---\nHello  \r\nworld")
    (document,) = loaded(tmp_path)
    assert document.text == "Hello  \nworld"
    assert (document.title, document.uri, document.media_type, document.route) == (
        "T",
        "a.md",
        "text/markdown",
        "graph",
    )
    assert document.modified_at == datetime(2024, 3, 5, tzinfo=UTC)
    assert document.document_id == content_id("document", document.source, "a.md")
    assert document.content_hash == hash_document("T", document.text, "graph", {"owner": "김"})
    (row,) = DOCUMENTS.from_rows([document.to_row()]).to_pylist()
    assert dict(row["metadata"]) == {"owner": "김"}


def test_same_name_or_same_text_elsewhere_is_another_document(tmp_path):
    for name in ("x/a.txt", "y/a.txt", "b.txt"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("the same text")
    documents = loaded(tmp_path)
    assert [d.uri for d in documents] == ["b.txt", "x/a.txt", "y/a.txt"]
    assert len({d.document_id for d in documents}) == 3


def test_two_arguments_of_one_root_load_a_file_once(tmp_path):
    (tmp_path / "a.txt").write_text("a")
    (tmp_path / "b.md").write_text("b")
    sources = parse_sources([".", "a.txt", "*.md"], tmp_path)
    assert [d.uri for d in load(sources, SETTINGS)] == ["a.txt", "b.md"]


def test_dates_change_no_hash_and_nonsense_stays_in_metadata(tmp_path):
    first, second, odd = (
        load_item(item(tmp_path, f"{i}.md", f"---\ntitle: T\ndate: {date}\n---\nx"), SETTINGS)[0]
        for i, date in enumerate(("2024-03-05", "2025-03-05", "soon"))
    )
    assert first.content_hash == second.content_hash
    assert (odd.modified_at, odd.metadata) == (None, {"date": "soon"})


def test_file_times_only_by_setting(tmp_path):
    one = item(tmp_path, "a.txt")
    assert load_item(one, SETTINGS)[0].modified_at is None
    timed = load_item(one, Loading(file_times=True))[0]
    assert timed.modified_at == datetime.fromtimestamp(one.mtime, UTC)
    assert timed.content_hash == load_item(one, SETTINGS)[0].content_hash


def test_routes_by_glob_and_media_type(tmp_path):
    rules = (RouteRule(match="s/a*", route="skip"), RouteRule(match="text/csv", route="vector"))
    settings = Loading(routes=rules)
    assert load_item(item(tmp_path, "a.txt"), settings)[0].route == "skip"
    assert load_item(item(tmp_path, "b.csv", "text\nx y\n"), settings)[0].route == "vector"
    assert load_item(item(tmp_path, "c.txt"), settings)[0].route == "graph"


def test_rows_get_uris_below_their_file(tmp_path):
    document, failure = load_item(item(tmp_path, "a.jsonl", '{"text": "hello", "title": "T"}\nbad'), SETTINGS)
    assert (document.uri, document.title) == ("a.jsonl#2cf24dba5fb0", "T")
    assert (failure.uri, failure.error, failure.raw) == ("s/a.jsonl", "bad_row", "bad")
    assert FAILURES.from_rows([failure.row()]).num_rows == 1


def test_a_title_is_never_empty_and_is_one_clean_line(tmp_path):
    assert load_item(item(tmp_path, "보고서.txt"), SETTINGS)[0].title == "보고서"
    assert clean_title(" a\n\tb\0\ufeff ") == "a b"
    assert len(clean_title("가" * 1000)) == 300


@pytest.mark.parametrize(
    ("name", "content", "error"),
    [
        ("a.txt", b"", "empty"),
        ("a.txt", b" \n\t", "empty"),
        ("a.txt", b"\xef\xbb\xbf\n", "no_text"),
        ("a.csv", b"text,b\n", "empty"),
        ("a.html", b"<html><body></body></html>", "no_text"),
        ("a.bin", bytes(range(256)) * 8, "unsupported"),
        ("a.txt", bytes(range(256)) * 8, "undecodable"),
        ("a.pdf", b"%PDF-1.4", "broken"),
        ("a.txt", b"x" * 2000, "too_large"),
    ],
)
def test_failures_of_whole_files(tmp_path, name, content, error):
    (failure,) = load_item(item(tmp_path, name, content), Loading(max_bytes=10_000 if error != "too_large" else 1000))
    assert isinstance(failure, Failure)
    assert (failure.stage, failure.uri, failure.error) == ("load", f"s/{name}", error)
    assert failure.document_id == content_id("document", "s", name)
    assert failure.message


def test_too_large_is_found_when_the_size_is_unknown(tmp_path):
    one = item(tmp_path, "a.txt", b"x" * 2000)
    unknown = Item(one.source, one.uri, one.location)
    assert load_item(unknown, Loading(max_bytes=1000))[0].error == "too_large"


@pytest.mark.parametrize(
    ("raised", "error"), [(PermissionError(13, "no"), "unreadable"), (FileNotFoundError(2, "no"), "missing")]
)
def test_an_unreadable_file_stops_nothing(tmp_path, monkeypatch, raised, error):
    for name in ("a.txt", "b.txt"):
        (tmp_path / name).write_text(name)
    real = Item.open

    def opened(self, limit):
        if self.uri == "a.txt":
            raise raised
        return real(self, limit)

    monkeypatch.setattr(Item, "open", opened)
    failure, document = loaded(tmp_path)
    assert (failure.error, document.uri) == (error, "b.txt")
    assert item_key(Item("s", "a.txt", "/nowhere"), SETTINGS) == ""


def test_many_bad_rows_are_counted_not_listed(tmp_path):
    results = load_item(item(tmp_path, "a.jsonl", "bad\n" * 5000 + '{"text": "good"}'), SETTINGS)
    failures = [r for r in results if isinstance(r, Failure)]
    assert (len(results), len(failures), failures[-1].error) == (102, 101, "more")
    assert failures[-1].message.startswith("4900 ")


def test_item_key_changes_with_what_matters(tmp_path):
    one = item(tmp_path, "a.txt", "one")
    key = item_key(one, SETTINGS)
    assert key == item_key(Item(one.source, one.uri, one.location), SETTINGS)
    assert key != item_key(one, Loading(text_column="x"))
    assert key != item_key(Item("t", one.uri, one.location), SETTINGS)
    (tmp_path / "a.txt").write_text("two")
    assert key != item_key(one, SETTINGS)


def test_known_items_are_not_parsed_again(tmp_path):
    (tmp_path / "a.txt").write_text("one")
    sources = parse_sources([str(tmp_path)], Path("/"))
    one = Item(sources[0].name, "a.txt", str(tmp_path / "a.txt"))
    known = {item_key(one, SETTINGS): [Failure("load", "s/a.txt", "known", "from before")]}
    assert [r.error for r in load(sources, SETTINGS, known)] == ["known"]


def test_loading_streams(tmp_path):
    for i in range(20):
        (tmp_path / f"{i:02}.txt").write_text("x")
    stream = load(parse_sources([str(tmp_path)], Path("/")), SETTINGS)
    assert next(stream).uri == "00.txt"
    (tmp_path / "19.txt").unlink()
    assert [r.error for r in stream if isinstance(r, Failure)] == ["missing"]


def test_a_vanished_root_stops(tmp_path):
    with pytest.raises(InputError):
        list(load([Source("s", str(tmp_path / "gone"), "", "folder")], SETTINGS))


def test_fifty_megabytes_in_one_line_load_in_seconds(tmp_path):
    one = item(tmp_path, "a.txt", "word " * 10_000_000)
    start = time.process_time()
    (document,) = load_item(one, SETTINGS)
    assert len(document.text) == 50_000_000
    assert time.process_time() - start < 10


def test_naughty_strings_are_kept_or_told(tmp_path):
    strings = [
        "\u202e\u200f\ufeff",
        "👾 🙇‍♀️",
        "Ṱ̺̺̕o͞ ̷i̲̬͇",
        "<script>alert(1)</script>",
        "'; DROP TABLE x",
        "\ud800",
        "‫بالعربية‬",
        "\0",
    ]
    lines = "\n".join(json.dumps({"text": text, "title": text}) for text in strings)
    results = load_item(item(tmp_path, "a.jsonl", lines), SETTINGS)
    documents = [r for r in results if isinstance(r, Document)]
    DOCUMENTS.from_rows([d.to_row() for d in documents])
    assert "👾 🙇‍♀️" in [d.text for d in documents]
    assert "<script>alert(1)</script>" in [d.text for d in documents]
    assert {r.error for r in results if isinstance(r, Failure)} == {"no_text"}
