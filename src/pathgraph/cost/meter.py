"""What this process pays for model calls: every paid call passes here.

Belongs here: the budget in force, and the one place where a call reserves and settles. Does not: the counter
(`pathgraph.providers.usage`), prices.
"""

import asyncio
from collections.abc import AsyncIterator, Iterable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from pathgraph.cost.budget import Budget, Limit
from pathgraph.cost.prices import Tariff
from pathgraph.errors import UsageError
from pathgraph.providers import usage

_POLL_SECONDS = 0.05  # between looks whether a call in flight has settled


@dataclass
class Payment:
    """What one call turned out to cost, in tokens."""

    tokens_in: int = 0
    tokens_out: int = 0


@dataclass
class _Process:
    """State of this process: one run at a time is metered."""

    budget: Budget | None = None
    tariffs: Mapping[str, Tariff] = field(default_factory=dict)


_process = _Process()


def begin(limit: Limit | None, tariffs: Mapping[str, Tariff], currency: str) -> None:
    """Count from zero, under a limit or under none.

    Raises:
        UsageError: the limit is money, and a stage's model has no known price.
    """
    unknown = sorted({tariff.model for tariff in tariffs.values() if tariff.price is None})
    if limit is not None and not limit.in_tokens and unknown:
        raise UsageError(
            f"--budget is money, but no price is known for {', '.join(unknown)}.",
            "Give the budget in tokens, as in 2000000tok, or name a price list in the settings (prices: FILE).",
        )
    usage.take()
    _process.budget = Budget(limit, currency) if limit is not None else None
    _process.tariffs = tariffs


@asynccontextmanager
async def call(stage: str, tokens_in: int, tokens_out: int) -> AsyncIterator[Payment]:
    """Hold a paid call: reserve what it will probably use, and count what `Payment` says at the end that it used.

    A call that ends with an error, and has put nothing into `Payment`, counts as not paid.

    Args:
        stage: one of `prices.PAID_STAGES`; another one is counted in tokens and costs nothing.
        tokens_in: as estimated.
        tokens_out: as estimated.

    Raises:
        BudgetExhausted: before anything was sent: the budget has no room for it.
    """
    budget, payment = _process.budget, Payment()
    reserved = _amount(budget, stage, tokens_in, tokens_out)
    while budget is not None and not budget.try_reserve(reserved):
        await asyncio.sleep(_POLL_SECONDS)
    try:
        yield payment
    finally:
        if budget is not None:
            budget.settle(reserved, _amount(budget, stage, payment.tokens_in, payment.tokens_out))
        if payment.tokens_in or payment.tokens_out:
            usage.add(stage, payment.tokens_in, payment.tokens_out)


@dataclass(frozen=True)
class Use:
    """A request of a batch: its stage and its tokens, as estimated or as paid."""

    stage: str
    tokens_in: int
    tokens_out: int


def reserve_batch(uses: Iterable[Use]) -> float:
    """Set aside what a batch will probably use, at the batch endpoint's price; return how much.

    Raises:
        BudgetExhausted: the budget has no room for it beside what is under way.
    """
    budget = _process.budget
    amount = sum(_batch_amount(budget, use) for use in uses)
    if budget is not None:
        budget.reserve(amount)
    return amount


def settle_batch(uses: Iterable[Use], reserved: float | None) -> None:
    """Count what a batch used; `reserved` is None where another process handed it in."""
    budget, paid = _process.budget, 0.0
    for use in uses:
        paid += _batch_amount(budget, use)
        usage.add(use.stage, use.tokens_in, use.tokens_out, batch=True)
    if budget is not None and reserved is not None:
        budget.settle(reserved, paid)
    elif budget is not None:
        budget.spend(paid)


def _batch_amount(budget: Budget | None, use: Use) -> float:
    amount = _amount(budget, use.stage, use.tokens_in, use.tokens_out)
    tariff = _process.tariffs.get(use.stage)
    if budget is None or budget.limit.in_tokens or tariff is None or tariff.price is None:
        return amount
    return amount - tariff.price.discount(use.tokens_in, use.tokens_out)


def _amount(budget: Budget | None, stage: str, tokens_in: int, tokens_out: int) -> float:
    if budget is None:
        return 0.0
    if budget.limit.in_tokens:
        return float(tokens_in + tokens_out)
    tariff = _process.tariffs.get(stage)
    return tariff.price.cost(tokens_in, tokens_out) if tariff is not None and tariff.price is not None else 0.0
