"""What a run keeps between its stages."""

import os

import pytest

from pathgraph.failure import Failure
from pathgraph.pipeline.plan import plan_index
from pathgraph.pipeline.run import Run
from pathgraph.settings import Settings
from pathgraph.store.layout import Store
from pathgraph.tasks.begin import items_of


@pytest.mark.skipif(os.name != "posix", reason="file names are bytes")
def test_a_file_name_that_is_no_utf8_survives_the_way_from_stage_to_stage(tmp_path):
    folder = tmp_path / "docs"
    folder.mkdir()
    with open(os.fsencode(folder) + b"/bad\xff.txt", "wb") as file:  # noqa: PTH123
        file.write(b"Owen Tresk founded Castellan Logistics.")
    store = Store.create(tmp_path / "store")
    plan = plan_index(store, [str(folder)], Settings())
    run = Run.model_construct(store_root=store.root, work_key="k", run_id="r", flow="index", settings=Settings())
    run.keep("items", [[vars(item), key] for item, key in plan.items])
    run.keep_failures("scan", [Failure("load", "u", "e", "bad\udcff")])
    assert [(item.open(99), key) for item, key in items_of(run)] == [
        (b"Owen Tresk founded Castellan Logistics.", plan.items[0][1])
    ]
    assert run.failures()[0].message == "bad\udcff"
