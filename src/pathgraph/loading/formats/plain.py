"""Plain text and Markdown.

Belongs here: front matter and the title of a Markdown file. Does not: decoding (`pathgraph.loading.encoding`).
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any

import yaml

from pathgraph.loading.encoding import decode
from pathgraph.loading.formats.parts import CannotRead, Part, Problem, Raw, decoding_notes, text_of

_FRONT_MATTER = re.compile(r"---[ \t]*\r?\n(.*?)\r?\n(?:---|\.\.\.)[ \t]*(?:\r?\n|\Z)", re.DOTALL)
_HEADING = re.compile(r"^#{1,6}[ \t]+(.+?)[ \t#]*$|^(\S.*)\r?\n(?:=+|-{3,})[ \t]*$", re.MULTILINE)
_FENCE = re.compile(r"^(```|~~~).*?^\1[`~]*[ \t]*$", re.MULTILINE | re.DOTALL)
_HEAD = 20_000  # characters among which a title is looked for
_DATES = ("modified", "updated", "lastmod", "last_modified", "modified_at", "date", "published", "created")


def read_text(raw: Raw) -> Iterator[Part | Problem]:
    """Yield the file's text as it is."""
    decoded = text_of(raw)
    yield Part(decoded.text, metadata=decoding_notes(decoded))


def read_unknown(raw: Raw) -> Iterator[Part | Problem]:
    """Yield a file of unknown kind as text; raises CannotRead when it is none."""
    if decode(raw.data) is None:
        raise CannotRead("unsupported", f"Files like this ({raw.suffix or 'no ending'}) are not read. Convert it.")
    yield from read_text(raw)


def read_markdown(raw: Raw) -> Iterator[Part | Problem]:
    """Yield the text without its YAML front matter, which becomes metadata; the marks of Markdown stay."""
    decoded = text_of(raw)
    text = decoded.text
    matter = _FRONT_MATTER.match(text)
    fields = _front_matter(matter[1]) if matter else None
    if matter and fields is not None:
        text = text[matter.end() :]
    fields = fields or {}
    date = next((name for name in _DATES if fields.get(name)), "")
    modified = fields.pop(date, "")
    title = fields.pop("title", "") or _first_heading(text[:_HEAD])
    yield Part(text, title, modified, decoding_notes(decoded) | fields)


def _front_matter(text: str) -> dict[str, str] | None:
    """Return the fields, or None when the block is no YAML mapping and so belongs to the text."""
    try:
        fields: Any = yaml.safe_load(text)
    except (yaml.YAMLError, ValueError, RecursionError):
        return None
    if not isinstance(fields, Mapping):
        return None
    return {str(key): _flat(value) for key, value in fields.items() if value is not None}


def _flat(value: Any) -> str:
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)


def _first_heading(text: str) -> str:
    match = _HEADING.search(_FENCE.sub("", text))
    return (match[1] or match[2]) if match else ""
