"""OUT, the folder of one cohort run: run.json and results/, beside the reports that are made of them.

Everything is written whole or not at all. A folder that holds an earlier run is never
touched unless the user said which of the two is meant: go on with it, or replace it.
"""

from __future__ import annotations

import errno
import fcntl
import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import datetime
from pathlib import Path
from typing import Literal

from pydantic import Field, ValidationError

from graders.result import AssignmentInfo, Frozen, Result, ResultError, read_result, write_result, write_whole

RUN_FILE = "run.json"
RESULTS = "results"
OWN = (RUN_FILE, RESULTS, "reports", "index.html", "grades.csv")  # what a run may leave in OUT

Mode = Literal["new", "resume", "replace"]


class OutputError(RuntimeError):
    """OUT cannot be used. The message is one clear sentence with the next step."""


class RunInfo(Frozen):
    """run.json: what a run was asked to do, and how far it came."""

    schema_version: Literal[1] = 1
    assignment: AssignmentInfo
    assignment_path: str
    submissions: int
    graded: int = 0
    unreadable: int = 0
    not_graded: int = 0
    seed: int
    jobs: int
    backend: str
    device: str
    versions: dict[str, str] = Field(default_factory=dict)
    started_at: datetime
    finished_at: datetime | None = None  # absent while it runs, and where it was killed
    interrupted: bool = False  # stopped by Ctrl-C


class Output:
    """An opened OUT, locked against a second run. Use as a context manager."""

    def __init__(self, path: Path, mode: Mode, stem: Callable[[str], str]) -> None:
        """Open `path`; `stem` gives a student's id a safe file name without extension, no two the same.

        Raises OutputError where it cannot be used, or holds an earlier run and `mode` is "new".
        """
        self.path = path
        self.mode = mode
        self.stem = stem
        with self._sentences():
            self._made = not path.exists()
            path.mkdir(parents=True, exist_ok=True)
            self._lock = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
        try:
            self._claim()
            self.earlier = self._earlier_run()
            with self._sentences():  # said before an hour of grading, not after it
                write_whole(path / ".attest-can-write", b"x")
                (path / ".attest-can-write").unlink()
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> Output:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Let the next run have OUT, and leave no empty folder where there was none; idempotent."""
        if self._lock >= 0:
            os.close(self._lock)
            self._lock = -1
            if self._made:
                with suppress(OSError):
                    self.path.rmdir()

    def _claim(self) -> None:
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise OutputError(
                f"{self.path}: another `attest grade` is writing here. Wait for it, or choose another folder "
                "with -o."
            ) from None
        except OSError:
            return  # a file system without locks: better to grade than to refuse

    def _earlier_run(self) -> RunInfo | None:
        found = [name for name in OWN if (self.path / name).exists()]
        if not found:
            return None
        if self.mode == "new":
            count = len(list((self.path / RESULTS).glob("*.json"))) if (self.path / RESULTS).is_dir() else 0
            raise OutputError(
                f"{self.path}: holds an earlier run ({count} results). Go on with it by --resume, replace it "
                "by --force, or choose another folder with -o."
            )
        if self.mode == "replace":
            return None
        try:
            return RunInfo.model_validate_json((self.path / RUN_FILE).read_bytes())
        except (OSError, ValidationError) as error:
            raise OutputError(
                f"{self.path / RUN_FILE}: cannot be read as the description of a run, so there is no going "
                "on with it. Replace it by --force, or choose another folder with -o."
            ) from error

    def clear(self) -> None:
        """Remove what an earlier run left, and nothing else. Called when the new run is sure to start."""
        with self._sentences():
            for name in OWN:
                target = self.path / name
                if target.is_dir() and not target.is_symlink():
                    shutil.rmtree(target)
                else:
                    target.unlink(missing_ok=True)

    def begin(self, run: RunInfo) -> None:
        """Make the folders and write run.json."""
        if self.mode == "replace":
            self.clear()
        with self._sentences():
            (self.path / RESULTS).mkdir(exist_ok=True)
        self.write_run(run)

    def write_run(self, run: RunInfo) -> None:
        """Write run.json."""
        with self._sentences():
            write_whole(self.path / RUN_FILE, run.model_dump_json(indent=1).encode())

    def write(self, result: Result) -> None:
        """Write a Result."""
        with self._sentences():
            write_result(result, self.path / RESULTS / f"{self.stem(result.student.id)}.json")

    def results(self) -> Iterator[Result]:
        """Read the results that are there; those that cannot be read are passed over."""
        for path in sorted((self.path / RESULTS).glob("*.json")):
            with suppress(ResultError):
                yield read_result(path)

    @contextmanager
    def _sentences(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            raise OutputError(f"{error.filename or self.path}: {reason(error)}") from error


def reason(error: OSError) -> str:
    """Say what is wrong with an output folder, and what to do."""
    match error.errno:
        case errno.ENOSPC | errno.EDQUOT:
            return "the disk is full. What was written before is whole; make room, then go on with --resume."
        case errno.EROFS:
            return "the file system is read-only. Choose another folder with -o."
        case errno.EACCES | errno.EPERM:
            return "you may not write here. Choose another folder with -o, or change its permissions."
        case errno.ENOTDIR | errno.EEXIST:
            return "a file is in the way where a folder is needed. Choose another folder with -o."
        case _:
            return f"cannot be written ({error.strerror}). Choose another folder with -o."
