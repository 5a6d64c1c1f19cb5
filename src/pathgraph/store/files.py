"""Files that survive a kill: durable writes, atomic replacement, hard links.

Belongs here: the few file-system calls the store relies on. Does not: what the files mean.
"""

import hashlib
import os
import shutil
from pathlib import Path

from pathgraph.errors import StoreError


def sync_file(path: Path) -> None:
    """Wait until the file's bytes are on disk."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def sync_folder(path: Path) -> None:
    """Wait until the folder's entries (creations, renames) are on disk; does nothing where folders cannot be opened."""
    if os.name == "posix":
        sync_file(path)


def write_atomically(path: Path, content: bytes) -> None:
    """Replace the file in one step: whoever reads it, also after a kill or power loss, sees the old or the new bytes.

    Raises:
        StoreError: the folder cannot be written (read-only, full).
    """
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        with temporary.open("wb") as handle:
            handle.write(content)
            handle.flush()
            os.fsync(handle.fileno())
        temporary.replace(path)
        sync_folder(path.parent)
    except OSError as error:
        temporary.unlink(missing_ok=True)
        raise unwritable(path, error) from error


def unwritable(path: Path, error: OSError) -> StoreError:
    """Return the error for a path that could not be written, with its remedy."""
    return StoreError(
        f"Cannot write {path}: {error.strerror or error}.",
        "Check free space and permissions of the store; nothing that was published is lost.",
    )


def link_or_copy(source: Path, target: Path) -> None:
    """Make the target the same file as the source where hard links work, else a durable copy."""
    try:
        os.link(source, target)
    except OSError:
        shutil.copyfile(source, target)
        sync_file(target)


def file_sha256(path: Path) -> str:
    """Return the SHA-256 of the file's bytes, hexadecimal."""
    with path.open("rb") as handle:
        return hashlib.file_digest(handle, "sha256").hexdigest()


def remove_tree(path: Path) -> None:
    """Delete a folder and everything in it; nothing happens when it is not there."""
    shutil.rmtree(path, ignore_errors=True)
