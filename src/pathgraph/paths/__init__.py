"""Paths: PathRAG's flow-pruned paths, as a table and on line."""
