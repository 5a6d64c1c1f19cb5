"""The command line: thin commands over the core, one place that turns errors into exit codes.

Belongs here: arguments, printing. Does not: anything a Python user would want too. Heavy libraries are imported inside
the commands, so that `--help` answers at once.

Exit codes: 0 success, 1 failed, 2 wrong usage, 3 done with failures recorded, 130 stopped by Ctrl-C.
"""

from pathgraph.cli.app import main

__all__ = ["main"]
