"""What is too large for the broker lies in a store that command and workers share: any that fsspec knows.

STORE/assignments/HASH       kept: a worker that comes later has no need to ask
STORE/runs/RUN/…             removed when the run has ended
"""

from __future__ import annotations

import hashlib
from contextlib import suppress
from typing import Any

from graders.cluster.envelope import ClusterError
from graders.cluster.letters import Parcel

MOST_INSIDE = 256 * 2**10  # bytes that travel through the broker where there is a store


class Store:
    """A folder of a shared file system or object store."""

    def __init__(self, url: str) -> None:
        """Raises ClusterError where there is no such kind of store."""
        try:
            import fsspec
        except ImportError:
            raise ClusterError("--store needs fsspec. Run: pip install fsspec") from None
        self.url = url
        try:
            self._fs, self._root = fsspec.core.url_to_fs(url)
        except Exception as error:  # each kind of store has its own
            raise ClusterError(
                f"--store {url}: cannot be used ({_said(error)}). Expected a URL that fsspec knows, such as "
                "s3://bucket/attest or file:///mnt/attest, with the package for it installed."
            ) from error

    def put(self, name: str, data: bytes) -> None:
        """Write an object. Raises ClusterError."""
        path = self._path(name)
        try:
            self._fs.makedirs(path.rpartition("/")[0], exist_ok=True)
            self._fs.pipe_file(path, data)
        except Exception as error:
            raise self._trouble(f"{name} cannot be written", error) from error

    def get(self, name: str) -> bytes | None:
        """Return an object, None where there is none. Raises ClusterError."""
        try:
            data: bytes = self._fs.cat_file(self._path(name))
        except FileNotFoundError:
            return None
        except Exception as error:
            raise self._trouble(f"{name} cannot be read", error) from error
        return data

    def has(self, name: str) -> bool:
        """Whether there is such an object. Raises ClusterError."""
        try:
            return bool(self._fs.exists(self._path(name)))
        except Exception as error:
            raise self._trouble(f"{name} cannot be looked for", error) from error

    def remove(self, folder: str) -> None:
        """Remove what lies in a folder, as far as that can be done."""
        with suppress(Exception):
            self._fs.rm(self._path(folder), recursive=True)

    def _path(self, name: str) -> str:
        return f"{self._root.rstrip('/')}/{name}"

    def _trouble(self, what: str, error: Any) -> ClusterError:
        return ClusterError(
            f"--store {self.url}: {what} ({_said(error)}). Look at the store and at the rights to it; what "
            "was graded is kept; the same command again goes on."
        )


def _said(error: Exception) -> str:
    return " ".join(str(error).split())[:300] or type(error).__name__


def wrap(data: bytes, name: str, store: Store | None) -> Parcel:
    """Return a parcel of `data`: in the store under `name` where it is large and there is one."""
    if store is None or len(data) <= MOST_INSIDE:
        return Parcel(inside=data)
    store.put(name, data)
    return Parcel(name=name, sha256=hashlib.sha256(data).hexdigest())


def unwrap(parcel: Parcel, store: Store | None) -> bytes:
    """Return what is in a parcel. Raises ClusterError where it is not to be had, or is another's."""
    if not parcel.name:
        return parcel.inside
    if store is None:
        raise ClusterError("what it needs lies in a store. Start it with the command's --store")
    data = store.get(parcel.name)
    if data is None:
        raise ClusterError(
            f"{parcel.name} is not in {store.url}. Give command and workers the same --store, one that all "
            "reach"
        )
    if hashlib.sha256(data).hexdigest() != parcel.sha256:
        raise ClusterError(f"{parcel.name} in {store.url} is not what was put there")
    return data
