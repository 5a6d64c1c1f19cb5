"""Reading facts in the schema's terms: folding, direction, synonyms, and what the model is told."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pathgraph.extraction.schema import FREE, EntityType, Reading, Relation, Schema, fold_term

TYPES = (EntityType("PERSON", "a human being"), EntityType("ORGANISATION", synonyms=("COMPANY", "회사")))
LEADS = Relation(
    "leads", "runs it", ("CEO", "대표이사", "is_ceo_of"), ("led_by",), subjects=("PERSON",), objects=("ORGANISATION",)
)
OWNS = Relation("owns", aliases=("own",), inverse_aliases=("자회사", "subsidiary of"))
PARTNER = Relation("partner_of", aliases=("제휴",), symmetric=True)
SCHEMA = Schema(TYPES, (LEADS, OWNS, PARTNER))
FIXED = Schema(TYPES, (LEADS, OWNS, PARTNER), fixed=True)


@pytest.mark.parametrize(
    "name", ["is_ceo_of", "Is CEO of", "isCeoOf", "IS-CEO-OF", "ＩＳ　ＣＥＯ　ＯＦ", " is__ceo of "]
)
def test_spellings_of_one_relation_fold_to_one(name):
    assert fold_term(name) == "isceoof"
    assert SCHEMA.read(name, "", "").relation == "leads"


def test_korean_folds_over_blanks_and_decomposed_letters():
    assert fold_term("대표 이사") == fold_term("대표이사") == fold_term("\u1103\u1162표이사")


@given(st.text())
def test_folding_is_idempotent(name):
    assert fold_term(fold_term(name)) == fold_term(name)


@pytest.mark.parametrize(
    ("fact", "expected"),
    [
        (("CEO", "PERSON", "COMPANY"), Reading("leads")),
        (("led_by", "회사", "PERSON"), Reading("leads", turned=True)),
        (("led by", "", ""), Reading("leads", turned=True)),
        # A noun stated the other way round: both types are known and fit in that direction alone.
        (("CEO", "COMPANY", "PERSON"), Reading("leads", turned=True)),
        (("led_by", "PERSON", "COMPANY"), Reading("leads")),
        (("CEO", "COMPANY", ""), Reading("leads")),
        (("CEO", "PERSON", "PERSON"), Reading("leads")),
        (("자회사", "COMPANY", "COMPANY"), Reading("owns", turned=True)),
        (("제휴", "PERSON", "COMPANY"), Reading("partner_of", symmetric=True)),
        (("outbids", "COMPANY", "COMPANY"), Reading("outbids")),
    ],
)
def test_a_fact_reads_in_canonical_direction(fact, expected):
    assert SCHEMA.read(*fact) == expected


@pytest.mark.parametrize(
    ("fact", "outside"),
    [
        (("outbids", "COMPANY", "COMPANY"), "relation"),
        (("CEO", "PERSON", "PERSON"), "type"),
        (("CEO", "PLACE", "COMPANY"), "type"),
        (("CEO", "COMPANY", "PERSON"), ""),
        (("CEO", "", "COMPANY"), ""),
        (("owns", "PLACE", "LAW"), ""),
    ],
)
def test_a_fixed_schema_says_what_it_has_no_place_for(fact, outside):
    assert FIXED.read(*fact).outside == outside


NAMES = st.sampled_from(["CEO", "led_by", "leads", "자회사", "owns", "제휴", "outbids", "Outbids "]) | st.text()
ENDS = st.sampled_from(["", "PERSON", "person", "회사", "COMPANY", "ORGANISATION", "PLACE"]) | st.text()


@given(NAMES, ENDS, ENDS, st.sampled_from([SCHEMA, FIXED]))
def test_reading_a_reading_changes_nothing(relation, subject, object_, schema):
    first = schema.read(relation, subject, object_)
    ends = (object_, subject) if first.turned else (subject, object_)
    again = schema.read(first.relation, *(schema.type_of(end) for end in ends))
    assert (again.relation, again.turned, again.symmetric) == (first.relation, False, first.symmetric)
    assert again.outside == first.outside


@given(st.text(), st.text(), st.text())
def test_the_empty_schema_changes_nothing(relation, subject, object_):
    assert FREE.read(relation, subject, object_) == Reading(relation)
    assert FREE.type_of(subject) == subject
    assert FREE.prompt_section("en") == ""


def test_the_model_is_told_names_descriptions_and_direction_but_no_alias():
    told = FIXED.prompt_section("en")
    assert "- leads (PERSON -> ORGANISATION): runs it" in told
    assert "- partner_of (any -> any, either direction)" in told
    assert "- PERSON: a human being" in told
    assert told.endswith("Leave out facts that none of them states.")
    more = Schema((*TYPES[:1], EntityType("ORGANISATION", synonyms=("FIRM",))), (LEADS, OWNS, PARTNER), fixed=True)
    assert more.prompt_section("en") == told
    assert more.hash != FIXED.hash


def test_korean_documents_get_korean_words():
    assert SCHEMA.prompt_section("ko").startswith("개체 유형:")
    assert SCHEMA.prompt_section("fr") == SCHEMA.prompt_section("en")
