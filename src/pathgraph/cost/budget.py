"""A limit on what a run may pay, in money or in tokens.

Belongs here: reading `--budget`, reserving before a call, settling after it. Does not: prices, who calls (`meter`).
"""

import re
import threading
from dataclasses import dataclass

from pathgraph.errors import BudgetExhausted, UsageError

_FORM = re.compile(r"([0-9][0-9_,]*(?:\.[0-9]+)?|\.[0-9]+)\s*([kKmM]?)\s*(tok|tokens)?")
_TIMES = {"": 1, "k": 1_000, "m": 1_000_000}


@dataclass(frozen=True)
class Limit:
    """What a run may pay at most: tokens (in and out together), or money in the price list's currency."""

    amount: float
    in_tokens: bool

    def say(self, amount: float, currency: str) -> str:
        """Return an amount of this kind for people."""
        return f"{amount:,.0f} tokens" if self.in_tokens else f"{amount:,.4f} {currency}"


def parse_limit(text: str) -> Limit:
    """Return the limit that `5.00`, `2000000tok` or `2Mtok` stands for.

    Raises:
        UsageError: it is none of these.
    """
    found = _FORM.fullmatch(text.strip())
    if found is None or (found[2] and not found[3]):
        raise UsageError(
            f"--budget {text!r} is no amount.", "Give money as in --budget 5.00, or tokens as in --budget 2000000tok."
        )
    return Limit(float(re.sub("[_,]", "", found[1])) * _TIMES[found[2].lower()], bool(found[3]))


class Budget:
    """What is left of a limit. Thread-safe.

    Every call reserves what it will probably pay before it starts, and settles what it really paid. So the limit is
    passed by no more than the calls in flight together pay above what they had reserved.
    """

    def __init__(self, limit: Limit, currency: str) -> None:
        self.limit = limit
        self._currency = currency
        self._lock = threading.Lock()
        self._spent = self._reserved = 0.0
        self._in_flight = 0
        self._exhausted = False

    @property
    def spent(self) -> float:
        """What was paid so far."""
        return self._spent

    def try_reserve(self, amount: float) -> bool:
        """Set an amount aside; False when that must wait until a call in flight has settled.

        Raises:
            BudgetExhausted: it does not fit, and will not; from then on nothing does, so that the run ends.
        """
        with self._lock:
            if not self._exhausted and self._spent + self._reserved + amount <= self.limit.amount:
                self._reserved += amount
                self._in_flight += 1
                return True
            if not self._exhausted and self._in_flight and self._spent + amount <= self.limit.amount:
                return False
            self._exhausted = True
            raise self._error()

    def reserve(self, amount: float) -> None:
        """Set an amount aside at once; raises BudgetExhausted when it does not fit beside what is in flight."""
        if not self.try_reserve(amount):
            raise self._error()

    def spend(self, paid: float) -> None:
        """Count what was paid for something that was not reserved."""
        with self._lock:
            self._spent += paid

    def settle(self, reserved: float, paid: float) -> None:
        """Replace what a call had reserved by what it paid; 0 when it came to nothing."""
        with self._lock:
            self._in_flight -= 1
            self._reserved = self._reserved - reserved if self._in_flight else 0.0  # no rest of rounding stays
            self._spent += paid

    def _error(self) -> BudgetExhausted:
        spent, limit = (self.limit.say(amount, self._currency) for amount in (self._spent, self.limit.amount))
        under_way = f" ({self._in_flight} calls are still under way)" if self._in_flight else ""
        return BudgetExhausted(
            f"The budget is used up: {spent} of {limit} paid{under_way}, and the next call does not fit.",
            "Nothing was published. Run the same command again with a new --budget: every finished call is kept and "
            "costs nothing then; pathgraph estimate says what is left.",
        )
