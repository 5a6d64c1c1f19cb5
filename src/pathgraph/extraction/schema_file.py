"""The schema file: a YAML that people edit and `pathgraph discover` proposes.

Belongs here: reading and checking it; every fault is told with its line. Does not: applying it (`schema`).

Scalars are read as they are written: `no`, `on` and `2019` are names like any other, not YAML's booleans and numbers.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path

import yaml
from yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode

from pathgraph.errors import SettingsError
from pathgraph.extraction.reply import CO_OCCURS
from pathgraph.extraction.schema import FREE, EntityType, Relation, Schema, fold_term
from pathgraph.text import sanitise

MODES = ("free", "fixed")
_FILE = ("mode", "types", "relations")
_TYPE = ("name", "description", "synonyms")
_RELATION = ("name", "description", "aliases", "inverse_aliases", "subject", "object", "symmetric")
_INVERSE = "inverse alias"
_MAX_NAME = 200
_REMEDY = "Correct these lines; nothing was changed. docs/schema.md shows the format."


def read_schema(path: Path | None) -> Schema:
    """Read and check a schema file; no file, the empty schema.

    Raises:
        SettingsError: the file cannot be read; a key is unknown or there twice, a value is of the wrong kind, a name is
            claimed twice (so that neither synonyms nor aliases form a cycle), a relation names a type that is not
            listed, a symmetric relation has a direction, or the mode is fixed and there is nothing to fix. All faults
            are listed with their lines.
    """
    if path is None:
        return FREE
    try:
        text = path.read_text("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise SettingsError(f"Cannot read the schema file {path}: {error}", "It is a YAML file in UTF-8.") from error
    return _parsed(text, str(path))


@lru_cache(maxsize=8)  # a pure function of the text; a run asks for its schema at several stages
def _parsed(text: str, path: str) -> Schema:
    try:
        root = yaml.compose(sanitise(text), Loader=yaml.SafeLoader)
    except yaml.MarkedYAMLError as error:
        line = f", line {error.problem_mark.line + 1}" if error.problem_mark else ""
        raise SettingsError(f"{path}{line}: this is no YAML: {error.problem}", _REMEDY) from error
    except (yaml.YAMLError, ValueError, OverflowError, RecursionError) as error:
        raise SettingsError(f"{path}: this is no YAML: {error}", _REMEDY) from error
    reader = _Reader()
    schema = reader.schema(root)
    if reader.faults:
        listed = "; ".join(f"line {line}: {fault}" for line, fault in sorted(set(reader.faults)))
        raise SettingsError(f"{path}: {listed}", _REMEDY)
    return schema


@dataclass(frozen=True)
class _Claim:
    """Who uses a name, how (`type`, `synonym`, `alias` ...), and where it says so."""

    owner: str
    use: str
    line: int


@dataclass
class _Reader:
    """Turns nodes into values and notes what is wrong with them, as (line, fault)."""

    faults: list[tuple[int, str]] = field(default_factory=list)
    _terms: dict[str, dict[str, _Claim]] = field(default_factory=lambda: {"type": {}, "relation": {}})
    _types: dict[str, str] = field(default_factory=dict)

    def schema(self, root: Node | None) -> Schema:
        """Return the schema; worth nothing once there are faults."""
        if root is None:
            self.faults.append((1, "the file says nothing; it needs types or relations"))
            return FREE
        fields = self._mapping(root, "the file", _FILE)
        mode = self._text(fields["mode"], "mode") if "mode" in fields else "free"
        if mode not in MODES:
            self._fault(fields["mode"], f"mode is {mode!r}; it can be {' or '.join(MODES)}")
        types = tuple(self._type(node) for node in self._items(fields, "types"))
        self._types |= {fold_term(name): one.name for one in types for name in (one.name, *one.synonyms)}
        relations = tuple(self._relation(node) for node in self._items(fields, "relations"))
        if mode == "fixed" and not relations:
            self._fault(fields["mode"], "mode is fixed, but no relation is listed, so no fact would be kept")
        return Schema(types, relations, mode == "fixed")

    def _type(self, node: Node) -> EntityType:
        fields = self._mapping(node, "a type", _TYPE)
        name = self._name(node, fields, "type", "type")
        synonyms = self._names(fields.get("synonyms"), name, "type", "synonym")
        return EntityType(name, self._text(fields.get("description"), "description"), synonyms)

    def _relation(self, node: Node) -> Relation:
        fields = self._mapping(node, "a relation", _RELATION)
        name = self._name(node, fields, "relation", "relation")
        relation = Relation(
            name,
            self._text(fields.get("description"), "description"),
            self._names(fields.get("aliases"), name, "relation", "alias"),
            self._names(fields.get("inverse_aliases"), name, "relation", _INVERSE),
            self._ends(fields.get("subject")),
            self._ends(fields.get("object")),
            self._flag(fields.get("symmetric")),
        )
        if relation.symmetric and relation.inverse_aliases:
            self._fault(fields["inverse_aliases"], f"{name} is symmetric, so its names have no inverse: use aliases")
        if relation.symmetric and set(relation.subjects) != set(relation.objects):
            self._fault(fields["symmetric"], f"{name} is symmetric, so subject and object need the same types")
        return relation

    def _name(self, node: Node, fields: Mapping[str, Node], family: str, use: str) -> str:
        if "name" not in fields:
            if isinstance(node, MappingNode):
                self._fault(node, f"this {family} has no name")
            return ""
        name = self._text(fields["name"], "name")
        self._claim(fields["name"], name, _Claim(name, use, _line(fields["name"])), family)
        return name

    def _names(self, node: Node | None, owner: str, family: str, use: str) -> tuple[str, ...]:
        names = []
        for item in self._listed(node, f"{use} list"):
            name = self._text(item, use)
            self._claim(item, name, _Claim(owner, use, _line(item)), family)
            names.append(name)
        return tuple(dict.fromkeys(names))

    def _claim(self, node: Node, name: str, claim: _Claim, family: str) -> None:
        """Note who uses a name; only the same owner in the same direction may use it again, in another spelling."""
        folded = fold_term(name)
        if not folded or len(name) > _MAX_NAME:
            self._fault(node, f"this {claim.use} is {'empty' if not folded else 'longer than {_MAX_NAME} characters'}")
            return
        if family == "relation" and folded == fold_term(CO_OCCURS):
            self._fault(node, f"{name} is the name of sentence co-occurrence; choose another")
        first = self._terms[family].setdefault(folded, claim)
        same_direction = (first.use == _INVERSE) == (claim.use == _INVERSE)
        spelling = first.owner == claim.owner and claim.use != family and same_direction
        if first is not claim and not spelling:
            self._fault(node, f"{name} is {_said(claim, family)} here and {_said(first, family)} in line {first.line}")

    def _ends(self, node: Node | None) -> tuple[str, ...]:
        """Return the listed types that a relation starts from or ends in; one may stand without a list."""
        found = []
        for item in [node] if isinstance(node, ScalarNode) else self._listed(node, "list of types"):
            name = self._text(item, "type")
            known = self._types.get(fold_term(name))
            if name and known is None:
                self._fault(item, f"type {name} is not listed under types")
            found += [known] if known else []
        return tuple(dict.fromkeys(found))

    def _items(self, fields: Mapping[str, Node], key: str) -> list[Node]:
        return self._listed(fields.get(key), f"list of {key}")

    def _listed(self, node: Node | None, what: str) -> list[Node]:
        if node is None or _is_null(node):
            return []
        if isinstance(node, SequenceNode):
            return list(node.value)
        self._fault(node, f"the {what} must be a list, as in [one, two]")
        return []

    def _mapping(self, node: Node, what: str, known: tuple[str, ...]) -> dict[str, Node]:
        if not isinstance(node, MappingNode):
            self._fault(node, f"{what} must be written as key: value, with the keys {', '.join(known)}")
            return {}
        fields: dict[str, Node] = {}
        for key, value in node.value:
            name = str(key.value) if isinstance(key, ScalarNode) else "?"
            if name not in known:
                self._fault(key, f"{what} has no key {name}; it can have {', '.join(known)}")
            elif name in fields:
                self._fault(key, f"{name} is there twice")
            else:
                fields[name] = value
        return fields

    def _text(self, node: Node | None, what: str) -> str:
        if node is None or _is_null(node):
            return ""
        if isinstance(node, ScalarNode):
            return " ".join(str(node.value).split())
        self._fault(node, f"the {what} must be text")
        return ""

    def _flag(self, node: Node | None) -> bool:
        if node is None:
            return False
        value = node.value if isinstance(node, ScalarNode) else None
        if value not in {"true", "false"}:
            self._fault(node, "symmetric must be true or false")
        return value == "true"

    def _fault(self, node: Node, what: str) -> None:
        self.faults.append((_line(node), what))


def _line(node: Node) -> int:
    return int(node.start_mark.line) + 1


def _is_null(node: Node) -> bool:
    return isinstance(node, ScalarNode) and node.tag == "tag:yaml.org,2002:null"


def _said(claim: _Claim, family: str) -> str:
    article = "an" if claim.use[0] in "ai" else "a"
    return f"{article} {claim.use} of its own" if claim.use == family else f"{article} {claim.use} of {claim.owner}"
