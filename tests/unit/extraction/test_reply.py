"""Reading replies: single bad records are dropped and said, spans always hold."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pathgraph.extraction.reply import ReplyError, parse_reply

TEXT = "㈜한빛전자는 누리소프트를 인수했다. Hanbit supplies Nuri."


def parse(**reply):
    return parse_reply(json.dumps(reply), TEXT)


def triple(**fields):
    return {"subject": "㈜한빛전자", "relation": "인수", "object": "누리소프트", **fields}


def test_a_plain_fact_gets_a_span_around_both_names():
    (found,) = parse(triples=[triple()]).triples
    assert TEXT[found.start : found.end] == "㈜한빛전자는 누리소프트"
    assert (found.strength, found.kind, found.description) == (1.0, "typed", "㈜한빛전자는 누리소프트")


def test_a_quote_or_a_span_is_the_evidence():
    quoted = parse(triples=[triple(evidence=" Hanbit supplies Nuri. ")]).triples[0]
    assert TEXT[quoted.start : quoted.end] == "Hanbit supplies Nuri."
    given_ = parse(triples=[triple(start=3, end=9)]).triples[0]
    assert (given_.start, given_.end) == (3, 9)


def test_without_a_place_the_whole_chunk_is_the_evidence():
    found = parse(triples=[triple(object="Unheard")]).triples[0]
    assert (found.start, found.end) == (0, len(TEXT))


@pytest.mark.parametrize(
    ("strength", "kept"),
    [
        (8, 8.0),
        ("7.5", 7.5),
        (99, 10.0),
        (-3, 1.0),
        (0, 1.0),
        ("high", 8.0),
        ("huge", 1.0),
        ("8/10", 8.0),
        ("70 %", 7.0),
        (None, 1.0),
        ("nan", 1.0),
    ],
)
def test_strengths_end_up_in_range(strength, kept):
    assert parse(triples=[triple(strength=strength)]).triples[0].strength == kept


def test_bad_records_are_dropped_and_said():
    parsed = parse(triples=[triple(), 5, {"subject": "x"}, triple(subject="y" * 300)], entities="none")
    assert len(parsed.triples) == 1
    assert len(parsed.problems) == 4


def test_korean_names_are_found_before_their_particles_and_latin_ones_as_whole_words():
    parsed = parse(entities=[{"name": "누리소프트", "type": "organisation"}, {"name": "Nur"}, {"name": "Nuri"}])
    assert [(m.surface, m.type) for m in parsed.mentions] == [("누리소프트", "ORGANISATION"), ("Nuri", "")]


def test_spans_outside_the_text_are_dropped():
    assert parse(entities=[{"name": "Nuri", "spans": [[0, 9999], [5, 2], ["a", 3], [True, 3]]}]).mentions == ()


def test_controls_and_surrogates_leave_names():
    parsed = parse_reply('{"triples": [{"subject": "A\\u0000B\\ud800", "relation": "r", "object": "C"}]}', TEXT)
    assert parsed.triples[0].subject == "AB"


@pytest.mark.parametrize("raw", ["", "no json", "[1]", '"x"', "{", "null"])
def test_what_is_no_object_is_an_error(raw):
    with pytest.raises(ReplyError):
        parse_reply(raw, TEXT)


FIELDS = ["subject", "relation", "object", "name", "spans", "start", "end", "strength", "triples", "evidence"]
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=12),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from(FIELDS), inner, max_size=6),
    max_leaves=20,
)


@given(st.dictionaries(st.sampled_from(["triples", "entities"]), JSON), st.text(max_size=40))
def test_any_json_object_parses_and_every_span_lies_in_the_text(reply, text):
    parsed = parse_reply(json.dumps(reply), text)
    for found in (*parsed.triples, *parsed.mentions):
        assert 0 <= found.start <= found.end <= len(text)
    assert all(text[m.start : m.end] == m.surface for m in parsed.mentions)
