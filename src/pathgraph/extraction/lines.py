"""Records in replies that are no JSON: tuples with delimiters, tables, arrows, calls, rows in parentheses.

Belongs here: one reader a form, each pure. Does not: JSON (`repair`), cleaning the fields (`reply`).
"""

from collections.abc import Callable, Iterator, Sequence

import regex

from pathgraph.extraction.records import RELATED, Record, Records, field_of, row_record

# ("entity"<|>name<|>type<|>description) and ("relationship"<|>source<|>target<|>description<|>strength), records parted
# by ## or by nothing, quotes and parentheses there or not.
_TAG = r"[\"'*]*(entity|relationship|relation)[\"'*]*\s*<\|>"
_TUPLE = regex.compile(
    rf"\(?\s*{_TAG}(.*?)(?=\(\s*{_TAG}|\n\s*\(?{_TAG}|##|<\|COMPLETE\|>|\Z)", regex.DOTALL | regex.IGNORECASE
)
_BULLET = regex.compile(r"^\s*(?:[-*+•]\s+|\(?\d{1,3}[.)]\s+|-?>\s*|→\s*)?")
_RULE = regex.compile(r"[\s|:+=-]+")
_ARROW = regex.compile(
    r"(.+?)\s*(?:-{1,2}\[\s*:?(.+?)\s*\]-{1,2}>|--+\s*(.+?)\s*--+>|(?:->|→|=>)\s*(.+?)\s*(?:->|→|=>))\s*(.+)"
)
_ROW = regex.compile(r"^[(\[<](.+)[)\]>][\s,;.]*$")
# A relation of several words only where a call may begin, else the last word before the parenthesis.
_CALL = regex.compile(r"(?:(?:^|(?<=[,;>)]\s?))\s*([^\W\d]\w*(?:[ -]\w+){0,7})|(?<!\w)([^\W\d]\w*))\(\s*(?=[^\s()])")
_KEY = regex.compile(r"^\W*(\w+(?: \w+)?)\W*[:：]\s*(.+)$")
_QUOTES = "\"'`*“”‘’ \t"
_ESCAPED = regex.compile(r"\\([_*\[\]()#<>|-])")


def is_tuples(reply: str) -> bool:
    """Tell whether the reply holds tuples with delimiters, or says in their way that there are none."""
    return "<|>" in reply or "<|COMPLETE|>" in reply


def read_lines(reply: str, text: str) -> Records | None:
    """Return the records of the first form that gives any, None when none does.

    Args:
        reply: the reply, without a fence.
        text: the chunk it is about; decides where a name that holds commas ends.
    """
    if is_tuples(reply):
        return _tuples(reply)
    lines = [_ESCAPED.sub(r"\1", line) for line in reply.splitlines()]
    readers: list[Callable[[], Records]] = [
        lambda: _table(lines),
        lambda: _calls(lines, text),
        lambda: _rows(lines),
        lambda: _arrows(lines),
        lambda: _pairs(lines),
    ]
    partial = None
    for reader in readers:
        found = reader()
        if len(found):
            return found
        partial = partial or (found if found.problems else None)
    return partial


def _tuples(reply: str) -> Records | None:
    records = Records("tuples")
    for tag, body in ((match[1], match[2]) for match in _TUPLE.finditer(reply)):
        parts = [_bare(part) for part in body.strip().removesuffix(")").split("<|>")]
        if tag.lower() == "entity":
            _add_entity(parts, records)
        else:
            _add_relationship(parts, records)
    if len(records) or records.problems:
        return records
    return records if reply.strip(" #\n") == "<|COMPLETE|>" else None


def _add_entity(parts: Sequence[str], records: Records) -> None:
    if 2 <= len(parts) <= 3:
        records.entities.append(dict(zip(("name", "type", "description"), parts, strict=False)))
    else:
        records.problems.append(f"an entity tuple has {len(parts) + 1} fields")


def _add_relationship(parts: Sequence[str], records: Records) -> None:
    """Add source, target, description, perhaps keywords, perhaps a strength."""
    if not 2 <= len(parts) <= 5:
        records.problems.append(f"a relationship tuple has {len(parts) + 1} fields")
        return
    record: Record = {"subject": parts[0], "relation": RELATED, "object": parts[1]}
    if len(parts) > 2:
        record["description"] = parts[2]
    if len(parts) > 3:
        record["strength"] = parts[-1]
    records.triples.append(record)


def _table(lines: Sequence[str]) -> Records:
    """Read Markdown tables, and bare lines `a | relation | b`."""
    records = Records("table")
    columns: list[str | None] = ["subject", "relation", "object"]
    role = "triples"
    for at, line in enumerate(lines):
        if line.count("|") < 2 or _RULE.fullmatch(line):
            continue
        cells = [_bare(cell) for cell in _BULLET.sub("", line).strip().strip("|").split("|")]
        ruled = at + 1 < len(lines) and "|" in lines[at + 1] and _RULE.fullmatch(lines[at + 1]) is not None
        header = _header(cells)
        if header:
            role, columns = header
        elif ruled:
            role, columns = "triples", ["subject", "relation", "object"]
        elif len(cells) == len(columns):
            named = {column: cell for column, cell in zip(columns, cells, strict=True) if column and cell}
            getattr(records, role).append(named)
        else:
            records.problems.append(f"a table row has {len(cells)} fields")
    return records


def _header(cells: Sequence[str]) -> tuple[str, list[str | None]] | None:
    """Return role and field of each column when the row names columns."""
    for role, needed in (("triples", {"subject", "object"}), ("entities", {"name", "type"})):
        columns = [field_of(cell, role) for cell in cells]
        if len(columns) == 3 and columns.count("relation") == 1 and columns.count(None) == 2:
            ends = iter(("subject", "object"))  # the columns beside the relation's, whatever they are called
            columns = [column or next(ends) for column in columns]
        if needed <= set(columns):
            return role, columns
    return None


def _calls(lines: Sequence[str], text: str) -> Records:
    """Read `relation(subject, object)`, several on a line too."""
    records = Records("calls")
    folded = _folded(text)
    for line in lines:
        for relation, body, closed in _call_bodies(line):
            if "," not in body:
                continue
            if not closed:
                records.problems.append("a call is cut")
                continue
            subject, obj = _split_arguments(body, folded)
            records.triples.append({"subject": subject, "relation": relation, "object": obj})
    return records


def _call_bodies(line: str) -> Iterator[tuple[str, str, bool]]:
    at = 0
    while match := _CALL.search(line, at):
        depth, end = 1, match.end()
        while end < len(line) and depth:
            depth += {"(": 1, ")": -1}.get(line[end], 0)
            end += 1
        closed = not depth
        yield match[1] or match[2], line[match.end() : end - 1 if closed else end], closed
        at = end


def _split_arguments(body: str, text: str) -> tuple[str, str]:
    """Return both arguments: parted at the comma that leaves two names of the text, else at the first one."""
    commas = [at for at, char in enumerate(body) if char == ","]
    splits = [(_bare(body[:at]), _bare(body[at + 1 :])) for at in commas]
    return next((pair for pair in splits if all(part and _folded(part) in text for part in pair)), splits[0])


def _rows(lines: Sequence[str]) -> Records:
    """Read lines `(a; relation; b)`, with commas, semicolons or bars between the fields."""
    records = Records("rows")
    for line in lines:
        match = _ROW.match(_BULLET.sub("", line).strip())
        if not match:
            continue
        mark = next((mark for mark in ";|\t" if mark in match[1]), ",")
        parts = [_bare(part) for part in match[1].split(mark)]
        if len(parts) == 3:
            records.triples.append(row_record(parts))
        elif len(parts) > 1:
            records.problems.append(f"a row has {len(parts)} fields")
    return records


def _arrows(lines: Sequence[str]) -> Records:
    """Read lines `a -[relation]-> b`, `a -> relation -> b`, `a --relation--> b`."""
    records = Records("arrows")
    for line in lines:
        match = _ARROW.fullmatch(_BULLET.sub("", line).strip())
        if match:
            relation = match[2] or match[3] or match[4]
            records.triples.append(row_record([_bare(match[1]), _bare(relation), _bare(match[5])]))
    return records


def _pairs(lines: Sequence[str]) -> Records:
    """Read blocks of lines `Subject: a`, `Relation: b`, `Object: c`."""
    records = Records("pairs")
    block: Record = {}
    for line in [*lines, ""]:
        match = _KEY.match(line)
        field = field_of(match[1], "triples") if match else None
        if field is None or field in block:
            records.triples += [block] if {"subject", "relation", "object"} <= block.keys() else []
            block = {}
        if match and field is not None:
            block[field] = _bare(match[2])
    return records


def _bare(part: str) -> str:
    """Return a field without blanks, quotes and emphasis around it."""
    bare = part.strip()
    while len(bare) > 1 and bare[0] in _QUOTES and bare[-1] in _QUOTES:
        bare = bare[1:-1].strip()
    return bare.strip('"')


def _folded(text: str) -> str:
    return " ".join(text.casefold().split())
