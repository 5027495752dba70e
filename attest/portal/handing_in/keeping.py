"""Where the contents of handed-in files lie: on the disk, by their hash, outside everything that is served.

A file is on the disk, and the disk has been waited for, before any row names it. So a row never names
nothing; what a killed process leaves is a file that no row names, which `sweep` removes.
"""

from __future__ import annotations

import hashlib
import os
import re
import time
from collections.abc import Iterable
from pathlib import Path

from graders.writing_whole import sync_names, write_whole

_DIGEST = re.compile(r"[0-9a-f]{64}")
YOUNG_SECONDS = 3600  # a file without a row may be one whose row is just being written


class Missing(FileNotFoundError):
    """The content of a handed-in file is not where it should be. The message says which and what to do."""


class Store:
    """The folder of contents."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def keep(self, data: bytes) -> str:
        """Keep `data` and return its hash; it is on the disk when this returns."""
        digest = hashlib.sha256(data).hexdigest()
        path = self.path(digest)
        if path.is_file() and path.stat().st_size == len(data):
            os.utime(path)  # so that a sweep takes it for young
            return digest
        new = not path.parent.is_dir()
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        write_whole(path, data)
        path.chmod(0o400)
        if new:
            sync_names(self.folder)
        return digest

    def path(self, digest: str) -> Path:
        """Return where the content with this hash lies."""
        assert _DIGEST.fullmatch(digest)
        return self.folder / digest[:2] / digest

    def read(self, digest: str) -> bytes:
        """Return a content. Raises Missing where it is gone or damaged."""
        try:
            data = self.path(digest).read_bytes()
        except OSError as error:
            raise Missing(
                f"{self.path(digest)}: cannot be read ({error.strerror}). Bring it back from a backup."
            ) from None
        if hashlib.sha256(data).hexdigest() != digest:
            raise Missing(
                f"{self.path(digest)}: is not what was handed in any more. Bring it back from a backup."
            )
        return data

    def remove(self, digest: str) -> bool:
        """Remove a content that no row names, unless it is young."""
        return _remove_old(self.path(digest))

    def sweep(self, named: Iterable[str]) -> int:
        """Remove the contents that no row names, and what was never finished; return how many."""
        keep = set(named)
        found = self.folder.glob("??/*")
        return sum(_remove_old(path) for path in found if path.name not in keep)


def _remove_old(path: Path) -> bool:
    try:
        if path.stat().st_mtime > time.time() - YOUNG_SECONDS:
            return False
        path.unlink()
    except FileNotFoundError:
        return False
    return True
