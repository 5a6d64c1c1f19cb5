"""Reading recordings of every format, finding them in prompts, and telling them in every form."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from protocol import chat, render
from protocol.matching import LONG, WINDOW, Library, fold
from protocol.options import of
from protocol.recordings import Recording, Turn, from_rows, read

FIRST = "The journal was first published in January 1960. Its editor Jan Solovej works at the University of Copenhagen."
SECOND = "한빛전자는 2021년에 누리소프트를 인수했다. 서민우 대표이사는 한빛전자를 이끌고 있으며 청주에 공장을 두었다."
TUPLES = (
    '("entity"<|>"Joe"<|>"person"<|>"Joe buys "things".")##\n("entity"<|>"Mrs. Dilber"<|>"person"<|>"Sells.")##\n'
    '("relationship"<|>"Joe"<|>"Mrs. Dilber"<|>"She sells to Joe." <|>7)##\n("relationship"<|>"broken")##<|COMPLETE|>'
)
GLEANED = '("entity"<|>"London"<|>"geo"<|>"A city.")<|COMPLETE|>'
CARD = "Joe sat by the fire in his little shop of rags when Mrs. Dilber came in with a bundle, and he bought it."
ROWS = [
    {"text": FIRST, "triples": [["Jan Solovej", "works at", "University of Copenhagen"], ["journal", "old"]],
     "entities": ["Jan Solovej"], "response": "raw openie"},
    {"text": SECOND, "triples": [["한빛전자", "인수", "누리_소프트"]],
     "entities": [{"name": "한빛전자", "ne_type": "OG"}]},
    {"chunk": 0, "turn": 1, "response": GLEANED},
    {"chunk": 0, "turn": 0, "text": CARD, "response": TUPLES},
]  # fmt: skip


@pytest.fixture(scope="module")
def library():
    return Library(from_rows(ROWS))


def answer(library, text, *, turn=0, **options):
    messages = [{"role": "user", "content": text}] + [{"role": "assistant", "content": "..."}] * turn
    call = chat.read_call({"messages": messages, "model": "m"}, False)
    return chat.content_of(of(options), library, call)[0]


def triples(library, text, **options):
    return [list(one.values())[:3] if isinstance(one, dict) else one
            for one in json.loads(answer(library, text, **options))["triples"]]  # fmt: skip


def test_reads_files_of_mixed_formats(tmp_path):
    path = tmp_path / "recordings.jsonl"
    path.write_text("\n".join(json.dumps(row, ensure_ascii=False) for row in ROWS) + "\n\n", "utf-8")
    found = read(path)
    assert [len(one.turns) for one in found] == [1, 1, 2]
    assert found[1].turns[0].entities[0].type == "OG"
    first = found[2].turns[0]
    assert [one.name for one in first.entities] == ["Joe", "Mrs. Dilber"]
    assert [(one.fields, one.strength) for one in first.facts] == [(("Joe", "related_to", "Mrs. Dilber"), 7)]
    assert found[2].turns[1].raw == GLEANED


def test_whole_passages_give_everything_as_recorded(library):
    prompt = f"Rules.\n<data>\n{FIRST.replace(' ', chr(10))}\n{SECOND}\n</data>"
    assert triples(library, prompt) == [
        ["Jan Solovej", "works at", "University of Copenhagen"],
        ["journal", "old"],
        ["한빛전자", "인수", "누리_소프트"],
    ]
    assert triples(library, "nothing recorded here, although it is longer than one window") == []


def test_decomposed_and_json_escaped_text_is_found(library):
    import unicodedata

    assert triples(library, unicodedata.normalize("NFD", SECOND)) == [["한빛전자", "인수", "누리_소프트"]]
    assert triples(library, json.dumps(FIRST.replace(". ", ".\n")))[0][0] == "Jan Solovej"


def test_parts_give_only_what_they_name(library):
    start, end = FIRST[:60], FIRST[45:]
    assert triples(library, start) == [["journal", "old"]]  # "old" is a paraphrase: it stands nowhere
    assert triples(library, end) == [["Jan Solovej", "works at", "University of Copenhagen"]]
    assert triples(library, SECOND[: SECOND.index("인수")].ljust(80)) == []  # shorter than a window


def test_overlap_with_a_neighbour_does_not_bring_its_facts():
    shared = "This very sentence ends the first passage and begins the second one of the two."
    one = {"text": f"Ann leads Acme in Hull. {shared}", "triples": [["Ann", "leads", "Acme"]]}
    two = {"text": f"{shared} Ann knows Bob of Acme.", "triples": [["Ann", "knows", "Acme"]]}
    library = Library(from_rows([one, two]))
    assert triples(library, one["text"]) == [["Ann", "leads", "Acme"]]
    assert len(triples(library, f"{one['text']} {two['text'][len(shared) :]}")) == 2


def test_output_forms(library):
    assert answer(library, CARD, output="raw") == TUPLES
    assert answer(library, CARD, output="raw", turn=1) == GLEANED
    assert json.loads(answer(library, CARD, turn=1))["entities"] == [
        {"name": "London", "type": "geo", "description": "A city."}
    ]
    assert json.loads(answer(library, CARD, turn=2)) == {"entities": [], "triples": []}
    assert json.loads(answer(library, FIRST, output="openie"))["triples"] == ROWS[0]["triples"]
    assert answer(library, FIRST, output="raw") == "raw openie"
    assert '("relationship"<|>"한빛전자"<|>"누리_소프트"<|>"한빛전자 인수 누리_소프트"<|>8)' in answer(
        library, SECOND, output="tuples"
    )
    part = answer(library, CARD[: CARD.index("Mrs.")], output="raw")
    assert '"Joe"<|>"person"' in part
    assert "Dilber" not in part


def test_conform_fills_what_is_missing_and_drops_what_is_unknown():
    schema = {
        "type": "object",
        "properties": {
            "kind": {"enum": ["a", "b"]},
            "note": {"anyOf": [{"type": "string"}, {"type": "null"}]},
            "items": {"type": "array", "items": {"$ref": "#/$defs/item"}},
        },
        "$defs": {"item": {"type": "object", "properties": {"id": {"type": "integer"}, "ok": {"type": "boolean"}}}},
    }
    value = render.conform({"kind": "z", "items": [{"id": 3, "more": 1}, {}]}, schema, "")
    assert value == {"kind": "a", "note": "text", "items": [{"id": 3, "ok": False}, {"id": 1, "ok": False}]}


@given(st.lists(st.text("ab c.", min_size=1, max_size=130), min_size=1, max_size=6), st.integers(0, 5))
def test_a_passage_is_always_found_whole(texts, at):
    library = Library(Recording(text, (Turn(),)) for text in texts)
    text = fold(texts[at % len(texts)])
    found = [match for match in library.find(f"Read: {text} End.") if fold(match.recording.text) == text]
    assert [match.whole for match in found] == [True] * bool(text)


def test_a_set_phrase_inside_two_passages_joins_nothing():
    phrase = "is a peer-reviewed academic journal published by the American Society"
    one, two = (f"{name} {phrase} of {name}, since 1950." for name in ("Optics", "Algebra"))
    library = Library(
        from_rows({"text": text, "triples": [[text[:6], "by", "American Society"]]} for text in (one, two))
    )
    assert [fold(match.recording.text) for match in library.find(one[:80])] == [one]


@given(st.text("abcdefgh ", min_size=4 * WINDOW, max_size=400), st.data())
def test_any_beginning_end_and_long_part_is_found_exactly(text, data):
    folded = fold(text)
    length = data.draw(st.integers(2 * WINDOW, LONG))
    start = data.draw(st.sampled_from([0, len(folded) - length]))
    part = folded[max(0, start) : max(0, start) + length]
    found = Library([Recording(text, (Turn(),))]).find(f"#{part}#")
    assert [match.part for match in found] == [part] or part != fold(part)
