"""Ids: 63-bit integers from content hashes, never random, never dependent on order.

Belongs here: the hash functions. Does not: which content makes a thing's id (the module that makes the thing says so).
"""

import hashlib
from collections.abc import Iterable

_MASK = (1 << 63) - 1


def digest(*parts: str | bytes | int) -> bytes:
    """Hash the parts with SHA-256, each framed by its length, so that ("ab", "c") and ("a", "bc") differ."""
    hasher = hashlib.sha256()
    for part in parts:
        raw = part if isinstance(part, bytes) else str(part).encode("utf-8", "surrogatepass")
        hasher.update(len(raw).to_bytes(8, "big"))
        hasher.update(raw)
    return hasher.digest()


def content_id(kind: str, *parts: str | bytes | int) -> int:
    """Return the 63-bit id of a thing: non-negative, fits a signed int64 column.

    Args:
        kind: what the thing is ("node", "edge"); things of different kinds never share an id by design.
        parts: the content that identifies it.
    """
    return int.from_bytes(digest(kind, *parts)[:8], "big") & _MASK


def content_hash(*parts: str | bytes | int) -> str:
    """Return a 64-digit hexadecimal hash of the parts, for columns named `*_hash` and cache keys."""
    return digest(*parts).hex()


def members_id(kind: str, members: Iterable[int]) -> int:
    """Return the id of a set of ids; the order in which they come does not matter."""
    return content_id(kind, *sorted(members))
