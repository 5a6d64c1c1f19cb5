"""The graph under a schema: one edge for many names of a relation, true directions, types, what is kept aside."""

import pyarrow as pa
from hypothesis import given, settings
from hypothesis import strategies as st

from pathgraph.extraction.collect import ChunkPlace, RawFacts
from pathgraph.extraction.reply import CO_OCCURS, Parsed, RawMention, RawTriple
from pathgraph.extraction.schema import FREE, EntityType, Relation, Schema
from pathgraph.extraction.shards import names_in
from pathgraph.graph.assemble import Texts, assemble
from pathgraph.resolution.aliases import Alias
from pathgraph.resolution.resolve import resolve

DOCUMENTS = pa.table({"document_id": [1, 2], "modified_at": pa.array([None, None], pa.timestamp("us", tz="UTC"))})
CHUNKS = pa.table(
    {"chunk_id": [10, 20], "document_id": [1, 2], "kind": ["extract"] * 2, "start": [0, 0], "end": [500, 500]}
)
PLACES = [ChunkPlace(10, 1, 0), ChunkPlace(20, 2, 0)]
TYPES = (EntityType("PERSON"), EntityType("ORGANISATION", synonyms=("ORG", "회사")))
LEADS = Relation("leads", "", ("CEO", "대표이사"), ("led_by",), ("PERSON",), ("ORGANISATION",))
OWNS = Relation("owns", "", (), ("자회사",))
PARTNER = Relation("partner_of", "", ("제휴",), symmetric=True)
SCHEMA = Schema(TYPES, (LEADS, OWNS, PARTNER))
FIXED = Schema(TYPES, (LEADS, OWNS, PARTNER), fixed=True)


def fact(subject, relation, obj, start=0, types=("", ""), kind="typed"):
    words = f"{subject} {relation} {obj}."
    return RawTriple(subject, relation, obj, *types, words, 1.0, start, start + 10, kind)


def build(*facts, schema=FREE, aliases=(), mentions=()):
    found = RawFacts()
    for number, one in enumerate(facts):
        found.add(PLACES[number % 2], Parsed((one,), (), (), ()))
    found.add(PLACES[0], Parsed((), tuple(mentions), (), ()))
    return assemble(found, resolve(names_in(found), aliases), Texts(DOCUMENTS, CHUNKS), 400, schema)


def named_edges(graph):
    names = {row["node_id"]: row["name"] for row in graph.nodes.to_pylist()}
    return sorted(
        (names[e["source"]], e["relation"], names[e["target"]], e["n_triples"]) for e in graph.edges.to_pylist()
    )


def test_all_names_of_a_relation_are_one_edge_in_one_direction():
    facts = [
        fact("Kim", "CEO", "Hanbit", 0, ("PERSON", "ORG")),
        fact("Hanbit", "ceo", "Kim", 20, ("ORG", "PERSON")),
        fact("Kim", "대표 이사", "Hanbit", 40),
        fact("Hanbit", "led_by", "Kim", 60),
    ]
    graph = build(*facts, schema=SCHEMA)
    assert named_edges(graph) == [("Kim", "leads", "Hanbit", 4)]
    assert [(row["start"], row["inverted"]) for row in sorted(graph.triples.to_pylist(), key=lambda r: r["start"])] == [
        (0, False),
        (20, True),
        (40, False),
        (60, True),
    ]
    assert {row["relation"] for row in graph.triples.to_pylist()} == {"CEO", "ceo", "대표 이사", "led_by"}
    assert len(named_edges(build(*facts))) == 4


def test_a_symmetric_relation_is_one_edge_in_either_order():
    graph = build(fact("A", "partner_of", "B"), fact("B", "제휴", "A", 30), schema=SCHEMA)
    (edge,) = graph.edges.to_pylist()
    assert edge["source"] < edge["target"]
    assert edge["n_triples"] == 2
    assert sorted(row["inverted"] for row in graph.triples.to_pylist()) == [False, True]


def test_the_dictionary_tells_the_direction_where_extraction_gave_no_type():
    aliases = [
        Alias("Kim", "김", "PERSON", 1),
        Alias("Hanbit", "한빛", "ORGANIZATION", 2),
        Alias("Han", "한", "회사", 3),
    ]
    facts = [fact("Han", "CEO", "Kim"), fact("Hanbit", "CEO", "Kim", 20)]
    assert named_edges(build(*facts, schema=SCHEMA, aliases=aliases)) == [
        ("Hanbit", "leads", "Kim", 1),  # ORGANIZATION is no synonym here, so nothing is known
        ("Kim", "leads", "Han", 1),
    ]


def test_synonyms_of_a_type_are_counted_together_on_nodes():
    mentions = [
        RawMention("Hanbit", kind, at, at + 6) for at, kind in enumerate(["ORG", "회사", "PLACE", "PLACE", "org"])
    ]
    graph = build(fact("Hanbit", "owns", "Nuri"), schema=SCHEMA, mentions=mentions)
    hanbit = next(row for row in graph.nodes.to_pylist() if row["name"] == "Hanbit")
    assert (hanbit["type"], hanbit["types"]) == ("ORGANISATION", ["ORGANISATION", "PLACE"])


def test_a_fixed_schema_keeps_what_is_outside_of_it_aside():
    facts = [
        fact("Kim", "CEO", "Hanbit", 0, ("PERSON", "ORG")),
        fact("Hanbit", "outbids", "Nuri", 20),
        fact("Hanbit", "CEO", "Seoul", 40, ("ORG", "PLACE")),
        fact("Seoul", CO_OCCURS, "Hanbit", 60, kind=CO_OCCURS),
    ]
    mentions = [RawMention("Nuri", "ORG", 20, 24)]
    graph = build(*facts, schema=FIXED, mentions=mentions)
    assert [edge[:3] for edge in named_edges(graph) if edge[1] != CO_OCCURS] == [("Kim", "leads", "Hanbit")]
    aside = {(row["relation"], row["reason"], row["start"]) for row in graph.out_of_schema.to_pylist()}
    assert aside == {("outbids", "relation", 20), ("CEO", "type", 40)}
    assert graph.triples.num_rows + graph.out_of_schema.num_rows == 4
    assert "Nuri" in {row["name"] for row in graph.nodes.to_pylist()}
    assert build(*facts, schema=SCHEMA).out_of_schema.num_rows == 0


def test_a_fact_outside_the_schema_in_the_overlap_of_two_chunks_counts_once():
    chunks = pa.table(
        {"chunk_id": [10, 11], "document_id": [1, 1], "kind": ["extract"] * 2, "start": [0, 80], "end": [100, 200]}
    )
    found = RawFacts()
    found.add(ChunkPlace(10, 1, 0), Parsed((fact("A", "outbids", "B", 85),), (), (), ()))
    found.add(ChunkPlace(11, 1, 80), Parsed((fact("A", "outbids", "B", 5),), (), (), ()))
    graph = assemble(found, resolve(names_in(found), ()), Texts(DOCUMENTS, chunks), 400, FIXED)
    assert graph.out_of_schema.num_rows == 1


FACTS = st.builds(
    fact,
    st.sampled_from("ABC"),
    st.sampled_from(["CEO", "led_by", "owns", "자회사", "제휴", "outbids", "leads"]),
    st.sampled_from("ABC"),
    st.integers(0, 400),
    st.sampled_from([("", ""), ("PERSON", "ORG"), ("회사", "PERSON"), ("PLACE", "ORG")]),
    st.sampled_from(["typed", CO_OCCURS]),
)


@settings(max_examples=30, deadline=None)
@given(st.lists(FACTS, max_size=8, unique_by=lambda f: f.start), st.sampled_from([FREE, SCHEMA, FIXED]), st.randoms())
def test_order_never_matters_and_no_fact_is_lost(facts, schema, random):
    def rows(order):
        found = RawFacts()
        for one in order:
            found.add(PLACES[0], Parsed((one,), (), (), ()))
        graph = assemble(found, resolve(names_in(found), ()), Texts(DOCUMENTS, CHUNKS), 400, schema)
        return [getattr(graph, name).to_pylist() for name in ("triples", "nodes", "edges", "out_of_schema")]

    shuffled = list(facts)
    random.shuffle(shuffled)
    assert rows(shuffled) == rows(facts)
    triples, _, edges, aside = rows(facts)
    kept = [f for f in facts if f.kind != CO_OCCURS or f.subject != f.object]
    assert len(triples) + len(aside) == len(kept)
    assert sum(edge["n_triples"] for edge in edges) == len(triples)
    ids = {name: who.node_id for name, who in resolve("ABC", ()).items()}
    for row in triples:
        ends = (row["object"], row["subject"]) if row["inverted"] else (row["subject"], row["object"])
        assert (row["source"], row["target"]) == (ids[ends[0]], ids[ends[1]])
