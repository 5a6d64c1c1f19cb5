"""From plans to rows of `summaries`: build a request, answer it from the cache, by rule or by the summariser, check it.

Belongs here: requests, their hash, the check of replies, the order of work. Does not: choosing evidence (`plan`),
prompts, retries and caches of a provider.
"""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import pyarrow as pa

from pathgraph.errors import ModelError, ModelRejected
from pathgraph.failure import Failure
from pathgraph.ids import content_hash
from pathgraph.providers.protocol import Finding, Report, ReportRequest, Summariser
from pathgraph.settings import Summaries
from pathgraph.summaries.budget import tokens
from pathgraph.summaries.plan import OVERHEAD, Planned
from pathgraph.summaries.rule import RULE_HASH, rule_report, title_of
from pathgraph.text import sanitise

Row = dict[str, object]
Mapper = Callable[[Callable[[Planned], "Written"], Sequence[Planned]], Iterable["Written"]]


@dataclass(frozen=True)
class Written:
    """One report.

    Attributes:
        row: the row of table `summaries`.
        report: the same report, as its parent's request takes it.
        cached: True when the report was found under its input hash.
        failure: why the summariser gave none; the row then holds the rule-made report.
    """

    row: Row
    report: Report
    cached: bool = False
    failure: Failure | None = None


def write_summaries(
    batches: Sequence[Sequence[Planned]],
    summariser: Summariser,
    settings: Summaries,
    cached: Mapping[str, Report],
    mapper: Mapper = map,
) -> Iterator[Written]:
    """Yield the report on every planned community, children before their parents.

    Communities of fewer than `settings.min_nodes` nodes, and those without any evidence, get a rule-made report.

    Args:
        batches: what `plan` returned.
        summariser: called once for each report that is neither cached nor rule-made.
        settings: sizes and numbers.
        cached: reports by input hash; `cached_reports` makes it from an earlier table.
        mapper: how one batch is mapped: the built-in `map`, or a thread pool's, which keeps the order.

    Raises:
        ModelRejected: the endpoint refuses for good. Any other ModelError is one report's failure.
    """
    reports: dict[int, Report] = {}
    for batch in batches:
        write = partial(_write, reports=dict(reports), summariser=summariser, settings=settings, cached=cached)
        for planned, written in zip(batch, mapper(write, batch), strict=True):
            reports[planned.community_id] = written.report
            yield written


def cached_reports(summaries: pa.Table) -> dict[str, Report]:
    """Return the reports of an earlier table `summaries` by their input hash; all providers, rule-made ones too."""
    found: dict[str, Report] = {}
    for row in summaries.select(["input_hash", "title", "summary", "findings"]).to_pylist():
        findings = tuple(Finding(f["text"], tuple(f["triple_ids"])) for f in row["findings"])
        found[row["input_hash"]] = Report(row["title"], row["summary"], findings)
    return found


def build_request(planned: Planned, reports: Mapping[int, Report], settings: Summaries) -> ReportRequest:
    """Return what the report is written from, inside `settings.input_tokens`.

    Children's reports come first and may take two thirds of what the names leave, the heaviest child first; one that
    does not fit is left out. Evidence fills the rest.

    Args:
        planned: the report to write.
        reports: the reports of its children, at least.
        settings: sizes and numbers.
    """
    room = settings.input_tokens - sum(tokens(name) + 1 for name in planned.names)
    share = room if not planned.evidence else room * 2 // 3
    children, used = [], 0
    for child in planned.children:
        size = _report_tokens(reports[child])
        if used + size <= share:
            children.append(reports[child])
            used += size
    evidence = []
    for item in planned.evidence:
        size = tokens(item.text) + tokens(f"{item.subject} {item.relation} {item.object}") + OVERHEAD
        if used + size > room:
            break
        evidence.append(item)
        used += size
    return ReportRequest(planned.language, planned.names, tuple(evidence), tuple(children), settings.findings)


def input_hash(request: ReportRequest, provider: str, model: str, prompt_hash: str) -> str:
    """Return a hash of everything the report depends on, and of nothing else."""
    return content_hash("summary", json.dumps(vars(request), default=vars), provider, model, prompt_hash)


def check_report(request: ReportRequest, report: Report) -> Report:
    """Return the report with clean texts and with findings that cite only what the request holds.

    Triple ids that are neither in the request's evidence nor in its children's findings are dropped, repeats too; so is
    a finding without a text or without an id left, and what goes beyond `request.findings`. An empty title or summary
    is replaced by the names.
    """
    allowed = {item.triple_id for item in request.evidence}
    allowed.update(key for child in request.children for finding in child.findings for key in finding.triple_ids)
    findings = []
    for finding in report.findings:
        text = sanitise(finding.text).strip()
        ids = tuple(dict.fromkeys(key for key in finding.triple_ids if key in allowed))
        if text and ids:
            findings.append(Finding(text, ids))
    title = sanitise(report.title).strip() or title_of(request)
    return Report(title, sanitise(report.summary).strip() or title, tuple(findings[: request.findings]))


def _write(
    planned: Planned,
    reports: Mapping[int, Report],
    summariser: Summariser,
    settings: Summaries,
    cached: Mapping[str, Report],
) -> Written:
    request = build_request(planned, reports, settings)
    if planned.size < settings.min_nodes or not (request.evidence or request.children):
        return _by_rule(planned, request)
    key = input_hash(request, summariser.provider, summariser.model, summariser.prompt_hash)
    known = cached.get(key)
    try:
        report = check_report(request, known or summariser.report(request))
    except ModelRejected:
        raise
    except ModelError as error:
        failure = Failure("summarise", f"community/{planned.community_id}", type(error).__name__, str(error))
        return _by_rule(planned, request, failure)
    made_by = (summariser.provider, summariser.model, summariser.prompt_hash)
    return Written(_row(planned, report, key, made_by), report, cached=known is not None)


def _by_rule(planned: Planned, request: ReportRequest, failure: Failure | None = None) -> Written:
    report = check_report(request, rule_report(request))
    made_by = ("rule", "rule", RULE_HASH)
    return Written(_row(planned, report, input_hash(request, *made_by), made_by), report, failure=failure)


def _row(planned: Planned, report: Report, key: str, made_by: tuple[str, str, str]) -> Row:
    return {
        "community_id": planned.community_id,
        "language": planned.language,
        "title": report.title,
        "summary": report.summary,
        "findings": [{"text": f.text, "triple_ids": list(f.triple_ids)} for f in report.findings],
        "rank": planned.rank,
        "input_hash": key,
        "provider": made_by[0],
        "model": made_by[1],
        "prompt_hash": made_by[2],
    }


def _report_tokens(report: Report) -> int:
    texts = [report.title, report.summary, *(finding.text for finding in report.findings)]
    cited = sum(len(finding.triple_ids) for finding in report.findings)
    # A prompt numbers the triples it may cite: some three tokens each.
    return sum(tokens(text) for text in texts) + 3 * cited + OVERHEAD
