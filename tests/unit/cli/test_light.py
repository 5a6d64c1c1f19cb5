"""`pathgraph --help` answers at once because it imports nothing heavy."""

import json
import subprocess
import sys

HEAVY = [
    "prefect",
    "pandas",
    "numpy",
    "pyarrow",
    "duckdb",
    "igraph",
    "openai",
    "spacy",
    "kiwipiepy",
    "pydantic",
    "yaml",
]


def test_help_imports_nothing_heavy():
    code = (
        "import sys, json\nsys.argv = ['pathgraph', '--help']\nfrom pathgraph.cli import main\n"
        "try:\n    main()\nexcept SystemExit:\n    pass\n"
        f"sys.stderr.write(json.dumps([m for m in {HEAVY!r} if m in sys.modules]))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True)
    assert "Usage: pathgraph" in done.stdout
    assert json.loads(done.stderr) == []
