"""Loading: from sources (folders, globs, files, tables, URIs) to documents and failures."""
