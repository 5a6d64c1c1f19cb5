"""Every file of the corpus d19_loaders: nothing escapes, encodings equal the oracle, each failure is the right one."""

import json
import os
from collections import Counter
from pathlib import Path

import pytest

from pathgraph.failure import Failure
from pathgraph.loading import Document, Item, items, load_item, parse_sources
from pathgraph.loading.encoding import decode
from pathgraph.loading.formats.html import declared_encoding
from pathgraph.schema.tables import DOCUMENTS, FAILURES
from pathgraph.settings import Loading

pytestmark = pytest.mark.real
CORPORA = os.environ.get("PATHGRAPH_CORPORA", "")
if not CORPORA:
    pytest.skip("PATHGRAPH_CORPORA is not set", allow_module_level=True)
ROOT = Path(CORPORA) / "d19_loaders"
SETTINGS = Loading()


@pytest.fixture(scope="module")
def results():
    found = {}
    for item in items(parse_sources([str(ROOT)], Path("/")), SETTINGS):
        assert isinstance(item, Item), item
        found[item.uri] = load_item(item, SETTINGS)
    return found


def failed(results, folder):
    """Errors by file name for the files below a folder that gave no document at all."""
    return {
        uri.removeprefix(folder): one[0].error
        for uri, one in results.items()
        if uri.startswith(folder) and not any(isinstance(r, Document) for r in one)
    }


def test_the_encoding_oracle():
    """Guessed from bytes alone, and with what the file declares; both equal Python's strict decoding."""
    plain, declared = [], []
    for entry in json.loads((ROOT / "expect_chardet.json").read_text("utf-8")):
        data = (ROOT / entry["file"]).read_bytes()
        expected = data.decode(entry["python_codec"]).removeprefix("\ufeff")
        for wrong, hint in ((plain, ""), (declared, declared_encoding(data))):
            found = decode(data, hint)
            if found is None or found.text != expected:
                wrong.append(entry["file"])
    assert (plain, declared) == ([], [])


def test_every_file_gives_rows_that_fit_their_tables(results):
    everything = [one for found in results.values() for one in found]
    DOCUMENTS.from_rows([one.to_row() for one in everything if isinstance(one, Document)])
    FAILURES.from_rows([one.row() for one in everything if isinstance(one, Failure)])
    assert all(results.values())
    assert len({one.document_id for one in everything if isinstance(one, Document)}) == sum(
        isinstance(one, Document) for one in everything
    )


def test_web_texts_are_all_read(results):
    assert failed(results, "chardet/") == {}
    korean = [
        r[0] for uri, r in results.items() if uri.startswith(("chardet/EUC-KR", "chardet/CP949", "chardet/Johab"))
    ]
    assert Counter(document.language for document in korean)["ko"] >= 13


def test_pdf_reports(results):
    errors = failed(results, "pdf/")
    assert {name for name, error in errors.items() if error == "encrypted"} == {
        "aes-128-m.pdf", "aes-256-m.pdf", "aes-256.pdf", "rc4-40.pdf",
    }  # fmt: skip
    assert Counter(errors.values()) == {"encrypted": 4, "no_text": 7}
    assert "Individual Differential Privacy" in results["pdf/issue-1061-colour-space-stack.pdf"][0].text


def test_hwp(results):
    errors = failed(results, "hwp/")
    assert (len(errors), set(errors.values())) == (16, {"no_text"})
    read = {uri.removeprefix("hwp/"): one[0] for uri, one in results.items() if isinstance(one[0], Document)}
    assert read["표.hwp"].text == "표\nABC 123 | DEF | GHI\nLMN | OPQ | STR\nUVM | 123 | 456"
    assert read["source.hwp"].text == "첫 문단...\n이것은 원본 HWP 파일의 내용입니다.\nABC | 123"
    assert read["글상자-압축.hwp"].text == read["글상자.hwp"].text
    assert read["머리글꼬리글.hwp"].text.startswith("aaa\n2233\n")
    assert read["changing-paragraph-text.hwp"].metadata == {"author": "박성균"}
    assert read["changing-paragraph-text.hwp"].modified_at.year == 2019


def test_tables_with_bad_lines(results):
    one = results["graphrag_inputs/jsonl-with-invalid-and-blank-lines/input.jsonl"]
    assert [r.title for r in one if isinstance(r, Document)] == ["Hello", "Goodbye", "Adios"]
    assert [r.error for r in one if isinstance(r, Failure)] == ["bad_row", "bad_row"]
    assert len(results["graphrag_inputs/one-parquet/input.parquet"]) == 2


def test_office_and_other_files(results):
    assert failed(results, "markitdown/") == {
        "random.bin": "unsupported",
        "test.epub": "unsupported",
        "expected_outputs/MEDRPT-2024-PAT-3847_medical_report_scan.md": "empty",
    }
    text = results["markitdown/test.docx"][0].text
    assert text.startswith("# AutoGen: Enabling Next-Gen LLM Applications via Multi-Agent Conversation")
    assert " | " in text
    assert results["markitdown/test_mskanji.csv"][0].text == "佐藤太郎"
    assert results["blns/blns.txt"][0].text.count("\n") > 700
