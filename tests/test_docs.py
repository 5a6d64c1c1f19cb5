"""README and docs agree with the code: commands exist, links lead somewhere, settings are real."""

import re
from pathlib import Path

import pytest
import typer.main

from pathgraph.cli.app import app
from pathgraph.schema.tables import TABLES
from pathgraph.settings import Settings

ROOT = Path(__file__).parents[1]
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *(ROOT / "data").glob("*.md")])
COMMAND = typer.main.get_command(app)


def label(path):
    return path.relative_to(ROOT).as_posix()


def code_of(text):
    """Code blocks and inline code of a page."""
    return [*re.findall(r"```\w*\n(.*?)```", text, re.DOTALL), *re.findall(r"`([^`\n]+)`", text)]


@pytest.mark.parametrize("page", PAGES, ids=label)
def test_commands_exist(page):
    for code in code_of(page.read_text("utf-8")):
        for group, word in re.findall(r"(?:^|[\s;|&/])pathgraph ((?:server |cache )?)([a-z]+)(?=[\s|;)]|$)", code):
            known = COMMAND.commands[group.strip()].commands if group else COMMAND.commands
            assert word in known, f"pathgraph {group}{word}"


@pytest.mark.parametrize("page", PAGES, ids=label)
def test_options_exist(page):
    for code in code_of(page.read_text("utf-8")):
        for command, rest in re.findall(r"pathgraph ([a-z]+)([^\n|;]*)", code):
            if command in COMMAND.commands and not hasattr(COMMAND.commands[command], "commands"):
                known = {name for p in COMMAND.commands[command].params for name in (*p.opts, *p.secondary_opts)}
                used = set(re.findall(r"(?<=\s)--[a-z-]+", rest)) - {"--help", "--version"}
                assert used <= known, f"pathgraph {command} {used - known}"


@pytest.mark.parametrize("page", PAGES, ids=label)
def test_links_lead_somewhere(page):
    for target in re.findall(r"\]\(([^)#\s]+)(?:#[^)]*)?\)", page.read_text("utf-8")):
        if "://" not in target:
            assert (page.parent / target).exists(), target


@pytest.mark.parametrize("page", PAGES, ids=label)
def test_settings_and_columns_exist(page):
    """`section.key` is a setting, a column of the table of that name, a file, or a count of a run."""
    sections = Settings.model_fields
    for section, key in re.findall(r"`([a-z]+)\.([a-z_]+)`", page.read_text("utf-8")):
        if section in sections and hasattr(sections[section].annotation, "model_fields"):
            columns = TABLES[section].arrow.names if section in TABLES else []
            # A file, and what runs count by stage.
            others = {*columns, "duckdb", "calls", "in", "out", "batch_in", "batch_out"}
            assert key in {*sections[section].annotation.model_fields, *others}, f"{section}.{key}"


def test_the_readme_has_exactly_the_two_commands():
    text = (ROOT / "README.md").read_text("utf-8")
    start = text[text.index("## Start") : text.index("## Your documents")]
    assert re.findall(r"^make (\w+)", start, re.MULTILINE) == ["demo", "test"]
    targets = re.findall(r"^(\w+):", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE)
    assert {"demo", "test"} <= set(targets)


def test_no_lock_names_a_host():
    for lock in ROOT.glob("requirements*.lock"):
        assert "://" not in lock.read_text("utf-8")
