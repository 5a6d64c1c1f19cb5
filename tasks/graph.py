"""Tasks from replies to the graph: nodes, edges, communities, paths."""

import numpy as np

from pathgraph.communities.hierarchy import hierarchy
from pathgraph.communities.tables import community_tables
from pathgraph.extraction.schema_file import read_schema
from pathgraph.extraction.shards import Asked, collect, names_in
from pathgraph.graph.assemble import Texts, assemble
from pathgraph.graph.condense import Sizes, said_above
from pathgraph.graph.projection import project
from pathgraph.graph.text import SPEAKING, said_of_edges, said_of_nodes
from pathgraph.paths.graph import path_graph
from pathgraph.paths.planning import plan
from pathgraph.paths.table import path_batches
from pathgraph.pipeline import condensing
from pathgraph.pipeline.run import Run
from pathgraph.providers import factory
from pathgraph.resolution.aliases import read_aliases
from pathgraph.resolution.resolve import resolve
from pathgraph.tasks.extraction import JOBS
from pathgraph.tasks.stage import stage

GRAPH_TABLES = ("triples", "mentions", "nodes", "edges", "out_of_schema")
SAID = "said.parquet"


@stage
def build_graph(run: Run) -> int:
    """Resolve names and aggregate facts into tables, in the schema's terms; return how many nodes there are.

    Always done anew: whether a reply has come since the last attempt is not known from the staged tables.
    """
    import pyarrow.parquet as pq

    with run.stage("graph"):
        jobs = pq.read_table(run.staging.work / JOBS)
        schema = read_schema(run.settings.extraction.schema_file)
        asked = Asked(factory.extractor(run.settings), run.settings.extraction.gleanings, schema.hash)
        facts, extractions = collect(jobs, asked, run.cache)
        resolved = resolve(names_in(facts), read_aliases(run.settings.resolution.aliases))
        texts = Texts(
            run.staging.read("documents", ["document_id", "modified_at"]),
            run.staging.read("chunks", ["chunk_id", "document_id", "kind", "start", "end"]),
        )
        graph = assemble(facts, resolved, texts, run.settings.graph.description_tokens, schema)
        if factory.condenser(run.settings) is not None:
            triples = graph.triples.select(SPEAKING).to_pandas()
            nodes = said_of_nodes(facts.descriptions().to_pandas(), triples, resolved)
            above = run.settings.graph.condense_above_tokens
            pq.write_table(said_above(nodes, said_of_edges(triples), above), run.staging.work / SAID)
        run.staging.write("extractions", extractions)
        for name in GRAPH_TABLES:
            run.staging.write(name, getattr(graph, name))
    return graph.nodes.num_rows


@stage
def condense_descriptions(run: Run) -> int:
    """Have a model condense the descriptions of which there are many; return of how many nodes and edges it did."""
    import pyarrow.parquet as pq

    condenser = factory.condenser(run.settings)
    if condenser is None:
        return 0
    sizes = Sizes.of(run.settings.graph)
    trees = condensing.trees_of(pq.read_table(run.staging.work / SAID), sizes)
    with run.stage(condensing.STAGE, sum(tree.calls for tree in trees.values())):
        texts, failures = condensing.condense(trees, condenser, sizes, run.cache)
        run.keep_failures(condensing.STAGE, failures)
        for table, kind in (("nodes", "node"), ("edges", "edge")):
            run.staging.write(table, condensing.described(run.staging.read(table), kind, texts))
    return len(texts)


@stage
def detect_communities(run: Run) -> int:
    """Compute the nested Leiden hierarchy; return how many communities there are."""
    with run.stage("communities"):
        nodes = run.staging.read("nodes", ["node_id"])["node_id"].to_numpy().astype(np.int64)
        edges = run.staging.read("edges", ["edge_id", "source", "target", "kind", "weight"])
        projection = project(nodes, edges, run.settings.graph.co_occurs_weight)
        communities, members = community_tables(projection, hierarchy(projection, run.settings.communities))
        run.staging.write("communities", communities)
        run.staging.write("community_members", members)
    return communities.num_rows


@stage
def find_paths(run: Run) -> int:
    """Write the table `paths`; return its rows. The theta in force is kept for the manifest."""
    with run.stage("paths"):
        nodes = run.staging.read("nodes", ["node_id"])["node_id"].to_numpy().astype(np.int64)
        edges = run.staging.read("edges", ["edge_id", "source", "target", "kind", "weight"])
        graph = path_graph(nodes, edges, run.settings.paths.co_occurs)
        planned = plan(graph, run.settings.paths)
        run.keep("theta", planned.theta)
        with run.staging.writer("paths", planned.rows) as writer:
            for batch in path_batches(graph, run.settings.paths, planned):
                writer.write(batch)
    return planned.rows
