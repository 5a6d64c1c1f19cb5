"""What a provider is: three callables. A local rule engine and a remote model stand behind the same ones.

Belongs here: the protocols and the values they exchange. Does not: prompts, parsing (`pathgraph.extraction`), caching.

A reply to an extraction request is text: a JSON object

    {"entities": [{"name": "...", "type": "...", "description": "...", "spans": [[0, 4]]}],
     "triples": [{"subject": "...", "relation": "...", "object": "...", "subject_type": "...", "object_type": "...",
                  "description": "...", "strength": 8, "evidence": "...", "start": 0, "end": 40, "kind": "typed"}]}

of which only `name`, `subject`, `relation` and `object` are required. Spans count code points of the chunk's text.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

import numpy as np
from numpy.typing import NDArray


class Extractor(Protocol):
    """Turns a chunk's text into a reply. Thread-safe; equal requests may be answered from a cache by `request_key`.

    `parallel`: how many threads are worth asking at once.
    """

    provider: str
    parallel: int
    model: str
    prompt_hash: str

    def request_key(self, text: str, language: str) -> str:
        """Return a hash of all that can change the reply, and of nothing else."""
        ...

    def reply(self, text: str, language: str) -> str:
        """Return the raw reply; raises ModelError when there is none to be had."""
        ...


class Embedder(Protocol):
    """Turns texts into unit vectors. Thread-safe.

    `dimensions`: 0 where only the vectors tell; `batch`: texts worth giving at once; `parallel`: threads worth asking.
    """

    provider: str
    model: str
    dimensions: int
    batch: int
    parallel: int

    def embed(self, texts: Sequence[str], role: Literal["passage", "query"] = "passage") -> NDArray[np.float32]:
        """Return an array of shape (len(texts), dimensions), unit rows; a row depends on its text alone."""
        ...


@dataclass(frozen=True)
class Evidence:
    """A triple as a summary's input: its id, the sentence that states it, its weight, the names it connects."""

    triple_id: int
    text: str
    weight: float
    subject: str
    relation: str
    object: str


@dataclass(frozen=True)
class Finding:
    """One statement of a report and the triples it rests on."""

    text: str
    triple_ids: tuple[int, ...]


@dataclass(frozen=True)
class Report:
    """A written summary of one community."""

    title: str
    summary: str
    findings: tuple[Finding, ...]


@dataclass(frozen=True)
class ReportRequest:
    """What one report is written from, most important first and already inside the token budget.

    Attributes:
        language: `ko`, `en` or another code: the language to write in.
        names: the community's node names, most connected first.
        evidence: the community's own triples (all of a leaf's, the strongest of a parent's).
        children: the reports of its sub-communities; empty for a leaf.
        findings: how many findings are wanted at most.
    """

    language: str
    names: tuple[str, ...]
    evidence: tuple[Evidence, ...]
    children: tuple[Report, ...]
    findings: int


class Summariser(Protocol):
    """Writes the report on one community. Thread-safe; `parallel`: how many threads are worth asking at once."""

    provider: str
    parallel: int
    model: str
    prompt_hash: str

    def report(self, request: ReportRequest) -> Report:
        """Return a report whose findings cite only triple ids of the request's evidence or its children's findings."""
        ...


@dataclass(frozen=True)
class CondenseRequest:
    """Statements about one thing that are to become one description.

    Attributes:
        language: `ko`, `en` or another code: what most of the statements are in.
        texts: distinct, each on one line, sorted.
        tokens: length of the description at most, as estimated.
    """

    language: str
    texts: tuple[str, ...]
    tokens: int


class Condenser(Protocol):
    """Makes one description of many statements. Thread-safe; `parallel`: how many threads are worth asking at once."""

    provider: str
    parallel: int
    model: str
    prompt_hash: str

    def request_key(self, request: CondenseRequest) -> str:
        """Return a hash of all that can change the description, and of nothing else."""
        ...

    def condense(self, request: CondenseRequest) -> str:
        """Return the description on one line, not empty; raises ModelError when there is none to be had."""
        ...
