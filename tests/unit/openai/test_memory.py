"""What a conversation about a chunk had been answered when it broke off is not asked again."""

import pytest

from pathgraph.errors import ModelError
from pathgraph.extraction.reply import parse_reply
from pathgraph.providers.openai.extractor import OpenAIExtractor
from pathgraph.providers.openai.memory import Memory
from pathgraph.settings import Endpoint
from pathgraph.store.cache import Cache

FIRST = "Alder runs Cedarworks in the town of Port One, which lies by the sea and has a harbour. " * 3
SECOND = "Birch runs Elmworks in the town of Port Two, which lies in the hills and has no harbour. " * 3
TEXT = FIRST + SECOND
RECORDS = [
    {"text": FIRST.strip(), "triples": [["Alder", "runs", "Cedarworks"]]},
    {"text": SECOND.strip(), "triples": [["Birch", "runs", "Elmworks"]]},
]


@pytest.fixture
def start(protocol_server):
    def make(**options):
        server = protocol_server(records=RECORDS, **options)
        return server, Endpoint(model="m", base_url=server.url, max_attempts=2)

    return make


def subjects(reply, text=TEXT):
    return [triple.subject for triple in parse_reply(reply, text).triples]


def extractor(endpoint, folder, gleanings=0):
    return OpenAIExtractor(endpoint, gleanings, asker=Memory(Cache(folder)).ask)


def test_halves_that_were_answered_are_not_asked_again(start, tmp_path):
    server, endpoint = start(per_call=["truncated", "ok"], faults={"500": 1.0})
    with pytest.raises(ModelError):
        extractor(endpoint, tmp_path).reply(TEXT, "en")
    assert server.stats()["chat_calls"] == 2 + 2
    server.change(faults={})
    assert subjects(extractor(endpoint, tmp_path).reply(TEXT, "en")) == ["Alder", "Birch"]
    stats = server.stats()
    # Not asked again: the whole chunk, whose reply was cut and therefore paid in full, and its first half.
    assert (stats["chat_calls"], stats["repeated_prompts"]) == (2 + 2 + 1, 0)


def test_a_first_round_is_not_asked_again_when_its_gleaning_failed(start, tmp_path):
    server, endpoint = start(per_call=["ok"], faults={"500": 1.0})
    with pytest.raises(ModelError):
        extractor(endpoint, tmp_path, 1).reply(TEXT, "en")
    server.change(faults={})
    assert subjects(extractor(endpoint, tmp_path, 1).reply(TEXT, "en")) == ["Alder", "Birch"]
    assert (server.stats()["chat_calls"], server.stats()["repeated_prompts"]) == (1 + 2 + 1, 0)


@pytest.mark.parametrize("fault", ["prose", "refusal", "empty"])
def test_a_gleaning_that_says_nothing_usable_costs_no_chunk(start, tmp_path, fault):
    server, endpoint = start(per_call=["ok"], faults={fault: 1.0})
    assert subjects(extractor(endpoint, tmp_path, 2).reply(TEXT, "en")) == ["Alder", "Birch"]
    assert server.stats()["chat_calls"] == 1 + 3


def test_a_gleaning_too_long_for_the_model_costs_no_chunk_and_no_call_again(start, tmp_path):
    server, endpoint = start()
    whole = OpenAIExtractor(endpoint).reply(TEXT, "en")
    # Room for the first round, not for the second, whose prompt begins with it.
    server.change(context=endpoint.max_output_tokens + server.stats()["tokens_in"] + 5)
    server.reset()
    assert subjects(OpenAIExtractor(endpoint, 1).reply(TEXT, "en")) == subjects(whole)
    assert (server.stats()["chat_calls"], server.stats()["statuses"]) == (2, {"200": 1, "400": 1})


def test_one_question_alone_is_not_kept_beside_its_reply(start, tmp_path):
    _, endpoint = start()
    extractor(endpoint, tmp_path).reply(TEXT, "en")
    assert Cache(tmp_path).stats() == []
