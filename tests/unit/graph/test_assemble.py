"""Assembling the graph: sums, counts, majority names and types, overlaps, and that no row order matters."""

import datetime as dt

import pyarrow as pa
from hypothesis import given, settings
from hypothesis import strategies as st

from pathgraph.extraction.collect import ChunkPlace, RawFacts
from pathgraph.extraction.reply import CO_OCCURS, Parsed, RawMention, RawTriple
from pathgraph.extraction.shards import names_in
from pathgraph.graph.assemble import Texts, assemble
from pathgraph.resolution.aliases import Alias
from pathgraph.resolution.resolve import resolve

UTC = dt.UTC
DATES = [dt.datetime(2024, 1, 2, tzinfo=UTC), dt.datetime(2025, 3, 4, tzinfo=UTC), None]
DOCUMENTS = pa.table({"document_id": [1, 2, 3], "modified_at": pa.array(DATES, pa.timestamp("us", tz="UTC"))})
CHUNKS = pa.table(
    {
        "chunk_id": [10, 11, 20, 30],
        "document_id": [1, 1, 2, 3],
        "kind": ["extract"] * 4,
        "start": [0, 80, 0, 0],
        "end": [100, 200, 100, 100],
    }
)
PLACES = [ChunkPlace(10, 1, 0), ChunkPlace(11, 1, 80), ChunkPlace(20, 2, 0), ChunkPlace(30, 3, 0)]


def fact(subject, relation, obj, start=0, strength=1.0, kind="typed"):
    return RawTriple(
        subject, relation, obj, "ORG", "", f"{subject} {relation} {obj}.", strength, start, start + 10, kind
    )


def parsed(*triples, mentions=()):
    return Parsed(triples, mentions, (), ())


def build(*replies, aliases=()):
    facts = RawFacts()
    for place, reply in replies:
        facts.add(place, reply)
    return assemble(facts, resolve(names_in(facts), aliases), Texts(DOCUMENTS, CHUNKS), 400)


def node(graph, name):
    return next(row for row in graph.nodes.to_pylist() if row["name"] == name)


def test_an_edge_sums_its_triples_over_documents():
    graph = build(
        (PLACES[0], parsed(fact("A Inc", "own", "B", 0, 2.0), fact("A", "own", "B", 40, 3.0))),
        (PLACES[2], parsed(fact("A", "own", "b", 0, 4.0))),
    )
    (edge,) = graph.edges.to_pylist()
    assert (edge["weight"], edge["n_triples"], edge["n_documents"], edge["chunk_ids"]) == (9.0, 3, 2, [10, 20])
    assert (edge["first_date"], edge["last_date"]) == (dt.date(2024, 1, 2), dt.date(2025, 3, 4))
    assert node(graph, "A")["aliases"][0] == {"surface": "A", "language": "en", "count": 2}


def test_a_fact_in_the_overlap_of_two_chunks_counts_once_and_elsewhere_twice():
    again = fact("A", "own", "B", 85 - 80)
    graph = build(
        (PLACES[0], parsed(fact("A", "own", "B", 85), mentions=[RawMention("A", "ORG", 85, 86)])),
        (PLACES[1], parsed(again, fact("A", "own", "B", 60), mentions=[RawMention("A", "ORG", 5, 6)])),
    )
    assert graph.edges["n_triples"].to_pylist() == [2]
    assert sorted(graph.triples["start"].to_pylist()) == [85, 140]
    assert graph.mentions["start"].to_pylist() == [85]


def test_evidence_that_is_a_whole_chunk_is_no_repeat():
    whole = RawTriple("A", "own", "B", "", "", "x", 1.0, 0, 100, "typed")
    graph = build((PLACES[0], parsed(whole)), (PLACES[1], parsed(whole)))
    assert graph.edges["n_triples"].to_pylist() == [2]


def near(one, other, start):
    return fact(one, CO_OCCURS, other, start, 1.0, CO_OCCURS)


def test_co_occurrence_has_no_direction_and_no_degree():
    graph = build((PLACES[0], parsed(near("A", "B", 0), near("B", "A", 40), near("A", "a", 60))))
    (edge,) = graph.edges.to_pylist()
    assert edge["weight"] == 2.0
    assert edge["source"] < edge["target"]
    assert [(n["degree"], n["n_triples"], n["n_documents"]) for n in graph.nodes.to_pylist()] == [(0, 0, 1)] * 2


def test_ids_stay_exact_beside_names_that_are_nobody():
    resolved = resolve(["A", "B"], ())
    graph = build((PLACES[0], parsed(fact("A", "own", "B"), fact("...", "own", "B"))))
    assert set(graph.nodes["node_id"].to_pylist()) == {who.node_id for who in resolved.values()}


def test_degree_counts_neighbours_once_and_no_self_loop():
    graph = build(
        (
            PLACES[0],
            parsed(
                fact("A", "own", "B"), fact("B", "sue", "A", 20), fact("A", "cite", "A", 40), fact("A", "own", "C", 60)
            ),
        )
    )
    assert (node(graph, "A")["degree"], node(graph, "A")["n_triples"]) == (2, 4)


def test_the_majority_names_and_types_a_node_and_the_dictionary_overrules_it():
    mentions = [
        RawMention("hanbit", "PLACE", 0, 6),
        RawMention("Hanbit", "ORG", 10, 16),
        RawMention("Hanbit", "ORG", 20, 26),
    ]
    graph = build((PLACES[0], parsed(mentions=mentions)))
    assert [(n["name"], n["type"], n["types"]) for n in graph.nodes.to_pylist()] == [
        ("Hanbit", "ORG", ["ORG", "PLACE"])
    ]
    graph = build((PLACES[0], parsed(mentions=mentions)), aliases=[Alias("한빛", "Hanbit", "COMPANY", 2)])
    assert [(n["name"], n["types"]) for n in graph.nodes.to_pylist()] == [("한빛", ["COMPANY", "ORG", "PLACE"])]


def test_a_mention_belongs_to_the_name_it_is_replied_under_however_it_is_written():
    mentions = [RawMention("busy\nletters", "CONCEPT", at, at + 12, "busy letter") for at in (0, 20)]
    graph = build((PLACES[0], parsed(near("busy letter", "A", 0), mentions=mentions)))
    letter = node(graph, "busy letter")
    assert sorted(n["name"] for n in graph.nodes.to_pylist()) == ["A", "busy letter"]
    assert letter["aliases"] == [{"surface": "busy letters", "language": "en", "count": 2}]
    assert graph.mentions["surface"].to_pylist() == ["busy\nletters"] * 2
    assert graph.mentions["node_id"].to_pylist() == [letter["node_id"]] * 2


def test_one_fact_told_twice_with_two_strengths_counts_once_and_the_stronger():
    weak, strong = fact("A", "own", "B", 0, 1.0), fact("A", "own", "B", 0, 2.0)
    for told in ((weak, strong), (strong, weak)):
        assert build((PLACES[0], parsed(*told))).edges["weight"].to_pylist() == [2.0]


def test_names_of_punctuation_make_no_node():
    graph = build((PLACES[0], parsed(fact("...", "own", "B"), mentions=[RawMention("--", "", 0, 2)])))
    assert graph.triples.num_rows == graph.nodes.num_rows == 0


def test_nothing_gives_empty_tables():
    graph = build()
    assert [getattr(graph, name).num_rows for name in ("triples", "mentions", "nodes", "edges")] == [0, 0, 0, 0]


FACTS = st.builds(
    fact,
    st.sampled_from(["A", "a", "B Inc", "B", "한빛", "㈜한빛"]),
    st.sampled_from(["own", "sue"]),
    st.sampled_from(["A", "B", "한빛"]),
    st.integers(0, 90),
    st.floats(0.1, 10),
    st.sampled_from(["typed", CO_OCCURS]),
)
REPLIES = st.lists(st.tuples(st.sampled_from(PLACES), st.lists(FACTS, max_size=4)), max_size=6)


@settings(max_examples=25)  # building twice costs a fifth of a second
@given(REPLIES, st.randoms())
def test_row_order_never_matters_and_references_hold(replies, shuffler):
    given_ = [(place, parsed(*dict.fromkeys(facts))) for place, facts in replies]
    mixed = list(given_)
    shuffler.shuffle(mixed)
    one, other = build(*given_), build(*mixed)
    for name in ("triples", "mentions", "nodes", "edges"):
        assert getattr(one, name).equals(getattr(other, name))
    nodes, edges = set(one.nodes["node_id"].to_pylist()), set(one.edges["edge_id"].to_pylist())
    assert set(one.triples["source"].to_pylist()) | set(one.triples["target"].to_pylist()) <= nodes
    assert set(one.triples["edge_id"].to_pylist()) == edges
    assert sum(one.edges["n_triples"].to_pylist()) == one.triples.num_rows
