"""Replies in every form that models give: each fact is found, what is broken is said, nothing is made up."""

import json
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pathgraph.extraction.repair import cut_back, json_object, read_records
from pathgraph.extraction.reply import Part, ReplyError, join_replies, parse_reply

TEXT = "Ann Lee founded Nova Corp in Seoul. Nova Corp supplies Hanbit. 한빛전자는 누리소프트를 인수했다."
FACTS = {("Ann Lee", "founded", "Nova Corp"), ("Nova Corp", "supplies", "Hanbit")}
ROWS = [list(fact) for fact in sorted(FACTS)]
DICTS = [dict(zip(("subject", "relation", "object"), row, strict=True)) for row in ROWS]
PLAIN = json.dumps({"triples": DICTS})


def facts(raw, text=TEXT):
    return {(t.subject, t.relation, t.object) for t in parse_reply(raw, text).triples}


def renamed(*names):
    return [dict(zip(names, row, strict=True)) for row in ROWS]


FORMS = {
    "plain": PLAIN,
    "fenced": f"Here you are:\n```json\n{PLAIN}\n```\nAnything else?",
    "fence left open": f"```json\n{PLAIN}",
    "fence on a line": f"```{PLAIN}```",
    "in prose": f"Sure! {PLAIN} I hope this helps.",
    "thought aloud": f'<think>maybe {{"triples": []}}</think>\n{PLAIN}',
    "byte-order mark": "\ufeff" + PLAIN,
    "encoded twice": json.dumps(PLAIN),
    "list encoded as text": json.dumps({"triples": json.dumps(DICTS)}),
    "comments": PLAIN.replace('"triples":', '/* all */ "triples": // here\n'),
    "trailing commas": PLAIN.replace("}]}", "},],}"),
    "single quotes": str({"triples": DICTS}),
    "unquoted names": PLAIN.replace('"subject"', "subject").replace('"triples"', "triples"),
    "raw newline": PLAIN.replace("Nova Corp", "Nova\nCorp"),
    "python tuples": f"[{', '.join(str(tuple(row)) for row in ROWS)}]",
    "objects one a line": "\n".join(json.dumps(one) for one in DICTS),
    "bare list": json.dumps(DICTS),
    "OpenIE": json.dumps({"triples": ROWS}),
    "OpenIE bare": json.dumps(ROWS),
    "OpenIE single quotes": str(ROWS),
    "text rows": json.dumps({"triples": [" | ".join(row) for row in ROWS]}),
    "triple in a triple": json.dumps({"triples": [{"triple": row} for row in ROWS]}),
    "wrapped": json.dumps({"result": {"data": {"relationships": DICTS}}}),
    "head tail": json.dumps({"relations": renamed("head", "relation", "tail")}),
    "source target": json.dumps({"edges": renamed("source", "label", "target")}),
    "source target type": json.dumps({"relationships": renamed("source", "type", "target")}),
    "predicate": json.dumps({"facts": renamed("Subject", "Predicate", "Object")}),
    "camel case": json.dumps({"triplets": renamed("sourceEntity", "relationType", "targetEntity")}),
    "Korean names": json.dumps({"트리플": renamed("주어", "관계", "목적어")}, ensure_ascii=False),
    "ends as objects": json.dumps({"triples": [{**d, "subject": {"name": d["subject"], "type": "X"}} for d in DICTS]}),
    "list of objects": json.dumps({"triples": [{**d, "object": [d["object"]]} for d in DICTS]}),
    "table": "| Subject | Relation | Object |\n|---|---|---|\n" + "\n".join(f"| {' | '.join(row)} |" for row in ROWS),
    "table, other order": "Object | Relation | Subject\n--|--|--\n" + "\n".join(" | ".join(row[::-1]) for row in ROWS),
    "table, unknown heads": "|a|b|c|\n|-|-|-|\n" + "\n".join(f"|{'|'.join(row)}|" for row in ROWS),
    "table, relation first": "|Relation|Concept 1|Concept 2|\n|-|-|-|\n"
    + "\n".join(f"|{r}|{a}|{b}|" for a, r, b in ROWS),
    "fenced table": "```\n" + "\n".join(" | ".join(row) for row in ROWS) + "\n```",
    "list with bars": "\n".join(f"- **{a}** | {r} | {b}" for a, r, b in ROWS),
    "semicolons": "\n".join(f"{i}. ({'; '.join(row)})" for i, row in enumerate(ROWS, 1)),
    "commas": "\n".join(f'("{a}", "{r}", "{b}"),' for a, r, b in ROWS),
    "calls": "\n".join(f"{r}({a}, {b})" for a, r, b in ROWS),
    "calls on a line": "Answer: " + ", ".join(f"{r}( {a},{b})" for a, r, b in ROWS),
    "arrows": "\n".join(f"* {a} -[{r}]-> {b}" for a, r, b in ROWS),
    "double arrows": "\n".join(f"{a} --{r}--> {b}" for a, r, b in ROWS),
    "thin arrows": "\n".join(f"{a} → {r} → {b}" for a, r, b in ROWS),
    "pairs": "\n\n".join(f"Subject: {a}\nRelation: {r}\nObject: {b}" for a, r, b in ROWS),
}


@pytest.mark.parametrize("raw", FORMS.values(), ids=FORMS.keys())
def test_every_form_gives_the_same_facts(raw):
    assert facts(raw) == FACTS


def test_tuples_with_delimiters_give_entities_descriptions_and_strength():
    raw = (
        '("entity"<|>"Ann Lee"<|>"person"<|>"A founder.")##\n("entity"<|>Nova Corp<|>organization<|>A firm.)\n##\n'
        '("relationship"<|>"Ann Lee"<|>"Nova Corp"<|>"Ann Lee founded (in 1999) Nova Corp."<|>9)##'
        '("relationship"<|>"Nova Corp"<|>"Hanbit"<|>"Supplies it."<|>"supply, trade"<|>"7")<|COMPLETE|>'
    )
    parsed = parse_reply(raw, TEXT)
    assert [(t.subject, t.subject_type, t.object, t.strength) for t in parsed.triples] == [
        ("Ann Lee", "PERSON", "Nova Corp", 9.0),
        ("Nova Corp", "ORGANIZATION", "Hanbit", 7.0),
    ]
    assert parsed.triples[0].description == "Ann Lee founded (in 1999) Nova Corp."
    assert ("Ann Lee", "A founder.") in parsed.descriptions
    assert parse_reply(raw.replace("##", ""), TEXT) == parsed
    assert parse_reply(raw.replace("<|COMPLETE|>", ""), TEXT) == parsed


@pytest.mark.parametrize("at", range(1, len(PLAIN) - 1))
def test_a_cut_reply_gives_its_complete_facts_and_no_others(at):
    try:
        found = parse_reply(PLAIN[:at], TEXT)
    except ReplyError:
        assert at <= PLAIN.index("}")
        return
    assert {(t.subject, t.relation, t.object) for t in found.triples} <= FACTS
    assert len(found.triples) == PLAIN[:at].count("}")
    assert "cut" in " ".join(found.problems)


def test_a_cut_reply_with_other_damage_loses_its_last_fact_only():
    raw = str({"triples": DICTS}).replace("'triples':", "'triples': /* x */")
    assert facts(raw[:-12]) == {tuple(ROWS[0])}


@pytest.mark.parametrize(
    ("row", "kept"),
    [
        (["a", "b"], 0),
        (["a", "b", "c", "d"], 0),
        (["a", "b", "c", 7], 1),
        (["a", None, "c"], 0),
        ([], 0),
        ("a and b", 0),
        ({"subject": "a", "relation": "b"}, 0),
        ({"subject": "a", "relation": "b", "object": "N/A"}, 0),
        ({"subject": "a", "relation": "b", "object": "*"}, 0),
        ({"subject": "a", "object": "c", "description": "They met."}, 1),
    ],
)
def test_a_record_with_wrong_fields_is_left_out_and_said(row, kept):
    parsed = parse_reply(json.dumps({"triples": [DICTS[0], row]}), TEXT)
    assert len(parsed.triples) == 1 + kept
    assert bool(parsed.problems) != bool(kept)


def test_ends_that_the_entity_list_lacks_become_entities_and_types_come_from_it():
    reply = {"entities": [{"name": "ann lee", "type": "Person"}], "triples": DICTS}
    parsed = parse_reply(json.dumps(reply), TEXT)
    assert [t.subject_type for t in parsed.triples] == ["PERSON", ""]
    assert {(m.surface, m.type) for m in parsed.mentions} == {("Nova Corp", ""), ("Hanbit", "")}


@pytest.mark.parametrize(
    "entities",
    [["Hanbit"], [["Hanbit", "ORG"]], {"Hanbit": "ORG"}, {"ORG": ["Hanbit"]}, {"Hanbit": {"type": "ORG"}}],
    ids=str,
)
def test_entities_come_as_lists_and_mappings(entities):
    assert [m.surface for m in parse_reply(json.dumps({"entities": entities}), TEXT).mentions] == ["Hanbit"]


def test_a_type_that_is_a_sentence_or_says_nothing_is_none():
    reply = {"entities": [{"name": "Hanbit", "type": "x " * 40}, {"name": "Seoul", "type": "unknown"}]}
    assert {m.type for m in parse_reply(json.dumps(reply), TEXT).mentions} == {""}


@pytest.mark.parametrize("raw", ['{"entities": [], "triples": []}', '{"triples": []}', "[]", "{}", "<|COMPLETE|>"])
def test_saying_that_there_is_nothing_is_an_answer(raw):
    assert parse_reply(raw, TEXT).triples == ()


REFUSALS = [
    "I'm sorry, but I can't help with that.",
    "죄송하지만 도와드릴 수 없습니다.",
    "No output.",
    '{"error": "rate limit"}',
    '{"answer": "42"}',
    "The sentence (see Foo, Bar and Baz) holds nothing (really).",
    "See [1] and {2}.",
    "```json\n```",
    "null",
    "triples = [] and that is all",
    "[" * 5000,
    '{"a":' * 5000,
]


@pytest.mark.parametrize("raw", REFUSALS, ids=lambda raw: raw[:20])
def test_what_holds_no_fact_is_an_error_and_no_empty_answer(raw):
    with pytest.raises(ReplyError):
        parse_reply(raw, TEXT)


def test_names_with_commas_end_where_the_text_says():
    text = "Paris, Texas was directed by Wim Wenders."
    assert facts("director(Paris, Texas, Wim Wenders)", text) == {("Paris, Texas", "director", "Wim Wenders")}
    assert facts("cost(Gold (film), 3 (about))", "") == {("Gold (film)", "cost", "3 (about)")}
    assert facts("cast\\_member(A, B)", "") == {("A", "cast_member", "B")}


def test_controls_surrogates_and_nul_leave_fields_in_every_form():
    raw = '{"triples": [["A\x00nn\\ud800", "k\\u0007nows", "B\x1fob"]]}'
    assert facts(raw) == {("Ann", "knows", "Bob")}


def test_joined_replies_keep_their_places_and_say_a_fact_once():
    half = TEXT.index("Nova Corp supplies")
    parts = [Part(0, half, json.dumps({"triples": [ROWS[0]]})), Part(half, len(TEXT), json.dumps({"triples": ROWS}))]
    parsed = parse_reply(join_replies(parts), TEXT)
    assert [TEXT[t.start : t.end] for t in parsed.triples] == ["Ann Lee founded Nova Corp", "Nova Corp supplies Hanbit"]
    assert all(TEXT[m.start : m.end] == m.surface for m in parsed.mentions)
    assert join_replies(parts) == join_replies(parts)


def test_evidence_is_found_despite_blanks_and_case_else_around_the_nearest_names():
    quoted = {**DICTS[1], "evidence": "nova  corp\nSUPPLIES hanbit ..."}
    (found,) = parse_reply(json.dumps({"triples": [quoted]}), TEXT).triples
    assert TEXT[found.start : found.end] == "Nova Corp supplies Hanbit"
    (near,) = parse_reply(json.dumps({"triples": [DICTS[1]]}), TEXT).triples
    assert (near.start, near.end) == (found.start, found.end)


@pytest.mark.parametrize("raw", ["{" * 200_000, '[{"a": "' + "x" * 500_000, '{"a": [1, ' * 40_000, "(a; b" * 100_000])
def test_a_hopeless_reply_is_given_up_in_no_time(raw):
    began = time.process_time()
    with pytest.raises(ReplyError):
        parse_reply(raw, TEXT)
    assert time.process_time() - began < 5


@given(st.text(alphabet='{}[]":,\\<|>()#\n abc→-', max_size=60) | st.text(max_size=60))
def test_no_reply_breaks_the_reader(raw):
    json_object(raw)
    cut_back(raw)
    found = read_records(raw, TEXT)
    if found is not None:
        assert all(isinstance(record, dict) for record in (*found.entities, *found.triples))
    try:
        parsed = parse_reply(raw, TEXT)
    except ReplyError:
        return
    assert all(0 <= t.start <= t.end <= len(TEXT) and t.subject and t.object for t in parsed.triples)
