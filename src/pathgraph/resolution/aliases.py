"""The alias dictionary: a CSV that people edit, and the only thing beside a judgement that joins different names.

Belongs here: reading and checking it. Does not: applying it (`pathgraph.resolution.resolve`).
"""

import csv
import io
from dataclasses import dataclass
from pathlib import Path

from pathgraph.errors import SettingsError
from pathgraph.resolution.normalise import fold
from pathgraph.text import sanitise

COLUMNS = ("canonical", "alias", "type", "note")


@dataclass(frozen=True)
class Alias:
    """One line: `alias` is another name of `canonical`; `type` (may be empty) is the entity's type."""

    canonical: str
    alias: str
    type: str
    line: int


def read_aliases(path: Path | None) -> tuple[Alias, ...]:
    """Read and check an alias file; no file, no aliases.

    Raises:
        SettingsError: the file cannot be read, a column is unknown or missing, a name is empty, an alias has two
            canonicals, a canonical two types, or names form a cycle. Every fault is listed with its line.
    """
    if path is None:
        return ()
    try:
        text = sanitise(path.read_text("utf-8-sig"))
    except (OSError, UnicodeDecodeError) as error:
        raise SettingsError(f"Cannot read the alias file {path}: {error}", "It is a CSV file in UTF-8.") from error
    reader = csv.DictReader(io.StringIO(text))
    header = reader.fieldnames or []
    if not {"canonical", "alias"} <= set(header) or not set(header) <= set(COLUMNS):
        raise SettingsError(
            f"{path}, line 1: the columns are {', '.join(header) or 'missing'}.",
            f"Write the columns {', '.join(COLUMNS)}; the last two may be left out.",
        )
    lines: list[Alias] = []
    faults: list[str] = []
    for row in reader:
        values = {key: (value or "").strip() for key, value in row.items() if isinstance(key, str)}
        if not any(values.values()):
            continue
        if None in row or not fold(values["canonical"]) or not fold(values["alias"]):
            faults.append(f"line {reader.line_num}: it needs a canonical and an alias and at most four fields")
            continue
        lines.append(Alias(values["canonical"], values["alias"], values.get("type", "").upper(), reader.line_num))
    faults += _conflicts(lines)
    if faults:
        raise SettingsError(f"{path}: {'; '.join(faults)}", "Correct these lines; nothing was changed.")
    return tuple(lines)


def _conflicts(lines: list[Alias]) -> list[str]:
    """Return what contradicts itself among the lines, in the order of the lines."""
    faults: list[str] = []
    owner: dict[str, Alias] = {}
    kind: dict[str, Alias] = {}
    for line in lines:
        first = owner.setdefault(fold(line.alias), line)
        if fold(first.canonical) != fold(line.canonical):
            faults.append(
                f"line {line.line}: {line.alias} belongs to {line.canonical} here and to {first.canonical} in line "
                f"{first.line}"
            )
        if line.type:
            typed = kind.setdefault(fold(line.canonical), line)
            if typed.type != line.type:
                faults.append(
                    f"line {line.line}: {line.canonical} is {line.type} here and {typed.type} in line {typed.line}"
                )
    return faults + _cycles(owner)


def _cycles(owner: dict[str, Alias]) -> list[str]:
    """Return a fault for each alias whose chain of canonicals comes back to itself (a name equal to itself is none)."""
    faults = []
    for start in owner:
        seen, name = {start}, fold(owner[start].canonical)
        while name in owner and name not in seen:
            seen.add(name)
            name = fold(owner[name].canonical)
        if name in seen and len(seen) > 1 and name == start:
            faults.append(f"line {owner[start].line}: {owner[start].alias} is in the end an alias of itself")
    return faults
