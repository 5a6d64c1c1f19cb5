"""The Korean reader on KLUE-NER (d21) and KLUE-RE (d07): it reads real news, and no worse than it did."""

import importlib.util
import json
import os
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.real
pytest.importorskip("kiwipiepy")
CORPORA = Path(os.environ.get("PATHGRAPH_CORPORA", ""))
if not (CORPORA / "d21_klue_ner_ko").is_dir():
    pytest.skip("PATHGRAPH_CORPORA names no folder with d21_klue_ner_ko", allow_module_level=True)

LIMIT = 1200


@pytest.fixture(scope="module")
def benchmark():
    """The benchmark whose figures docs/offline.md states."""
    folder = Path(__file__).parents[2] / "benchmarks"
    sys.path.insert(0, str(folder))
    try:
        spec = importlib.util.spec_from_file_location("offline_korean", folder / "offline_korean.py")
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
    finally:
        sys.path.remove(str(folder))
    return module


def test_names(benchmark):
    found = benchmark.names(LIMIT)
    assert {kind: row["span"] >= 0.6 for kind, row in found.items()} == dict.fromkeys(found, True)
    assert {kind: row["type"] >= 0.25 for kind, row in found.items()} == dict.fromkeys(found, True)


def test_related_pairs_get_facts_far_more_often_than_unrelated_ones(benchmark):
    found = benchmark.relations(LIMIT)
    assert found["related_found"] >= 0.12
    assert found["none_found"] <= 0.06


def test_spans_are_exact_on_every_sentence():
    from pathgraph.providers.offline.korean import KoreanReader

    lines = (CORPORA / "d07_klue_re_ko" / "klue_re.jsonl").read_text("utf-8").splitlines()[:LIMIT]
    sentences = [json.loads(line)["sentence"] for line in lines]
    for sentence, reading in zip(sentences, KoreanReader().read(sentences, []), strict=True):
        names = [*reading.phrases, *(n for f in reading.facts for n in (f.subject, f.object))]
        assert all(n.text == sentence[n.start : n.end] for n in names)
