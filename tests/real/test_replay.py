"""The protocol server's recordings over whole corpora: every passage gets its own facts, parts get theirs."""

import json
import os
from pathlib import Path

import pytest
from protocol import chat
from protocol.matching import Library, fold
from protocol.options import of
from protocol.recordings import read

pytestmark = pytest.mark.real
FILES = {
    "d01_musique_openie_A/recordings.jsonl": (974, 0.98),
    "d03_carol_gpt4o/recordings_draw_b.jsonl": (42, 0.95),
    "d03_carol_gpt4o/recordings_draw_c.jsonl": (42, 0.95),
    "d05_redocred_dev/gold_extraction.jsonl": (500, 0.99),
    "d06_k2nlg_ko/docs.jsonl": (1700, 0.95),
}
RULES = "Write down the facts of the document as JSON.\n" * 40


@pytest.fixture(scope="module")
def corpora():
    folder = os.environ.get("PATHGRAPH_CORPORA")
    if not folder:
        pytest.skip("PATHGRAPH_CORPORA is not set")
    return Path(folder)


def reply(library, text, **options):
    messages = [{"role": "system", "content": RULES}, {"role": "user", "content": text}]
    return chat.content_of(of(options), library, chat.read_call({"messages": messages}, False))[0]


@pytest.mark.parametrize("name", FILES)
def test_every_passage_gets_its_own_facts(corpora, name):
    recordings = read(corpora / name)
    library = Library(recordings)
    passages, exact_share = FILES[name]
    assert len(library) >= passages
    exact = 0
    for recording in recordings:
        found = library.find(f"{RULES}<data>\n{recording.text}\n</data>")
        assert any(match.whole and fold(match.recording.text) == fold(recording.text) for match in found)
        exact += len(found) == 1
    assert exact >= exact_share * len(recordings), exact


@pytest.mark.parametrize("name", FILES)
def test_half_passages_give_most_of_their_facts_and_few_of_their_neighbours(corpora, name):
    recordings = [one for one in read(corpora / name) if len(one.text) >= 160][:200]
    library = Library(recordings)
    own = found = strange = 0
    for recording in recordings:
        cut = recording.text.rfind(" ", 0, len(recording.text) // 2)
        facts = {fact.fields[:3] for fact in recording.turns[0].facts}
        told = {fact for part in (recording.text[:cut], recording.text[cut:]) for fact in told_of(library, part)}
        own, found, strange = own + len(facts), found + len(told & facts), strange + len(told - facts)
    assert 0.6 * own <= found <= own
    # The chunks of d03 overlap by a twelfth on both sides, and its names stand everywhere.
    assert strange <= (0.4 if "d03" in name else 0.05) * own


def told_of(library, text):
    records = json.loads(reply(library, text))["triples"]
    return [tuple(one[:3]) if isinstance(one, list) else tuple(list(one.values())[:3]) for one in records]
