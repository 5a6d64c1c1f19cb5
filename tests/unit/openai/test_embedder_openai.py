"""Vectors: checked, in the order of the texts, of unit length."""

import numpy as np
import pytest

from pathgraph.errors import ModelError, ModelRejected
from pathgraph.providers.openai.embedder import OpenAIEmbedder

from .fake_endpoint import error


def vector(text):
    return [float(len(text)), float(sum(map(ord, text)) % 97), 1.0]


def rows(texts):
    return [{"index": i, "embedding": vector(text)} for i, text in enumerate(texts)]


def good(_path, body, _number):
    return 200, {"data": rows(body["input"]), "usage": {"prompt_tokens": 7}}


def expected(texts):
    found = np.array([vector(text) for text in texts])
    return found / np.linalg.norm(found, axis=1, keepdims=True)


TEXTS = ["one", "둘", "three 3", "a" * 50, "five"]


def test_rows_are_unit_vectors_in_the_order_of_the_texts_whatever_the_batch(serve):
    server, endpoint = serve(lambda p, b, n: (200, {"data": rows(b["input"])[::-1]}))
    for batch in (1, 2, 64):
        np.testing.assert_allclose(OpenAIEmbedder(endpoint, None, batch).embed(TEXTS), expected(TEXTS), atol=1e-6)
    assert [len(body["input"]) for body in server.bodies] == [1, 1, 1, 1, 1, 2, 2, 1, 5]


def test_no_text_is_sent_empty_and_no_texts_are_no_call(serve):
    server, endpoint = serve(good)
    assert OpenAIEmbedder(endpoint, None, 8).embed([]).shape == (0, 0)
    OpenAIEmbedder(endpoint, None, 8).embed(["", " \n", "x"])
    assert [body["input"] for body in server.bodies] == [["-", "-", "x"]]


BAD = {
    "fewer": lambda texts: rows(texts)[1:],
    "none": lambda texts: [],
    "zero": lambda texts: [{"index": i, "embedding": [0, 0, 0]} for i in range(len(texts))],
    "nan": lambda texts: [{"index": i, "embedding": [1, float("nan"), 0]} for i in range(len(texts))],
    "null": lambda texts: [{"index": i, "embedding": None} for i in range(len(texts))],
    "ragged": lambda texts: [{"index": i, "embedding": [1.0] * (i + 1)} for i in range(len(texts))],
    "empty": lambda texts: [{"index": i, "embedding": []} for i in range(len(texts))],
    "words": lambda texts: ["vector"] * len(texts),
}


@pytest.mark.parametrize("wrong", BAD.values(), ids=BAD.keys())
def test_what_is_no_vector_for_each_text_is_asked_again_and_never_kept(serve, wrong):
    _, endpoint = serve(lambda p, b, n: (200, {"data": wrong(b["input"])}) if n == 1 else good(p, b, n))
    np.testing.assert_allclose(OpenAIEmbedder(endpoint, None, 8).embed(TEXTS), expected(TEXTS), atol=1e-6)
    _, endpoint = serve(lambda p, b, n: (200, {"data": wrong(b["input"])}), max_attempts=2)
    with pytest.raises(ModelError):
        OpenAIEmbedder(endpoint, None, 8).embed(TEXTS)


def test_dimensions_are_asked_for_and_a_change_is_an_error(serve):
    server, endpoint = serve(good, max_attempts=2)
    OpenAIEmbedder(endpoint, 3, 8).embed(TEXTS)
    assert server.bodies[0]["dimensions"] == 3
    with pytest.raises(ModelError, match="3 dimensions where 2"):
        OpenAIEmbedder(endpoint, 2, 8).embed(TEXTS)

    def growing(_path, body, number):
        return 200, {"data": [{"embedding": [1.0] * (number + 1)} for _ in body["input"]]}

    _, endpoint = serve(growing, max_attempts=2)
    embedder = OpenAIEmbedder(endpoint, None, 8)
    assert embedder.embed(TEXTS).shape == (5, 2)
    with pytest.raises(ModelError, match="dimensions where 2"):
        embedder.embed(TEXTS)


def test_a_batch_that_is_too_large_is_halved_and_a_long_text_too(serve):
    def respond(path, body, number):
        long = any(len(text) > 30 for text in body["input"])
        if len(body["input"]) > 2 or long:
            return error(413 if not long else 400, "maximum context length exceeded")
        return good(path, body, number)

    _, endpoint = serve(respond)
    found = OpenAIEmbedder(endpoint, None, 8).embed(TEXTS)
    short = [i for i, text in enumerate(TEXTS) if len(text) <= 30]
    np.testing.assert_allclose(found[short], expected(TEXTS)[short], atol=1e-6)
    np.testing.assert_allclose(np.linalg.norm(found, axis=1), 1, atol=1e-6)


def test_a_model_that_does_not_embed_is_said(serve):
    _, endpoint = serve(lambda *_: error(400, "this model does not support embeddings"))
    with pytest.raises(ModelRejected, match="does not embed"):
        OpenAIEmbedder(endpoint, None, 8).embed(TEXTS)
