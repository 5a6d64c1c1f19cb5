"""Chunking: from a document's text to chunks with exact offsets."""
