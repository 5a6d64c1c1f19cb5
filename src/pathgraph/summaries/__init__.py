"""Summaries: the written report on each community."""
