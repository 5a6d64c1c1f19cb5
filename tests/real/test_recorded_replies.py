"""Every raw reply that was recorded from real models: what is read of them must not become less."""

import importlib.util
import os
from pathlib import Path

import pytest

pytestmark = pytest.mark.real
CORPORA = Path(os.environ.get("PATHGRAPH_CORPORA", ""))
if not (CORPORA / "d03_carol_gpt4o").is_dir() or not (CORPORA / "d11_text2kg").is_dir():
    pytest.skip("PATHGRAPH_CORPORA names no folder with d03_carol_gpt4o and d11_text2kg", allow_module_level=True)

_spec = importlib.util.spec_from_file_location("replies", Path(__file__).parents[2] / "benchmarks" / "replies.py")
replies = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(replies)


def test_no_record_of_the_tuple_replies_is_lost():
    found = replies.tuples(CORPORA)
    assert (found["replies"], found["unread"], found["lost records"]) == (168, 0, 0)
    assert found["entities read"] == found["entities begun"] == 1314
    assert found["relationships read"] >= found["relationships begun"] == 1044


@pytest.mark.parametrize(("model", "share"), [("vicuna-13b", 0.95), ("alpaca-lora-13b", 0.94)])
def test_weak_models_calls_are_read_as_their_authors_read_them(model, share):
    found = replies.calls(CORPORA)[model]
    assert found["facts of both"] >= share * found["their facts"]
    assert found["facts of both"] >= 0.96 * found["our facts"]
    assert found["no fact in it, but they read some"] <= 10
