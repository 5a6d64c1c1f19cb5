"""The declaration of every published table. This is the text behind the writers, the checks and `docs/tables.md`.

Belongs here: names, types, keys, references and one sentence a column. Does not: code that fills a table.
"""

import pyarrow as pa

from pathgraph.schema.table import Column, Table

_ID = pa.int64()
_TEXT = pa.string()
_COUNT = pa.int64()
_IDS = pa.list_(pa.int64())
_TIME = pa.timestamp("us", tz="UTC")

ALIAS = pa.struct([("surface", _TEXT), ("language", _TEXT), ("count", _COUNT)])
FINDING = pa.struct([("text", _TEXT), ("triple_ids", _IDS)])

DOCUMENTS = Table(
    "documents",
    "One input item: a file, a row of a table file, or a URI.",
    (
        Column("document_id", _ID, "Hash of `source` and `uri`."),
        Column("source", _TEXT, "Name of the source it came from (by default the name of its root folder)."),
        Column(
            "uri", _TEXT, "Place of the document, relative to its source; rows of a table file end in `#` and a row id."
        ),
        Column("title", _TEXT, "From metadata or the document itself, else the file name."),
        Column("text", _TEXT, "Sanitised text (NFC, one kind of newline); every span counts code points of it."),
        Column("content_hash", _TEXT, "Hash of title, text, route and metadata: tells whether it changed."),
        Column("language", _TEXT, "Main language: `ko`, `en`, another ISO 639-1 code, or `und`."),
        Column("media_type", _TEXT, "MIME type of the item it was read from."),
        Column("route", _TEXT, "`graph` (extracted and embedded), `vector` (embedded only) or `skip`."),
        Column("modified_at", _TIME, "From metadata (file time only by setting); enters no hash.", nullable=True),
        Column("metadata", pa.map_(_TEXT, _TEXT), "Everything else that came with the document."),
    ),
    key=("document_id",),
)

CHUNKS = Table(
    "chunks",
    "A slice of a document's text: `text == document.text[start:end]`.",
    (
        Column("chunk_id", _ID, "Hash of document, kind, text and the how-manieth such text it is in the document."),
        Column("document_id", _ID, "The document it is cut from.", references="documents.document_id"),
        Column("kind", _TEXT, "`extract` (large, read by the extraction model) or `search` (small, embedded)."),
        Column("ordinal", _COUNT, "Position among the document's chunks of this kind, from 0."),
        Column("start", _COUNT, "First code point in the document's text."),
        Column("end", _COUNT, "Code point after the last."),
        Column("text", _TEXT, "The slice."),
        Column("tokens", _COUNT, "Size in tokens, as counted for packing."),
    ),
    key=("chunk_id",),
)

EXTRACTIONS = Table(
    "extractions",
    "What was asked about one extract chunk and what came back; one row a chunk, also when it gave nothing.",
    (
        Column("chunk_id", _ID, "The chunk.", references="chunks.chunk_id"),
        Column("provider", _TEXT, "`offline` or `openai`."),
        Column("model", _TEXT, "Model name as the provider calls it."),
        Column("prompt_hash", _TEXT, "Hash of prompt (or rules) and their version."),
        Column("schema_hash", _TEXT, "Hash of the schema file's content; empty without one."),
        Column("gleanings", _COUNT, "Extra rounds asked for."),
        Column("reply_hash", _TEXT, "Hash of the raw reply; empty when there was none."),
        Column("status", _TEXT, "`ok`, `empty` (a valid reply without triples) or `failed` (see `failures`)."),
        Column("n_triples", _COUNT, "Triples kept from the reply, before repeats in overlaps are dropped."),
    ),
    key=("chunk_id",),
)

MENTIONS = Table(
    "mentions",
    "One place where a node is named.",
    (
        Column("mention_id", _ID, "Hash of chunk, name, surface and place in the chunk."),
        Column("node_id", _ID, "The node it was resolved to.", references="nodes.node_id"),
        Column("chunk_id", _ID, "The extract chunk.", references="chunks.chunk_id"),
        Column("document_id", _ID, "Its document.", references="documents.document_id"),
        Column("surface", _TEXT, "The name as written."),
        Column("language", _TEXT, "Language of the surface, by script."),
        Column("start", _COUNT, "First code point in the document's text."),
        Column("end", _COUNT, "Code point after the last."),
        Column("method", _TEXT, "How it was resolved: `normalised`, `alias` (dictionary) or `judgement`."),
    ),
    key=("mention_id",),
)

TRIPLES = Table(
    "triples",
    "One extracted fact with its evidence. A fact repeated in the overlap of two chunks counts once.",
    (
        Column("triple_id", _ID, "Hash of chunk, subject, relation, object and place in the chunk."),
        Column("chunk_id", _ID, "The extract chunk it came from.", references="chunks.chunk_id"),
        Column("document_id", _ID, "Its document.", references="documents.document_id"),
        Column("subject", _TEXT, "Subject as extracted."),
        Column("relation", _TEXT, "Relation as extracted."),
        Column("object", _TEXT, "Object as extracted."),
        Column("subject_type", _TEXT, "Type given to the subject; empty when none."),
        Column("object_type", _TEXT, "Type given to the object; empty when none."),
        Column("description", _TEXT, "The fact in words: the model's description, else the evidence sentence."),
        Column("strength", pa.float64(), "Confidence or importance in (0, 10]; 1 when the reply gave none."),
        Column("start", _COUNT, "First code point of the evidence in the document's text."),
        Column("end", _COUNT, "Code point after the last."),
        Column("source", _ID, "Node the edge starts from (after inversion).", references="nodes.node_id"),
        Column("target", _ID, "Node the edge ends in.", references="nodes.node_id"),
        Column("canonical_relation", _TEXT, "Relation after synonyms and inversion by the schema file."),
        Column("inverted", pa.bool_(), "True when subject and object were swapped to canonical direction."),
        Column("edge_id", _ID, "The edge it supports.", references="edges.edge_id"),
        Column("kind", _TEXT, "`typed`, or `co_occurs` (named in one sentence; offline provider)."),
    ),
    key=("triple_id",),
)

OUT_OF_SCHEMA = Table(
    "out_of_schema",
    "One extracted fact that a schema file with `mode: fixed` has no place for: kept, but no part of the graph.",
    (
        Column("triple_id", _ID, "The id it would have in `triples`."),
        Column("chunk_id", _ID, "The extract chunk it came from.", references="chunks.chunk_id"),
        Column("document_id", _ID, "Its document.", references="documents.document_id"),
        Column("subject", _TEXT, "Subject as extracted."),
        Column("relation", _TEXT, "Relation as extracted."),
        Column("object", _TEXT, "Object as extracted."),
        Column("subject_type", _TEXT, "Type given to the subject; empty when none."),
        Column("object_type", _TEXT, "Type given to the object; empty when none."),
        Column("description", _TEXT, "The fact in words: the model's description, else the evidence sentence."),
        Column("strength", pa.float64(), "Confidence or importance in (0, 10]; 1 when the reply gave none."),
        Column("start", _COUNT, "First code point of the evidence in the document's text."),
        Column("end", _COUNT, "Code point after the last."),
        Column("reason", _TEXT, "`relation` (not in the schema) or `type` (its ends do not fit the relation)."),
    ),
    key=("triple_id",),
)

NODES = Table(
    "nodes",
    "One entity after resolution.",
    (
        Column("node_id", _ID, "Hash of the resolved, normalised name (and of the split, where one was judged)."),
        Column("name", _TEXT, "The dictionary's name, else the most frequent surface, ties by code point."),
        Column("type", _TEXT, "Majority type over mentions, ties by name; empty when unknown."),
        Column("types", pa.list_(_TEXT), "Every type seen, most frequent first."),
        Column("language", _TEXT, "Language of `name`, by script."),
        Column("aliases", pa.list_(ALIAS), "Every surface seen, with language and count, most frequent first."),
        Column("description", _TEXT, "What the documents say about it, condensed."),
        Column("degree", _COUNT, "Distinct neighbours over typed edges, itself not counted."),
        Column("n_triples", _COUNT, "Typed triples it takes part in."),
        Column("n_documents", _COUNT, "Documents that mention it."),
    ),
    key=("node_id",),
)

EDGES = Table(
    "edges",
    "One (source, relation, target), aggregated over its triples; directed.",
    (
        Column("edge_id", _ID, "Hash of source, relation, target and kind."),
        Column("source", _ID, "Node it starts from.", references="nodes.node_id"),
        Column("relation", _TEXT, "Canonical relation; `co_occurs` for sentence co-occurrence."),
        Column("target", _ID, "Node it ends in.", references="nodes.node_id"),
        Column("kind", _TEXT, "`typed` or `co_occurs`."),
        Column("weight", pa.float64(), "Sum of its triples' strengths."),
        Column("description", _TEXT, "Its triples' descriptions, condensed."),
        Column("n_triples", _COUNT, "Triples that support it."),
        Column("n_documents", _COUNT, "Documents that support it."),
        Column("chunk_ids", _IDS, "Chunks that support it, ascending.", references="chunks.chunk_id"),
        Column("first_date", pa.date32(), "Earliest `modified_at` (UTC) of its documents.", nullable=True),
        Column("last_date", pa.date32(), "Latest `modified_at` (UTC) of its documents.", nullable=True),
    ),
    key=("edge_id",),
)

PATHS = Table(
    "paths",
    "A simple path of at most three edges between two nodes, on the undirected projection of typed edges.",
    (
        Column("source", _ID, "Smaller of the two end nodes' ids.", references="nodes.node_id"),
        Column("target", _ID, "Larger of the two.", references="nodes.node_id"),
        Column("hops", pa.int8(), "Edges on the path: 1, 2 or 3."),
        Column("nodes", _IDS, "Nodes from source to target.", references="nodes.node_id"),
        Column(
            "edges",
            pa.list_(_IDS),
            "For each hop the edges between its two nodes, either direction.",
            references="edges.edge_id",
        ),
        Column("reliability", pa.float64(), "PathRAG formula 4 (arXiv 2502.14902), larger of both directions."),
        Column("flow", pa.float64(), "Product of alpha / degree along the path in that direction; breaks ties."),
    ),
    key=("source", "target", "hops", "nodes"),
    rows_per_part=4_000_000,
)

COMMUNITIES = Table(
    "communities",
    "One group of nodes of the nested Leiden hierarchy; level 0 is the coarsest.",
    (
        Column("community_id", _ID, "Hash of its members; kept by matching in a warm rebuild."),
        Column("level", _COUNT, "First level on which it stands."),
        Column("last_level", _COUNT, "Last level on which it stands, carried down unsplit."),
        Column(
            "parent_id",
            _ID,
            "Community of the level above that holds it; null on level 0.",
            nullable=True,
            references="communities.community_id",
        ),
        Column("size", _COUNT, "Nodes in it."),
        Column("weight", pa.float64(), "Sum of the projected weights of the edges inside it."),
        Column("stale_share", pa.float64(), "Share of its evidence that changed since it was computed, 0 to 1."),
    ),
    key=("community_id",),
)

COMMUNITY_MEMBERS = Table(
    "community_members",
    "One node on one level; every node stands on every level exactly once.",
    (
        Column("level", _COUNT, "Level, 0 is the coarsest."),
        Column("node_id", _ID, "The node.", references="nodes.node_id"),
        Column("community_id", _ID, "Its community on that level.", references="communities.community_id"),
        Column("provisional", pa.bool_(), "True for a node placed by an update, until the next rebuild."),
    ),
    key=("level", "node_id"),
)

SUMMARIES = Table(
    "summaries",
    "The written report on one community.",
    (
        Column("community_id", _ID, "The community.", references="communities.community_id"),
        Column("language", _TEXT, "Language of the report."),
        Column("title", _TEXT, "Short title."),
        Column("summary", _TEXT, "A paragraph."),
        Column(
            "findings", pa.list_(FINDING), "Findings, each with the triples it cites.", references="triples.triple_id"
        ),
        Column("rank", pa.float64(), "Importance, 0 to 10: share of the graph's weight inside, scaled."),
        Column("input_hash", _TEXT, "Hash of everything the report was written from."),
        Column("provider", _TEXT, "`offline`, `openai` or `rule` (communities under three nodes)."),
        Column("model", _TEXT, "Model that wrote it."),
        Column("prompt_hash", _TEXT, "Hash of prompt or rules."),
    ),
    key=("community_id",),
)

EMBEDDINGS = Table(
    "embeddings",
    "One vector.",
    (
        Column("kind", _TEXT, "`node`, `chunk` (search chunks) or `summary`."),
        Column("id", _ID, "Id of the thing embedded."),
        Column("model", _TEXT, "Embedding model."),
        Column("dimensions", _COUNT, "Length of the vector."),
        Column("vector", pa.list_(pa.float32()), "Unit length."),
    ),
    key=("kind", "id"),
    rows_per_part=100_000,
)

FAILURES = Table(
    "failures",
    "One thing that could not be done in this run; it is tried again by the next one.",
    (
        Column("stage", _TEXT, "`load`, `chunk`, `extract`, `condense`, `embed` or `summarise`."),
        Column("uri", _TEXT, "Where it came from: `source/uri` of the document or file."),
        Column("document_id", _ID, "The document, where there is one.", nullable=True),
        Column("chunk_id", _ID, "The chunk, where there is one.", nullable=True),
        Column("error", _TEXT, "Kind of error, stable, for grouping."),
        Column("message", _TEXT, "What happened and, where known, the remedy."),
        Column("attempts", _COUNT, "Tries so far in this run."),
        Column("raw", _TEXT, "Raw reply or offending text, where there is one, cut at 20,000 characters."),
    ),
    key=("stage", "uri", "document_id", "chunk_id", "error", "message"),
    exempt=True,
)

QUALITY = Table(
    "quality",
    "One measured property of this snapshot.",
    (
        Column("signal", _TEXT, "Name of the signal."),
        Column("value", pa.float64(), "Measured value.", nullable=True),
        Column("threshold", pa.float64(), "Value from which the verdict turns, where there is one.", nullable=True),
        Column("verdict", _TEXT, "`ok`, `warn` or `hold`."),
        Column("detail", _TEXT, "What the value means here, in words."),
    ),
    key=("signal",),
    exempt=True,
)

TABLES: dict[str, Table] = {
    table.name: table
    for table in (
        DOCUMENTS,
        CHUNKS,
        EXTRACTIONS,
        MENTIONS,
        TRIPLES,
        OUT_OF_SCHEMA,
        NODES,
        EDGES,
        PATHS,
        COMMUNITIES,
        COMMUNITY_MEMBERS,
        SUMMARIES,
        EMBEDDINGS,
        FAILURES,
        QUALITY,
    )
}
