"""Finding nodes by what people write."""

import pyarrow as pa
import pytest

from pathgraph.errors import UsageError
from pathgraph.lookup import Names
from pathgraph.schema.tables import NODES


def nodes(*names):
    rows = [
        {"node_id": number, "name": first, "aliases": [{"surface": s, "language": "en", "count": 1} for s in surfaces]}
        for number, (first, *surfaces) in enumerate(names, 1)
    ]
    schema = pa.schema([NODES.arrow.field(name) for name in ("node_id", "name", "aliases")])
    return Names(pa.Table.from_pylist(rows, schema=schema))


NAMES = nodes(["한빛전자", "㈜한빛전자", "Hanbit Electronics"], ["Deutsche Bank AG"], ["Deutsche Bank GmbH"], ["Nuri"])


@pytest.mark.parametrize(
    "name", ["한빛전자", "주식회사 한빛전자", "hanbit  ELECTRONICS", "Hanbit Electronics Co., Ltd.", "1"]
)
def test_any_spelling_finds_the_node(name):
    assert NAMES.one(name) == 1


def test_several_nodes_are_said_with_their_ids():
    with pytest.raises(UsageError, match=r"Deutsche Bank AG \(2\)") as caught:
        NAMES.one("Deutsche Bank")
    assert "id" in caught.value.remedy
    assert NAMES.one("Deutsche Bank GmbH") == 3


def test_an_unknown_name_gets_a_suggestion():
    with pytest.raises(UsageError) as caught:
        NAMES.one("한빛전지")
    assert "한빛전자" in caught.value.remedy
