"""OUT/cluster.jsonl: what a run has left with the workers, for the run that goes on after it was killed.

The first line says which run; each other line is a job that was sent. The file is gone when a run has ended.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import msgspec

from graders.cluster.broker import RUN
from graders.cluster.envelope import ClusterError
from graders.out_names import CLUSTER_FILE
from graders.output import reason


class Left(msgspec.Struct, frozen=True):
    """What must be the same for the answers of a run to be of use to another."""

    run: str
    broker: str  # without its password
    bundle: str
    seed: int
    terms: Any


def read_left(out: Path) -> tuple[Left, frozenset[str]] | None:
    """Return the run that OUT speaks of and the jobs that it sent; None where there is none to go on with."""
    try:
        first, *jobs = (out / CLUSTER_FILE).read_bytes().split(b"\n")
        left = msgspec.json.decode(first, type=Left)
    except (OSError, msgspec.MsgspecError):
        return None
    if not RUN.fullmatch(left.run):
        return None
    return left, frozenset(job.decode("ascii", "replace") for job in jobs if job)


class Log:
    """The file, while a run goes on. What is sent before it is begun is written then."""

    def __init__(self, out: Path, left: Left) -> None:
        self._path = out / CLUSTER_FILE
        self._left = left
        self._early: list[str] = []
        self._descriptor: int | None = None

    def begin(self) -> None:
        """Write what was sent so far. Raises ClusterError."""
        self.rewrite(self._early)
        self._early = []

    def sent(self, job: str) -> None:
        """Note a job; called before it is sent. Raises ClusterError."""
        if self._descriptor is None:
            self._early.append(job)
        else:
            with self._sentences():
                os.write(self._descriptor, f"{job}\n".encode())

    def rewrite(self, jobs: list[str]) -> None:
        """Leave only these jobs. Raises ClusterError."""
        self.close()
        flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_APPEND
        lines = [msgspec.json.encode(self._left), *(job.encode() for job in jobs), b""]
        with self._sentences():
            self._descriptor = os.open(self._path, flags, 0o600)
            os.write(self._descriptor, b"\n".join(lines))

    @contextmanager
    def _sentences(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            raise ClusterError(f"{self._path}: {reason(error)}") from error

    def remove(self) -> None:
        """There is nothing to go on with."""
        self.close()
        with suppress(OSError):
            self._path.unlink()

    def close(self) -> None:
        """Close the file and leave it."""
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None
