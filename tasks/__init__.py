"""Tasks: read tables, make one pure call, write a table; retries, limits and caching live here."""
