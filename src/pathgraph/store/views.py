"""The views an analyst finds beside the tables: names in place of ids, both directions, readable paths.

Belongs here: SQL as data, with what each view means. Does not: running it (`database`). Only SQL that DuckDB 0.10
understands, because `graph.duckdb` is opened by clients of any age.
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class View:
    """One view: its name, what a row is, what its columns mean, its SELECT."""

    name: str
    doc: str
    columns: tuple[tuple[str, str], ...]
    sql: str


NEIGHBORS = View(
    "neighbors",
    "One edge seen from one of its two nodes; every edge but a self-loop is there twice.",
    (
        ("node_id", "The node it is seen from."),
        ("name", "That node's name."),
        ("relation", "Relation of the edge."),
        ("direction", "`out` when the edge starts from the node, `in` when it ends there, `self` for a loop."),
        ("neighbor_id", "The node at the other end."),
        ("neighbor", "Its name."),
        ("neighbor_type", "Its type."),
        ("weight", "Weight of the edge."),
        ("kind", "`typed` or `co_occurs`."),
        ("edge_id", "The edge."),
        ("n_triples", "Triples that support it."),
    ),
    """
WITH seen AS (
    SELECT source AS node_id, target AS neighbor_id, CASE WHEN source = target THEN 'self' ELSE 'out' END AS direction,
           edge_id, relation, weight, kind, n_triples
    FROM edges
    UNION ALL
    SELECT target, source, 'in', edge_id, relation, weight, kind, n_triples FROM edges WHERE source <> target
)
SELECT s.node_id, n.name, s.relation, s.direction, s.neighbor_id, m.name AS neighbor, m.type AS neighbor_type,
       s.weight, s.kind, s.edge_id, s.n_triples
FROM seen s JOIN nodes n ON n.node_id = s.node_id JOIN nodes m ON m.node_id = s.neighbor_id
""",
)

NODE_COMMUNITIES = View(
    "node_communities",
    "One node on one level, with its community and the title of the community's summary.",
    (
        ("node_id", "The node."),
        ("name", "Its name."),
        ("level", "Level, 0 is the coarsest."),
        ("community_id", "Its community on that level."),
        ("title", "Title of the community's summary; null when there is none."),
        ("size", "Nodes in the community."),
        ("provisional", "True for a node placed by an update, until the next rebuild."),
    ),
    """
SELECT m.node_id, n.name, m.level, m.community_id, s.title, c.size, m.provisional
FROM community_members m JOIN nodes n ON n.node_id = m.node_id JOIN communities c ON c.community_id = m.community_id
LEFT JOIN summaries s ON s.community_id = m.community_id
""",
)

TRIPLES_WITH_SOURCE = View(
    "triples_with_source",
    "One triple with the names of its nodes and the words of the document it rests on.",
    (
        ("triple_id", "The triple."),
        ("subject", "Name of the node the edge starts from."),
        ("relation", "Canonical relation."),
        ("object", "Name of the node the edge ends in."),
        ("description", "The fact in words."),
        ("evidence", "The document's text between `start` and `end`."),
        ("title", "Title of the document."),
        ("document_source", "Source the document came from."),
        ("uri", "Place of the document in its source."),
        ("modified_at", "Date of the document, where known."),
        ("strength", "Confidence or importance, (0, 10]."),
        ("kind", "`typed` or `co_occurs`."),
        ("start", "First code point of the evidence."),
        ("end", "Code point after the last."),
        ("document_id", "The document."),
        ("chunk_id", "The extract chunk."),
        ("source", "Node the edge starts from."),
        ("target", "Node the edge ends in."),
        ("edge_id", "The edge it supports."),
    ),
    """
SELECT t.triple_id, n.name AS subject, t.canonical_relation AS relation, m.name AS object, t.description,
       substring(d.text, t.start + 1, t."end" - t.start) AS evidence, d.title, d.source AS document_source, d.uri,
       d.modified_at, t.strength, t.kind, t.start, t."end", t.document_id, t.chunk_id, t.source, t.target, t.edge_id
FROM triples t JOIN documents d ON d.document_id = t.document_id
JOIN nodes n ON n.node_id = t.source JOIN nodes m ON m.node_id = t.target
""",
)

TOP_ENTITIES = View(
    "top_entities",
    "One node with its rank by degree, then by the number of triples, then by name.",
    (
        ("rank", "1 for the best connected node."),
        ("node_id", "The node."),
        ("name", "Its name."),
        ("type", "Its type."),
        ("degree", "Distinct neighbours over typed edges."),
        ("n_triples", "Typed triples it takes part in."),
        ("n_documents", "Documents that mention it."),
        ("description", "What the documents say about it."),
    ),
    """
SELECT row_number() OVER (ORDER BY degree DESC, n_triples DESC, name, node_id) AS rank,
       node_id, name, type, degree, n_triples, n_documents, description
FROM nodes ORDER BY rank
""",
)

COMMUNITY_TREE = View(
    "community_tree",
    "One community with its chain of parents.",
    (
        ("community_id", "The community."),
        ("parent_id", "Community that holds it; null at the top."),
        ("level", "First level on which it stands, 0 is the coarsest."),
        ("last_level", "Last level on which it stands."),
        ("size", "Nodes in it."),
        ("title", "Title of its summary; null when there is none."),
        ("chain", "Ids from the top community down to this one."),
        ("path", "The titles along the chain, joined by ` / ` (the id where there is no title)."),
        ("stale_share", "Share of its evidence that changed since it was computed."),
    ),
    """
WITH RECURSIVE titled AS (
    SELECT c.*, s.title, coalesce(s.title, CAST(c.community_id AS VARCHAR)) AS label
    FROM communities c LEFT JOIN summaries s ON s.community_id = c.community_id
), tree AS (
    SELECT community_id, parent_id, level, last_level, size, title, stale_share,
           [community_id] AS chain, label AS path
    FROM titled WHERE parent_id IS NULL
    UNION ALL
    SELECT c.community_id, c.parent_id, c.level, c.last_level, c.size, c.title, c.stale_share,
           list_append(t.chain, c.community_id), t.path || ' / ' || c.label
    FROM titled c JOIN tree t ON c.parent_id = t.community_id
)
SELECT community_id, parent_id, level, last_level, size, title, chain, path, stale_share FROM tree
""",
)

# One edge speaks for all edges between two nodes: typed before co_occurs, then the heaviest, then the smallest id.
PATHS_NAMED = View(
    "paths_named",
    "One path in words. Of several edges of a hop the heaviest typed one is shown, in its true direction.",
    (
        ("source", "First node."),
        ("target", "Last node."),
        ("source_name", "Name of the first node."),
        ("target_name", "Name of the last node."),
        ("hops", "Edges on the path."),
        ("reliability", "PathRAG formula 4; see `paths`."),
        ("path", "As in `A -[rel]-> B <-[rel]- C`."),
        ("names", "Names of the nodes from first to last."),
        ("nodes", "Their ids."),
        ("flow", "Breaks ties of reliability; see `paths`."),
    ),
    """
WITH ranked AS (
    SELECT source, target, relation, least(source, target) AS a, greatest(source, target) AS b,
           row_number() OVER (PARTITION BY least(source, target), greatest(source, target)
                              ORDER BY kind DESC, weight DESC, edge_id) AS place
    FROM edges
), hop AS (
    SELECT a AS from_id, b AS to_id,
           CASE WHEN source = a THEN ' -[' || relation || ']-> ' ELSE ' <-[' || relation || ']- ' END AS arrow
    FROM ranked WHERE place = 1
    UNION ALL
    SELECT b, a, CASE WHEN source = b THEN ' -[' || relation || ']-> ' ELSE ' <-[' || relation || ']- ' END
    FROM ranked WHERE place = 1 AND a <> b
)
SELECT p.source, p.target, n1.name AS source_name, coalesce(n4.name, n3.name, n2.name) AS target_name,
       p.hops, p.reliability,
       n1.name || h1.arrow || n2.name || coalesce(h2.arrow || n3.name, '') || coalesce(h3.arrow || n4.name, '') AS path,
       list_slice([n1.name, n2.name, n3.name, n4.name], 1, p.hops + 1) AS names, p.nodes, p.flow
FROM paths p
JOIN nodes n1 ON n1.node_id = p.nodes[1] JOIN nodes n2 ON n2.node_id = p.nodes[2]
LEFT JOIN nodes n3 ON n3.node_id = p.nodes[3] LEFT JOIN nodes n4 ON n4.node_id = p.nodes[4]
JOIN hop h1 ON h1.from_id = p.nodes[1] AND h1.to_id = p.nodes[2]
LEFT JOIN hop h2 ON h2.from_id = p.nodes[2] AND h2.to_id = p.nodes[3]
LEFT JOIN hop h3 ON h3.from_id = p.nodes[3] AND h3.to_id = p.nodes[4]
""",
)

VIEWS: dict[str, View] = {
    view.name: view
    for view in (NEIGHBORS, NODE_COMMUNITIES, TRIPLES_WITH_SOURCE, TOP_ENTITIES, COMMUNITY_TREE, PATHS_NAMED)
}
