"""The Results of a class, some at a time, as people and the due date make them.

What is worked out of a Result for a table is kept in this process, for as long as nothing of it changes.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator, Sequence
from dataclasses import replace
from threading import Lock

from django.utils import timezone

from attest.portal.courses.models import CourseAssignment
from attest.portal.grading.models import Graded
from attest.portal.grading.results import student_from
from attest.portal.grading.standing import Standing, whole_override
from attest.portal.teaching.roll import Line, Roll, State
from graders.assignment import AssignmentError, find_assignment
from graders.reading.identity import distinct_ids
from graders.result import AssignmentInfo, LoadResult, Result, Status, Student, SubmissionInfo
from graders.versions import versions
from reports.amounts import count_text
from reports.cohort import Row, row_of

AT_ONCE = 25  # documents that lie in memory together
MOST_ROWS = 5_000  # that are kept of all assignments

_ROWS: OrderedDict[tuple[object, ...], Row] = OrderedDict()
_LOCK = Lock()


def read_results(standings: Sequence[Standing]) -> Iterator[tuple[Standing, Result]]:
    """Yield each standing that has a Result with it; a document is dropped before the next ones are read."""
    graded = [(one, one.graded) for one in standings if one.graded is not None]
    for start in range(0, len(graded), AT_ONCE):
        some = graded[start : start + AT_ONCE]
        numbers = [kept.pk for _, kept in some]
        documents = dict(Graded.objects.filter(pk__in=numbers).values_list("pk", "document"))
        for one, kept in some:
            kept.document = documents.pop(kept.pk)
            result = one.result
            del kept.document  # it is read again by whoever asks for it
            yield one, result


def rows_of(lines: Sequence[Line]) -> dict[int, Row]:
    """Return what tables need of the Results that count, by the number of the person."""
    rows: dict[int, Row] = {}
    missing: list[Standing] = []
    for line in lines:
        if line.counts is None or line.counts.graded is None:
            if line.counts is not None and line.points is not None:
                rows[line.person.pk] = _given_row(line, line.counts.submission.assignment)
            continue
        with _LOCK:
            row = _ROWS.get(line.counts.basis)
            if row is not None:
                _ROWS.move_to_end(line.counts.basis)
        if row is None:
            missing.append(line.counts)
        else:
            rows[line.person.pk] = row
    for standing, result in read_results(missing):
        row = rows[standing.submission.person_id] = row_of(result)
        with _LOCK:
            _ROWS[standing.basis] = row
            while len(_ROWS) > MOST_ROWS:
                _ROWS.popitem(last=False)
    return {
        line.person.pk: replace(
            rows[line.person.pk], student_id=str(line.person.pk), name=line.name, section=line.section
        )
        for line in lines
        if line.person.pk in rows
    }


def _given_row(line: Line, assignment: CourseAssignment) -> Row:
    """Return the row of somebody whose points an instructor alone gave."""
    info = AssignmentInfo(id=assignment.title, title=assignment.title, version=assignment.version)
    return row_of(_without_result(line, student_from(line.person, line.member), info, assignment))


def final_results(roll: Roll) -> Iterator[tuple[Line, Result]]:
    """Yield what each student has come to, as documents and tables of grades have it.

    Who has handed in nothing has a Result that says so once their time is over. Of whom nothing can be said
    yet there is none; `unfinished` says why.
    """
    info = assignment_info(roll.assignment)
    students = students_of(roll)
    for start in range(0, len(roll.lines), AT_ONCE):
        some = roll.lines[start : start + AT_ONCE]
        counting = [line.counts for line in some if line.counts is not None]
        found = {one.submission.pk: result for one, result in read_results(counting)}
        for line in some:
            result = found.pop(line.counts.submission.pk, None) if line.counts else None
            if result is not None:
                yield line, result.model_copy(update={"student": students[line.person.pk]})
            elif line.points is not None or (line.state is State.NOTHING and is_over(roll, line)):
                yield line, _without_result(line, students[line.person.pk], info, roll.assignment)


def students_of(roll: Roll) -> dict[int, Student]:
    """Return everybody as documents name them, by the number of the person; no two have one id."""
    lines = [*roll.lines, *roll.others]
    students = [student_from(line.person, line.member) for line in lines]
    ids = distinct_ids([(student.id, True, student.email) for student in students])
    return {
        line.person.pk: student.model_copy(update={"id": identity})
        for line, student, identity in zip(lines, students, ids, strict=True)
    }


def without_details(result: Result) -> Result:
    """Return a Result with its points alone: those of a whole class fit into memory."""
    nothing: dict[str, object] = {"message": "", "hint": None, "counterexample": None, "error": None}
    nothing |= {"pictures": (), "facts": (), "stdout": "", "stderr": "", "internal": None}
    checks = tuple(one.model_copy(update=nothing) for one in result.checks)
    load = LoadResult(path=result.load.path, kind=result.load.kind)
    return result.model_copy(update={"checks": checks, "answers": (), "load": load})


def unfinished(roll: Roll) -> list[tuple[Line, str]]:
    """Return of whom the last word is not said yet, and why."""
    return [(line, why) for line in roll.lines if (why := _unfinished(roll, line))]


def _unfinished(roll: Roll, line: Line) -> str:
    if line.waits:
        return "an attempt is in the queue"
    if line.state is State.TROUBLE:
        return "could not be graded, through no fault of the student's"
    if line.state is State.MARKING:
        return "points wait for a person, or for a check to be mended"
    if line.state is State.NOTHING and not is_over(roll, line):
        return "has handed in nothing, and still has time"
    if line.troubled:
        return "an attempt could not be graded, though another counts"
    return f"{count_text(line.asked, 'regrade request')} to be answered" if line.asked else ""


def is_over(roll: Roll, line: Line) -> bool:
    """Whether nothing is expected of this student any more."""
    end = line.due_at or roll.assignment.closes_at
    return end is not None and end <= timezone.now()


def assignment_info(assignment: CourseAssignment) -> AssignmentInfo:
    """Return an assignment as Results name it; where its folder is gone, as the portal knows it."""
    try:
        return find_assignment(assignment.folder).info
    except AssignmentError:
        return AssignmentInfo(id=assignment.title, title=assignment.title, version=assignment.version)


def _without_result(
    line: Line, student: Student, info: AssignmentInfo, assignment: CourseAssignment
) -> Result:
    """Return a Result for who has none: nothing was handed in, or an instructor alone gave the points."""
    given = line.counts.given.get("") if line.counts else None
    now = timezone.now()
    return Result(
        status=Status.NOTHING if given is None else Status.GRADED,
        message="Nothing was handed in." if given is None else "",
        student=student,
        assignment=info,
        submission=SubmissionInfo(source=""),
        load=LoadResult(path="", kind="none"),
        started_at=now,
        finished_at=now,
        backend="",
        device="",
        seed=0,
        versions=versions(),
        override=None if given is None else whole_override(given, assignment.max_points),
    )
