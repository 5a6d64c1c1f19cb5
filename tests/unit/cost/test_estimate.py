"""The arithmetic of estimates: a worked case, and what holds for all."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pathgraph.cost.estimate import Estimate, Pace, Work, line, total
from pathgraph.cost.prices import FREE, Price, Tariff

PRICE = Price(model="m", input=0.4, output=1.6, batch=0.5)
UNKNOWN = Tariff("x", None)
counts = st.integers(0, 10**7)
works = st.builds(Work, st.sampled_from(["extraction", "summaries", "embeddings"]), counts, counts, counts, counts)
paces = st.builds(Pace, st.integers(1, 500), st.floats(0, 60), st.integers(0, 10**4), st.integers(0, 10**7))


def test_the_worked_case():
    """1,000 documents of 5 chunks, 500 tokens in and 200 out each: 3.5 M tokens; 10 at once, 3 s each: 25 minutes."""
    chunks = 1_000 * 5
    work = Work("extraction", chunks, 0, chunks * 500, chunks * 200)
    found = line(work, Pace(concurrency=10, seconds=3.0), Tariff("m", PRICE))
    assert found.tokens_in + found.tokens_out == 3_500_000
    assert found.minutes == pytest.approx(25)
    assert found.cost == pytest.approx(2.5 * 0.4 + 1.0 * 1.6)
    assert found.batch_cost == pytest.approx(found.cost / 2)


def test_limits_of_the_endpoint_bound_the_time():
    work = Work("extraction", 5_000, 0, 2_500_000, 1_000_000)
    assert line(work, Pace(10, 3.0, requests_per_minute=100), Tariff("m", PRICE)).minutes == pytest.approx(50)
    assert line(work, Pace(10, 3.0, tokens_per_minute=35_000), Tariff("m", PRICE)).minutes == pytest.approx(100)
    assert line(work, Pace(10, 3.0, 10_000, 10**9), Tariff("m", PRICE)).minutes == pytest.approx(25)


def test_vectors_are_not_sent_in_batches():
    work = Work("embeddings", 10, 0, 1_000_000, 0)
    assert line(work, Pace(1, 1.0), Tariff("m", PRICE)).batch_cost == pytest.approx(0.4)


def test_an_unknown_price_makes_the_sum_unknown_but_only_where_something_is_called():
    pace = Pace(1, 1.0)
    known = line(Work("extraction", 1, 0, 10, 10), pace, Tariff("m", PRICE))
    assert total([known, line(Work("summaries", 1, 0, 10, 10), pace, UNKNOWN)]).cost is None
    assert total([known, line(Work("summaries", 0, 9, 0, 0), pace, UNKNOWN)]).cost == known.cost
    assert total([line(Work("summaries", 1, 0, 10, 10), pace, UNKNOWN)]).tokens_in == 10


@given(st.lists(works, max_size=5), paces)
def test_the_total_is_the_sum_of_the_stages(some, pace):
    lines = [line(work, pace, Tariff("m", PRICE)) for work in some]
    whole = total(lines)
    for name in ("calls", "cached", "tokens_in", "tokens_out", "minutes", "cost", "batch_cost"):
        assert getattr(whole, name) == pytest.approx(sum(getattr(one, name) for one in lines))


@given(st.lists(works, max_size=4), st.lists(works, max_size=4), paces)
def test_totals_add_up_over_any_split(one, other, pace):
    lines = [[line(work, pace, Tariff("m", PRICE)) for work in part] for part in (one, other)]
    whole, parts = total(lines[0] + lines[1]), [total(part) for part in lines]
    assert whole.cost == pytest.approx(sum(part.cost for part in parts))
    assert whole.minutes == pytest.approx(sum(part.minutes for part in parts))


@given(works, paces, st.integers(0, 10**6), st.integers(0, 10**6))
def test_more_work_never_takes_less(work, pace, calls, tokens):
    more = Work(work.stage, work.calls + calls, work.cached, work.tokens_in + tokens, work.tokens_out)
    less, much = (line(one, pace, Tariff("m", PRICE)) for one in (work, more))
    assert much.minutes >= less.minutes
    assert much.cost >= less.cost


@given(works, paces)
def test_cached_calls_cost_nothing(work, pace):
    cached = line(Work(work.stage, 0, work.calls, 0, 0), pace, Tariff("m", PRICE))
    assert (cached.minutes, cached.cost, cached.batch_cost) == (0, 0, 0)


def test_what_a_run_records_names_stage_and_measure():
    lines = (line(Work("extraction", 2, 1, 100, 50), Pace(1, 60.0), Tariff("m", PRICE)),)
    vectors = line(Work("vector only", 1, 0, 7, 0), Pace(1, 1.0), Tariff("offline", FREE))
    estimate = Estimate(lines, vectors, "USD", base={"extraction.base_calls": 2})
    assert estimate.expected() == {
        "extraction.base_calls": 2,
        "extraction.calls": 2,
        "extraction.in": 100,
        "extraction.out": 50,
        "extraction.minutes": pytest.approx(2),
        "extraction.cost": pytest.approx(PRICE.cost(100, 50)),
    }
    told = estimate.as_dict()
    assert told["total"]["tokens_in"] == 100
    assert told["vector_only"]["cost"] == 0
