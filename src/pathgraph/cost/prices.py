"""The price list: what a model's tokens cost.

Belongs here: the YAML file, its checks, finding a model's price. Does not: counting tokens, estimates.
"""

from dataclasses import dataclass
from datetime import date
from fnmatch import fnmatchcase
from functools import lru_cache
from importlib import resources
from pathlib import Path
from typing import Annotated
from urllib.parse import urlsplit

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from pathgraph.errors import SettingsError
from pathgraph.settings import Endpoint, Settings, Stage

MILLION = 1_000_000
# Paid stages, and whose settings name their model.
_SECTIONS: dict[str, Stage] = {
    "extraction": "extraction",
    "gleanings": "extraction",
    "condensation": "summaries",
    "summaries": "summaries",
    "embeddings": "embeddings",
}
PAID_STAGES = tuple(_SECTIONS)
_LOCAL = {"localhost", "127.0.0.1", "::1"}
_Money = Annotated[float, Field(ge=0, allow_inf_nan=False)]


class Price(BaseModel):
    """What one model costs, in the list's currency per million tokens; `batch` is the batch endpoint's factor."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    model: str = Field(min_length=1)
    input: _Money
    output: _Money = 0.0
    batch: float = Field(1.0, ge=0, le=1)

    def cost(self, tokens_in: float, tokens_out: float) -> float:
        """Return the price of so many tokens at the ordinary endpoint."""
        return (tokens_in * self.input + tokens_out * self.output) / MILLION

    def discount(self, tokens_in: float, tokens_out: float) -> float:
        """Return what so many tokens cost less at the batch endpoint."""
        return (1 - self.batch) * self.cost(tokens_in, tokens_out)


FREE = Price(model="*", input=0.0)


class Prices(BaseModel):
    """A price list."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    currency: str = Field("USD", min_length=1, max_length=8)
    as_of: date | None = None
    models: tuple[Price, ...] = ()

    def of(self, model: str) -> Price | None:
        """Return the first price whose name or glob fits the model; None when none does."""
        name = model.lower()
        return next((price for price in self.models if fnmatchcase(name, price.model.lower())), None)


@dataclass(frozen=True)
class Tariff:
    """Who is paid for a stage: the model's name, and its price, None when it is not known."""

    model: str
    price: Price | None


def load_prices(path: Path | None) -> Prices:
    """Return the price list of a file, the built-in one without a file.

    Raises:
        SettingsError: the file cannot be read, or has unknown keys or bad values (all listed).
    """
    return _built_in() if path is None else _parse(path.name, _text(path))


def tariffs(settings: Settings, prices: Prices) -> dict[str, Tariff]:
    """Return the tariff of each paid stage; a rule costs nothing, nor does a model of this machine without a price.

    A price in the list goes before that: a proxy on this machine may ask a model that is paid.
    """
    found = {}
    for stage in PAID_STAGES:
        endpoint = endpoint_of(settings, stage)
        if endpoint is None:
            found[stage] = Tariff("offline", FREE)
        else:
            found[stage] = Tariff(str(endpoint.model), prices.of(str(endpoint.model)) or _unlisted(endpoint))
    return found


def endpoint_of(settings: Settings, stage: str) -> Endpoint | None:
    """Return the endpoint that a paid stage asks; None when its provider is offline."""
    section = _SECTIONS[stage]
    return None if getattr(settings, section).provider == "offline" else settings.endpoint_of(section)


def _unlisted(endpoint: Endpoint) -> Price | None:
    return FREE if urlsplit(endpoint.base_url).hostname in _LOCAL else None


@lru_cache(maxsize=1)
def _built_in() -> Prices:
    return _parse("prices.yaml", resources.files("pathgraph.data").joinpath("prices.yaml").read_text("utf-8"))


def _text(path: Path) -> str:
    try:
        return path.read_text("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise SettingsError(f"Cannot read the prices {path}: {error}", "Correct `prices` in the settings.") from error


def _parse(name: str, text: str) -> Prices:
    remedy = "docs/cost.md shows the format; a model's entry is {model: NAME, input: 0.4, output: 1.6}, per million."
    try:
        return Prices.model_validate(yaml.safe_load(text) or {})
    except yaml.YAMLError as error:
        raise SettingsError(f"The prices {name} are no YAML: {error}", remedy) from error
    except ValidationError as error:
        wrong = "; ".join(f"{'.'.join(map(str, item['loc']))}: {item['msg']}" for item in error.errors())
        raise SettingsError(f"The prices {name}: {wrong}", remedy) from error
