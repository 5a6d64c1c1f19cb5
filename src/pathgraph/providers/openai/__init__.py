"""Models behind any OpenAI-compatible endpoint: the only package that imports `openai`.

Belongs here: the client, its limits and retries, and the three providers on top of it. Does not: prompt texts
(`pathgraph.prompts`), reading replies (`pathgraph.extraction.reply`), caching (`pathgraph.store.cache`).
"""
