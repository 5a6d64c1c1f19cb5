"""Paths: PathRAG's flow-pruned paths, as a table and on line."""

from pathgraph.paths.graph import PathGraph, from_projection, path_graph
from pathgraph.paths.planning import PathPlan, plan
from pathgraph.paths.search import Path, find_paths
from pathgraph.paths.table import path_batches

__all__ = ["Path", "PathGraph", "PathPlan", "find_paths", "from_projection", "path_batches", "path_graph", "plan"]
