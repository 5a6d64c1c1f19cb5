"""Plans: which report from what, in which order, inside the budget, whatever the order of the rows."""

import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from pathgraph.settings import Summaries
from pathgraph.summaries.budget import text_tokens, tokens
from pathgraph.summaries.plan import plan
from pathgraph.summaries.write import build_request

sys.path.insert(0, str(Path(__file__).parent))
import summary_tables as make

TREE = [[["a", "b", "c"], ["d", "e", "f"]], ["x", "y", "z"], ["lone"]]
FACTS = [
    ("a", "owns", "b", "A owns B.", "en", 5.0),
    ("b", "makes", "c", "B는 C를 만든다.", "ko", 1.0),
    ("a", "owns", "b", "A still owns B.", "en", 2.0),
    ("c", "sells_to", "d", "C sells to D.", "en", 1.0),
    ("d", "co_occurs", "e", "D and E met.", "ko", 1.0, "co_occurs"),
    ("a", "co_occurs", "c", "A and C met.", "ko", 9.0, "co_occurs"),
    ("x", "makes", "y", "X는 Y를 만든다.", "ko", 1.0),
    ("y", "makes", "z", "Y makes Z.", "en", 1.0),
    ("a", "sues", "x", "A sues X.", "en", 1.0),
]


def planned(tree=TREE, facts=FACTS, settings=None, shuffle=None):
    batches = plan(make.build(tree, facts, shuffle), settings or Summaries())
    return batches, {p.community_id: p for batch in batches for p in batch}


def texts(item):
    return [e.text for e in item.evidence]


def test_a_triple_is_evidence_of_the_smallest_community_that_holds_both_ends():
    _, by_id = planned()
    assert texts(by_id[make.community("abc")]) == ["A owns B.", "A still owns B.", "B는 C를 만든다."]
    assert texts(by_id[make.community("abcdef")]) == ["C sells to D."]
    everything = [text for item in by_id.values() for text in texts(item)]
    assert "A sues X." not in everything  # no community holds both
    assert len(everything) == len(set(everything))


def test_co_occurrence_counts_only_where_nothing_typed_is_known():
    _, by_id = planned()
    assert texts(by_id[make.community("def")]) == ["D and E met."]
    assert "A and C met." not in texts(by_id[make.community("abc")])


def test_children_come_before_their_parents_and_each_community_once():
    batches, by_id = planned()
    assert sum(map(len, batches)) == len(by_id) == 5
    done = set()
    for batch in batches:
        assert all(child in done for item in batch for child in item.children)
        done |= {item.community_id for item in batch}
    assert by_id[make.community("abcdef")].children == tuple(sorted([make.community("abc"), make.community("def")]))


def test_language_is_that_of_most_triples_ties_by_code():
    _, by_id = planned()
    assert by_id[make.community("abc")].language == "en"
    assert by_id[make.community("def")].language == "ko"
    assert by_id[make.community("xyz")].language == "en"  # one each
    assert by_id[make.community(["lone"])].language == "en"  # of its name


def test_rank_is_the_root_of_the_share_of_weight():
    _, by_id = planned()
    assert by_id[make.community("abcdef")].rank == pytest.approx(10 * (6 / 10) ** 0.5)
    assert all(0 <= item.rank <= 10 for item in by_id.values())


def test_names_are_the_most_connected_first():
    assert planned()[1][make.community("abc")].names == ("a", "b", "c")
    hub = [("m", "knows", other, "t", "en") for other in "abc"]
    assert planned([["a", "b", "c", "m"]], hub)[1][make.community("abcm")].names[0] == "m"


def test_the_budget_holds_and_the_most_important_stays():
    names = [f"node {i}" for i in range(40)]
    facts = [
        (names[i], "r", names[j], "긴 문장이다. " * 20, "ko", 1.0 + (i * j) % 7) for i in range(40) for j in range(i)
    ]
    settings = Summaries(input_tokens=1000)
    item = planned([names], facts, settings)[1][make.community(names)]
    request = build_request(item, {}, settings)
    assert 1 <= len(request.evidence) < len(facts)
    assert request.evidence[0].weight == 7.0
    assert sum(tokens(e.text) for e in request.evidence) + sum(map(tokens, request.names)) <= 1000


@pytest.mark.parametrize("text", ["", "plain", "한국어 문장", "é", "👨‍👩‍👧"])
def test_one_estimate_for_one_text_and_for_many(text):
    import pandas as pd

    assert text_tokens(pd.Series([text, text])).tolist() == [tokens(text)] * 2


def test_empty_tables_give_an_empty_plan():
    assert planned([], [])[0] == []


def test_a_graph_without_facts_still_has_reports():
    _, by_id = planned([["a", "b"], ["c"]], [])
    assert {item.names for item in by_id.values()} == {("a", "b"), ("c",)}
    assert all(item.evidence == () and item.rank <= 10 for item in by_id.values())


LETTERS = [*"abcdefxyz", "lone"]
FACT = st.tuples(
    st.sampled_from(LETTERS),
    st.sampled_from(["r", "s"]),
    st.sampled_from(LETTERS),
    st.sampled_from(["One.", "Two.", "셋이다.", ""]),
    st.sampled_from(["ko", "en", "und"]),
    st.floats(0.5, 9),
    st.sampled_from(["typed", "co_occurs"]),
)


@given(st.lists(FACT, max_size=12), st.integers(0, 5))
@hypothesis_settings(max_examples=15, deadline=None)
def test_row_order_changes_nothing_and_evidence_lies_inside(facts, seed):
    batches, by_id = planned(facts=facts)
    assert planned(facts=facts, shuffle=seed)[0] == batches
    members = {make.community(names): set(names) for names in ("abc", "def", "abcdef", "xyz", ["lone"])}
    for key, item in by_id.items():
        assert all({e.subject, e.object} <= members[key] for e in item.evidence)
