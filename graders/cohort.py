"""A cohort run, seen from the main process: start the pool, write what comes, say how far it is.

This process imports no torch: it answers at once, and so does Ctrl-C. It knows nothing of reports: what is
made of each Result beside its own file is made in the workers, by the function named in `finish`.
"""

from __future__ import annotations

import os
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from multiprocessing.connection import Connection
from types import TracebackType
from typing import Self

from graders import messages
from graders.assignment import Assignment
from graders.child import Child
from graders.output import NO_ISOLATION, IntakeInfo, Output, OutputError, RunInfo
from graders.reading import Found
from graders.reading.names import shown
from graders.result import NOT_GRADED, LoadResult, Result, Status, SubmissionInfo
from graders.versions import versions
from graders.workers import encodable
from sandbox.backend import BackendOptions


class PoolError(RuntimeError):
    """The pool or the sandbox cannot work on this machine. The message says what was found and what to do.

    `details` is the traceback of a fault of ours.
    """

    def __init__(self, message: str, details: str = "") -> None:
        super().__init__(message)
        self.details = details


@dataclass(frozen=True)
class Progress:
    """How far a run is. `result` is the one that has just come; None when a submission was begun."""

    done: int
    total: int
    seconds: float  # since the first submission was handed out
    running: tuple[str, ...]  # students' ids
    result: Result | None = None
    waiting: str = ""  # for whom there has been no result for long, in a sentence

    @property
    def per_second(self) -> float:
        """Submissions graded per second so far."""
        return self.done / self.seconds if self.seconds > 0 else 0.0


@dataclass(frozen=True)
class Request:
    """What to grade, and how."""

    assignment: Assignment
    found: tuple[Found, ...]
    seed: int
    jobs: int
    backend: str = "bubblewrap"
    options: BackendOptions = field(default_factory=BackendOptions)
    patience_seconds: float | None = None  # for one submission; unless said, more than its limits allow
    finish: str | None = None  # "module:function", called in a worker with each Result and OUT
    kept: int = 0  # results of an earlier run in the same folder that stay as they are
    kept_unreadable: int = 0  # of them
    intake: IntakeInfo = IntakeInfo()  # noqa: RUF009 - frozen
    command: str = ""  # that does the same again
    cluster: messages.Cluster | None = None  # None: the workers are processes of this machine


class CohortRun:
    """One run over a cohort: a context manager to iterate over; leaving it ends everything."""

    def __init__(self, request: Request, out: Output, pool: Connection | None = None) -> None:
        """Grade `request` into `out`; `pool` is a pool that runs already, unless one is to be started."""
        self.request = request
        self.out = out
        self.stopped = False
        self.troubles: list[str] = []  # what `finish` could not do, in sentences
        self.held_by = ""  # what holds the limits of guests; known when it has begun
        self.begun = False  # the sandbox stands and the first submissions are handed out
        self._counts: Counter[Status] = Counter()
        self._started_at = datetime.now(UTC)
        self._pool: Child | None = None
        self._connection = pool

    def __enter__(self) -> Self:
        if self._connection is not None:
            return self
        self._pool = Child("graders.cluster.dispatcher" if self.request.cluster else "graders.workers")
        self._connection = self._pool.connection
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """End the pool and all below it; idempotent."""
        if self._connection is not None:
            self._connection.close()  # the pool ends its workers and the sandbox when it sees this
            self._connection = None
        if self._pool is not None:
            self._pool.close(10.0)
            self._pool = None

    def stop(self) -> None:
        """Let what runs finish, and begin nothing more. May be called from a signal handler."""
        if not self.stopped and self._connection is not None:
            self.stopped = True
            with suppress(OSError):
                messages.send(self._connection, messages.Stop())

    def __iter__(self) -> Iterator[Progress]:
        """Grade, write, and yield how far it is. Raises PoolError and graders.output.OutputError."""
        found = self.request.found
        assert self._connection is not None
        messages.send(self._connection, self._setup())
        begun = time.monotonic()
        running: dict[int, str] = {}
        while not isinstance(event := self._next_event(), messages.Finished):
            result: Result | None = None
            waiting = ""
            match event:
                case messages.Ready(held_by=held_by):
                    self._begin(held_by)
                    begun = time.monotonic()
                case messages.Started(index=index):
                    running[index] = found[index].student.id
                case messages.Waiting(index=index, seconds=silent, most=most):
                    student = found[index].student.id
                    waiting = f"{student}: no result for {silent:.0f} s; it is given up after {most:.0f} s."
                case messages.Notice(message=waiting):
                    pass
                case messages.Graded(index=index):
                    result = self._received(event)
                case messages.Lost(index=index, internal=internal):
                    result = self._lost(found[index], internal)
                case messages.Broken(message=message, details=details):
                    raise PoolError(message, details)
            if result is not None:
                self._counts[result.status] += 1
                running.pop(index, None)
            yield Progress(
                self._counts.total(),
                len(found),
                time.monotonic() - begun,
                tuple(running.values()),
                result,
                waiting,
            )
        self.out.write_run(self._run_info(ended=True))

    def _setup(self) -> messages.Setup:
        request = self.request
        items = tuple(messages.Item.of(index, found) for index, found in enumerate(request.found))
        return messages.Setup(
            assignment=os.fsencode(request.assignment.folder),
            backend=request.backend,
            options=request.options,
            seed=request.seed,
            jobs=max(1, min(request.jobs, len(items))),
            patience_seconds=request.patience_seconds,
            finish=request.finish,
            out=os.fsencode(self.out.path.absolute()),
            items=items,
            cluster=request.cluster,
        )

    def _begin(self, held_by: str) -> None:
        """Prepare OUT, and let the pool hand out the first submissions."""
        assert self._connection is not None
        self.held_by = held_by
        self.out.begin(self._run_info())
        self.begun = True
        messages.send(self._connection, messages.Begin())

    def _received(self, graded: messages.Graded) -> Result:
        """Write a worker's Result; where it is none, or cannot be written, the submission is not graded."""
        assert self._connection is not None
        found = self.request.found[graded.index]
        if graded.trouble:
            self.troubles.append(graded.trouble)
        try:
            result = Result.model_validate_json(graded.result)
            self.out.write(result)
        except OutputError:
            raise
        except Exception as error:  # whatever is wrong with one, the others are due
            why = f"its Result cannot be read or written: {type(error).__name__}: {error}"
            result = self._lost(found, why)
        if self.request.cluster:
            with suppress(OSError):  # it has ended: the next event says so
                messages.send(self._connection, messages.Kept(graded.index))
        return result

    def _lost(self, found: Found, internal: str) -> Result:
        result = self._not_graded(found, encodable(internal))
        self.out.write(result)
        return result

    def _next_event(self) -> messages.Event:
        assert self._connection is not None
        try:
            return messages.receive_event(self._connection)
        except (EOFError, OSError):
            raise PoolError(self._last_words()) from None

    def _last_words(self) -> str:
        """Say how the pool ended when it was not asked to."""
        assert self._pool is not None
        return (
            f"the process that runs the workers died ({self._pool.last_line()}). "
            "What was graded is kept; the same command again goes on."
        )

    def _run_info(self, *, ended: bool = False) -> RunInfo:
        request = self.request
        return RunInfo(
            assignment=request.assignment.info,
            assignment_path=shown(request.assignment.folder, 4000),
            submissions=request.kept + len(request.found),
            graded=request.kept - request.kept_unreadable + self._counts[Status.GRADED],
            unreadable=request.kept_unreadable + self._counts[Status.UNREADABLE],
            not_graded=self._counts[Status.NOT_GRADED],
            seed=request.seed,
            jobs=request.jobs,
            backend=request.backend,
            held_by=self.held_by,
            device=request.options.device,
            isolation=request.options.isolation,
            runtime=request.options.runtime,
            engine="celery" if request.cluster else "local",
            store=request.cluster.store if request.cluster else None,
            intake=request.intake,
            command=request.command,
            warning=NO_ISOLATION if request.backend == "none" else "",
            versions=versions(),
            started_at=self._started_at,
            finished_at=datetime.now(UTC) if ended else None,
            interrupted=ended and self._counts.total() < len(request.found),
        )

    def _not_graded(self, found: Found, internal: str) -> Result:
        result = Result(
            status=Status.NOT_GRADED,
            message=NOT_GRADED,
            internal=internal,
            student=found.student,
            assignment=self.request.assignment.info,
            submission=SubmissionInfo(source=found.source),
            load=LoadResult(path="", kind="none"),
            started_at=self._started_at,
            finished_at=datetime.now(UTC),
            backend=self.request.backend,
            device=self.request.options.device,
            seed=self.request.seed,
            versions=versions(),
        )
        return found.laid_over(result)


def usable_cores() -> int:
    """Return how many processor cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
