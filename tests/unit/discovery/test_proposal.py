"""A proposal is a valid schema file that says what the sample said, whatever names the documents held."""

import sys
from dataclasses import replace
from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pathgraph.discovery.discover import sampled, write_proposal
from pathgraph.discovery.propose import Proposal, proposed_relations, proposed_types
from pathgraph.discovery.render import render
from pathgraph.discovery.sample import Sample, stratified
from pathgraph.errors import UsageError
from pathgraph.extraction.schema_file import _parsed
from pathgraph.text import sanitise

sys.path.insert(0, str(Path(__file__).parent))
from seen_relations import TYPES, fact, groups_of


def proposal_of(*facts, nodes=None, top=10):
    types = proposed_types([[TYPES[n]] for n in TYPES if TYPES[n]] if nodes is None else nodes)
    return Proposal(2, len(facts), 42, top, types, proposed_relations(groups_of(*facts), types))


def schema_of(proposal):
    return _parsed(render(proposal), "schema.yaml")


CEO = [
    *(fact(n, "chief executive of", 100 + n, n) for n in range(4)),
    *(fact(10 + n, "대표이사", 110 + n) for n in range(3)),
    *(fact(120 + n, "led by", 20 + n) for n in range(2)),
]


def test_names_directions_and_types_go_into_the_file():
    text = render(proposal_of(*CEO, fact(1, "mocks", 2), top=1))
    schema = _parsed(text, "schema.yaml")
    (relation,) = schema.relations
    assert (relation.name, relation.aliases, relation.inverse_aliases) == (
        "chief_executive_of",
        ("대표이사",),
        ("led by",),
    )
    assert (relation.subjects, relation.objects, schema.fixed) == (("PERSON",), ("ORGANISATION",), False)
    assert "9 facts in 4 documents: PERSON -> ORGANISATION 9" in text
    assert "# Not proposed, being rarer: 1 relations." in text
    assert "#    1  mocks (PERSON -> PERSON)" in text


def test_the_file_reads_the_samples_facts_as_they_were_grouped():
    schema = schema_of(proposal_of(*CEO))
    for one in CEO:
        read = schema.read(one.relation, TYPES[one.source], TYPES[one.target])
        assert (read.relation, read.turned) == ("chief_executive_of", one.relation == "led by")


def test_pairs_in_both_directions_make_a_relation_symmetric():
    pairs = [(101, 102), (103, 104), (105, 106)]
    facts = [fact(a, "allied with", b) for a, b in pairs] + [fact(b, "allied with", a) for a, b in pairs[:2]]
    (relation,) = schema_of(proposal_of(*facts)).relations
    assert (relation.symmetric, relation.subjects, relation.inverse_aliases) == (True, (), ())


def test_rare_and_unknown_types_are_not_proposed():
    facts = [fact(n, "leads", 100 + n) for n in range(9)] + [fact(200, "leads", 101)]
    (relation,) = proposal_of(*facts).relations
    assert (relation.subjects, relation.objects) == (("PERSON",), ("ORGANISATION",))
    (unknown,) = proposal_of(fact(300, "leads", 101), fact(300, "leads", 102), fact(1, "leads", 103)).relations
    assert (unknown.subjects, unknown.objects) == ((), ("ORGANISATION",))


def test_synonyms_of_types_are_one_type_under_the_most_frequent_name():
    types = proposed_types([["COMPANY", "ORGANIZATION"], ["COMPANY"], ["회사"], ["GIZMO"], [], ["--"]])
    assert [(one.name, one.count, one.synonyms) for one in types] == [
        ("COMPANY", 4, ("ORGANIZATION", "회사")),
        ("GIZMO", 1, ()),
    ]


def test_nothing_found_is_a_valid_file_too():
    assert schema_of(proposal_of(nodes=[])).relations == ()


NASTY = st.sampled_from(
    [
        "a: b",
        "# x",
        "no",
        "null",
        "- y",
        "{z}",
        '"q"',
        "'s",
        "\\",
        "a #b",
        "*a",
        "&a",
        "?",
        "=",
        "~",
        "1e3",
        "👩‍💻",
        "a\u2028b",
    ]
) | st.text(max_size=12)
# As facts come out of a reply: sanitised and on one line.
NASTY = NASTY.map(lambda name: " ".join(sanitise(name).split()))


@given(st.lists(st.builds(fact, st.just(1), NASTY, st.just(101), st.just(1), NASTY), max_size=6), st.lists(NASTY))
def test_no_name_or_sentence_can_break_the_file(facts, types):
    proposal = proposal_of(*facts, nodes=[types], top=3)
    schema = schema_of(proposal)
    assert len(schema.relations) == min(3, len(proposal.relations))
    assert len(schema.types) == len(proposal.types)


def test_a_file_is_never_replaced_unasked(tmp_path):
    out = tmp_path / "schema.yaml"
    write_proposal(proposal_of(*CEO), out, force=False)
    out.write_text("mine", "utf-8")
    with pytest.raises(UsageError, match="--force"):
        write_proposal(proposal_of(*CEO), out, force=False)
    assert out.read_text("utf-8") == "mine"
    write_proposal(proposal_of(*CEO), out, force=True)
    assert "대표이사" in out.read_text("utf-8")
    with pytest.raises(UsageError, match="no folder"):
        write_proposal(proposal_of(*CEO), tmp_path / "none" / "s.yaml", force=False)


def test_coverage_is_of_what_is_proposed():
    proposal = proposal_of(*CEO, fact(1, "mocks", 2), top=1)
    assert proposal.coverage == pytest.approx(0.9)
    assert replace(proposal, facts=0).coverage == 0


PLACES = [
    *(f"news/{n}.md" for n in range(50)),
    "law/a.md",
    "law/b.md",
    *(f"t/rows.csv#{n}" for n in range(9)),
    "top.md",
]


def test_every_folder_is_drawn_before_any_is_drawn_twice():
    drawn = [PLACES[at] for at in stratified(PLACES, Sample(4, 1))]
    assert sorted({place.split("/")[0] for place in drawn}) == ["law", "news", "t", "top.md"]
    drawn = [PLACES[at] for at in stratified(PLACES, Sample(9, 1))]
    assert sum(place.startswith("news") for place in drawn) == 3
    assert stratified(PLACES, Sample(1000, 1)) == list(range(len(PLACES)))


@given(st.permutations(PLACES), st.integers(1, 20), st.integers(0, 5))
def test_the_order_of_places_does_not_matter_and_the_seed_does(places, size, seed):
    drawn = {places[at] for at in stratified(places, Sample(size, seed))}
    assert drawn == {PLACES[at] for at in stratified(PLACES, Sample(size, seed))}
    assert len(drawn) == size


def test_other_seeds_draw_others():
    assert len({tuple(stratified(PLACES, Sample(8, seed))) for seed in range(5)}) == 5


def test_only_documents_for_the_graph_are_drawn():
    table = pa.table({"source": ["s"] * 3, "uri": ["a", "b", "c"], "route": ["vector", "graph", "skip"]})
    assert sampled(table, Sample(5)).to_pylist() == [{"source": "s", "uri": "b", "route": "graph"}]
    assert sampled(table.slice(0, 1), Sample(5)).num_rows == 0
    assert stratified([], Sample(5)) == []
