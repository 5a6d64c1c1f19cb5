"""Fixtures of the cost tests; the hand-made graph is that of the store's tests."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "store"))  # pytest's importlib mode puts no test folder on the path
