"""A real Prefect server for all flow tests, started the way the command line starts it, in a home of its own."""

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from pathgraph.cli import local_server


def pytest_collection_modifyitems(items):
    for item in items:
        if "tests/flow/" in item.path.as_posix():
            item.add_marker(pytest.mark.flow)


@pytest.fixture(scope="session")
def home(tmp_path_factory):
    """A home with a running server; stopped by its process id at the end."""
    folder = tmp_path_factory.mktemp("home")
    os.environ["PATHGRAPH_HOME"] = str(folder)
    os.environ.pop("PREFECT_API_URL", None)
    local_server.wait(local_server.start())
    yield folder
    local_server.stop()


@dataclass
class Cli:
    """The installed command, run as a user runs it."""

    folder: Path

    def command(self, *arguments):
        return [sys.executable, "-c", "from pathgraph.cli import main; main()", *map(str, arguments)]

    def start(self, *arguments, **environment):
        return subprocess.Popen(
            self.command(*arguments),
            cwd=self.folder,
            env={**os.environ, **environment},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def run(self, *arguments, **environment):
        process = self.start(*arguments, **environment)
        out, err = process.communicate(timeout=300)
        return subprocess.CompletedProcess(arguments, process.returncode, out, err)

    def index(self, *arguments, code=0, **environment):
        """Index with JSON output; return the report."""
        done = self.run("index", *arguments, "--json", **environment)
        assert done.returncode == code, done.stderr
        return json.loads(done.stdout)

    def sql(self, statement):
        done = self.run("sql", statement, "--json")
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)


@pytest.fixture
def cli(tmp_path, home):
    """A project folder with light settings: hashed vectors, one process."""
    (tmp_path / "pathgraph.yaml").write_text("embeddings: {model: hashed}\nextraction: {processes: 1}\n", "utf-8")
    return Cli(tmp_path)


@pytest.fixture
def docs(tmp_path):
    """Six small documents in two languages."""
    folder = tmp_path / "docs"
    (folder / "ko").mkdir(parents=True)
    texts = {
        "a.txt": "Hanbit Electronics acquired Alderbrook Robotics in 2024. Elena Marsh founded Alderbrook Robotics.",
        "b.md": "# Supply\n\nFernvale Instruments supplies sensors to Alderbrook Robotics.",
        "c.txt": "Owen Tresk founded Castellan Logistics. Castellan Logistics is headquartered in Hull.",
        "ko/가.txt": "한빛전자는 누리소프트를 인수했다. 서민우 대표이사는 한빛전자를 이끈다.",
        "ko/나.txt": "누리소프트는 2019년에 루멘셀을 출시했다.",
        "ko/다.txt": "한빛배터리는 청주에 본사를 두고 있다. 한빛배터리는 루멘셀을 생산한다.",
    }
    for name, text in texts.items():
        (folder / name).write_text(text, "utf-8")
    return folder
