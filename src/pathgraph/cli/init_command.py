"""The command `init`: the files a project starts from; existing ones are left alone."""

import shlex
from importlib import resources
from pathlib import Path

from pathgraph.cli.output import SUCCESS, out
from pathgraph.errors import PathgraphError
from pathgraph.settings import SETTINGS_FILE

ALIASES_FILE = Path("aliases.csv")


def run(folder: Path) -> int:
    """Write what is missing and say what comes next."""
    settings = resources.files("pathgraph.data").joinpath("settings.example.yaml").read_text("utf-8")
    files = {SETTINGS_FILE: settings, ALIASES_FILE: "canonical,alias,type,note\n"}
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, text in files.items():
            _write(folder / name, text)
    except OSError as error:
        raise PathgraphError(f"Cannot write into {folder}: {error}", "Name a folder you can write.") from error
    out.print(f"Next: cd {shlex.quote(str(folder))} && pathgraph index DOCUMENTS", markup=False)
    return SUCCESS


def _write(path: Path, text: str) -> None:
    if path.exists():
        out.print(f"kept    {path}", markup=False)
        return
    path.write_text(text, "utf-8")
    out.print(f"written {path}", markup=False)
