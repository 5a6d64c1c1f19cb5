"""Small tables for the tests of summaries; a helper, no test."""

import random

import pyarrow as pa

from pathgraph.ids import content_id
from pathgraph.schema.tables import COMMUNITIES, COMMUNITY_MEMBERS, DOCUMENTS, EDGES, NODES, TRIPLES
from pathgraph.summaries.plan import SummaryInputs

BLANK = {pa.string(): "", pa.int64(): 0, pa.float64(): 0.0, pa.bool_(): False}


def row(table, **values):
    """A row with every column the test does not name blank."""
    base = {c.name: None if c.nullable else BLANK.get(c.type, []) for c in table.columns}
    return base | values


def table(declared, rows, rng=None):
    if rng is not None:
        rng.shuffle(rows)
    return pa.Table.from_pylist(rows, schema=declared.arrow)


def build(tree, facts, shuffle=None):
    """Tables of a tree of communities.

    Args:
        tree: nested lists of node names; a list of names is a leaf. The top list holds level 0.
        facts: (subject, relation, object, text, language) or the same with strength and kind behind.
        shuffle: seed for the order of all rows; None: as made.
    """
    rng = None if shuffle is None else random.Random(shuffle)
    communities, paths = [], {}
    for part in tree:
        _grow(part, None, 0, communities, paths)
    depth = max((len(path) for path in paths.values()), default=0)
    members = []
    for name, path in paths.items():
        for level in range(depth):
            community = path[min(level, len(path) - 1)]
            members.append(row(COMMUNITY_MEMBERS, level=level, node_id=node(name), community_id=community))
    nodes = [row(NODES, node_id=node(name), name=name, language="en") for name in paths]
    triples, edges = _facts(facts)
    documents = [row(DOCUMENTS, document_id=content_id("doc", c), language=c, metadata=[]) for c in ("ko", "en", "und")]
    for made in nodes:
        made["degree"] = sum(made["node_id"] in (t["source"], t["target"]) for t in triples)
    return SummaryInputs(
        table(DOCUMENTS, documents, rng),
        table(NODES, nodes, rng),
        table(EDGES, edges, rng),
        table(TRIPLES, triples, rng),
        table(COMMUNITIES, communities, rng),
        table(COMMUNITY_MEMBERS, members, rng),
    )


def node(name):
    return content_id("node", name)


def community(names):
    return content_id("community", *sorted(names))


def leaves(part):
    return [part] if isinstance(part, str) else [name for inner in part for name in leaves(inner)]


def _grow(part, parent, level, communities, paths):
    names = leaves(part)
    key = community(names)
    made = row(COMMUNITIES, community_id=key, level=level, parent_id=parent, size=len(names), weight=float(len(names)))
    communities.append(made)
    for name in names:
        paths.setdefault(name, []).append(key)
    for inner in part:
        if not isinstance(inner, str):
            _grow(inner, key, level + 1, communities, paths)


def _facts(facts):
    triples, weights = [], {}
    for i, (subject, relation, target, text, language, *rest) in enumerate(facts):
        strength, kind = (*rest, *(1.0, "typed")[len(rest) :])
        edge = content_id("edge", subject, relation, target, kind)
        weights[edge] = weights.get(edge, 0.0) + strength
        triples.append(
            row(
                TRIPLES,
                triple_id=content_id("triple", i, subject, relation, target),
                document_id=content_id("doc", language),
                source=node(subject),
                target=node(target),
                canonical_relation=relation,
                description=text,
                strength=strength,
                edge_id=edge,
                kind=kind,
            )
        )
    edges = [row(EDGES, edge_id=edge, weight=weight) for edge, weight in sorted(weights.items())]
    return triples, edges
