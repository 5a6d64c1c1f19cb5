"""The offline provider: rules and small models from the package index; deterministic, no network, no key."""
