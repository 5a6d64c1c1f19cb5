"""Proposing a schema from what free extraction finds in a sample. Proposals only: a person decides."""
