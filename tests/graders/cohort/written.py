"""A run and its Results as small as they can be, for tests of what OUT holds."""

from __future__ import annotations

from datetime import UTC, datetime

from graders.output import RunInfo
from graders.result import AssignmentInfo, LoadResult, Result, Student, SubmissionInfo

NOW = datetime(2026, 1, 1, tzinfo=UTC)
ASSIGNMENT = AssignmentInfo(id="a", title="A", version="1")
RUN = RunInfo(
    assignment=ASSIGNMENT,
    assignment_path="a",
    submissions=1,
    seed=1,
    jobs=1,
    backend="none",
    device="cpu",
    started_at=NOW,
)


def result(student: str, message: str = "") -> Result:
    return Result(
        student=Student(id=student),
        message=message,
        assignment=ASSIGNMENT,
        submission=SubmissionInfo(source=f"{student}.py"),
        load=LoadResult(path=f"{student}.py", kind="script"),
        started_at=NOW,
        finished_at=NOW,
        backend="none",
        device="cpu",
        seed=1,
    )
