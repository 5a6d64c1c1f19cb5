"""Loading: from sources (folders, globs, files, tables, URIs) to documents and failures.

Belongs here: everything up to sanitised text with its metadata. Does not: chunks, the store, what changed since.
"""

from pathgraph.loading.document import Document
from pathgraph.loading.load import item_key, items, load, load_item
from pathgraph.loading.scan import Item, scan
from pathgraph.loading.sources import Source, parse_sources

__all__ = ["Document", "Item", "Source", "item_key", "items", "load", "load_item", "parse_sources", "scan"]
