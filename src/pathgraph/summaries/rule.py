"""The report made by rule, without a call: for tiny communities and where a summariser gave none; and rule-made titles.

Belongs here: titles and reports put together from names and evidence. Does not: choosing sentences by importance
(`pathgraph.providers.offline.summaries`).
"""

from collections import Counter

from pathgraph.ids import content_hash
from pathgraph.language import script_language
from pathgraph.providers.protocol import Evidence, Finding, Report, ReportRequest

RULE_HASH = content_hash("summary rules", "1")
_TITLE_NAMES = 3
_TITLE_RELATIONS = 2


def rule_report(request: ReportRequest) -> Report:
    """Return the names as title, the first distinct sentences as summary and, with the triples they state, as findings.

    A parent also takes over its children's findings.
    """
    statements = statements_of(request)[: request.findings]
    summary = " ".join(finding.text for finding in statements) or ", ".join(request.names)
    return Report(title_of(request), summary, tuple(statements))


def statements_of(request: ReportRequest) -> list[Finding]:
    """Return every distinct sentence of the request with all triples it states: the evidence's, then the children's."""
    cited: dict[str, list[int]] = {}
    for item in request.evidence:
        cited.setdefault(_plain(item), []).append(item.triple_id)
    for child in request.children:
        for finding in child.findings:
            cited.setdefault(" ".join(finding.text.split()), []).extend(finding.triple_ids)
    return [Finding(text, tuple(dict.fromkeys(ids))) for text, ids in cited.items() if text]


def title_of(request: ReportRequest) -> str:
    """Return the top names and the most frequent relations, as in "Hanbit Battery, Lumen Cell: produce, recall".

    Relations are taken from those in the report's script where there are any.
    """
    names = ", ".join(request.names[:_TITLE_NAMES]) or "-"
    if len(request.names) > _TITLE_NAMES:
        names += " 등" if request.language == "ko" else " and others"
    counts = Counter(item.relation.replace("_", " ") for item in request.evidence if item.relation != "co_occurs")
    native = [relation for relation in counts if (script_language(relation) == "ko") == (request.language == "ko")]
    relations = sorted(native or counts, key=lambda relation: (-counts[relation], relation))[:_TITLE_RELATIONS]
    return f"{names}: {', '.join(relations)}" if relations else names


def _plain(item: Evidence) -> str:
    return " ".join(item.text.split()) or f"{item.subject} - {item.relation} - {item.object}"
