"""The extraction schema: which types and relations the graph shall have, and how an extracted fact reads in its terms.

Belongs here: the values and pure look-ups. Does not: reading the file (`schema_file`), rows of facts
(`pathgraph.graph.canonical`), proposing a schema (`pathgraph.discovery`).
"""

import json
import unicodedata
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from functools import cached_property

import regex

from pathgraph.ids import content_hash

_SEPARATORS = regex.compile(r"[\s\p{Pc}\p{Pd}·ㆍ・]+")
_WORDS = {
    "en": {
        "types": "Types of entities:",
        "relations": "Relations, read from subject to object:",
        "free": "Use these wherever they fit; give another type or relation only where none does.",
        "fixed": "Use no other type and no other relation. Leave out facts that none of them states.",
        "both": "either direction",
        "any": "any",
    },
    "ko": {
        "types": "개체 유형:",
        "relations": "관계 (주어에서 목적어 방향으로 읽음):",
        "free": "맞는 것이 있으면 반드시 이것을 쓰고, 없을 때에만 다른 유형이나 관계를 쓴다.",
        "fixed": "이 밖의 유형이나 관계는 쓰지 않는다. 어느 것에도 맞지 않는 사실은 적지 않는다.",
        "both": "양방향",
        "any": "모든 유형",
    },
}


def fold_term(name: str) -> str:
    """Fold what spellings of one type or relation differ in: case, width, blanks, underscores, hyphens, middle dots.

    `is_ceo_of`, `isCeoOf` and `Is CEO of` are one, and so are 대표 이사 and 대표이사. Idempotent.
    """
    before, text = "", name
    while before != text:
        before, text = text, unicodedata.normalize("NFKC", _SEPARATORS.sub("", _caseless(text)))
    return text


def _caseless(text: str) -> str:
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())


@dataclass(frozen=True)
class EntityType:
    """A type of nodes; what replies call by one of the synonyms is of this type."""

    name: str
    description: str = ""
    synonyms: tuple[str, ...] = ()


@dataclass(frozen=True)
class Relation:
    """A relation of the graph.

    Attributes:
        name: what its edges are called.
        description: for the model and the reader.
        aliases: other names of it, read in the same direction.
        inverse_aliases: names of it read from object to subject, as `led_by` for `leads`.
        subjects: names of the types it may start from; empty for all.
        objects: names of the types it may end in; empty for all.
        symmetric: it has no direction; edges start from the node with the smaller id.
    """

    name: str
    description: str = ""
    aliases: tuple[str, ...] = ()
    inverse_aliases: tuple[str, ...] = ()
    subjects: tuple[str, ...] = ()
    objects: tuple[str, ...] = ()
    symmetric: bool = False

    def admits(self, subject: str, object_: str) -> bool:
        """Tell whether nothing speaks against these types; an unknown type ("") never does."""
        return _admits(self.subjects, subject) and _admits(self.objects, object_)

    def is_stated_backwards(self, subject: str, object_: str) -> bool:
        """Tell whether both types are known and fit the other way round alone."""
        known = bool(subject and object_ and self.subjects and self.objects)
        return known and not self.admits(subject, object_) and self.admits(object_, subject)


def _admits(types: tuple[str, ...], given: str) -> bool:
    return not types or not given or given in types


@dataclass(frozen=True)
class Reading:
    """A fact's relation in the schema's terms.

    Attributes:
        relation: the canonical relation.
        turned: subject and object change places.
        symmetric: the relation has no direction.
        outside: why a fixed schema has no place for the fact, `relation` or `type`; empty when it has.
    """

    relation: str
    turned: bool = False
    symmetric: bool = False
    outside: str = ""


@dataclass(frozen=True)
class Schema:
    """Types and relations. The empty one changes nothing. With `fixed`, facts outside of it become no edges."""

    types: tuple[EntityType, ...] = ()
    relations: tuple[Relation, ...] = ()
    fixed: bool = False

    @cached_property
    def hash(self) -> str:
        """Hash of all that it says; empty for the empty schema."""
        if not self.types and not self.relations and not self.fixed:
            return ""
        said = {"types": list(map(asdict, self.types)), "relations": list(map(asdict, self.relations))}
        return content_hash("schema", json.dumps(said, sort_keys=True), int(self.fixed))

    @cached_property
    def _types(self) -> dict[str, str]:
        return {fold_term(name): one.name for one in self.types for name in (one.name, *one.synonyms)}

    @cached_property
    def _relations(self) -> dict[str, tuple[Relation, bool]]:
        forward = {fold_term(name): (one, False) for one in self.relations for name in (one.name, *one.aliases)}
        return {fold_term(name): (one, True) for one in self.relations for name in one.inverse_aliases} | forward

    def type_of(self, given: str) -> str:
        """Return the schema's name of a type; a type it does not know stays as it is."""
        return self._types.get(fold_term(given), given) if self._types else given

    def read(self, relation: str, subject_type: str, object_type: str) -> Reading:
        """Read a fact in the schema's terms.

        A relation known by an inverse alias is turned. One whose types are both known and fit only the other way round
        is turned too: a noun such as `CEO` is written in either direction. Reading a reading changes nothing.

        Args:
            relation: as extracted.
            subject_type: type of the subject, by any synonym; empty when unknown.
            object_type: type of the object, likewise.
        """
        found = self._relations.get(fold_term(relation))
        if found is None:
            return Reading(relation, outside="relation" if self.fixed else "")
        known, turned = found
        ends = self.type_of(subject_type), self.type_of(object_type)
        subject, object_ = reversed(ends) if turned else ends
        if known.is_stated_backwards(subject, object_):
            turned, subject, object_ = not turned, object_, subject
        outside = self.fixed and not known.admits(subject, object_)
        return Reading(known.name, turned, known.symmetric, "type" if outside else "")

    def prompt_section(self, language: str) -> str:
        """Return what a model is told of the schema, in Korean for `ko`, else in English; empty for the empty schema.

        Aliases and synonyms are not in it: they are applied to what the model replied, so that changing them costs no
        call.
        """
        words = _WORDS["ko" if language == "ko" else "en"]
        types = [_item(one.name, one.description) for one in self.types]
        relations = [_item(f"{one.name} ({_direction(one, words)})", one.description) for one in self.relations]
        if not types and not relations:
            return ""
        lists = [(words["types"], types), (words["relations"], relations)]
        lines = [line for title, items in lists if items for line in (title, *items)]
        return "\n".join([*lines, words["fixed" if self.fixed else "free"]])


FREE = Schema()


def _item(name: str, description: str) -> str:
    return f"- {name}: {description}" if description else f"- {name}"


def _direction(relation: Relation, words: dict[str, str]) -> str:
    ends = [_listed(types, words["any"]) for types in (relation.subjects, relation.objects)]
    return f"{' -> '.join(ends)}, {words['both']}" if relation.symmetric else " -> ".join(ends)


def _listed(types: Iterable[str], otherwise: str) -> str:
    return " | ".join(types) or otherwise
