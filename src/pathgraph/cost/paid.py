"""What a run paid: tokens from the counter, money by the price list, and both beside what was expected.

Belongs here: pure functions on counts. Does not: counting (`pathgraph.providers.usage`), printing.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from pathgraph.cost.prices import PAID_STAGES, load_prices, tariffs
from pathgraph.settings import Settings


@dataclass(frozen=True)
class Paid:
    """Calls ("extraction.calls"), tokens ("extraction.in") and money ("extraction"); money only at a known price."""

    calls: dict[str, int]
    tokens: dict[str, int]
    cost: dict[str, float]
    currency: str


def paid_for(counted: Mapping[str, int], settings: Settings) -> Paid:
    """Return what the counted calls cost.

    Raises:
        SettingsError: the price list is wrong.
    """
    prices = load_prices(settings.prices)
    calls = {name: count for name, count in counted.items() if name.endswith(".calls")}
    tokens = {name: count for name, count in counted.items() if name not in calls}
    cost = {
        stage: tariff.price.cost(tokens.get(f"{stage}.in", 0), tokens.get(f"{stage}.out", 0))
        - tariff.price.discount(tokens.get(f"{stage}.batch_in", 0), tokens.get(f"{stage}.batch_out", 0))
        for stage, tariff in tariffs(settings, prices).items()
        if f"{stage}.calls" in calls and tariff.price is not None
    }
    return Paid(calls, tokens, cost, prices.currency)


@dataclass(frozen=True)
class Compared:
    """One measure of one stage: what was expected and what it was; None where that is not known."""

    stage: str
    measure: str
    expected: float | None
    actual: float | None

    @property
    def off(self) -> float | None:
        """Actual against expected, as a share: 0.1 is 10 % more than expected; None when nothing was expected."""
        if not self.expected or self.actual is None:
            return None
        return self.actual / self.expected - 1


def compared(
    counts: Mapping[str, int], tokens: Mapping[str, int], cost: Mapping[str, float], expected: Mapping[str, float]
) -> Iterator[Compared]:
    """Yield actual beside estimate, for each stage that paid or was expected to pay for tokens."""
    for stage in PAID_STAGES:
        if not (counts.get(f"{stage}.calls") or expected.get(f"{stage}.in")):
            continue
        yield Compared(stage, "calls", expected.get(f"{stage}.calls"), counts.get(f"{stage}.calls", 0))
        for name, words in (("in", "tokens in"), ("out", "tokens out")):
            yield Compared(stage, words, expected.get(f"{stage}.{name}"), tokens.get(f"{stage}.{name}", 0))
        paid = cost.get(stage, None if counts.get(f"{stage}.calls") else 0.0)
        yield Compared(stage, "cost", expected.get(f"{stage}.cost"), paid)
