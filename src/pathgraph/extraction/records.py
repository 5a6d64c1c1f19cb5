"""Records of a reply under one set of names: what models call a subject, a relation, an entity.

Belongs here: names of fields and lists, shapes of single records. Does not: finding records in a text (`repair`,
`lines`), cleaning and checking their values (`reply`).
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

import regex

Record = dict[str, Any]
RELATED = "related_to"  # relation of a record that connects two names and describes how, but names no relation

_LISTS = {
    "entities": "entities entity_list extracted_entities named_entities nodes vertices 개체 엔티티",
    "triples": "triples triplets relations relationships edges facts extracted_relations extracted_triples links"
    " statements openie 트리플 관계들",
}
# In each row the first name there is wins.
_TRIPLE = {
    "subject": "subject source head subj src from source_entity head_entity subject_entity source_node source_name"
    " subject_name from_entity from_node node_1 node1 entity_1 entity1 arg1 s 주어 주체 주체명",
    "object": "object target tail obj tgt dst to target_entity tail_entity object_entity target_node target_name"
    " object_name to_entity to_node node_2 node2 entity_2 entity2 arg2 o 목적어 대상 객체",
    "relation": "relation predicate relationship rel relation_type relationship_type relation_name relationship_name"
    " edge label verb property type p r 관계 서술어",
    "description": "description relationship_description relation_description explanation desc 설명",
    "strength": "strength relationship_strength weight score 강도",
    "evidence": "evidence quote sentence 근거",
    "subject_type": "subject_type source_type head_type subject_label from_type",
    "object_type": "object_type target_type tail_type object_label to_type",
    "start": "start",
    "end": "end",
    "kind": "kind",
}
_ENTITY = {
    "name": "name entity entity_name title text mention id label 이름 개체명",
    "type": "type entity_type category class label 유형 종류",
    "description": "description entity_description desc 설명",
    "spans": "spans",
}
_CAMEL = regex.compile(r"(?<=[a-z])(?=[A-Z])")
_MAX_DEPTH = 6


def _index(table: Mapping[str, str]) -> dict[str, tuple[str, ...]]:
    return {field_: tuple(names.split()) for field_, names in table.items()}


_LIST_NAMES, _TRIPLE_NAMES, _ENTITY_NAMES = _index(_LISTS), _index(_TRIPLE), _index(_ENTITY)
_LIST_OF = {name: field_ for field_, names in _LIST_NAMES.items() for name in names}


@dataclass
class Records:
    """What a reply holds, fields under the names of `pathgraph.providers.protocol`, values as they came.

    `shape` says in which form it came; `problems` what could not be read as a record.
    """

    shape: str
    entities: list[Record] = field(default_factory=list)
    triples: list[Record] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)

    def __len__(self) -> int:
        return len(self.entities) + len(self.triples)


def from_json(value: Any, shape: str, whole: bool) -> Records | None:
    """Return the records of a JSON value, None when nothing in it looks like one.

    Args:
        value: what was decoded.
        shape: name of the form, for the result.
        whole: the JSON was intact, so that empty lists mean "no facts".
    """
    records = Records(shape)
    known = _collect(value, records, 0)
    return records if len(records) or (known and (whole or records.problems)) else None


def _collect(value: Any, records: Records, depth: int) -> bool:
    """Add what a value of unknown role holds; tell whether anything in it was recognised."""
    if depth > _MAX_DEPTH:
        return False
    if isinstance(value, list):
        if depth and _is_row(value):
            records.triples.append(row_record(value))
            return True
        return sum(_collect(item, records, depth + 1) for item in value) > 0
    if not isinstance(value, dict):
        return False
    named = {plain_key(key): inner for key, inner in value.items()}
    lists = [key for key in named if key in _LIST_OF and not _is_text(named[key])]
    strings = [key for key in named if key in _LIST_OF and _is_text(named[key]) and not _is_triple(named)]
    if lists or strings:
        for key in named:  # in the order of the reply
            if key in lists or key in strings:
                add_list(named[key], _LIST_OF[key], records)
        return True
    if _is_triple(named):
        records.triples += triple_records(named)
        return True
    if _first(named, _ENTITY_NAMES["name"]) is not None and _first(named, _ENTITY_NAMES["type"]) is not None:
        records.entities.append(entity_record(named))
        return True
    return sum(_collect(inner, records, depth + 1) for inner in value.values()) > 0


def add_list(value: Any, role: str, records: Records) -> None:
    """Add the items of a list that holds entities or triples; what is no such list or item becomes a problem."""
    if isinstance(value, str):
        value = _decoded(value)
    if isinstance(value, dict):
        value = list(_unmapped(value)) if role == "entities" else [value]
    if not isinstance(value, list):
        records.problems += [] if value is None else [f"{role} is no list"]
        return
    wrong = 0
    for item in value:
        found = list(_entities(item) if role == "entities" else _triples(item))
        getattr(records, role).extend(found)
        wrong += not found
    if wrong:
        records.problems.append(f"{wrong} of {role} are no records")


def _entities(item: Any) -> Iterator[Record]:
    if isinstance(item, dict):
        yield entity_record({plain_key(key): inner for key, inner in item.items()})
    elif isinstance(item, str) and item.strip():
        yield {"name": item}
    elif isinstance(item, list) and 0 < len(item) <= 3 and all(isinstance(part, str) for part in item):
        yield dict(zip(("name", "type", "description"), item, strict=False))


def _triples(item: Any) -> Iterator[Record]:
    if isinstance(item, dict):
        named = {plain_key(key): inner for key, inner in item.items()}
        inner = named.get("triple") or named.get("triplet")
        yield from triple_records(named) if not isinstance(inner, list) else _triples(inner)
    elif isinstance(item, list) and _is_row(item):
        yield row_record(item)
    elif isinstance(item, str):
        parts = regex.split(r"\s*[|;\t]\s*", item.strip().strip("()"))
        if len(parts) == 3:
            yield row_record(parts)


def triple_records(named: Mapping[str, Any]) -> Iterator[Record]:
    """Yield the triples of one object: several when its object is a list."""
    found = {field_: _first(named, names) for field_, names in _TRIPLE_NAMES.items()}
    for end in ("subject", "object"):
        node = found[end]
        if isinstance(node, dict):
            inner = entity_record({plain_key(key): value for key, value in node.items()})
            found[end] = inner.get("name")
            found[f"{end}_type"] = found[f"{end}_type"] or inner.get("type")
    if found["relation"] in (None, "") and found["description"]:
        found["relation"] = RELATED
    record = {field_: value for field_, value in found.items() if value is not None}
    objects = record.get("object")
    if isinstance(objects, list) and all(_is_text(one) for one in objects):
        yield from ({**record, "object": one} for one in objects)
    else:
        yield record


def entity_record(named: Mapping[str, Any]) -> Record:
    """Return one entity object under our names."""
    found = {field_: _first(named, names) for field_, names in _ENTITY_NAMES.items()}
    return {field_: value for field_, value in found.items() if value is not None}


def row_record(row: Sequence[Any]) -> Record:
    """Return a row of three fields, with a fourth if that is a number: the strength."""
    record = dict(zip(("subject", "relation", "object"), row, strict=False))
    return record | ({"strength": row[3]} if len(row) == 4 else {})


@lru_cache(maxsize=1024)  # a corpus has millions of fields and a dozen names of fields
def plain_key(key: str) -> str:
    """Return a field's name in lower case with underscores."""
    return regex.sub(r"[\s\-]+", "_", _CAMEL.sub("_", key.strip(" *_`\"'")).lower())


def field_of(name: str, role: str) -> str | None:
    """Return our field that a column of this name holds, None when there is none."""
    table = _TRIPLE_NAMES if role == "triples" else _ENTITY_NAMES
    return next((field_ for field_, names in table.items() if plain_key(name) in names), None)


def _is_triple(named: Mapping[str, Any]) -> bool:
    return all(_first(named, _TRIPLE_NAMES[end]) is not None for end in ("subject", "object"))


def _is_row(row: Sequence[Any]) -> bool:
    if not 3 <= len(row) <= 4 or not all(_is_text(part) for part in row[:3]) or not isinstance(row[1], str):
        return False
    return len(row) == 3 or (isinstance(row[3], (int, float)) and not isinstance(row[3], bool))


def _is_text(value: Any) -> bool:
    return isinstance(value, (str, int, float)) and not isinstance(value, bool)


def _first(named: Mapping[str, Any], names: Sequence[str]) -> Any:
    return next((named[name] for name in names if named.get(name) is not None), None)


def _decoded(value: str) -> Any:
    """Return the JSON that a string holds, else the string."""
    try:
        return json.loads(value, strict=False)
    except (json.JSONDecodeError, RecursionError):
        return value


def _unmapped(value: Mapping[str, Any]) -> Iterator[Any]:
    """Yield the entities of a mapping: {"Ann": "PERSON"}, {"PERSON": ["Ann", "Bob"]}, {"Ann": {...}}."""
    for key, inner in value.items():
        if isinstance(inner, list):
            yield from ({"name": one, "type": key} if isinstance(one, str) else one for one in inner)
        elif isinstance(inner, dict):
            yield {"name": key, **inner}
        elif isinstance(inner, str):
            yield {"name": key, "type": inner}
