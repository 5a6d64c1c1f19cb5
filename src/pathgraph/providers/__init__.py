"""Providers: what extracts, embeds and summarises. Offline, or any compatible endpoint."""
