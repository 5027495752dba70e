"""What was handed in, by whom and when, and what happened when it was loaded."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from graders.result.check import StudentError, Verdict
from graders.result.frozen import Frozen, Points


class Student(Frozen):
    """Whose work it is. `id` is unique in a cohort."""

    id: str
    name: str = ""
    email: str = ""
    section: str = ""
    ids: tuple[tuple[str, str], ...] = ()  # (kind, id), as LMSs know the student: ("canvas", "4711")


class AttemptInfo(Frozen):
    """One of several attempts, of which one counts."""

    attempt: int
    submitted_at: datetime | None = None
    points: Points | None = None  # absent where it was not graded
    counts: bool = False


class Received(Frozen):
    """How a submission came: through which LMS, when, and as which attempt."""

    lms: str = ""  # "canvas", "moodle", …; "" for plain files
    submitted_at: datetime | None = None  # as the LMS says; never as a student's file says
    late_in_lms: bool = False  # the LMS calls it late
    attempt: int = 1
    attempts: tuple[AttemptInfo, ...] = ()  # where there were several


class SubmissionInfo(Frozen):
    """What was handed in."""

    source: str  # the path as the instructor gave it, relative to the cohort
    files: tuple[str, ...] = ()
    content_hash: str = ""  # "sha256:…" over names and contents
    attempt: int = 1
    lms: str = ""  # what packed it: "canvas", "moodle", …; "" for plain files
    submitted_at: datetime | None = None
    late_in_lms: bool = False  # the LMS calls it late
    attempts: tuple[AttemptInfo, ...] = ()  # where there were several


class Late(Frozen):
    """By how much a submission came late, and what the policy takes for that.

    What is taken is worked out from the points as they are now, so it follows every mark of a person.
    """

    due_at: datetime  # with the student's extension
    extension_seconds: float = 0.0
    late_seconds: float = 0.0  # after due_at; 0 within the grace
    percent: float = 0.0  # that is taken
    of: Literal["earned", "maximum"] = "earned"
    policy: str = ""  # "10 % for each day begun, at most 50 %, 15 minutes of grace"
    unknown: bool = False  # the LMS calls it late and does not say by how much: nothing is taken

    def taken(self, earned: float, judged: float) -> float:
        """Return the points that are taken from `earned`, where `judged` could be had so far."""
        base = earned if self.of == "earned" else judged
        return min(max(0.0, earned), max(0.0, base * self.percent / 100))


class CellResult(Frozen):
    """What happened when one notebook cell, or one top-level statement of a script, ran."""

    number: int  # 1-based: the cell's number, or the statement's first line
    status: Literal["ok", "raised", "stopped", "skipped"]
    note: str = ""
    error: StudentError | None = None


class LoadResult(Frozen):
    """What happened when the submission was loaded, before any check."""

    path: str  # the file that was run
    kind: Literal["script", "notebook", "none"]
    cells: tuple[CellResult, ...] = ()  # only those that were not `ok`
    notes: tuple[str, ...] = ()  # "Cell 2: `!pip install einops` was skipped."
    verdict: Verdict = Verdict.PASSED  # TIMEOUT, MEMORY, CRASHED, … when loading never ended well
    message: str = ""
    stdout: str = ""
    stderr: str = ""
    output_truncated: bool = False
    seconds: float = 0.0
