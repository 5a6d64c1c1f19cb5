"""What the offline readers exchange: names, facts and the reading of one sentence.

Belongs here: the value types and the reader protocol shared by all languages. Does not: rules of a language
(`english`, `korean`), finding the user's names (`gazetteer`), the reply's JSON (`extractor`).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

PERSON = "PERSON"
ORGANISATION = "ORGANISATION"
PLACE = "PLACE"
PRODUCT = "PRODUCT"
EVENT = "EVENT"
LAW = "LAW"
DATE = "DATE"
QUANTITY = "QUANTITY"
CONCEPT = "CONCEPT"


@dataclass(frozen=True)
class GazetteerEntry:
    """A name the user knows, as he writes it, and its type ('' when he gave none)."""

    surface: str
    type: str = ""


@dataclass(frozen=True, order=True)
class Name:
    """A name where a sentence mentions it: `text == sentence[start:end]`.

    A CONCEPT's text is its dictionary form (English: lower case, head in the singular), so that "monarch butterflies"
    and "a monarch butterfly" are one node; its span is what is written.

    Attributes:
        type: one of the constants above, a type of the user's gazetteer, or '' when nothing tells.
        start: code points into the sentence.
    """

    text: str
    type: str
    start: int
    end: int


@dataclass(frozen=True, order=True)
class Fact:
    """One statement of a sentence, directed; `relation` is a short canonical phrase (English: `ceo_of`, `acquire`)."""

    subject: Name
    relation: str
    object: Name
    confidence: float
    """In (0, 1]: how often the rule that found it is right, not a calibrated probability."""


@dataclass(frozen=True)
class Reading:
    """All that a reader takes from one sentence.

    Attributes:
        facts: typed facts, in order of the sentence.
        phrases: noun phrases worth a node, in order of the sentence; what co-occurrence is built from. The names
            of `facts` need not be repeated here.
    """

    facts: tuple[Fact, ...] = ()
    phrases: tuple[Name, ...] = ()


class Reader(Protocol):
    """Reads the sentences of one language."""

    @property
    def version(self) -> str:
        """Names and versions of what can change a reading beside the rules: model and library."""
        ...

    def read(self, sentences: Sequence[str], known: Sequence[GazetteerEntry]) -> list[Reading]:
        """Return one reading a sentence, each depending on its sentence and `known` alone.

        Args:
            sentences: texts of one sentence each; any string must be survived.
            known: the user's names that occur in at least one of the sentences; where one occurs it is a name,
                whatever the model thinks of its parts.

        Raises:
            MissingExtra: the language's library or model is not installed.
        """
        ...
