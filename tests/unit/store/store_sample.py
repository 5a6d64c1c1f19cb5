"""A small hand-made graph: three documents' worth of facts about two companies and a person, in two languages."""

from datetime import UTC, datetime

import pyarrow as pa

from pathgraph.schema.tables import TABLES
from pathgraph.store.database import connect
from pathgraph.store.layout import Store
from pathgraph.store.manifest import RunInfo
from pathgraph.store.publish import publish
from pathgraph.store.staging import Staging

TEXT = "김하늘은 Haneul Labs를 이끈다. 😀 Haneul Labs supplies Baram Motors."
KIM, LABS, MOTORS, LONE = 10, 20, 1 << 60, (1 << 62) + 5
DOC, CHUNK = 7, 8


def document(**changes):
    row = {"document_id": DOC, "source": "notes", "uri": "a/한글 'x'.md", "title": "A note", "text": TEXT}
    row |= {"content_hash": "h", "language": "ko", "media_type": "text/markdown", "route": "graph"}
    return row | {"modified_at": datetime(2026, 1, 2, tzinfo=UTC), "metadata": [("author", "me")]} | changes


def chunk(**changes):
    row = {"chunk_id": CHUNK, "document_id": DOC, "kind": "extract", "ordinal": 0, "start": 0, "end": len(TEXT)}
    return row | {"text": TEXT, "tokens": 30} | changes


def node(node_id, name, degree, **changes):
    row = {"node_id": node_id, "name": name, "type": "company", "types": ["company"], "language": "en"}
    row |= {"aliases": [{"surface": name, "language": "en", "count": 1}], "description": "", "degree": degree}
    return row | {"n_triples": degree, "n_documents": 1} | changes


def edge(edge_id, source, relation, target, weight=1.0, kind="typed"):
    row = {"edge_id": edge_id, "source": source, "relation": relation, "target": target, "kind": kind}
    row |= {"weight": weight, "description": "", "n_triples": 1, "n_documents": 1, "chunk_ids": [CHUNK]}
    return row | {"first_date": None, "last_date": None}


def triple(triple_id, edge_row, evidence):
    start = TEXT.index(evidence)
    row = {"triple_id": triple_id, "chunk_id": CHUNK, "document_id": DOC, "subject": "s", "object": "o"}
    row |= {"relation": edge_row["relation"], "subject_type": "", "object_type": "", "description": evidence}
    row |= {"strength": 1.0, "start": start, "end": start + len(evidence), "inverted": False}
    row |= {"source": edge_row["source"], "target": edge_row["target"], "edge_id": edge_row["edge_id"]}
    return row | {"canonical_relation": edge_row["relation"], "kind": edge_row["kind"]}


def path(nodes, edges):
    row = {"source": nodes[0], "target": nodes[-1], "hops": len(nodes) - 1, "nodes": nodes, "edges": edges}
    return row | {"reliability": 0.5, "flow": 0.25}


def community(community_id, level, last_level, parent, size):
    row = {"community_id": community_id, "level": level, "last_level": last_level, "parent_id": parent, "size": size}
    return row | {"weight": 1.0, "stale_share": 0.0}


def member(level, node_id, community_id):
    return {"level": level, "node_id": node_id, "community_id": community_id, "provisional": False}


def summary(community_id, title, triple_ids):
    row = {"community_id": community_id, "language": "en", "title": title, "summary": "s", "rank": 1.0}
    row |= {"findings": [{"text": "t", "triple_ids": triple_ids}], "input_hash": "", "provider": "offline"}
    return row | {"model": "m", "prompt_hash": ""}


def sample_rows():
    leads, supplies = edge(1, KIM, "leads", LABS, 2.0), edge(2, LABS, "supplies", MOTORS)
    rival = edge(3, MOTORS, "praises", LABS, 5.0)
    near = edge(4, KIM, "co_occurs", LABS, 9.0, "co_occurs")
    rows = {name: [] for name in TABLES}
    rows["documents"] = [document()]
    rows["chunks"] = [chunk(), chunk(chunk_id=9, kind="search")]
    rows["nodes"] = [node(KIM, "김하늘", 1, language="ko", type="person"), node(LABS, "Haneul Labs", 2)]
    rows["nodes"] += [node(MOTORS, "Baram 'Motors'", 1), node(LONE, "Lone", 0)]
    rows["edges"] = [leads, supplies, rival, near]
    rows["triples"] = [triple(100, leads, "김하늘은 Haneul Labs를 이끈다.")]
    rows["triples"] += [triple(101, supplies, "Haneul Labs supplies Baram Motors.")]
    rows["paths"] = [path([KIM, LABS], [[1]]), path([KIM, LABS, MOTORS], [[1], [2, 3]])]
    rows["communities"] = [community(50, 0, 0, None, 3), community(51, 1, 1, 50, 2), community(52, 0, 1, None, 1)]
    rows["communities"] += [community(53, 1, 1, 50, 1)]
    rows["community_members"] = [member(0, n, 50) for n in (KIM, LABS, MOTORS)] + [member(0, LONE, 52)]
    rows["community_members"] += [member(1, KIM, 51), member(1, LABS, 51), member(1, MOTORS, 53), member(1, LONE, 52)]
    rows["summaries"] = [summary(50, "All", [100, 101]), summary(51, "Core", [])]
    rows["embeddings"] = [{"kind": "node", "id": KIM, "model": "m", "dimensions": 2, "vector": [0.6, 0.8]}]
    return rows


def arrow(name, rows):
    if name == "paths":  # its key holds a list, which Arrow cannot sort by
        rows = sorted(rows, key=lambda row: (row["source"], row["target"], row["hops"], row["nodes"]))
        return pa.Table.from_pylist(rows, schema=TABLES[name].arrow)
    return TABLES[name].from_rows(rows)


def stage(store, rows, run_id="run-1"):
    staging = Staging(store, run_id)
    for name, table_rows in rows.items():
        staging.write(name, arrow(name, table_rows))
    return staging


def publish_rows(store, rows, run_id="run-1", **info):
    return publish(store, stage(store, rows, run_id), store.current_id(), RunInfo(flow="index", **info))


def generation(number):
    """The sample with one number written into every content table."""
    rows, mark = sample_rows(), f"g{number}"
    rows["embeddings"][0]["model"] = mark
    for name, column in MARKED.items():
        for row in rows[name]:
            row[column] = float(number) if column in {"weight", "reliability"} else mark
    return rows


MARKED = {"documents": "title", "chunks": "kind", "triples": "description", "nodes": "description"}
MARKED |= {"edges": "description", "paths": "reliability", "communities": "weight", "summaries": "summary"}
MARKED |= {"embeddings": "model"}


def generations_in(snapshot):
    """Every number found in any table of the snapshot: one, when it is consistent."""
    seen = set()
    for name, column in MARKED.items():
        seen |= {int(float(str(v).lstrip("g"))) for v in snapshot.table(name, [column]).column(0).to_pylist()}
    return seen


def publish_for_ever(root, started):
    """Body of the process that is killed: publish one generation after the other, resuming half-done staging."""
    store = Store.open(root)
    started.set()
    while True:
        parent = store.current_id()
        number = 1 + max(generations_in(store.snapshot()))
        staging = Staging(store, f"run-{number}")
        for name, table_rows in generation(number).items():
            if not staging.has(name):
                staging.write(name, arrow(name, table_rows))
        publish(store, staging, parent, RunInfo(flow="index"))


def read_for_ever(root, stop, report):
    """Body of the reader: report every snapshot that mixes generations, and how many were read."""
    store, mixed, read = Store.open(root), [], 0
    while not stop.wait(0.1):
        snapshot = store.snapshot()
        found = generations_in(snapshot)
        with connect(snapshot, store.runs) as connection:
            found |= {int(v[1:]) for (v,) in connection.execute("SELECT title FROM triples_with_source").fetchall()}
        mixed += [(snapshot.id, sorted(found))] if len(found) != 1 else []
        read += 1
    report.put((mixed, read))
