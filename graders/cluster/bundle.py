"""An assignment on its way to a worker: all files of its folders, known by the hash of what they hold.

Hidden tests are code that the grader trusts. A worker unpacks what its own dispatcher sent, sealed, and only
where the hash is the one that the job names.
"""

from __future__ import annotations

import hashlib
import os
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

import msgspec

from graders.assignment import Assignment, read_assignment


class _Files(msgspec.Struct, frozen=True):
    root: str  # the assignment's folder, relative to what all of them lie in
    files: dict[str, bytes]


class BundleError(ValueError):
    """What came is not the assignment that was asked for."""


@dataclass(frozen=True)
class Bundle:
    """A packed assignment."""

    hash: str
    data: bytes


def pack(assignment: Assignment) -> Bundle:
    """Pack an assignment's folder and those of its exercises. Raises OSError."""
    data = msgspec.msgpack.encode(_Files(*files_of(assignment)))
    return Bundle(hash_of(data), data)


def files_of(assignment: Assignment) -> tuple[str, dict[str, bytes]]:
    """Return an assignment's folder, relative to what all files of it lie in, and these. Raises OSError."""
    folders = sorted({assignment.folder, *(exercise.folder.resolve() for exercise in assignment.exercises)})
    base = Path(os.path.commonpath(folders))
    paths = sorted({path for folder in folders for path in folder.rglob("*") if _travels(path, folder)})
    files = {path.relative_to(base).as_posix(): path.read_bytes() for path in paths}
    return assignment.folder.relative_to(base).as_posix(), files


def _travels(path: Path, folder: Path) -> bool:
    parts = path.relative_to(folder).parts
    hidden = any(part.startswith(".") or part == "__pycache__" for part in parts)
    return not hidden and path.is_file()


def hash_of(data: bytes) -> str:
    """Return the name of a packed assignment."""
    return hashlib.sha256(data).hexdigest()


def unpack(data: bytes, expected: str, folder: Path) -> Assignment:
    """Write an assignment into a new folder and read it. Raises BundleError, AssignmentError and OSError."""
    if hash_of(data) != expected:
        raise BundleError(f"its content has hash {hash_of(data)[:12]}, and {expected[:12]} was asked for")
    packed = msgspec.msgpack.decode(data, type=_Files)
    for name in (packed.root, *packed.files):
        if PurePosixPath(name).is_absolute() or ".." in PurePosixPath(name).parts or "\0" in name:
            raise BundleError(f"it holds a file called {name!r}, which leads out of its folder")
    for name, content in packed.files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    return read_assignment(folder / packed.root)
