"""Flows: the table of contents of the pipeline, one file a flow, wiring only."""
