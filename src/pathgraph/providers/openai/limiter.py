"""What an endpoint allows: calls in flight, requests and tokens a minute, and the pauses it asks for.

Belongs here: waiting for a turn. Does not: HTTP, what counts as an error (`errors`), trying again (`retry`).

A limiter lives on the shared event loop and is used there alone, so that it needs no locks.
"""

import asyncio
import math
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

_INSTANT = 1e-6  # seconds not worth a wait
_BURST_SECONDS = 2.0  # how much of a minute's allowance may be used at once


@dataclass(frozen=True)
class Limits:
    """Bounds of one endpoint; a rate of 0 means no bound."""

    concurrency: int
    requests_per_minute: int = 0
    tokens_per_minute: int = 0


class Bucket:
    """A token bucket: refilled steadily, may go into debt by one large taking."""

    def __init__(self, per_minute: int, now: float) -> None:
        self._rate = per_minute / 60
        self._room = max(1.0, self._rate * _BURST_SECONDS)
        self._level, self._at = self._room, now

    def delay(self, amount: float, now: float) -> float:
        """Return the seconds until the amount may be taken; more than a full bucket counts as a full one."""
        if not self._rate:
            return 0.0
        self._level = min(self._room, self._level + (now - self._at) * self._rate)
        self._at = now
        missing = (min(amount, self._room) - self._level) / self._rate
        return missing if missing > _INSTANT else 0.0

    def take(self, amount: float) -> None:
        """Take the amount; a negative one is given back."""
        self._level -= amount


class Turn:
    """One call's permission: when it began, and how many tokens were set aside for it."""

    def __init__(self, began: float, tokens: int) -> None:
        self.began = began
        self.tokens = tokens
        self.used: int | None = None


class Limiter:
    """Hands out turns in the order asked for.

    Concurrency adapts: halved when the endpoint says 429, then raised by one for each full round of successes (additive
    increase, multiplicative decrease; Chiu and Jain 1989).
    """

    def __init__(self, limits: Limits) -> None:
        self.active = 0
        self.allow(limits)
        self._paused_until = 0.0
        self._halved_at = -math.inf
        self._queue = asyncio.Lock()  # first come, first served
        self._freed = asyncio.Event()

    def allow(self, limits: Limits) -> None:
        """Set other limits, from now on."""
        now = _now()
        self.limits = limits
        self.capacity = float(limits.concurrency)
        self._requests = Bucket(limits.requests_per_minute, now)
        self._tokens = Bucket(limits.tokens_per_minute, now)

    @asynccontextmanager
    async def turn(self, tokens: int) -> AsyncIterator[Turn]:
        """Wait for a turn and hold it; set `used` on it to settle the tokens really used."""
        async with self._queue:
            while (delay := self._delay(tokens)) > 0:
                await self._wait(delay)
            self.active += 1
            self._requests.take(1)
            self._tokens.take(tokens)
        turn = Turn(_now(), tokens)
        try:
            yield turn
        finally:
            self.active -= 1
            if turn.used is not None:
                self._tokens.take(turn.used - tokens)
            self._freed.set()

    def pause(self, seconds: float) -> None:
        """Start nothing for that long: the endpoint asked for it."""
        self._paused_until = max(self._paused_until, _now() + seconds)

    def slow_down(self, turn: Turn) -> None:
        """Halve the concurrency, once for all calls that were under way together."""
        if turn.began >= self._halved_at:
            self.capacity = max(1.0, self.capacity / 2)
            self._halved_at = _now()

    def speed_up(self) -> None:
        """Note a success."""
        self.capacity = min(float(self.limits.concurrency), self.capacity + 1 / self.capacity)

    def _delay(self, tokens: int) -> float:
        """Return the seconds to wait; infinite while all places are taken."""
        if self.active >= int(self.capacity):
            return math.inf
        now = _now()
        return max(self._paused_until - now, self._requests.delay(1, now), self._tokens.delay(tokens, now))

    async def _wait(self, delay: float) -> None:
        if delay == math.inf:
            self._freed.clear()
            await self._freed.wait()
        else:
            await asyncio.sleep(delay)


def _now() -> float:
    return asyncio.get_running_loop().time()
