"""What a protocol server can be told: one value that survives JSON, on its way to subprocesses and POST /options."""

import hashlib
import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from statistics import NormalDist
from typing import Any

OUTPUTS = ("json", "openie", "tuples", "raw")
FORMATS = ("text", "json_object", "json_schema")


def share(*parts: object) -> float:
    """Return a number in [0, 1) that depends on the parts alone."""
    text = "\x1f".join(map(str, parts)).encode("utf-8", "surrogatepass")
    return int.from_bytes(hashlib.blake2b(text, digest_size=7).digest(), "big") / 2**56


@dataclass(frozen=True)
class Latency:
    """Seconds a call takes: constant when `sigma` is 0, else log-normal with that mean, cut at `cap`."""

    mean: float = 0.0
    sigma: float = 0.0
    cap: float = 20.0

    def seconds(self, *key: object) -> float:
        """Return the latency of one call, a pure function of its key."""
        if not self.mean or not self.sigma:
            return self.mean
        normal = NormalDist().inv_cdf(min(max(share("latency", *key), 1e-9), 1 - 1e-9))
        return min(self.cap, self.mean * math.exp(self.sigma * normal - self.sigma**2 / 2))


@dataclass(frozen=True)
class Options:
    """All options of a server.

    Attributes:
        recordings: files with recorded replies (formats: protocol.recordings).
        records: recordings as values: {"text": ..., "triples": [[s, r, o]], "entities": [...], "replies": [raw, ...]};
            `replies` holds the raw reply of the first and of each gleaning turn.
        replies: {part of a prompt: the literal reply}; goes before recordings.
        default: reply to a plain prompt that nothing matches; empty: an invented one in the wanted form.
        output: what an extraction answer looks like: json (ours), openie, tuples, raw (as recorded, else json).
        formats: kinds of response_format taken; others get `format_status`.
        format_status: 400, or 500 as some servers do.
        unsupported: request fields answered with 400 unsupported_parameter ("temperature", "max_tokens").
        api_key: the one taken; empty takes any.
        models: names GET /v1/models lists; `strict_model`: others get 404.
        context: tokens of prompt plus max_tokens, above which a chat call gets 400 context_length_exceeded; 0: any.
        exact_tokens: usage is counted in tokens of o200k (needs bpe-openai), not estimated from characters.
        dimensions: of embeddings; `embedding_inputs`: most texts in one call, above it 400.
        seed: of every draw.
        faults: probability of each fault by name (protocol.faults); they exclude each other, so at most 1 in sum.
        embedding_faults: the same for embeddings.
        per_prompt: faults of the first, second, ... call of every prompt; "ok" for none. Beyond it `faults` rule.
        per_call: faults of the first, second, ... chat call of all; goes before per_prompt.
        poison: {part of a prompt: the fault of every call whose prompt holds it}; goes before all.
        fault_attempts: calls of one prompt that may be faulty by probability; later ones are answered well.
        retry_after: seconds that 429 asks for; a date is rounded up to whole seconds.
        hang: seconds a hanging call is held before its connection is closed.
        latency: of a chat call; `embedding_latency`: of an embedding call.
        max_in_flight: chat calls served at once, above which 429 comes; 0: any.
        batch_seconds: how long a batch stays in progress.
        batch_expires: batches expire with half of their requests done.
        batch_errors: codes with which the first, second, ... batch fails as a whole; "ok" for none.
        file_faults: wire faults of the first, second, ... call for files or batches; "ok" for none. A call whose
            connection is closed or whose answer is spoilt was carried out all the same.
    """

    recordings: Sequence[str] = ()
    records: Sequence[Mapping[str, Any]] = ()
    replies: Mapping[str, str] = field(default_factory=dict)
    default: str = ""
    output: str = "json"
    formats: Sequence[str] = FORMATS
    format_status: int = 400
    unsupported: Sequence[str] = ()
    api_key: str = ""
    models: Sequence[str] = ("replay",)
    strict_model: bool = False
    context: int = 0
    exact_tokens: bool = False
    dimensions: int = 256
    embedding_inputs: int = 2048
    seed: int = 0
    faults: Mapping[str, float] = field(default_factory=dict)
    embedding_faults: Mapping[str, float] = field(default_factory=dict)
    per_prompt: Sequence[str] = ()
    per_call: Sequence[str] = ()
    poison: Mapping[str, str] = field(default_factory=dict)
    fault_attempts: int | None = None
    retry_after: float = 0.05
    hang: float = 30.0
    latency: Latency = field(default_factory=Latency)
    embedding_latency: Latency = field(default_factory=Latency)
    max_in_flight: int = 0
    batch_seconds: float = 0.0
    batch_expires: bool = False
    batch_errors: Sequence[str] = ()
    file_faults: Sequence[str] = ()

    def changed(self, values: Mapping[str, Any]) -> "Options":
        """Return options with some values replaced; raises ValueError for unknown names."""
        return of({**asdict(self), **values})


def of(values: Mapping[str, Any]) -> Options:
    """Return options from plain values, as JSON gives them; a number will do for a latency."""
    from protocol.faults import check

    unknown = set(values) - {one.name for one in fields(Options)}
    if unknown:
        raise ValueError(f"unknown options: {', '.join(sorted(unknown))}")
    plain = dict(values)
    for name in ("latency", "embedding_latency"):
        given = plain.get(name, 0.0)
        if isinstance(given, Mapping):
            plain[name] = Latency(**given)
        elif not isinstance(given, Latency):
            plain[name] = Latency(float(given))
    options = Options(**plain)
    check(options)
    return options


def plain(options: Mapping[str, Any]) -> dict[str, Any]:
    """Return options as JSON can hold them."""
    return {
        name: asdict(value) if isinstance(value, Latency) else list(map(str, value)) if name == "recordings" else value
        for name, value in options.items()
    }
