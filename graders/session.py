"""A grading session: submissions in, Results out, in one pytest session that is collected once.

    session = GradingSession(assignment, sandbox, seed)
    session.run(jobs, results.append)      # any number of submissions, pulled one after another
    result = session.grade(student, path)  # just one

A session grades in the thread and process that calls it and prints nothing.
"""

from __future__ import annotations

import traceback
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from typing import Any

import torch

from graders.assignment import Assignment, AssignmentError
from graders.checks import Check
from graders.grading import Grading
from graders.guests import Guests
from graders.plugin import Collected, run_pytest
from graders.prose.finding import AnswerFinder, Found
from graders.prose.outcome import answers_and_rubric
from graders.reading import Submission, UnreadableSubmission, codes_of, read_submission, untouched_last
from graders.result import (
    NOT_GRADED,
    CheckResult,
    LoadResult,
    Result,
    Status,
    Student,
    SubmissionInfo,
    Verdict,
)
from graders.showing import line, plain
from graders.starters import starter_files
from graders.versions import versions
from sandbox import Sandbox
from sandbox.errors import SandboxBroken


@dataclass(frozen=True)
class Job:
    """One submission to grade: read already, still to be read, or found to be unreadable."""

    student: Student
    submission: Submission | UnreadableSubmission | Path
    source: str = ""  # the path as the instructor gave it; default: the submission's own
    attempt: int = 1


class GradingSession:
    """Grades submissions of one assignment with one secret seed. See the module for how to use it."""

    def __init__(
        self,
        assignment: Assignment,
        sandbox: Sandbox,
        seed: int,
        *,
        public_only: bool = False,
        name_rivals: bool = False,
        watch: Callable[[CheckResult], None] | None = None,
    ) -> None:
        self.assignment = assignment
        self.sandbox = sandbox
        self.seed = seed
        self.public_only = public_only
        self.watch = watch  # is told of each check as it ends; a diagnosis is added later, no verdict changes
        self.name_rivals = name_rivals  # say what would be named if the variant that fits were not known

    def run(self, jobs: Iterable[Job], sink: Callable[[Result], None]) -> None:
        """Grade every job as it comes and hand each Result to `sink`.

        `jobs` may block while it waits for more. A fault of ours while one submission is graded becomes a
        Result that is `not_graded`. Raises AssignmentError, and whatever `jobs` or `sink` raises.
        """
        grading = Grading(
            self.sandbox, self.seed, self._model, name_rivals=self.name_rivals, watch=self.watch
        )

        def loop(checks: tuple[Collected, ...]) -> None:
            for job in jobs:
                sink(self._grade(grading, checks, job))

        with _one_thread():
            run_pytest(self.assignment, grading, loop, public_only=self.public_only)

    def grade(
        self, student: Student, submission: Submission | Path, *, source: str = "", attempt: int = 1
    ) -> Result:
        """Grade one submission."""
        results: list[Result] = []
        self.run([Job(student, submission, source, attempt)], results.append)
        return results[0]

    def _grade(self, grading: Grading, checks: Sequence[Collected], job: Job) -> Result:
        started = datetime.now(UTC)
        submission: Submission | None = None
        try:
            submission = self._read(job)
            if len(submission.programs) > 1:
                submission = untouched_last(submission, self._handed_out)
            found = self._finder.find(submission)
            with self._guests(submission, found) as guests:
                results = grading.grade(checks, guests)
                load = guests.load
        except UnreadableSubmission as unreadable:
            return self._unreadable(checks, job, started, plain(str(unreadable)))
        except SandboxBroken as reason:
            return self._not_graded(job, submission, started, str(reason))
        except Exception:
            return self._not_graded(job, submission, started, traceback.format_exc())
        notes = tuple(line(note, 500) for note in (*submission.notes, *self._finder.notes(submission)))
        load = load.model_copy(update={"notes": notes + load.notes})
        words = answers_and_rubric(self.assignment, found)
        return self._result(job, submission, started, load=load, checks=results, **words)

    def _read(self, job: Job) -> Submission:
        if isinstance(job.submission, UnreadableSubmission):
            raise job.submission
        if isinstance(job.submission, Path):
            asked = self.assignment
            return read_submission(job.submission, asked.files, names=asked.names, words=asked.words)
        return job.submission

    @cached_property
    def _handed_out(self) -> frozenset[tuple[str, ...]]:
        try:
            return codes_of([starter_files(exercise) for exercise in self.assignment.exercises])
        except AssignmentError:  # a mark at fault in a solution: nothing was handed out then
            return frozenset()

    @cached_property
    def _finder(self) -> AnswerFinder:
        return AnswerFinder(self.assignment)

    def _guests(self, submission: Submission, found: Sequence[Found] = ()) -> Guests:
        seconds = float(
            self.assignment.limits.get("submission_seconds", self.sandbox.limits.submission_seconds)
        )
        written = {one.exercise: one.written for one in found}
        record = frozenset(one.run_as for one in self.assignment.exercises if one.record)
        programs = tuple(replace(program, names=self.assignment.names) for program in submission.programs)
        return Guests(self.sandbox, dict(submission.files), programs, seconds, written, record=record)

    def _model(self, one: Collected) -> Guests | None:
        """Return guests of the exercise's model solution, if it has one."""
        if not one.exercise.solutions:
            return None
        words = self.assignment.words
        solution = read_submission(one.exercise.solutions[0], one.exercise.files, words=words)
        return self._guests(solution, self._finder.find(solution))

    def _unreadable(self, checks: Sequence[Collected], job: Job, started: datetime, message: str) -> Result:
        results = tuple(
            CheckResult(
                id=one.check.id,
                exercise=one.check.exercise,
                title=one.check.title,
                points=0,
                max_points=one.check.points,
                verdict=Verdict.MISSING,
                visibility=one.check.visibility,
                message="Nothing that could be run was handed in.",
                requires=one.check.requires,
            )
            for one in checks
        )
        load = LoadResult(path="", kind="none", verdict=Verdict.ERROR, message=message)
        return self._result(
            job,
            None,
            started,
            load=load,
            checks=results,
            status=Status.UNREADABLE,
            message=message,
            **answers_and_rubric(self.assignment, ()),
        )

    def _not_graded(
        self, job: Job, submission: Submission | None, started: datetime, internal: str
    ) -> Result:
        programs = submission.programs if submission else ()
        load = LoadResult(path=programs[0].path if programs else "", kind="none")
        return self._result(
            job,
            submission,
            started,
            load=load,
            status=Status.NOT_GRADED,
            message=NOT_GRADED,
            internal=plain(internal, 8000),
        )

    def _result(self, job: Job, submission: Submission | None, started: datetime, **fields: Any) -> Result:
        own = job.submission.name if isinstance(job.submission, Path) else ""
        return Result(
            student=job.student,
            assignment=self.assignment.info,
            submission=SubmissionInfo(
                source=job.source or own,
                files=tuple(sorted(submission.files)) if submission else (),
                content_hash=submission.content_hash if submission else "",
                attempt=job.attempt,
            ),
            started_at=started,
            finished_at=datetime.now(UTC),
            backend=self.sandbox.backend,
            device=self.sandbox.device,
            seed=self.seed,
            versions=versions(),
            **fields,
        )


def collect_checks(assignment: Assignment, *, public_only: bool = False) -> tuple[Check, ...]:
    """Return the assignment's checks in order; nothing is run. Raises AssignmentError."""
    found: list[Check] = []
    run_pytest(
        assignment,
        _Nobody(),
        lambda checks: found.extend(one.check for one in checks),
        public_only=public_only,
    )
    return tuple(found)


@contextmanager
def _one_thread() -> Iterator[None]:
    """Let torch compute in this thread alone: a check's tensors are small, and workers share the cores."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)


class _Nobody:
    """A runner for a session in which nothing runs."""

    def before(self) -> None:
        raise AssertionError

    def make_student(self) -> Any:
        raise AssertionError

    def carry_out(self, *_: Any) -> None:
        raise AssertionError
