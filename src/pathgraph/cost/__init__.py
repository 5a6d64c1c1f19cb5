"""Money and time: prices, estimates before a run, budgets during it, what was paid after it."""
