"""Resolution: from surface forms to nodes."""
