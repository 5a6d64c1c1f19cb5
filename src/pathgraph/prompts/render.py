"""Prompts from files: a name, a version, a language; sections for system and user; `{{placeholders}}`.

Belongs here: reading, checking and filling prompt files. Does not: what a placeholder's value says.

Values are put in literally, in one pass, so braces and placeholders inside a document stay text. A document stands in a
fenced section whose mark does not occur in it, so that its text can neither end the section nor pass for an instruction
outside of it.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path

from pathgraph.errors import SettingsError
from pathgraph.ids import content_hash

LANGUAGES = ("en", "ko")
# Placeholders of each prompt; all are required, others are an error.
PROMPTS: Mapping[str, tuple[str, ...]] = {
    "extract.v1": ("format", "document"),
    "glean.v1": (),
    "summarise.v1": ("format", "findings", "material"),
    "condense.v1": ("format", "length", "material"),
}
_PLACEHOLDER = re.compile(r"\{\{\s*(\w+)\s*\}\}")
_SECTION = re.compile(r"^<!--\s*(system|user)\s*-->[^\S\n]*\n", re.MULTILINE)


@dataclass(frozen=True)
class Prompt:
    """One prompt file: its sections as written; the system one may be empty."""

    system: str
    user: str

    @property
    def hash(self) -> str:
        """Hash of the text."""
        return content_hash("prompt", self.system, self.user)

    def messages(self, values: Mapping[str, str]) -> tuple[dict[str, str], ...]:
        """Return the conversation's opening, every placeholder replaced by its value."""
        filled = [("system", _fill(self.system, values)), ("user", _fill(self.user, values))]
        return tuple({"role": role, "content": text} for role, text in filled if text)


def prompt(name: str, language: str, folder: Path | None = None) -> Prompt:
    """Return the prompt for documents of a language, English where there is none: the folder's own, else the built-in.

    Args:
        name: one of PROMPTS ("extract.v1").
        language: of the document, "ko" or "en".
        folder: where the user keeps files that replace the built-in ones.

    Raises:
        SettingsError: the user's file cannot be read, lacks a section or a placeholder, or has an unknown one.
    """
    file = f"{name}.{language if language in LANGUAGES else 'en'}.md"
    if folder is not None and (folder / file).is_file():
        try:
            text = (folder / file).read_text("utf-8-sig")
        except (OSError, UnicodeDecodeError) as error:
            raise SettingsError(f"Cannot read the prompt {folder / file}: {error}", "Save it as UTF-8 text.") from error
        return parse_prompt(text, name, str(folder / file))
    return parse_prompt(files("pathgraph.prompts").joinpath(file).read_text("utf-8"), name, file)


def check_prompts(folder: Path | None) -> None:
    """Read every prompt once, before anything is paid for.

    Raises:
        SettingsError: see `prompt`; or the folder is missing, or holds a file that replaces nothing.
    """
    if folder is None:
        return
    if not folder.is_dir():
        raise SettingsError(f"prompts: there is no folder {folder}.", "Make it, or leave the setting out.")
    known = {f"{name}.{language}.md" for name in PROMPTS for language in LANGUAGES}
    strange = sorted(path.name for path in folder.glob("*.md") if path.name not in known)
    if strange:
        raise SettingsError(f"{folder / strange[0]} replaces no prompt.", f"Known are: {', '.join(sorted(known))}.")
    for name in PROMPTS:
        for language in LANGUAGES:
            prompt(name, language, folder)


def parse_prompt(text: str, name: str, where: str) -> Prompt:
    """Return a file's sections; raises SettingsError when a section or placeholder is missing or unknown."""
    head, *parts = _SECTION.split(text)
    sections = dict(zip(parts[::2], parts[1::2], strict=True))
    if head.strip() or len(parts) != 2 * len(sections) or "user" not in sections:
        remedy = "Begin its parts with the lines <!-- system --> (may be left out) and <!-- user -->, once each."
        raise SettingsError(f"The prompt {where} does not consist of a system and a user part.", remedy)
    used, wanted = set(_PLACEHOLDER.findall(text)), set(PROMPTS[name])
    if used != wanted:
        lacks = ", ".join(f"{{{{{field}}}}}" for field in sorted(wanted - used))
        knows = ", ".join(f"{{{{{field}}}}}" for field in sorted(used - wanted))
        what = " and ".join([f"lacks {lacks}"] * bool(lacks) + [f"has the unknown {knows}"] * bool(knows))
        raise SettingsError(f"The prompt {where} {what}.", "Compare it with the built-in one in docs/models.md.")
    return Prompt(sections.get("system", "").strip(), sections["user"].strip())


def fenced(text: str) -> str:
    """Return the text between two marks that do not occur in it; the same text always gets the same marks."""
    number, mark = 0, ""
    while not mark or mark in text:
        mark = f"data-{content_hash('fence', number, text)[:10]}"
        number += 1
    return f"<{mark}>\n{text}\n</{mark}>"


def _fill(template: str, values: Mapping[str, str]) -> str:
    return _PLACEHOLDER.sub(lambda found: values[found[1]], template)
