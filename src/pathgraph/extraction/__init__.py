"""Extraction: from a provider's reply to checked triples and mentions."""
