"""Token counts: the estimate against the exact count, and what must hold for any text."""

import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pathgraph.errors import MissingExtra, UsageError
from pathgraph.tokens import counter, estimate

ENGLISH = (
    "The committee published its annual report on Tuesday, and it notes that revenue from the northern region grew by "
    "12.4% while operating costs fell. Analysts had expected a smaller change, but the chairman said that the figures "
    "speak for themselves. A second report, which covers infrastructure, follows in September."
)
KOREAN = (
    "위원회는 화요일에 연례 보고서를 발표했고, 북부 지역의 매출이 12.4% 늘어난 반면 운영 비용은 줄었다고 밝혔다. "
    "분석가들은 더 작은 변화를 예상했지만 위원장은 수치가 스스로 말해 준다고 했다. "
    "기반 시설을 다루는 두 번째 보고서는 9월에 나온다."
)


@pytest.fixture(autouse=True)
def _fresh():
    counter.cache_clear()


@pytest.mark.parametrize("text", [ENGLISH, KOREAN, ENGLISH + KOREAN])
def test_the_estimate_is_near_the_exact_count(text):
    pytest.importorskip("bpe_openai")
    assert estimate(text) == pytest.approx(counter("o200k")(text), rel=0.15)


def test_exact_counts():
    pytest.importorskip("bpe_openai")
    assert counter("o200k")("hello world") == 2
    assert counter("o200k")("<|endoftext|>") > 1
    assert counter("cl100k")("안녕하세요") > counter("o200k")("안녕하세요")
    assert counter("o200k")("word " * 300_000) > 290_000


def test_auto_takes_what_is_installed(monkeypatch):
    monkeypatch.setattr("pathgraph.tokens.find_spec", lambda _: None)
    assert counter("auto") is estimate


def test_missing_extra_says_which(monkeypatch):
    monkeypatch.setitem(sys.modules, "bpe_openai", None)
    with pytest.raises(MissingExtra, match=r"pathgraph\[tokens\]"):
        counter("o200k")


def test_unknown_name():
    with pytest.raises(UsageError, match="rule"):
        counter("gpt9")


@given(st.text(max_size=300), st.text(max_size=300))
@settings(deadline=None)
def test_the_estimate_is_nearly_additive(left, right):
    together, apart = estimate(left + right), estimate(left) + estimate(right)
    assert abs(together - apart) <= 4
    assert (estimate(left) == 0) == (left == "")
    assert estimate(left) <= 2 * len(left)
