"""Graph: from resolved triples to nodes and edges, and the numeric projection the algorithms read."""
