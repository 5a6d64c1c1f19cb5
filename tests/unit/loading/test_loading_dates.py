from datetime import UTC

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pathgraph.loading.dates import parse_date


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2024-03-05", "2024-03-05T00:00:00"),
        ("20240305", "2024-03-05T00:00:00"),
        ("2024-03-05T10:20:30", "2024-03-05T10:20:30"),
        ("2024-03-05T10:20:30Z", "2024-03-05T10:20:30"),
        ("2024-03-05 09:00:00+09:00", "2024-03-05T00:00:00"),
        ("2024.3.5", "2024-03-05T00:00:00"),
        ("2024. 3. 5.", "2024-03-05T00:00:00"),
        ("2024/03/05 10:20", "2024-03-05T10:20:00"),
        ("2024년 3월 5일", "2024-03-05T00:00:00"),
        ("1843-12-19", "1843-12-19T00:00:00"),
        ("D:20240305102030+09'00'", "2024-03-05T01:20:30"),
        ("D:20240305102030Z", "2024-03-05T10:20:30"),
        ("D:2024", "2024-01-01T00:00:00"),
        ("20240305102030-04'00'", "2024-03-05T14:20:30"),
        ("Tue, 05 Mar 2024 10:20:30 GMT", "2024-03-05T10:20:30"),
    ],
)
def test_dates(text, expected):
    assert parse_date(text).isoformat() == f"{expected}+00:00"


@pytest.mark.parametrize(
    "text",
    [
        "",
        "soon",
        "2024",
        "1700000000",
        "1712121212121",
        "03/05/2024",
        "2024-13-45",
        "0001-01-01",
        "9999-12-31",
        "D:",
        "12",
    ],
)
def test_nonsense_is_none(text):
    assert parse_date(text) is None


@given(st.text(max_size=40))
def test_any_text_gives_a_utc_time_or_none(text):
    found = parse_date(text)
    assert found is None or found.tzinfo is UTC
