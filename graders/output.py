"""OUT, the folder of one cohort run: run.json and results/, beside the reports that are made of them.

Everything is written whole or not at all. A run goes on with an earlier one of its own assignment in the same
folder, unless it is to replace it; what no run has written is never touched.
"""

from __future__ import annotations

import errno
import fcntl
import os
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from datetime import datetime
from pathlib import Path
from typing import Literal

from pydantic import Field, ValidationError

from graders.accepting import AcceptedError, finish, finish_for_reader
from graders.adjustments import read_overlay
from graders.history import Note, keep
from graders.out_names import ATTEMPTS, KEPT, PAGES, REPORTS, RESULTS, RUN, RUN_FILE
from graders.reading.names import listed, shown
from graders.result import (
    AssignmentInfo,
    Frozen,
    Result,
    ResultError,
    read_result,
    write_result,
)
from graders.sentences import unfinished
from graders.writing_whole import UNFINISHED, write_whole

NO_ISOLATION = "no isolation was used: the code ran with all the rights of the one who started the run"

Mode = Literal["resume", "replace"]


class OutputError(RuntimeError):
    """OUT cannot be used. The message is one clear sentence with the next step."""


class IntakeInfo(Frozen):
    """What a run took in, so that it can be taken in again. Paths are absolute."""

    paths: tuple[str, ...] = ()
    source: str | None = None  # what packed them, where it was said
    roster: str | None = None
    attempts: str = "last"
    due: str | None = None
    late: str | None = None


class RunInfo(Frozen):
    """run.json: what a run was asked to do, and how far it came."""

    schema_version: Literal[1] = 1
    assignment: AssignmentInfo
    assignment_path: str
    submissions: int
    graded: int = 0
    unreadable: int = 0
    not_graded: int = 0
    seed: int = Field(ge=0)
    jobs: int
    backend: str
    device: Literal["cpu", "cuda"]
    isolation: Literal["guest", "container"] = "guest"
    runtime: str | None = None  # of the backend docker
    engine: Literal["local", "celery"] = "local"
    store: str | None = None  # of the engine celery; the broker's address, with its password, is not kept
    intake: IntakeInfo = IntakeInfo()
    command: str = ""  # that does the same again
    held_by: str = ""  # what holds memory, processes and processor time of guests
    warning: str = ""  # what an instructor must know of how it was run
    versions: dict[str, str] = Field(default_factory=dict)
    started_at: datetime
    finished_at: datetime | None = None  # absent while it runs, and where it was killed
    interrupted: bool = False  # stopped by Ctrl-C

    @property
    def unfinished(self) -> str:
        """What is to be known of a run that has not come to its end, in a sentence; "" of one that has."""
        done = self.graded + self.unreadable + self.not_graded
        ended = self.finished_at is not None
        return unfinished(self.submissions, done, interrupted=self.interrupted, ended=ended)


class Output:
    """An opened OUT, locked against a second run. Use as a context manager."""

    def __init__(self, path: Path, mode: Mode, stem: Callable[[str], str], other: str = "") -> None:
        """Open `path`; `stem` gives a student's id a safe file name without extension, no two the same.

        `other` is what can be chosen in its place, such as "another folder with -o". Raises OutputError where
        it cannot be used. `earlier` is the run in it, where there is one.
        """
        self.path = path
        self.shown = shown_path(path)
        self.mode = mode
        self.stem = stem
        self.other = other
        self.to_keep: Note | None = None  # where the results that are there go to the history first
        with self._sentences():
            self._made = not path.exists()
            path.mkdir(parents=True, exist_ok=True)
            self._lock = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
        try:
            self._claim()
            with self._sentences():
                finish(path)
            self.earlier = self._earlier_run()
            self._sweep()
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
                f"{self.shown}: another run of Attest is writing here. Wait for it"
                + (f", or choose {self.other}." if self.other else ".")
            ) from None
        except OSError:
            return  # a file system without locks: better to grade than to refuse

    def _earlier_run(self) -> RunInfo | None:
        found = [name for name in RUN if not _is_absent(self.path / name)]
        if not found:
            return None
        if not os.path.lexists(self.path / RUN_FILE):
            raise OutputError(
                f"{self.shown}: holds {listed(found)} but no {RUN_FILE}, so this is no run of Attest's and "
                f"would be overwritten. Choose {self.other or 'a folder that `attest grade` wrote'}."
            )
        try:
            return read_run(self.path)
        except OutputError:
            if self.mode == "replace":
                return None
            raise

    @property
    def gone_on_with(self) -> RunInfo | None:
        """The earlier run, unless it is to be replaced."""
        return None if self.mode == "replace" else self.earlier

    def _sweep(self) -> None:
        """Remove what a killed run had not finished writing."""
        for folder in (self.path, self.path / RESULTS, self.path / REPORTS, self.path / ATTEMPTS):
            for left in folder.glob(f"{UNFINISHED}*.*"):
                with suppress(OSError):
                    left.unlink()

    def clear(self) -> None:
        """Remove an earlier run's results and the pages made of them, and no other file.

        Called when the new run is sure to start. What cannot be read as a Result, or is not called as a run
        would call it, is somebody else's.
        """
        with self._sentences():
            for path in self._results():
                with suppress(ResultError):
                    stem = self.stem(read_result(path).student.id)
                    if path.name == f"{stem}.json":
                        for page in (f"{stem}.html", f"{stem}.md"):
                            (self.path / REPORTS / page).unlink(missing_ok=True)
                        path.unlink()
            for path in (self.path / ATTEMPTS).glob("*.json"):
                with suppress(ResultError):
                    if path.name == f"{self.stem(read_result(path).student.id)}.json":
                        path.unlink()
            for name in (RESULTS, REPORTS, ATTEMPTS):
                with suppress(OSError):  # it holds what is not ours, or there is none
                    (self.path / name).rmdir()
            for name in (*PAGES, RUN_FILE):  # the last is what tells a run
                (self.path / name).unlink(missing_ok=True)

    def begin(self, run: RunInfo) -> None:
        """Make the folders and write run.json; what is to be kept of the earlier run is kept before."""
        if self.mode == "replace":
            self.clear()
        with self._sentences():
            if self.to_keep is not None:
                keep(self.path, KEPT, self.to_keep)
                self.to_keep = None
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

    def set_aside(self, identity: str) -> None:
        """Keep the Result of one of several attempts apart from those that count."""
        stem = self.stem(identity)
        with self._sentences():
            (self.path / ATTEMPTS).mkdir(exist_ok=True)
            with suppress(FileNotFoundError):  # it has been set aside before
                (self.path / RESULTS / f"{stem}.json").replace(self.path / ATTEMPTS / f"{stem}.json")
            for page in (f"{stem}.html", f"{stem}.md"):
                (self.path / REPORTS / page).unlink(missing_ok=True)

    def write_attempt(self, result: Result) -> None:
        """Write the Result of an attempt that was set aside."""
        with self._sentences():
            write_result(result, self.path / ATTEMPTS / f"{self.stem(result.student.id)}.json")

    def read_attempt(self, identity: str) -> Result:
        """Return the Result of an attempt that was set aside. Raises ResultError."""
        return read_result(self.path / ATTEMPTS / f"{self.stem(identity)}.json")

    def read(self, identity: str) -> Result:
        """Return a student's Result. Raises ResultError."""
        return read_result(self.path / RESULTS / f"{self.stem(identity)}.json")

    def results(self, problems: list[str] | None = None) -> Iterator[Result]:
        """Read the results that are there; what cannot be read is passed over, and said in `problems`."""
        for path in self._results():
            try:
                result = read_result(path)
                own = path.with_name(f"{self.stem(result.student.id)}.json")
                if path != own and own.exists():
                    raise _second(path, result, own.name)
                yield result
            except ResultError as error:
                if problems is not None:
                    problems.append(str(error))

    def _results(self) -> list[Path]:
        return sorted((self.path / RESULTS).glob("*.json"))

    def _sentences(self) -> AbstractContextManager[None]:
        return writing(self.path, self.other)


@contextmanager
def writing(out: Path, other: str = "") -> Iterator[None]:
    """Turn what is wrong with a file of OUT that cannot be written, or gone on with, into an OutputError.

    `other` is what can be chosen in its place.
    """
    try:
        yield
    except AcceptedError as error:
        raise OutputError(str(error)) from error
    except OSError as error:
        raise OutputError(f"{shown_path(error.filename or out)}: {reason(error, other)}") from error


def read_run(out: Path) -> RunInfo:
    """Return run.json. Raises OutputError."""
    try:
        return RunInfo.model_validate_json((out / RUN_FILE).read_bytes())
    except (OSError, ValidationError) as error:
        raise OutputError(
            f"{shown_path(out / RUN_FILE)}: cannot be read as the description of a run, so there "
            "is no going on with it. Put a copy of it in its place, or run `attest grade` with --force, or "
            "into another folder with -o."
        ) from error


def unfinished_run(out: Path) -> str:
    """Say that the run in `out` has not come to its end; "" where it has. Raises OutputError."""
    return read_run(out).unfinished if os.path.lexists(out / RUN_FILE) else ""


def require_results(out: Path) -> None:
    """Raise OutputError where no run has left results in `out`."""
    with writing(out):
        finish_for_reader(out)
    if not any((out / RESULTS).glob("*.json")):
        raise OutputError(
            f"{shown_path(out)}: has no {RESULTS}/*.json. Give a folder that `attest grade` wrote."
        )


def read_results(out: Path) -> list[Result]:
    """Return the results in `out`, in the order of their files, with what people decided.

    Raises OutputError, ResultError, MarksError and AdjustmentsError.
    """
    require_results(out)
    overlay = read_overlay(out)
    paths = sorted((out / RESULTS).glob("*.json"))
    results: dict[str, tuple[str, Result]] = {}
    for path in paths:
        if path.name.startswith("."):
            continue
        result = read_result(path)
        there, _ = results.setdefault(result.student.id, (path.name, overlay.applied(result)))
        if there != path.name:
            raise _second(path, result, there)
    return [result for _, result in results.values()]


def _second(path: Path, result: Result, other: str) -> ResultError:
    """Return what is wrong with a result in `path` of a student whose result is in the file `other`."""
    return ResultError(
        f"{shown_path(path)}: a second result for student {shown(result.student.id)}, beside {other}. "
        "Remove the one that does not count."
    )


def shown_path(path: Path | str | bytes) -> str:
    """Return a path for a sentence, whatever it is called."""
    return shown(os.fsencode(path).decode("utf-8", "replace"), 500)


def _is_absent(path: Path) -> bool:
    """Whether nothing is there but perhaps an empty folder, as a run leaves that was killed at its start."""
    if path.is_dir() and not path.is_symlink():
        return not any(path.iterdir())
    return not os.path.lexists(path)


def reason(error: OSError, other: str = "") -> str:
    """Say what is wrong with what is to be written, and what to do; `other` is what can be chosen instead."""
    choose = f"Choose {other}" if other else ""
    match error.errno:
        case errno.ENOSPC | errno.EDQUOT:
            return "the disk is full. What was written before is whole; make room, then do the same again."
        case errno.EROFS:
            return f"the file system is read-only. {choose or 'Copy the folder to where you may write'}."
        case errno.EACCES | errno.EPERM:
            instead = f"{choose}, or change its permissions" if other else "Change its permissions"
            return f"you may not write here. {instead}."
        case errno.ENOTDIR | errno.EEXIST:
            return f"a file is in the way where a folder is needed. {choose or 'Move it away'}."
        case _:
            return f"cannot be written ({error.strerror}). {choose or 'Mend that, then do the same again'}."
