"""What a run keeps between its stages."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "store"))  # the hand-made graph of the store's tests

from store_sample import document, publish_rows

from pathgraph.errors import InputError, StoreError
from pathgraph.failure import Failure
from pathgraph.loading.sources import parse_sources
from pathgraph.pipeline.plan import plan_index
from pathgraph.pipeline.run import Run
from pathgraph.settings import Settings
from pathgraph.store.layout import Store
from pathgraph.tasks.begin import items_of, open_run
from pathgraph.tasks.documents import read_documents


@pytest.fixture
def docs_folder(tmp_path):
    folder = tmp_path / "docs"
    folder.mkdir()
    (folder / "a.txt").write_text("Owen Tresk founded Castellan Logistics.")
    return folder


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


def _opened(store, folder):
    return open_run.fn(store.root, [str(folder)], Settings())


def test_one_process_at_a_time_does_the_same_work(tmp_path, docs_folder):
    store = Store.create(tmp_path / "store")
    run = _opened(store, docs_folder)
    _opened(store, docs_folder)  # a second attempt of one process goes on
    code = "import sys; from pathgraph.store.layout import Store; from pathgraph.store.staging import Staging\n"
    code += "from pathlib import Path; Staging(Store.open(Path(sys.argv[1])), sys.argv[2]).claim()"
    command = [sys.executable, "-c", code, store.root, run.staging.run_id]
    other = subprocess.run(command, capture_output=True, text=True)
    assert "StoreLocked" in other.stderr
    run.staging.remove()
    assert not list(store.staging.iterdir())
    assert subprocess.run(command, capture_output=True).returncode == 0


def test_the_publish_stage_leaves_nothing_behind(tmp_path, docs_folder):
    store = Store.create(tmp_path / "store")
    run = _opened(store, docs_folder)
    with run.stage("publish"):
        run.staging.remove()
    assert not list(store.staging.iterdir())


def test_a_resumed_run_still_asks_before_it_deletes(tmp_path, docs_folder):
    store = Store.create(tmp_path / "store")
    run = _opened(store, docs_folder)
    assert read_documents.fn(run, False) == 1
    many = [document(document_id=number, uri=f"{number}.md") for number in range(10)]
    publish_rows(store, {"documents": many})
    resumed = _opened(store, docs_folder)
    with pytest.raises(InputError, match="10 of 10"):
        read_documents.fn(resumed, False)
    assert read_documents.fn(resumed, True) == 1


def test_a_file_that_changes_during_the_run_is_a_failure_and_no_cached_reading(tmp_path, docs_folder):
    store = Store.create(tmp_path / "store")
    run = _opened(store, docs_folder)
    (docs_folder / "a.txt").write_text("Another text than the one that was hashed.")
    assert read_documents.fn(run, False) == 1
    assert [failure.error for failure in run.failures()] == ["changed"]
    run.staging.remove()


@pytest.mark.skipif(os.name != "posix", reason="file names are bytes")
def test_a_root_or_store_whose_name_is_no_utf8_is_refused_with_a_remedy(tmp_path, docs_folder):
    odd = Path(os.fsdecode(os.fsencode(tmp_path) + b"/d\xff"))
    docs_folder.rename(odd)
    with pytest.raises(InputError, match="Rename it"):
        parse_sources([str(odd)], tmp_path)
    assert parse_sources([str(tmp_path)], tmp_path)
    with pytest.raises(StoreError, match="another folder"):
        Store.create(odd / "store")
