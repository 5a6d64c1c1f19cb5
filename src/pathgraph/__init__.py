"""pathgraph: documents in, a relational-path graph out, kept right as the documents change."""

__version__ = "0.1.0"
