"""The example in data/ is a valid schema and does what its page says."""

from pathlib import Path

from pathgraph.extraction.schema_file import read_schema

EXAMPLE = Path(__file__).parents[3] / "data/schema.example.yaml"


def test_the_example_reads_the_sample_corpus_in_both_languages():
    schema = read_schema(EXAMPLE)
    for relation in ("chief_executive_of", "대표이사", "head", "CEO"):
        assert schema.read(relation, "PERSON", "회사").relation == "leads"
    assert schema.read("CEO", "COMPANY", "인물").turned
    assert schema.read("acquired by", "", "").turned
    assert schema.read("제휴", "", "").symmetric
    assert not schema.fixed
