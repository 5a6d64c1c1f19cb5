"""Offline reports: the telling sentences, in the right language, each with the triples it states."""

import random
import time

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pathgraph.graph.pagerank import pagerank
from pathgraph.providers.offline.summaries import MAX_SENTENCES, OfflineSummariser
from pathgraph.providers.protocol import Evidence, Finding, Report, ReportRequest

KO = [
    "한빛전자는 2024년 9월 앨더브룩로보틱스를 인수했다.",
    "서민우는 한빛전자의 대표이사이다.",
    "한빛배터리는 루멘셀을 생산한다.",
    "한빛전자는 자회사 한빛배터리를 두고 있다.",
]
EN = [
    "Hanbit Electronics acquired Alderbrook Robotics in September 2024.",
    "Seo Minwoo is the chief executive of Hanbit Electronics.",
    "Hanbit Battery produces Lumen Cell in Cheongju.",
    "Hanbit Electronics owns Hanbit Battery.",
]


def request(texts, language="en", children=(), findings=5, weights=None):
    evidence = tuple(
        Evidence(i, text, weights[i] if weights else 1.0, f"s{i}", "owns", f"o{i}") for i, text in enumerate(texts)
    )
    return ReportRequest(language, ("Hanbit Electronics", "Lumen Cell"), evidence, tuple(children), findings)


def report(*args, **options):
    return OfflineSummariser().report(request(*args, **options))


def cited(written):
    return {f.text: f.triple_ids for f in written.findings}


@pytest.mark.parametrize(("language", "own"), [("ko", KO), ("en", EN)])
def test_the_summary_is_in_the_language_of_the_request(language, own):
    written = report([*KO, *EN], language)
    assert all(text in own for text in list(cited(written))[:4])
    assert len(written.findings) == 5  # the other language only fills up
    assert not any(text in written.summary for text in [*KO, *EN] if text not in own)


def test_findings_state_what_they_cite_and_equal_sentences_are_one():
    written = report([*EN, EN[0]])
    assert cited(written)[EN[0]] == (0, 4)
    assert set(cited(written)) == set(EN)


def test_one_triple_is_enough():
    written = report(EN[:1])
    assert (written.summary, cited(written)) == (EN[0], {EN[0]: (0,)})
    assert written.title == "Hanbit Electronics, Lumen Cell: owns"


@pytest.mark.parametrize(
    "leaning",
    [
        "This made the company larger than ever.",
        "However, Hanbit Battery lost the contract.",
        "그러나 한빛배터리는 계약을 잃었다고 한다.",
        "이 규정은 2025년 1월 1일 새 규정으로 대체됐다.",
        "그녀는 한빛전자에서 열두 해를 일했다.",
        "Hanbit Electronics and its answer to it -",
        "Too short.",
    ],
)
def test_sentences_that_lean_on_others_are_passed_over(leaning):
    for language in ("ko", "en"):
        assert leaning not in cited(report([leaning, *EN, *KO], language, findings=8))
    assert leaning.rstrip(" -") in report([leaning]).summary  # but better than nothing


@pytest.mark.parametrize(
    "name",
    [
        "이마트24는 새 매장을 서울에 열었다.",
        "저가 항공사 하나가 부산에 취항했다.",
        "Thesis Labs opened a plant in Leeds.",
        "그린텍은 군산에 공장을 세웠다.",
    ],
)
def test_names_that_begin_like_a_demonstrative_stay(name):
    assert name in cited(report([name], "ko"))
    assert name in cited(report([name, *EN], "ko" if name[0] > "z" else "en"))


def test_near_duplicates_are_taken_once():
    texts = [
        "Hanbit Electronics acquired Alderbrook Robotics in 2024.",
        "Hanbit Electronics acquired Alderbrook Robotics.",
        *EN[1:],
    ]
    written = report(texts)
    assert sum("acquired" in text for text in cited(written)) == 1


def test_important_evidence_comes_first():
    texts = [f"Company {chr(65 + i)} sells the product number {i} to its customers." for i in range(9)]
    weights = [1.0] * 9
    weights[6] = 500.0
    assert next(iter(cited(report(texts, weights=weights)))) == texts[6]


def test_a_parent_cites_what_its_children_cited():
    children = [Report("c", "text", (Finding(EN[0], (71, 72)),)), Report("d", "text", (Finding(EN[2], (73,)),))]
    assert cited(report([], children=children)) == {EN[0]: (71, 72), EN[2]: (73,)}


def test_five_thousand_triples_are_capped_and_quick():
    rng = random.Random(1)
    words = [f"word{i}" for i in range(400)]
    texts = [" ".join(rng.choices(words, k=12)) + "." for _ in range(5000)]
    began = time.process_time()
    written = report(texts)
    assert time.process_time() - began < 5
    assert all(i < MAX_SENTENCES for ids in cited(written).values() for i in ids)
    assert report(texts) == written


@given(
    st.lists(st.sampled_from([*KO, *EN, "", "...", "이 -", "a\nb", "👍" * 20]), max_size=12),
    st.sampled_from(["ko", "en", "und"]),
)
@settings(max_examples=60, deadline=None)
def test_any_evidence_gives_a_report_that_cites_it(texts, language):
    asked = request(texts, language)
    written = OfflineSummariser().report(asked)
    assert written.title
    assert written.summary
    allowed = {e.triple_id: " ".join(e.text.split()) for e in asked.evidence}
    for finding in written.findings:
        assert finding.triple_ids
        assert all(allowed[i] in ("", finding.text) for i in finding.triple_ids)
    assert len(written.findings) <= 5


def test_pagerank_equals_networkx():
    graph = nx.gnm_random_graph(40, 90, seed=3)
    edges = np.array(sorted(graph.edges), np.int32)
    weight = np.linspace(0.1, 2, len(edges))
    reset = np.linspace(1, 3, 40)
    for (u, v), w in zip(edges.tolist(), weight.tolist(), strict=True):
        graph[u][v]["weight"] = w
    for start in (None, reset):
        expected = nx.pagerank(graph, 0.85, None if start is None else dict(enumerate(start)), tol=1e-12, max_iter=500)
        got = pagerank(40, edges[:, 0], edges[:, 1], weight, start)
        assert np.allclose(got, [expected[i] for i in range(40)], atol=1e-8)


def test_pagerank_of_nothing():
    none = np.empty(0, np.int32)
    assert pagerank(0, none, none, np.empty(0)).tolist() == []
    assert pagerank(1, none, none, np.empty(0)).tolist() == [1.0]
