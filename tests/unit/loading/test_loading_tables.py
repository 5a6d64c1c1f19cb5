"""csv, json, jsonl and parquet: columns, row ids, bad rows."""

import datetime
import io

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from pathgraph.loading.formats import format_of, read_parts
from pathgraph.loading.formats.parts import Part, Problem
from pathgraph.loading.formats.rows import row_parts, text_key
from pathgraph.settings import Loading


def parts(data, suffix, **settings):
    data = data.encode() if isinstance(data, str) else data
    return list(read_parts(format_of(suffix, data), data, suffix, Loading(**settings)))


def only(data, suffix, **settings):
    (part,) = parts(data, suffix, **settings)
    assert isinstance(part, Part), part
    return part


def problem(data, suffix, **settings):
    (part,) = parts(data, suffix, **settings)
    assert isinstance(part, Problem), part
    return part


def test_csv_rows_columns_and_delimiters():
    first, second = parts(
        "id;제목;본문;날짜;값\n1;가;첫 글;2024-01-02;x\n2;나;둘째 글;nonsense;\n", ".csv", id_column="id"
    )
    assert (first.row, first.title, first.text, first.modified, first.metadata) == (
        "1", "가", "첫 글", "2024-01-02", {"값": "x"},
    )  # fmt: skip
    assert (second.modified, second.metadata) == ("nonsense", {})


def test_rows_without_id_are_known_by_their_text_and_count_once():
    rows = parts("text,n\nhello,1\nworld,2\nhello,3\n", ".csv")
    assert [(part.row, part.metadata["n"]) for part in rows] == [("2cf24dba5fb0", "1"), ("486ea46224d1", "2")]


def test_bad_csv_rows_are_problems_and_the_rest_stands():
    found = parts("text,n\ngood,1\nbad,2,3,4\n,5\nshort\n", ".csv")
    assert [getattr(part, "error", part.__class__.__name__) for part in found] == ["Part", "bad_row", "empty", "Part"]
    assert found[1].raw == "bad,2,3,4"


def test_a_repeated_id_is_a_problem():
    first, second = parts("id,text\n1,a b\n1,c d\n", ".csv", id_column="id")
    assert (first.text, second.error, second.raw) == ("a b", "repeated_id", "c d")


def test_the_longest_column_of_words_is_the_text_when_no_name_says_so():
    assert only("code,note,number\nA,some words here,12345678901234567890123\n", ".csv").text == "some words here"
    assert problem("a,b\n1,2\n", ".csv").error == "no_column"
    assert problem("a,b\nx,y\n", ".csv", text_column="c").error == "no_column"


def test_csv_with_a_huge_quoted_cell_and_nul():
    huge = "긴 글 " * 100_000
    (part,) = parts(f'text,n\n"{huge}",1\n', ".csv")
    assert part.text == huge


def test_jsonl_bad_and_blank_lines():
    found = parts('{"text": "a b", "meta": {"k": [1]}}\n\nnot json\n["x"]\n{"text": null}\n{"text": "c"}', ".jsonl")
    kinds = [getattr(part, "error", "part") for part in found]
    assert kinds == ["part", "bad_row", "bad_row", "empty", "part"]
    assert found[0].metadata == {"meta": '{"k": [1]}'}
    assert found[1].raw == "not json\n"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('[{"text": "a"}, 3, {"text": "b"}]', ["part", "bad_row", "part"]),
        ('{"text": "a"}', ["part"]),
        ("{broken", ["broken"]),
        ("3", ["bad_row"]),
        ("[" * 100_000, ["broken"]),
        ("[]", []),
    ],
)
def test_json(text, expected):
    assert [getattr(part, "error", "part") for part in parts(text, ".json")] == expected


def test_parquet_types_become_text():
    table = pa.table(
        {
            "text": ["a b", None, "c d"],
            "date": [datetime.date(2024, 3, 5), None, None],
            "n": [1.5, None, float("nan")],
            "tags": [["x"], [], None],
        }
    )
    stream = io.BytesIO()
    pq.write_table(table, stream)
    first, empty, last = parts(stream.getvalue(), ".parquet")
    assert (first.modified, first.metadata) == ("2024-03-05", {"n": "1.5", "tags": '["x"]'})
    assert (empty.error, last.metadata) == ("empty", {})
    assert problem(stream.getvalue(), ".parquet", max_bytes=1).error == "too_large"


def test_a_usual_id_column_tells_rows_apart_only_while_its_values_differ():
    def keys(*rows):
        return [
            part.row for part in row_parts([dict(zip(("id", "text"), row, strict=True)) for row in rows], Loading())
        ]

    assert keys((1, "Same words."), (2, "Same words.")) == ["1", "2"]
    assert keys((1, "Some words."), (1, "Other words.")) == [text_key("Some words."), text_key("Other words.")]
    assert keys(("", "Some words."), (2, "Other words.")) == [text_key("Some words."), text_key("Other words.")]
