"""OUT/history: earlier results that count no longer, kept as they were, each with a note of why.

What is kept there is never read by a run and never changed: it is for the person who is asked about it later.
"""

from __future__ import annotations

import errno
import getpass
import os
import shutil
from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal

from graders.out_names import HISTORY, NOTE_FILE
from graders.result import AssignmentInfo, Frozen
from graders.writing_whole import UNFINISHED, write_whole


class Note(Frozen):
    """note.json: why these results count no longer, and by whose doing."""

    schema_version: Literal[1] = 1
    what: Literal["graded again", "regrade accepted"]
    reason: str = ""  # as a person gave it, or what the earlier run differs in
    by: str = ""  # the account on this machine
    at: datetime
    assignment: AssignmentInfo  # with which these results were graded


def who() -> str:
    """Return the account that Attest runs under; "" where it has no name."""
    try:
        return getpass.getuser()
    except (OSError, KeyError, ImportError):  # which of them depends on Python's version
        return ""


def next_name(out: Path, now: datetime) -> str:
    """Return what the next folder in OUT/history is called: 3-20261130T153000Z."""
    numbers = [path.name.partition("-")[0] for path in (out / HISTORY).glob("[0-9]*-*")]
    last = max((int(number) for number in numbers if number.isdecimal()), default=0)
    return f"{last + 1}-{now.astimezone(UTC):%Y%m%dT%H%M%SZ}"


def keep(out: Path, names: Iterable[str], note: Note) -> Path:
    """Keep these files and folders of OUT as they are now, whole or not at all; return where.

    Files of a run are replaced and never changed, so a second name for each is enough. Raises OSError.
    """
    history = out / HISTORY
    history.mkdir(exist_ok=True)
    for left in history.glob(f"{UNFINISHED}*"):
        shutil.rmtree(left, ignore_errors=True)
    name = next_name(out, note.at)
    folder = history / f"{UNFINISHED}{name}"
    folder.mkdir()
    for each in names:
        source = out / each
        if source.is_dir():
            shutil.copytree(source, folder / each, copy_function=linked, ignore=_unfinished)
        elif source.is_file():
            linked(source, folder / each)
    write_whole(folder / NOTE_FILE, note.model_dump_json(indent=1).encode())
    kept = history / name
    folder.rename(kept)
    return kept


def _unfinished(_folder: str, names: list[str]) -> set[str]:
    return {name for name in names if name.startswith(UNFINISHED)}


def linked(source: str | Path, target: str | Path) -> None:
    """Give a file of a run a second name. Raises OSError."""
    try:
        os.link(source, target, follow_symlinks=False)
    except OSError as error:
        if error.errno not in (errno.EPERM, errno.ENOTSUP, errno.EMLINK, errno.ENOSYS, errno.EXDEV):
            raise
        shutil.copy2(source, target, follow_symlinks=False)  # a file system without second names
