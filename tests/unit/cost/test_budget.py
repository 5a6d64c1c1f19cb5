"""Budgets: reading them, and that they hold under threads."""

import asyncio
import random
import threading
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pathgraph.cost import meter
from pathgraph.cost.budget import Budget, Limit, parse_limit
from pathgraph.cost.prices import FREE, Price, Tariff
from pathgraph.errors import BudgetExhausted, ModelRejected, UsageError
from pathgraph.providers import usage


@pytest.mark.parametrize(
    ("text", "amount", "in_tokens"),
    [
        ("5", 5, False),
        ("5.00", 5, False),
        (".5", 0.5, False),
        ("0", 0, False),
        ("1,000.5", 1000.5, False),
        ("2000000tok", 2_000_000, True),
        ("2_000_000 tokens", 2_000_000, True),
        ("2Mtok", 2_000_000, True),
        (" 1.5k tok ", 1500, True),
    ],
)
def test_a_budget_is_money_or_tokens(text, amount, in_tokens):
    assert parse_limit(text) == Limit(amount, in_tokens)


@pytest.mark.parametrize("text", ["", "five", "-5", "5M", "5 USD", "tok", "1.2.3", "5tokk", "nan", "inf", "1e3", "５"])
def test_anything_else_is_refused(text):
    with pytest.raises(UsageError, match="2000000tok"):
        parse_limit(text)


def test_what_does_not_fit_ends_it_for_good():
    budget = Budget(Limit(100, True), "USD")
    assert budget.try_reserve(60)
    budget.settle(60, 50)
    with pytest.raises(BudgetExhausted, match="50 tokens of 100 tokens") as caught:
        budget.try_reserve(51)
    assert isinstance(caught.value, ModelRejected)  # so that every stage stops as for an empty account
    assert "--budget" in caught.value.remedy
    with pytest.raises(BudgetExhausted):
        budget.try_reserve(1)


def test_a_call_waits_for_those_in_flight_when_they_may_leave_room():
    budget = Budget(Limit(100, True), "USD")
    assert budget.try_reserve(80)
    assert not budget.try_reserve(80)
    budget.settle(80, 20)
    assert budget.try_reserve(80)


def test_a_call_that_comes_to_nothing_gives_its_room_back():
    budget = Budget(Limit(10, True), "USD")
    for _ in range(50):
        assert budget.try_reserve(10)
        budget.settle(10, 0)
    assert budget.spent == 0


@given(st.integers(0, 5_000), st.integers(1, 12), st.integers(0, 2**32))
def test_threads_never_pass_the_limit_by_more_than_calls_in_flight_exceed_their_reserve(limit, threads, seed):
    budget, lock, excess = Budget(Limit(limit, True), "USD"), threading.Lock(), []
    draw = random.Random(seed)
    plans = [[(draw.randint(1, 300), draw.uniform(0.2, 1.5)) for _ in range(20)] for _ in range(threads)]

    def work(plan):
        for expected, factor in plan:
            try:
                while not budget.try_reserve(expected):
                    time.sleep(0)
            except BudgetExhausted:
                return
            with lock:
                excess.append(max(0.0, expected * factor - expected))
            budget.settle(expected, expected * factor)

    running = [threading.Thread(target=work, args=(plan,)) for plan in plans]
    for one in running:
        one.start()
    for one in running:
        one.join()
    in_flight = sum(sorted(excess, reverse=True)[:threads])
    assert budget.spent <= limit + in_flight + 1e-6


@given(st.integers(0, 5_000), st.lists(st.integers(1, 300), max_size=60))
def test_calls_that_pay_what_they_reserved_never_pass_the_limit(limit, amounts):
    budget, paid = Budget(Limit(limit, True), "USD"), 0
    for amount in amounts:
        try:
            assert budget.try_reserve(amount)
        except BudgetExhausted:
            break
        budget.settle(amount, amount)
        paid += amount
    assert budget.spent == paid <= limit


async def pay(stage, expected, paid, error=None):
    async with meter.call(stage, *expected) as payment:
        await asyncio.sleep(0)
        if error:
            raise error
        payment.tokens_in, payment.tokens_out = paid


def test_the_meter_counts_what_was_paid_and_stops_at_the_limit():
    meter.begin(Limit(1_000, True), {}, "USD")
    asyncio.run(pay("extraction", (100, 100), (110, 90)))
    asyncio.run(pay("summaries", (300, 300), (300, 100)))
    with pytest.raises(BudgetExhausted):
        asyncio.run(pay("extraction", (300, 200), (1, 1)))
    assert usage.paid() == {
        "extraction.calls": 1,
        "extraction.in": 110,
        "extraction.out": 90,
        "summaries.calls": 1,
        "summaries.in": 300,
        "summaries.out": 100,
    }
    meter.begin(None, {}, "USD")
    assert usage.paid() == {}
    asyncio.run(pay("extraction", (10**9, 10**9), (1, 1)))


def test_money_is_counted_by_the_tariff_of_the_stage():
    tariffs = {"extraction": Tariff("m", Price(model="m", input=1, output=2)), "summaries": Tariff("offline", FREE)}
    meter.begin(Limit(5, False), tariffs, "USD")
    asyncio.run(pay("extraction", (1_000_000, 1_000_000), (1_000_000, 1_500_000)))
    asyncio.run(pay("summaries", (10**9, 10**9), (10**9, 10**9)))
    with pytest.raises(BudgetExhausted, match=r"4\.0000 USD of 5\.0000 USD"):
        asyncio.run(pay("extraction", (1_000_001, 0), (0, 0)))
    meter.begin(None, {}, "USD")


def test_a_failed_call_is_not_paid_and_leaves_its_room():
    meter.begin(Limit(100, True), {}, "USD")
    for _ in range(3):
        with pytest.raises(KeyError):
            asyncio.run(pay("extraction", (50, 50), (0, 0), KeyError("no")))
    assert usage.paid() == {}
    meter.begin(None, {}, "USD")


def test_many_calls_at_once_wait_for_each_other_and_use_the_budget_up():
    async def all_of_them():
        calls = [pay("extraction", (50, 50), (10, 10)) for _ in range(40)]
        return await asyncio.gather(*calls, return_exceptions=True)

    meter.begin(Limit(220, True), {}, "USD")
    results = asyncio.run(all_of_them())
    paid = usage.paid()["extraction.calls"]
    assert results.count(None) == paid
    assert 7 <= paid <= 11  # without waiting it would be 2: 220 // 100
    assert all(result is None or isinstance(result, BudgetExhausted) for result in results)
    meter.begin(None, {}, "USD")


def test_money_needs_known_prices():
    with pytest.raises(UsageError, match="qwen3"):
        meter.begin(Limit(5, False), {"extraction": Tariff("qwen3", None)}, "USD")
    meter.begin(Limit(5, True), {"extraction": Tariff("qwen3", None)}, "USD")
    meter.begin(None, {}, "USD")
