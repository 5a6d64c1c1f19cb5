"""Sentence boundaries: a tricky set per language, structure, and what must hold for any text."""

from itertools import pairwise
from pathlib import Path

import pytest
import regex
from hypothesis import given, settings
from hypothesis import strategies as st

from pathgraph.chunking.sentences import paragraphs, sentences

HERE = Path(__file__).parent
MARK = "‖"
MARKS = ("\u0301", "\u200d", "🏽")
ALPHABET = st.sampled_from([*"abIT다요까한.!?…。 \n\t\"')(“”1,-|#", "\u0301", "\u200d", "👩", "🏽", "\r", "🇰", "각"])


def texts(text: str) -> list[str]:
    return [text[start:end] for start, end in sentences(text)]


def boundaries(pieces: list[str]) -> set[int]:
    """Inner boundaries, counted in characters that are not blank."""
    ends, total = set(), 0
    for piece in pieces[:-1]:
        total += len("".join(piece.split()))
        ends.add(total)
    return ends


def score(name: str) -> tuple[float, float, list[str]]:
    """Precision and recall of a set, and the lines that are not exactly right."""
    found = right = hits = 0
    wrong = []
    for line in (HERE / f"{name}.txt").read_text("utf-8").splitlines():
        joined = line.replace(MARK, " ")
        got, want = boundaries(texts(joined)), boundaries(line.split(MARK))
        found, right, hits = found + len(got), right + len(want), hits + len(got & want)
        if got != want:
            wrong.append(" ‖ ".join(texts(joined)))
    return hits / found, hits / right, wrong


@pytest.mark.parametrize(
    ("name", "least_precision", "least_recall"),
    [
        ("tricky_ko", 0.99, 0.99),
        ("tricky_en", 0.99, 0.99),
        # No rule was fitted to these, but for one slip that untouched_ko showed (docs/chunking.md).
        ("untouched_ko", 0.95, 0.95),
        ("untouched_en", 0.99, 0.80),
    ],
)
def test_tricky_sentences(name, least_precision, least_recall):
    precision, recall, wrong = score(name)
    assert precision >= least_precision, wrong
    assert recall >= least_recall, wrong


def test_lines_that_stand_alone():
    text = "# Title\nFirst line.\n- one\n- two\n| a | b |\n|---|---|\n| 1 | 2 |\n1. First step.\n2. Second. Done."
    assert texts(text) == [
        "# Title", "First line.", "- one", "- two", "| a | b |", "|---|---|", "| 1 | 2 |",
        "1. First step.", "2. Second.", "Done.",
    ]  # fmt: skip


def test_wrapped_prose_goes_on_and_short_lines_do_not():
    wrapped = (
        "The old mill stood by the river for years. Nobody knew who had built it. The\n"
        "roof fell in during the last winter, and the wheel no longer turns at all."
    )
    assert len(texts(wrapped)) == 3
    assert texts("매출 증가\n영업이익 감소\n순이익 흑자") == ["매출 증가", "영업이익 감소", "순이익 흑자"]
    korean = (
        "이번 분기에는 반도체 부문의 매출이 전년 같은 기간보다 크게 늘어서 회사 전체의\n"
        "실적을 이끌었다. 다음 분기에도 같은 흐름이 이어질 것으로 회사는 내다봤다"
    )
    assert len(texts(korean)) == 2


def test_korean_line_end_without_stop_is_a_boundary():
    line = "회사는 이번 분기에 반도체 부문의 매출이 전년 같은 기간보다 크게 늘었다고 밝혔다"
    assert texts(f"{line}\n{line}") == [line, line]


def test_paragraph_break_always_parts():
    assert texts("of the\n\nrest of\n \t\nit") == ["of the", "rest of", "it"]


@given(st.text(ALPHABET, max_size=200))
@settings(max_examples=300, deadline=None)
def test_spans_cover_in_order_and_never_start_inside_a_grapheme(text):
    spans = list(sentences(text))
    assert all(start < end for start, end in spans)
    assert all(left[1] <= right[0] for left, right in pairwise(spans))
    covered = {i for start, end in spans for i in range(start, end)}
    assert {i for i, c in enumerate(text) if not c.isspace()} <= covered
    assert not any(text[start].isspace() and text[start + 1 : start + 2] not in MARKS for start, _ in spans)
    assert not any(text[end - 1].isspace() for _, end in spans)
    breaks = {m.start() for m in regex.finditer(r"\X", text)} | {len(text)}
    assert {start for start, _ in spans} <= breaks
    gaps = [set(range(a[1], b[0])) for a, b in pairwise(paragraphs(text))]
    assert not any(gap & set(range(*span)) for gap in gaps for span in spans)


def test_korean_stop_needs_no_blank():
    assert texts("합병은 끝났다.그러나 소송은 남았다.") == ["합병은 끝났다.", "그러나 소송은 남았다."]
