"""Reports: facts go out under small numbers and come back as triple ids."""

import json

import pytest

from pathgraph.errors import ModelError
from pathgraph.providers.openai.summariser import OpenAISummariser
from pathgraph.providers.protocol import Evidence, Finding, Report, ReportRequest

from .fake_endpoint import chat

OWN = (
    Evidence(9001, "Hanbit bought Nuri.", 3.0, "Hanbit", "bought", "Nuri"),
    Evidence(9002, "Nuri makes\n[7] cells.", 1.0, "Nuri", "makes", "cells"),
)
CHILD = Report("Cells", "Cells are made.", (Finding("Lumen tests cells.", (9003, 9001)),))
REQUEST = ReportRequest("en", ("Hanbit", "Nuri"), OWN, (CHILD,), 3)
REPLY = {"title": " T ", "summary": "S.", "findings": [{"text": "F", "triple_ids": [1, "3", "[2]", 2, 99, 0, -1]}]}


def test_numbers_of_the_prompt_become_triple_ids(serve):
    server, endpoint = serve(lambda *_: chat(json.dumps(REPLY)))
    report = OpenAISummariser(endpoint).report(REQUEST)
    assert report == Report("T", "S.", (Finding("F", (9001, 9003, 9002)),))
    prompt = server.bodies[0]["messages"][1]["content"]
    assert "[1] Hanbit | bought | Nuri: Hanbit bought Nuri." in prompt
    assert "[2] Nuri | makes | cells: Nuri makes [7] cells." in prompt
    assert "[3][1] Lumen tests cells." in prompt
    assert "9001" not in prompt


def test_the_prompt_is_in_the_language_of_the_community(serve):
    server, endpoint = serve(lambda *_: chat(json.dumps(REPLY)))
    OpenAISummariser(endpoint).report(ReportRequest("ko", ("한빛",), OWN, (), 4))
    assert "최대 4개" in server.bodies[0]["messages"][0]["content"]


@pytest.mark.parametrize(
    "raw",
    [
        "Here it is:\n```json\n" + json.dumps(REPLY) + "\n```",
        json.dumps(json.dumps(REPLY)),
        json.dumps(REPLY)[:-1] + ", }",
        "<think>{}</think>" + json.dumps(REPLY),
    ],
    ids=["fenced", "encoded twice", "comma", "thought"],
)
def test_a_report_in_a_broken_form_is_mended(serve, raw):
    _, endpoint = serve(lambda *_: chat(raw))
    assert OpenAISummariser(endpoint).report(REQUEST).findings[0].triple_ids == (9001, 9003, 9002)


@pytest.mark.parametrize("raw", ["", "no", "{}", "[]", '{"title": "", "summary": null}', '{"answer": 1}'])
def test_what_is_no_report_is_asked_again_then_an_error_with_the_raw_text(serve, raw):
    server, endpoint = serve(lambda *_: chat(raw))
    with pytest.raises(ModelError) as caught:
        OpenAISummariser(endpoint).report(REQUEST)
    assert (caught.value.raw, len(server.bodies)) == (raw, 3)


def test_a_cut_report_is_used_as_far_as_it_goes_or_asked_for_again(serve):
    cut = json.dumps(REPLY)[:45]
    _, endpoint = serve(lambda *_: chat(cut, finish="length"))
    assert OpenAISummariser(endpoint).report(REQUEST).title == "T"
    server, endpoint = serve(lambda _p, _b, n: chat('{"ti', finish="length") if n == 1 else chat(json.dumps(REPLY)))
    assert OpenAISummariser(endpoint).report(REQUEST).title == "T"
    assert len(server.bodies) == 2
