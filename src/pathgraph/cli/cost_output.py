"""Tables of money and time, as several commands print them.

Belongs here: how amounts look. Does not: computing them (`pathgraph.cost`).
"""

from collections.abc import Mapping, Sequence
from typing import Any

from pathgraph.cli.output import out
from pathgraph.cost.estimate import Estimate, Line
from pathgraph.cost.paid import compared

COLUMNS = ("stage", "model", "calls", "cached", "tokens in", "tokens out", "minutes", "cost")


def money(amount: float | None, currency: str) -> str:
    """Return an amount with as many digits as it needs: 12.50 USD, 0.0034 USD, "unknown"."""
    if amount is None:
        return "unknown"
    digits = 2 if amount >= 1 or not amount else 4
    return f"{amount:,.{digits}f} {currency}".strip()


def minutes(amount: float) -> str:
    """Return minutes; those under ten with one digit."""
    return f"{amount:,.0f}" if amount >= 10 else f"{amount:,.1f}"


def print_estimate(estimate: Estimate) -> None:
    """Print the stages, their sum, what a vector-only index would cost, and what the numbers rest on."""
    lines = [*estimate.lines, estimate.total, estimate.vector_only]
    _print([COLUMNS, *(_row(line, estimate.currency) for line in lines)], words=2)
    for stage, words in estimate.basis.items():
        out.print(f"  {stage}: {words}", markup=False)


def _print(rows: Sequence[Sequence[str]], words: int) -> None:
    """Print rows in columns, the first `words` of them flush left, the rest flush right; never folded."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        cells = [
            cell.ljust(width) if at < words else cell.rjust(width)
            for at, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        out.print("  " + "  ".join(cells).rstrip(), markup=False)


def _row(line: Line, currency: str) -> list[str]:
    counts = [f"{value:,}" for value in (line.calls, line.cached, line.tokens_in, line.tokens_out)]
    return [line.stage, line.model, *counts, minutes(line.minutes), money(line.cost, currency)]


def print_paid(record: Mapping[str, Any], currency: str | None) -> None:
    """Print actual beside estimate, for a run that paid for tokens or was expected to; else nothing.

    Args:
        record: counts, tokens, cost and expected, as in the table `runs`.
        currency: of the price list.
    """
    maps = [dict(record[name] or ()) for name in ("counts", "tokens", "cost", "expected")]
    rows = []
    for one in compared(*maps):
        off = one.off
        shown = [
            money(value, currency or "") if one.measure == "cost" else "" if value is None else f"{value:,.0f}"
            for value in (one.expected, one.actual)
        ]
        rows.append([one.stage, one.measure, *shown, "" if off is None else f"{off:+.0%}"])
    if rows:
        _print([("stage", "", "estimate", "actual", "off"), *rows], words=2)
