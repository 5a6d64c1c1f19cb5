"""Reports: requests with the children's reports, hashes, checked citations, rule-made ones, failures."""

import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pathgraph.errors import ModelError, ModelRejected
from pathgraph.providers.protocol import Evidence, Finding, Report, ReportRequest
from pathgraph.schema.tables import SUMMARIES
from pathgraph.settings import Summaries
from pathgraph.summaries.plan import plan
from pathgraph.summaries.rule import rule_report, title_of
from pathgraph.summaries.write import build_request, cached_reports, check_report, input_hash, write_summaries

sys.path.insert(0, str(Path(__file__).parent))
import summary_tables as make

TREE = [[["a", "b", "c"], ["d", "e", "f"]], ["x", "y", "z"], ["lone"], ["p", "q"]]
FACTS = [
    ("a", "owns", "b", "A owns B since 1990.", "en", 5.0),
    ("b", "makes", "c", "B makes C in a plant.", "en", 1.0),
    ("c", "sells_to", "d", "C sells to D abroad.", "en", 1.0),
    ("d", "owns", "e", "D owns E as a whole.", "en", 1.0),
    ("e", "owns", "f", "E owns F as a whole.", "en", 1.0),
    ("x", "makes", "y", "X는 Y를 만든다.", "ko", 1.0),
    ("p", "owns", "q", "P owns Q.", "en", 1.0),
]
PARENT, LEAF = make.community("abcdef"), make.community("abc")


class Echo:
    """Cites everything it was given, and a triple it was not; records its requests."""

    provider = "test"
    model = "echo"
    prompt_hash = "1"

    def __init__(self, refuse=None, error=ModelError):
        self.requests, self.refuse, self.error = [], refuse, error

    def report(self, request):
        if self.refuse in [e.text for e in request.evidence]:
            raise self.error("no reply")
        self.requests.append(request)
        cited = [e.triple_id for e in request.evidence] + [
            i for c in request.children for f in c.findings for i in f.triple_ids
        ]
        return Report("T " + request.names[0], "S", (Finding("all", (*cited, 12345)), Finding("none", (12345,))))


def run(summariser=None, facts=FACTS, cached=None, **options):
    settings = Summaries()
    batches = plan(make.build(TREE, facts), settings)
    written = list(write_summaries(batches, summariser or Echo(), settings, cached or {}, **options))
    return {w.row["community_id"]: w for w in written}


def test_a_parent_is_written_from_its_childrens_reports_and_its_own_triples():
    echo = Echo()
    run(echo)
    parent = next(r for r in echo.requests if r.children)
    assert sorted(child.title for child in parent.children) == ["T b", "T d"]
    assert [e.text for e in parent.evidence] == ["C sells to D abroad."]


def test_rows_fit_the_schema_and_findings_cite_triples_inside_only():
    written = run()
    table = SUMMARIES.from_rows([w.row for w in written.values()])
    assert table.num_rows == 6
    inside = {t["triple_id"]: t for t in make.build(TREE, FACTS).triples.to_pylist()}
    parent = written[PARENT].row["findings"]
    assert len(parent) == 1
    assert len(parent[0]["triple_ids"]) == 5
    assert all(i in inside for w in written.values() for f in w.row["findings"] for i in f["triple_ids"])


def test_small_and_silent_communities_are_written_by_rule_without_a_call():
    echo = Echo()
    written = run(echo)
    assert len(echo.requests) == 4
    pair, lone = written[make.community("pq")].row, written[make.community(["lone"])].row
    assert (pair["provider"], pair["title"], pair["summary"]) == ("rule", "p, q: owns", "P owns Q.")
    assert (lone["provider"], lone["title"], lone["summary"], lone["findings"]) == ("rule", "lone", "lone", [])


def test_unchanged_input_costs_no_call_and_gives_the_same_rows():
    first = run()
    table = SUMMARIES.from_rows([w.row for w in first.values()])
    echo = Echo()
    again = run(echo, cached=cached_reports(table))
    assert echo.requests == []
    assert {k: w.row for k, w in again.items()} == {k: w.row for k, w in first.items()}
    assert sum(w.cached for w in again.values()) == 4


def test_a_changed_leaf_is_written_anew_with_its_parents_and_nothing_else():
    table = SUMMARIES.from_rows([w.row for w in run().values()])
    echo = Echo()
    changed = [("a", "owns", "b", "A owned B until 2020.", "en", 5.0), *FACTS[1:]]
    run(echo, changed, cached_reports(table))
    assert len(echo.requests) == 1  # Echo's report on the leaf reads the same, so the parent's input is unchanged
    extra = [*FACTS, ("a", "sues", "c", "A sues C over a patent.", "en", 2.0)]
    run(echo, extra, cached_reports(table))
    assert len(echo.requests) == 3


def test_a_thread_pool_gives_the_same_rows():
    with ThreadPoolExecutor(4) as pool:
        assert [w.row for w in run(mapper=pool.map).values()] == [w.row for w in run().values()]


def test_a_failed_report_is_a_failure_and_a_rule_made_row_that_is_tried_again():
    written = run(Echo(FACTS[0][3]))
    failed = written[LEAF]
    assert failed.failure.stage == "summarise"
    assert failed.row["provider"] == "rule"
    assert "A owns B since 1990." in failed.row["summary"]
    assert sum(w.failure is not None for w in written.values()) == 1
    echo = Echo()
    again = run(echo, cached=cached_reports(SUMMARIES.from_rows([w.row for w in written.values()])))
    assert again[LEAF].row["provider"] == "test"
    with pytest.raises(ModelRejected):
        run(Echo(FACTS[0][3], ModelRejected))


def test_childrens_reports_stay_inside_the_budget_heaviest_first():
    settings = Summaries(input_tokens=500)
    leaves = [[f"{c}{i}" for i in range(3 + n)] for n, c in enumerate("abcdef")]
    facts = [(leaf[0], "owns", leaf[1], "t", "en") for leaf in leaves]
    batches = plan(make.build([leaves], facts), settings)
    report = Report("title", "word " * 60, ())
    parent = batches[-1][0]
    heaviest = parent.children[0]
    request = build_request(
        parent, dict.fromkeys(parent.children, report) | {heaviest: replace(report, title="F")}, settings
    )
    assert 1 <= len(request.children) < 6
    assert request.children[0].title == "F"


def request_of(**changes):
    evidence = (Evidence(1, "A owns B.", 2.0, "A", "owns", "B"), Evidence(2, "B makes C.", 1.0, "B", "makes", "C"))
    children = (Report("child", "text", (Finding("C sells D.", (3, 4)),)),)
    return replace(ReportRequest("en", ("A", "B", "C"), evidence, children, 5), **changes)


@pytest.mark.parametrize(
    "changes",
    [
        {"language": "ko"},
        {"names": ("A", "B")},
        {"names": ("B", "A", "C")},
        {"evidence": ()},
        {"evidence": (Evidence(9, "A owns B.", 2.0, "A", "owns", "B"),)},
        {"children": ()},
        {"children": (Report("child", "text", (Finding("C sells D.", (3,)),)),)},
        {"findings": 4},
    ],
)
def test_every_part_of_the_input_is_in_its_hash(changes):
    by = ("p", "m", "h")
    assert input_hash(request_of(), *by) == input_hash(request_of(), *by)
    assert input_hash(request_of(**changes), *by) != input_hash(request_of(), *by)


def test_the_hash_names_who_writes():
    hashes = {
        input_hash(request_of(), *by) for by in [("p", "m", "h"), ("q", "m", "h"), ("p", "n", "h"), ("p", "m", "i")]
    }
    assert len(hashes) == 4


FINDINGS = st.lists(
    st.builds(Finding, st.text(max_size=5), st.lists(st.integers(0, 6), max_size=4).map(tuple)), max_size=9
)


@given(st.text(max_size=4), st.text(max_size=4), FINDINGS)
def test_a_checked_report_cites_only_what_it_was_given(title, summary, findings):
    request = request_of()
    checked = check_report(request, Report(title, summary, tuple(findings)))
    assert {i for f in checked.findings for i in f.triple_ids} <= {1, 2, 3, 4}
    assert all(f.text.strip() and f.triple_ids for f in checked.findings)
    assert len(checked.findings) <= request.findings
    assert checked.title
    assert checked.summary
    assert check_report(request, checked) == checked


def test_the_rule_made_report_takes_over_the_childrens_findings():
    report = rule_report(request_of())
    assert [f.triple_ids for f in report.findings] == [(1,), (2,), (3, 4)]


def test_titles_in_both_languages():
    names = ("한빛전자", "한빛배터리", "루멘셀", "누리뱅크")
    assert title_of(request_of(language="ko", names=names)) == "한빛전자, 한빛배터리, 루멘셀 등: makes, owns"
    both = (*request_of().evidence, Evidence(3, "한빛전자는 한빛배터리를 설립했다.", 1.0, "A", "설립", "C"))
    assert title_of(request_of(language="ko", names=("A",), evidence=both)) == "A: 설립"
    assert title_of(request_of(names=("A",), evidence=both)) == "A: makes, owns"
    assert title_of(request_of(names=names, evidence=())) == "한빛전자, 한빛배터리, 루멘셀 and others"
    assert title_of(request_of(names=(), evidence=())) == "-"
