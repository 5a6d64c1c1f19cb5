"""Community reports by a model: facts numbered in the prompt, numbers mapped back to triple ids.

Belongs here: the conversation about one report. Does not: what a report is written from, the check of its citations
(`pathgraph.summaries`), the cache.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from pathgraph.extraction.repair import json_object
from pathgraph.ids import content_hash
from pathgraph.prompts.forms import REPORT, REPORT_WORDS
from pathgraph.prompts.render import LANGUAGES, fenced, prompt
from pathgraph.providers.openai.chat import Ask, Question, ask
from pathgraph.providers.protocol import Finding, Report, ReportRequest
from pathgraph.settings import Endpoint

PROMPT = "summarise.v1"


class OpenAISummariser:
    """Asks a model for the report on one community. Thread-safe."""

    provider = "openai"

    def __init__(self, endpoint: Endpoint, prompts: Path | None = None, asker: Ask = ask) -> None:
        """Read the prompts; raises SettingsError when one is wrong."""
        self.model, self.parallel = str(endpoint.model), endpoint.concurrency
        self._endpoint, self._asker = endpoint, asker
        self._prompts = {language: prompt(PROMPT, language, prompts) for language in LANGUAGES}
        form = json.dumps(REPORT, sort_keys=True) + REPORT_WORDS
        sampling = f"{endpoint.temperature:g} {endpoint.max_output_tokens}"
        self.prompt_hash = content_hash(form, sampling, *(self._prompts[language].hash for language in LANGUAGES))

    def report(self, request: ReportRequest) -> Report:
        """Return the report.

        Raises:
            ModelError: no usable reply came, see `chat.ask`; ModelRejected when none will ever come.
        """
        language = request.language if request.language in LANGUAGES else "en"
        ids = _ids(request)
        values = {
            "format": REPORT_WORDS.strip(),
            "findings": str(request.findings),
            "material": fenced(material(request, {key: number for number, key in enumerate(ids, 1)})),
        }
        question = Question(self._prompts[language].messages(values), "report", REPORT, _require_report)
        answer = self._asker(question, self._endpoint, "summaries")
        record = json_object(answer.text)
        return report_of(record or {}, ids)


def material(request: ReportRequest, numbers: Mapping[int, int]) -> str:
    """Return what the report is written from, each fact under its number.

    Args:
        request: names, evidence and children's reports.
        numbers: number of each triple id.
    """
    lines = [f"Names: {', '.join(_line(name) for name in request.names)}"]
    if request.evidence:
        lines += ["", "Facts:"]
    for item in request.evidence:
        fact = f"{item.subject} | {item.relation} | {item.object}"
        lines.append(f"[{numbers[item.triple_id]}] {_line(fact)}: {_line(item.text)}")
    for child in request.children:
        lines += ["", f"Part: {_line(child.title)}", _line(child.summary)]
        for finding in child.findings:
            cited = "".join(f"[{numbers[key]}]" for key in finding.triple_ids)
            lines.append(f"{cited} {_line(finding.text)}")
    return "\n".join(lines)


def report_of(record: Mapping[str, Any], ids: Sequence[int]) -> Report:
    """Return the report that a reply holds; numbers that stand for no triple are left out."""
    findings = []
    listed = record.get("findings")
    for item in listed if isinstance(listed, list) else []:
        if isinstance(item, dict):
            findings.append(
                Finding(_text(item.get("text") or item.get("summary")), _cited(item.get("triple_ids"), ids))
            )
        elif isinstance(item, str):
            findings.append(Finding(item, ()))
    return Report(_text(record.get("title")), _text(record.get("summary")), tuple(findings))


def _ids(request: ReportRequest) -> list[int]:
    """Return every triple id that may be cited, in the order of the prompt: number n stands for the n-th."""
    own = [item.triple_id for item in request.evidence]
    below = [key for child in request.children for finding in child.findings for key in finding.triple_ids]
    return list(dict.fromkeys([*own, *below]))


def _cited(numbers: object, ids: Sequence[int]) -> tuple[int, ...]:
    said: Iterable[object] = numbers if isinstance(numbers, list) else [numbers]
    found = [int(text) for one in said if (text := str(one).strip(" []#")).isdecimal()]
    return tuple(dict.fromkeys(ids[number - 1] for number in found if 0 < number <= len(ids)))


def _is_report(record: Mapping[str, Any]) -> bool:
    return bool(_text(record.get("summary")) or _text(record.get("title")))


def _require_report(answer: str) -> None:
    record = json_object(answer)
    if record is None or not _is_report(record):
        raise ValueError("the reply is no report")


def _text(value: object) -> str:
    return value.strip() if isinstance(value, str) else ""


def _line(text: str) -> str:
    return " ".join(text.split())
