"""The change from a run's results to those of a regrade beside them: whole or not at all.

    OUT/regrade/…                 a regrade: the same layout as OUT
    OUT/regrade/accept.json       written when the regrade is accepted: from then on it counts
    OUT/history/<n>-<time>/…      where what counted before is moved

Every step is one rename, and what is done already is told by what lies where. So whoever finds accept.json
takes the steps that are left; everybody looks for it who opens OUT or reads its results.
"""

from __future__ import annotations

import fcntl
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Literal

from pydantic import ValidationError

from graders.history import Note, linked, next_name
from graders.out_names import (
    ACCEPT_FILE,
    CHANGES_CSV,
    CHANGES_PAGE,
    COUNTED,
    DECIDED,
    HISTORY,
    NOTE_FILE,
    REGRADE,
    REGRADE_FILE,
)
from graders.result import Frozen
from graders.writing_whole import UNFINISHED, write_whole

_GONE = f"{UNFINISHED}regrade"  # what is left of one, until it is removed


class AcceptedError(ValueError):
    """accept.json is no file of Attest's. The message names it and the next step."""


class Accepted(Frozen):
    """accept.json: the regrade that it lies in counts."""

    schema_version: Literal[1] = 1
    folder: str  # in OUT/history, for what counted before
    names: tuple[str, ...]  # of COUNTED, what the regrade has
    note: Note


def accept(out: Path, note: Note) -> Path:
    """Make the regrade in OUT what counts; return where in the history the rest is. Raises OSError.

    The caller holds OUT's lock.
    """
    regrade = out / REGRADE
    names = tuple(name for name in COUNTED if (regrade / name).exists())
    accepted = Accepted(folder=next_name(out, note.at), names=names, note=note)
    write_whole(regrade / ACCEPT_FILE, accepted.model_dump_json(indent=1).encode())
    return _finish(out, accepted)


def finish(out: Path) -> None:
    """Take the steps that are left where a regrade has been accepted. Raises AcceptedError and OSError.

    The caller holds OUT's lock.
    """
    accepted = _accepted(out)
    if accepted is not None:
        _finish(out, accepted)


def finish_for_reader(out: Path) -> None:
    """The same, for who holds no lock: wait for whoever is at it, and do what is left."""
    if _accepted(out) is not None:
        with _locked(out):
            finish(out)


def is_foreign(out: Path) -> bool:
    """Whether something lies in OUT/regrade that is no regrade of Attest's."""
    folder = out / REGRADE
    if not os.path.lexists(folder):
        return False
    return not folder.is_dir() or (any(folder.iterdir()) and not (folder / REGRADE_FILE).exists())


def discard(out: Path) -> None:
    """Drop the regrade, whole or not at all. Raises OSError."""
    shutil.rmtree(out / _GONE, ignore_errors=True)
    if (out / REGRADE).exists():
        (out / REGRADE).rename(out / _GONE)
        shutil.rmtree(out / _GONE)


def _accepted(out: Path) -> Accepted | None:
    try:
        return Accepted.model_validate_json((out / REGRADE / ACCEPT_FILE).read_bytes())
    except (FileNotFoundError, NotADirectoryError):
        return None
    except ValidationError as error:  # it is written whole: somebody else wrote this one
        first = error.errors()[0]
        where = f"{'.'.join(map(str, first['loc']))}: {first['msg']}"
        raise AcceptedError(
            f"{out / REGRADE / ACCEPT_FILE}: is no file of Attest's ({where}). Move the folder {REGRADE} "
            "away, and regrade again."
        ) from error


def _finish(out: Path, accepted: Accepted) -> Path:
    regrade, kept = out / REGRADE, out / HISTORY / accepted.folder
    kept.mkdir(parents=True, exist_ok=True)
    for name in DECIDED:  # people's own stay, and are kept as they were too
        if (out / name).is_file() and not (kept / name).exists():
            linked(out / name, kept / name)
    for name in COUNTED:
        new, counted, before = regrade / name, out / name, kept / name
        if new.exists() or name not in accepted.names:
            if counted.exists() and not before.exists():
                counted.rename(before)
            if new.exists():
                new.rename(counted)
    for name in (CHANGES_PAGE, CHANGES_CSV):
        if (regrade / name).exists():
            (regrade / name).rename(kept / name)
    write_whole(kept / NOTE_FILE, accepted.note.model_dump_json(indent=1).encode())
    discard(out)
    return kept


@contextmanager
def _locked(out: Path) -> Iterator[None]:
    lock = os.open(out, os.O_RDONLY | os.O_DIRECTORY)
    try:
        with suppress(OSError):  # a file system without locks
            fcntl.flock(lock, fcntl.LOCK_EX)
        yield
    finally:
        os.close(lock)
