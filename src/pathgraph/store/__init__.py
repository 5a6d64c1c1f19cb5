"""Store: snapshots on disk, their publishing, the reply cache, and DuckDB over them."""
