"""The limiter on a virtual clock: bounds hold in every window, and nothing waits longer than they ask for."""

import asyncio

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pathgraph.providers.openai.limiter import Limiter, Limits

from .virtual_time import run


async def _calls(limits, seconds, tokens=1):
    """Make one call a latency; return the starts, the most in flight and the end."""
    limiter, loop = Limiter(limits), asyncio.get_running_loop()
    starts, most, active = [], 0, 0

    async def call(latency):
        nonlocal most, active
        async with limiter.turn(tokens):
            active += 1
            most = max(most, active)
            starts.append(loop.time())
            await asyncio.sleep(latency)
            active -= 1

    await asyncio.gather(*(call(latency) for latency in seconds))
    return starts, most, loop.time()


def test_all_places_are_used_and_no_more():
    latencies = [3.0 if i % 21 else 20.0 for i in range(5000)]
    _, most, end = run(_calls(Limits(64), latencies))
    assert most == 64
    assert end <= sum(latencies) / 64 + 20  # no order of work can promise less than the bound and one longest call


@pytest.mark.parametrize("per_minute", [6, 60, 600])
def test_requests_a_minute_hold_and_are_used(per_minute):
    starts, _, end = run(_calls(Limits(1000, requests_per_minute=per_minute), [0.1] * (3 * per_minute)))
    for first in starts:
        assert sum(first <= at < first + 60 for at in starts) <= per_minute * 1.04 + 1
    assert end <= 181


def test_tokens_a_minute_hold_also_for_a_call_larger_than_a_burst():
    starts, _, end = run(_calls(Limits(1000, tokens_per_minute=6000), [0.0] * 30, tokens=1000))
    for first in starts:
        assert sum(first <= at < first + 60 for at in starts) * 1000 <= 7200
    assert 280 <= end <= 300


@given(st.lists(st.floats(0.01, 30), min_size=1, max_size=60), st.integers(1, 9), st.integers(0, 300))
def test_any_load_gets_through_in_order_within_the_limit(latencies, concurrency, per_minute):
    starts, most, _ = run(_calls(Limits(concurrency, per_minute), latencies))
    assert most <= concurrency
    assert starts == sorted(starts)
    assert len(starts) == len(latencies)


def test_tokens_that_were_not_used_are_given_back():
    async def go():
        limiter, loop = Limiter(Limits(10, tokens_per_minute=600)), asyncio.get_running_loop()
        for _ in range(50):
            async with limiter.turn(1000) as turn:
                turn.used = 10
        return loop.time()

    assert run(go()) <= 52


def test_a_pause_holds_everybody_back():
    async def go():
        limiter, loop = Limiter(Limits(10)), asyncio.get_running_loop()
        limiter.pause(5)
        limiter.pause(2)
        async with limiter.turn(1):
            return loop.time()

    assert 5 <= run(go()) < 5.1


def test_concurrency_is_halved_once_a_round_and_comes_back_slowly():
    async def go():
        limiter = Limiter(Limits(64))
        async with limiter.turn(1) as one, limiter.turn(1) as two:
            await asyncio.sleep(1)
            limiter.slow_down(one)
            limiter.slow_down(two)
            assert limiter.capacity == 32
        async with limiter.turn(1) as three:
            await asyncio.sleep(1)
            limiter.slow_down(three)
        assert limiter.capacity == 16
        for _ in range(16):
            limiter.speed_up()
        assert 16.9 < limiter.capacity < 17.1
        for _ in range(5000):
            limiter.speed_up()
        assert limiter.capacity == 64

    run(go())


def test_a_call_that_fails_gives_its_place_back():
    async def go():
        limiter = Limiter(Limits(1))
        for _ in range(3):
            with pytest.raises(ValueError, match="x"):
                async with limiter.turn(1):
                    raise ValueError("x")
        assert limiter.active == 0

    run(go())
