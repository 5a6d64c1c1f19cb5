"""The form of the answers: JSON schemas, and the same said in words for endpoints that take no schema.

Belongs here: what a model is asked to return. Does not: reading it (`pathgraph.extraction.reply`).
"""

from collections.abc import Mapping
from typing import Any

_TEXT = {"type": "string"}


def _object(**fields: Mapping[str, Any]) -> dict[str, Any]:
    # Strict mode of the Responses and Chat APIs wants every field required and no others allowed.
    return {"type": "object", "properties": fields, "required": list(fields), "additionalProperties": False}


def _list(items: Mapping[str, Any]) -> dict[str, Any]:
    return {"type": "array", "items": items}


EXTRACTION: Mapping[str, Any] = _object(
    entities=_list(_object(name=_TEXT, type=_TEXT, description=_TEXT)),
    triples=_list(
        _object(
            subject=_TEXT, relation=_TEXT, object=_TEXT, description=_TEXT, evidence=_TEXT, strength={"type": "integer"}
        )
    ),
)
EXTRACTION_WORDS = """
Answer with one JSON object and nothing else:
{"entities": [{"name": "...", "type": "...", "description": "..."}],
 "triples": [{"subject": "...", "relation": "...", "object": "...", "description": "...", "evidence": "...", \
"strength": 8}]}
"""

REPORT: Mapping[str, Any] = _object(
    title=_TEXT,
    summary=_TEXT,
    findings=_list(_object(text=_TEXT, triple_ids=_list({"type": "integer"}))),
)
REPORT_WORDS = """
Answer with one JSON object and nothing else:
{"title": "...", "summary": "...", "findings": [{"text": "...", "triple_ids": [1, 4]}]}
"""

DESCRIPTION: Mapping[str, Any] = _object(description=_TEXT)
DESCRIPTION_WORDS = """
Answer with one JSON object and nothing else:
{"description": "..."}
"""
