"""What a run will have to do, counted from its chunks, the cache and the last snapshot.

Belongs here: calls and tokens of each stage by the defaults of `rates`. Does not: money and minutes (`estimate`).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import pyarrow as pa

from pathgraph.arrow import rows, unique, values, where
from pathgraph.cost import rates
from pathgraph.cost.estimate import Work
from pathgraph.errors import StoreBroken
from pathgraph.extraction import run as extraction
from pathgraph.extraction.reply import parse_reply
from pathgraph.extraction.schema_file import read_schema
from pathgraph.pipeline.embedding import known_vectors, vector_key
from pathgraph.prompts.forms import EXTRACTION_WORDS, REPORT_WORDS
from pathgraph.prompts.render import LANGUAGES, fenced, prompt
from pathgraph.providers import factory
from pathgraph.settings import Settings
from pathgraph.store.cache import Cache
from pathgraph.store.snapshots import Snapshot
from pathgraph.tokens import estimate

_SAMPLE = 200  # cached replies that are measured at most


@dataclass(frozen=True)
class Planned:
    """What a run works on.

    Attributes:
        chunks: at least chunk_id, kind, text, tokens.
        jobs: every extract chunk with its request key (`extraction.shards.JOBS`).
        todo: those without a cached reply.
        parent: the current snapshot, None before the first.
    """

    chunks: pa.Table
    jobs: pa.Table
    todo: pa.Table
    parent: Snapshot | None


@dataclass(frozen=True)
class Sizes:
    """How many nodes, communities and written reports there will be; of these what is new, and chunks that changed."""

    nodes: int
    communities: int
    reports: int
    new_reports: int
    changed_chunks: int


def extraction_work(planned: Planned, settings: Settings) -> list[Work]:
    """Return the work of the first replies and of the gleaning rounds; a rule uses no tokens."""
    # Equal chunks are asked about once.
    wanted = {key: (chunk, language) for key, chunk, language in rows(planned.todo, "key", "chunk_id", "language")}
    calls = len(wanted)
    cached = len(unique(planned.jobs, "key")) - calls
    if settings.extraction.provider == "offline":
        return [Work("extraction", calls, cached, 0, 0), Work("gleanings", 0, 0, 0, 0)]
    size = dict(rows(planned.chunks, "chunk_id", "tokens"))
    sizes = [(size[chunk], language) for chunk, language in wanted.values()]
    schema = read_schema(settings.extraction.schema_file)
    told = {language: estimate(schema.prompt_section(language)) for language in LANGUAGES}
    around = {lang: prompt_tokens("extract.v1", lang, settings.prompts) + told[lang] for lang in LANGUAGES}
    tokens_in = sum(tokens + around.get(language, around["en"]) for tokens, language in sizes)
    tokens_out = sum(reply_tokens(tokens, settings) for tokens, _ in sizes)
    rounds = settings.extraction.gleanings
    return [
        Work("extraction", calls, cached, tokens_in, tokens_out),
        Work(
            "gleanings",
            calls * rounds,
            cached * rounds,
            (tokens_in + tokens_out) * rounds,
            round(tokens_out * rates.GLEANED_SHARE) * rounds,
        ),
    ]


def reply_tokens(tokens: int, settings: Settings) -> int:
    """Return the default for the tokens of a reply to a chunk of so many tokens."""
    limit = settings.endpoint_of("extraction").max_output_tokens
    return min(limit, round(rates.REPLY_TOKENS + rates.REPLY_SHARE * tokens))


@dataclass(frozen=True)
class Measured:
    """Cached replies of a run: how many were looked at, their length against the default, the names they hold."""

    replies: int = 0
    length: float = 1.0
    names: int = 0


def measured_replies(planned: Planned, settings: Settings, cache: Cache) -> Measured:
    """Return what the cached replies of this run are like; rules pay for no length."""
    open_keys = set(values(planned.todo, "key"))
    known = [(key, text) for key, text in rows(planned.jobs, "key", "text") if key not in open_keys]
    texts = dict(known[:: max(1, len(known) // _SAMPLE)])
    found = cache.get_many(extraction.NAMESPACE, list(texts))
    replies = {key: reply.decode("utf-8", "surrogatepass") for key, reply in found.items()}
    expected = sum(reply_tokens(estimate(texts[key]), settings) for key in replies)
    facts = [parse_reply(reply, texts[key]) for key, reply in replies.items()]
    names = {name for parsed in facts for one in parsed.triples for name in (one.subject, one.object)}
    names |= {one.name for parsed in facts for one in parsed.mentions}
    length = sum(map(estimate, replies.values())) / expected if expected else 1.0
    return Measured(len(replies), length, len(names))


@lru_cache(maxsize=32)
def prompt_tokens(name: str, language: str, folder: Path | None) -> int:
    """Return the tokens of a prompt around what it asks about."""
    values_ = {"format": "", "document": fenced(""), "material": fenced(""), "findings": "5"}
    words = {"extract.v1": EXTRACTION_WORDS, "summarise.v1": REPORT_WORDS}[name]
    messages = prompt(name, language if language in LANGUAGES else "en", folder).messages(values_ | {"format": words})
    return sum(estimate(message["content"]) for message in messages)


def sizes_of(planned: Planned, settings: Settings, measured: Measured) -> Sizes:
    """Return the sizes of the graph to come: the last snapshot's, scaled by chunks; else by replies and defaults."""
    chunks = planned.jobs.num_rows
    found = _last_sizes(planned, settings) if planned.parent is not None else None
    if found is None:
        each = rates.NODES_A_CHUNK
        if measured.replies:
            each = measured.names / measured.replies * rates.NAMES_APART
        nodes = each * len(unique(planned.jobs, "key"))
        reports = round(nodes * rates.REPORTS_A_NODE)
        return Sizes(round(nodes), round(nodes * rates.COMMUNITIES_A_NODE), reports, reports, chunks)
    return found


def _last_sizes(planned: Planned, settings: Settings) -> Sizes | None:
    """Return the sizes as the last snapshot gives them; None where it holds no chunk or cannot be read."""
    if planned.parent is None:
        return None
    try:
        made = planned.parent.table("extractions", ["chunk_id", "provider", "model", "prompt_hash", "status"])
        reports = planned.parent.table("summaries", ["provider", "model", "prompt_hash"])
        nodes, communities = planned.parent.rows("nodes"), planned.parent.rows("communities")
    except StoreBroken:
        return None
    if not made.num_rows:
        return None
    extractor, writer = factory.extractor(settings), factory.summariser(settings)
    maker = (extractor.provider, extractor.model, extractor.prompt_hash)
    kept = len(_same_chunks(made, maker) & set(values(planned.jobs, "chunk_id")))
    changed = planned.jobs.num_rows + made.num_rows - 2 * kept
    wanted = (writer.provider, writer.model, writer.prompt_hash)
    written = [row for row in rows(reports, "provider", "model", "prompt_hash") if row[0] != "rule"]
    scale = planned.jobs.num_rows / made.num_rows
    total = round(len(written) * scale)
    ours = sum(row == wanted for row in written)
    new = min(total, max(0, total - ours) + rates.REPORTS_A_CHANGED_CHUNK * changed)
    return Sizes(round(nodes * scale), round(communities * scale), total, new, changed)


def _same_chunks(made: pa.Table, maker: tuple[str, str, str]) -> set[int]:
    columns = rows(made, "chunk_id", "provider", "model", "prompt_hash", "status")
    return {chunk for chunk, *who, status in columns if tuple(who) == maker and status != "failed"}


def summary_work(sizes: Sizes, settings: Settings) -> Work:
    """Return the work of the reports; rules use no tokens."""
    calls, cached = sizes.new_reports, sizes.reports - sizes.new_reports
    if settings.summaries.provider == "offline":
        return Work("summaries", calls, cached, 0, 0)
    each = rates.REPORT_TOKENS_IN + prompt_tokens("summarise.v1", "en", settings.prompts)
    return Work("summaries", calls, cached, calls * each, calls * rates.REPORT_TOKENS_OUT)


def condensation_work(sizes: Sizes, planned: Planned, settings: Settings) -> Work:
    """Return the work of condensing long descriptions, which only a model does."""
    if settings.summaries.provider == "offline":
        return Work("condensation", 0, 0, 0, 0)
    every = rates.CONDENSED_A_CHUNK * planned.jobs.num_rows
    calls = min(round(every), sizes.changed_chunks)
    tokens_in, tokens_out = calls * rates.CONDENSED_TOKENS_IN, calls * rates.CONDENSED_TOKENS_OUT
    return Work("condensation", calls, round(every) - calls, tokens_in, tokens_out)


def embedding_work(planned: Planned, sizes: Sizes, settings: Settings, cache: Cache) -> tuple[Work, Work]:
    """Return the work of all vectors, and that of a vector-only index from an empty cache."""
    embedder = factory.embedder(settings)
    search = where(planned.chunks, "kind", "search")
    tokens = {vector_key(embedder, text): count for text, count in rows(search, "text", "tokens")}
    known = set(known_vectors(list(tokens), cache))
    open_tokens = sum(count for key, count in tokens.items() if key not in known)
    names = max(0, sizes.nodes - _known(planned.parent, "nodes", settings, cache))
    reports = max(0, sizes.communities - _known(planned.parent, "summaries", settings, cache), sizes.new_reports)
    by_rule = max(0, reports - sizes.new_reports)
    texts = len(tokens) - len(known) + names + reports
    every = len(tokens) + sizes.nodes + max(sizes.communities, reports)
    paid = settings.embeddings.provider != "offline"
    of_reports = sizes.new_reports * rates.SUMMARY_TOKENS + by_rule * rates.RULE_TOKENS
    needed = paid * (open_tokens + names * rates.NAME_TOKENS + of_reports)
    batch = embedder.batch
    calls = _batches(texts, batch)
    return (
        Work("embeddings", calls, _batches(every, batch) - calls, needed, 0),
        Work("vector only", _batches(len(tokens), batch), 0, paid * sum(tokens.values()), 0),
    )


def _known(parent: Snapshot | None, table: str, settings: Settings, cache: Cache) -> int:
    """Return of how many of the last snapshot's names or reports the vector is in the cache."""
    if parent is None:
        return 0
    try:
        texts = _texts(parent, table)
    except StoreBroken:
        return 0
    embedder = factory.embedder(settings)
    return len(known_vectors(sorted({vector_key(embedder, text) for text in texts}), cache))


def _texts(parent: Snapshot, table: str) -> Sequence[str]:
    if table == "nodes":
        return values(parent.table("nodes", ["name"]), "name")
    columns = rows(parent.table("summaries", ["title", "summary"]), "title", "summary")
    return [f"{title}\n{summary}" for title, summary in columns]


def _batches(texts: int, batch: int) -> int:
    return -(-texts // batch)
