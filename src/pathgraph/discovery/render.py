"""A proposal as a commented schema file that `read_schema` accepts as it is.

Belongs here: YAML text. Does not: deciding what is proposed (`propose`).

Names and sentences come from documents, so names are quoted unless they are plain words, and a comment is one line of
printable text.
"""

import json
from collections.abc import Iterator, Sequence

import regex

from pathgraph.discovery.observe import Example
from pathgraph.discovery.propose import Proposal, ProposedAlias, ProposedRelation, ProposedType
from pathgraph.text import sanitise

_PLAIN = regex.compile(r"\p{L}[\p{L}\p{N}_]*(?: [\p{L}\p{N}_]+)*")
_RESERVED = frozenset({"null", "true", "false", "yes", "no", "on", "off", "y", "n"})
_WIDTH = 116
_EXAMPLE_WIDTH = 150
_LEFT_OUT = 200


def render(proposal: Proposal) -> str:
    """Return the file's text."""
    return "\n".join([*_head(proposal), *_types(proposal.types), *_relations(proposal), *_left_out(proposal)]) + "\n"


def _head(proposal: Proposal) -> list[str]:
    top = min(proposal.top, len(proposal.relations))
    return [
        f"# Proposed by `pathgraph discover` from {proposal.documents} documents (seed {proposal.seed}): "
        f"{proposal.facts} facts,",
        f"# {len(proposal.relations)} relations after grouping; the {top} below state {proposal.coverage:.0%} of the "
        "facts.",
        "# Nothing uses this file until settings name it:  extraction: {schema_file: schema.yaml}",
        "# Read it through: delete aliases that do not belong, add descriptions, move up what is missing.",
        "# docs/schema.md explains every key.",
        "",
        "# free: facts with other relations stay in the graph as extracted.",
        "# fixed: they are kept aside in the table out_of_schema.",
        "mode: free",
    ]


def _types(types: Sequence[ProposedType]) -> Iterator[str]:
    yield from ("", "types:" if types else "types: []")
    for one in types:
        yield f"  - name: {_scalar(one.name)}  # {_counted(one.count, 'node')}"
        if one.synonyms:
            yield f"    synonyms: [{', '.join(map(_scalar, one.synonyms))}]"


def _relations(proposal: Proposal) -> Iterator[str]:
    shown = proposal.relations[: proposal.top]
    yield from ("", "relations:" if shown else "relations: []")
    for one in shown:
        yield from _relation(one)


def _relation(one: ProposedRelation) -> Iterator[str]:
    ends = ", ".join(f"{ends} {count}" for ends, count in one.ends[:4])
    yield f"  # {_counted(one.count, 'fact')} in {_counted(one.documents, 'document')}: {_comment(ends, _WIDTH)}"
    for example in one.examples:
        yield f"  #   {_example(example)}"
    yield f"  - name: {_scalar(one.name)}"
    yield '    description: ""'
    for key, types in (("subject", one.subjects), ("object", one.objects)):
        if types:
            listed = ", ".join(map(_scalar, types))
            yield f"    {key}: {listed if len(types) == 1 else f'[{listed}]'}"
    if one.symmetric:
        yield "    symmetric: true"
    for key, aliases in (("aliases", one.aliases), ("inverse_aliases", one.inverse_aliases)):
        if aliases:
            yield f"    {key}:"
            yield from (_alias(alias) for alias in aliases)
    yield ""


def _alias(alias: ProposedAlias) -> str:
    return f"      - {_scalar(alias.name)}  # {alias.count}, {alias.reason}"


def _left_out(proposal: Proposal) -> Iterator[str]:
    rest = proposal.relations[proposal.top :]
    if not rest:
        return
    yield f"# Not proposed, being rarer: {len(rest)} relations. Each with its facts and their most frequent types."
    for one in rest[:_LEFT_OUT]:
        also = ", ".join(alias.name for alias in (*one.aliases, *one.inverse_aliases))
        known = f" ({one.ends[0][0]})" if one.ends else ""
        line = f"{one.count:>4}  {one.name}{known}{f'; also {also}' if also else ''}"
        yield f"# {_comment(line, _WIDTH)}"
    if len(rest) > _LEFT_OUT:
        yield f"# ... and {len(rest) - _LEFT_OUT} more."


def _example(example: Example) -> str:
    return _comment(f"{example.subject} | {example.object}: {example.text}", _EXAMPLE_WIDTH)


def _counted(count: int, what: str) -> str:
    return f"{count} {what}{'' if count == 1 else 's'}"


def _comment(text: str, width: int) -> str:
    """Return a text that cannot leave its comment: one line, cut."""
    line = text.rstrip() if text.isprintable() else " ".join(sanitise(text).split())
    return line if len(line) <= width else f"{line[: width - 4]} ..."


def _scalar(name: str) -> str:
    """Return a name as YAML: plain where that is safe, else in double quotes with JSON's escapes, which YAML shares."""
    name = " ".join(sanitise(name).split())
    if _PLAIN.fullmatch(name) and name.casefold() not in _RESERVED:
        return name
    return json.dumps(name, ensure_ascii=False)
