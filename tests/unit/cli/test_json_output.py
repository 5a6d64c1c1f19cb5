"""The JSON that commands print: numbers stay numbers."""

import json
from decimal import Decimal

from pathgraph.cli.output import print_json


def test_sums_are_numbers_and_what_a_double_cannot_hold_is_text(capsys):
    print_json({"sum": Decimal(185066), "price": Decimal("1.25"), "huge": Decimal(2**60)})
    assert json.loads(capsys.readouterr().out) == {"sum": 185066, "price": 1.25, "huge": str(2**60)}
