"""Faults of the Files and Batches endpoints: nothing is handed in twice, whatever the wire does."""

import json
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest

from pathgraph.errors import ModelError, ModelRejected
from pathgraph.providers.batching import Place
from pathgraph.providers.openai.batch_api import NAME, BatchApi
from pathgraph.store.batches import Batches
from pathgraph.store.cache import Cache

from .batch_parts import cached, replies_of, run, settings_for, texts_of, under_way


def endpoint_of(server, **changes):
    return settings_for(server.url, **changes).endpoint_of("extraction")


@pytest.mark.parametrize("fault", ["closed", "cut_body", "html", "malformed_body", "empty_object", "503", "429"])
def test_a_fault_at_any_call_costs_no_second_batch(server_of, settings_of, place, known_dialect, fault):
    texts = texts_of(6)
    for position in range(5):  # upload, create, (find,) look, results
        server = server_of(6, file_faults=["ok"] * position + [fault])
        known_dialect(server)
        settings = settings_of(server)
        here = replace(place, cache=Cache(place.folder / str(position)), folder=place.folder / str(position))
        assert run(settings, here, texts) == [], position
        assert None not in cached(settings, here, texts)
        stats = server.stats()
        assert (stats["batch_requests"], stats["repeated_prompts"]) == (6, 0), position
        assert under_way(here) == []
        here.cache.close()


def test_a_batch_is_found_by_name_on_any_page(protocol_server):
    server = protocol_server()
    api = BatchApi(endpoint_of(server))
    ids = [api.create(b"{}", {NAME: f"n{number}"}) for number in range(130)]
    assert api.find("n3") == ids[3]
    assert api.find("n129") == ids[129]
    assert api.find("n") is None


def test_a_creation_that_never_happened_is_forgotten(server_of, settings_of, place, known_dialect):
    server = server_of(4, file_faults=["503"] * 3)
    known_dialect(server)
    with pytest.raises(ModelError, match="3 tries"):
        run(settings_of(server), place, texts_of(4))
    assert [json.loads(path.read_text())["id"] for path in under_way(place)] == [""]
    assert run(settings_of(server), place, texts_of(4)) == []
    assert server.stats()["batch_requests"] == 4


def test_a_batch_of_another_account_is_not_silently_paid_again(server_of, settings_of, place, known_dialect):
    server = server_of(4)
    known_dialect(server)
    batches = Batches(place.folder)
    server.change(file_faults=["503"] * 3)
    with pytest.raises(ModelError):
        run(settings_of(server), place, texts_of(4))
    (one,) = batches.read(server.url)
    batches.write(replace(one, id="batch_elsewhere"))
    with pytest.raises(ModelRejected, match="knows no batch batch_elsewhere") as error:
        run(settings_of(server), place, texts_of(4))
    assert "cache/batches" in error.value.remedy
    assert server.stats()["batch_requests"] == 0


def test_an_endpoint_without_a_batch_api_says_so(protocol_server, place, monkeypatch):
    server = protocol_server(replies=replies_of(2))
    monkeypatch.setattr("protocol.batches.Batches.reply", lambda *_: None)
    with pytest.raises(ModelRejected, match="no batch API") as error:
        run(settings_for(server.url), place, texts_of(2))
    assert "without --batch" in error.value.remedy


def test_runs_at_the_same_time_hand_in_each_request_once(server_of, settings_of, tmp_path, known_dialect):
    server = server_of(20, batch_seconds=0.5)
    known_dialect(server)
    settings = settings_of(server, max_requests=4)
    # Places of their own share the folder, as processes do.
    places = [Place(Cache(tmp_path / "c"), tmp_path / "c" / "batches", f"work{number}") for number in range(3)]
    with ThreadPoolExecutor(3) as threads:
        assert list(threads.map(lambda place: run(settings, place, texts_of(20)), places)) == [[], [], []]
    assert server.stats()["batch_requests"] == 20
    for place in places:
        place.cache.close()
