"""The price list: globs, bad files, who is paid for a stage."""

from pathlib import Path

import pytest

from pathgraph.cost.prices import FREE, PAID_STAGES, Price, load_prices, tariffs
from pathgraph.errors import SettingsError
from pathgraph.settings import Settings, load_settings

PROVIDERS = {stage: {"provider": "openai"} for stage in ("extraction", "summaries", "embeddings")}


def listed(folder, text):
    file = folder / "prices.yaml"
    file.write_text(text, "utf-8")
    return load_prices(file)


def test_the_built_in_list_knows_dated_names_and_says_when_it_was_noted():
    prices = load_prices(None)
    assert prices.of("gpt-4.1-mini-2025-04-14") == prices.of("GPT-4.1-mini")
    assert prices.of("gpt-4.1") != prices.of("gpt-4.1-mini")
    assert prices.of("text-embedding-3-small").output == 0
    assert prices.of("gpt-4.1-of-somebody-else") is None
    assert prices.as_of is not None
    assert prices.currency == "USD"


def test_a_price_is_per_million_tokens():
    price = Price(model="m", input=0.4, output=1.6)
    assert price.cost(2_500_000, 1_000_000) == pytest.approx(0.4 * 2.5 + 1.6)
    assert FREE.cost(10**9, 10**9) == 0


def test_the_first_entry_that_fits_counts(tmp_path):
    prices = listed(tmp_path, "currency: KRW\nmodels: [{model: 'a*', input: 1}, {model: ab, input: 2}]")
    assert prices.currency == "KRW"
    assert prices.of("ab").input == 1
    assert prices.of("b") is None


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("models: [{model: a}]", "models.0.input"),
        ("models: [{model: a, input: -1}]", "models.0.input"),
        ("models: [{model: a, input: .nan}]", "models.0.input"),
        ("models: [{model: a, input: 1, batch: 2}]", "batch"),
        ("models: [{model: a, input: 1, prize: 2}]", "prize"),
        ("modells: []", "modells"),
        ("[1, 2]", "prices.yaml"),
        ("models: [", "no YAML"),
    ],
)
def test_a_bad_list_is_refused_and_says_where(tmp_path, text, word):
    with pytest.raises(SettingsError, match=word):
        listed(tmp_path, text)


def test_a_missing_list_is_refused(tmp_path):
    with pytest.raises(SettingsError, match=r"none\.yaml"):
        load_prices(tmp_path / "none.yaml")


def test_settings_name_the_list_relative_to_themselves(tmp_path):
    file = tmp_path / "pathgraph.yaml"
    file.write_text("prices: ours.yaml", "utf-8")
    assert load_settings(file).prices == tmp_path / "ours.yaml"
    assert Path(Settings().model_dump()["prices"] or "none") == Path("none")


def test_rules_are_free_and_models_have_their_own_tariff():
    assert {stage: tariff.price for stage, tariff in tariffs(Settings(), load_prices(None)).items()} == dict.fromkeys(
        PAID_STAGES, FREE
    )
    wanted = PROVIDERS | {"embeddings": {"provider": "openai", "endpoint": {"model": "text-embedding-3-small"}}}
    settings = Settings.model_validate(wanted | {"endpoint": {"model": "gpt-4.1"}})
    found = tariffs(settings, load_prices(None))
    assert found["gleanings"] == found["extraction"]
    assert found["extraction"].price.input == 2
    assert found["embeddings"].model == "text-embedding-3-small"


@pytest.mark.parametrize(
    ("url", "model", "price"),
    [
        ("http://localhost:8000/v1", "qwen3", 0),
        ("http://127.0.0.1:8080/v1", "qwen3", 0),
        ("http://localhost:4000/v1", "gpt-4.1", 2.0),  # a proxy to a paid model
        ("https://models.example.com/v1", "qwen3", None),
    ],
)
def test_an_unlisted_model_is_free_on_this_machine_alone(url, model, price):
    settings = Settings.model_validate(PROVIDERS | {"endpoint": {"model": model, "base_url": url}})
    found = tariffs(settings, load_prices(None))["extraction"].price
    assert (found if price is None else found.input) == price
