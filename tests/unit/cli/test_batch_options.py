"""What --batch and --no-wait do to the settings, and the warning about batches under way."""

from pathlib import Path

import pytest

from pathgraph.cli import index_command
from pathgraph.errors import UsageError
from pathgraph.settings import Settings
from pathgraph.store.batches import Batches, SubmittedBatch


def wanted(**changes):
    return index_command.Wanted((), Path("s"), None, None, False, **changes)


def settings(**batch):
    return Settings.model_validate({"extraction": {"provider": "openai"}, "batch": batch})


def test_options_change_the_settings_and_not_the_work():
    base = settings()
    changed = index_command.batched(base, wanted(batch=True, wait=False))
    assert (changed.batch.enabled, changed.batch.wait) == (True, False)
    assert changed.in_batches("extraction")
    assert not changed.in_batches("summaries")
    assert changed.hash() == base.hash()
    assert index_command.batched(settings(enabled=True, wait=False), wanted()).batch.wait is False
    assert index_command.batched(base, wanted()) == base


def test_options_that_fit_nothing_are_refused():
    with pytest.raises(UsageError, match="--batch"):
        index_command.batched(Settings(), wanted(batch=True))
    with pytest.raises(UsageError, match="--no-wait"):
        index_command.batched(settings(), wanted(wait=False))


def test_a_run_without_batches_warns_of_those_under_way(tmp_path, capsys):
    index_command._warn_of_batches(tmp_path, settings())
    one = SubmittedBatch("n", "batch_1", "http://here/v1", "m", "2026-01-01T00:00:00+00:00", {"k": "extraction"})
    Batches(tmp_path / "cache" / "batches").write(one)
    index_command._warn_of_batches(tmp_path, settings(enabled=True))
    assert capsys.readouterr().err == ""
    index_command._warn_of_batches(tmp_path, settings())
    assert "1 requests are under way" in capsys.readouterr().err
