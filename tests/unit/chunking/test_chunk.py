"""Chunks of a document: ids, both kinds, rows."""

from pathgraph.chunking.chunk import chunk_document, rows
from pathgraph.schema.tables import CHUNKS
from pathgraph.settings import Chunking

TEXT = "삼성전자는 하만을 인수했다. The deal closed in March.\n\n" * 200
SETTINGS = Chunking(extract_tokens=400, extract_overlap=40, search_tokens=100, search_overlap=10)


def test_both_kinds_with_exact_offsets():
    chunks = chunk_document(7, TEXT, SETTINGS)
    assert {chunk.kind for chunk in chunks} == {"extract", "search"}
    assert all(chunk.text == TEXT[chunk.start : chunk.end] for chunk in chunks)
    for kind, limit in (("extract", 400), ("search", 100)):
        of_kind = [chunk for chunk in chunks if chunk.kind == kind]
        assert [chunk.ordinal for chunk in of_kind] == list(range(len(of_kind)))
        assert max(chunk.tokens for chunk in of_kind) <= limit


def test_ids_are_unique_also_for_repeated_text():
    chunks = chunk_document(7, TEXT, SETTINGS)
    assert len({chunk.text for chunk in chunks}) < len(chunks)
    assert len({chunk.chunk_id for chunk in chunks}) == len(chunks)


def test_ids_depend_on_document_and_survive_edits_elsewhere():
    text = "".join(f"Sentence number {i} says nothing at all. " for i in range(300))
    here = {chunk.chunk_id for chunk in chunk_document(1, text, SETTINGS)}
    assert not here & {chunk.chunk_id for chunk in chunk_document(2, text, SETTINGS)}
    edited = {chunk.chunk_id for chunk in chunk_document(1, "A new first line.\n\n" + text, SETTINGS)}
    assert len(edited - here) <= 6


def test_rows_have_the_columns_of_the_table():
    (row, *_) = rows(chunk_document(1, "One sentence.", Chunking()))
    assert list(row) == [column.name for column in CHUNKS.columns]


def test_blank_document_has_no_chunks():
    assert chunk_document(1, " \n ", Chunking()) == []
