"""docs/queries.md: every statement runs on the sample and gives the output that stands below it."""

import re

import pytest
from golden.golden_text import markdown_table

from pathgraph.store.database import query

BLOCK = re.compile(r"```sql\n(.*?)```\n\n(\|.*?)(?=\n\n|\Z)", re.DOTALL)


@pytest.fixture
def page(request):
    return request.config.rootpath / "docs" / "queries.md"


def test_every_query_of_the_page_gives_its_output(sample_store, page, request):
    text = page.read_text("utf-8")
    blocks = BLOCK.findall(text)
    assert len(blocks) >= 10

    def answered(match):
        return f"```sql\n{match[1]}```\n\n{markdown_table(query(sample_store, match[1]))}"

    if request.config.getoption("--regen"):
        page.write_text(BLOCK.sub(answered, text), "utf-8")
    for statement, output in blocks if not request.config.getoption("--regen") else ():
        assert markdown_table(query(sample_store, statement)) == output, statement
