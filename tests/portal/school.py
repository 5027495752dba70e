"""A small world for tests: courses, people of every role, one submission of a student."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from django.test import Client

from attest.portal.courses.models import Course, CourseAssignment, Membership, Role
from attest.portal.grading import queue
from attest.portal.grading.models import Graded, RegradeRequest
from attest.portal.grading.results import keep, student_of
from attest.portal.handing_in.models import Submission
from attest.portal.handing_in.taking import take
from attest.portal.people.models import Person
from graders.assignment import find_assignment
from graders.result import CheckResult, LoadResult, Result, SubmissionInfo, Verdict, Visibility
from graders.versions import versions
from tests.attest.conftest import RIGHT

PASSWORD = "long enough for anybody"


@dataclass(frozen=True)
class School:
    """Whom and what there is."""

    administrator: Person
    instructor: Person
    grader: Person
    student: Person  # who has handed in
    classmate: Person  # another student of the course
    stranger: Person  # an instructor of another course
    course: Course
    assignment: CourseAssignment
    submission: Submission
    membership: Membership  # the student's
    regrade_request: RegradeRequest

    def browser(self, person: Person | None) -> Client:
        """A browser in which this person is signed in."""
        client = Client()
        if person is not None:
            client.force_login(person)
        return client


def make_person(name: str, **fields: object) -> Person:
    return Person.objects.create(email=f"{name}@example.edu", name=name.title(), **fields)


def make_assignment(course: Course, folder: Path, **fields: object) -> CourseAssignment:
    found = find_assignment(folder)
    return CourseAssignment.objects.create(
        course=course,
        folder=str(folder),
        title=found.title,
        max_points=found.points,
        content_hash=found.info.content_hash,
        **fields,
    )


def make_school(folder: Path) -> School:
    course = Course.objects.create(title="Attention", zone="Europe/Berlin")
    elsewhere = Course.objects.create(title="Elsewhere")
    people = {
        name: make_person(name) for name in ("instructor", "grader", "student", "classmate", "stranger")
    }
    administrator = make_person("administrator", is_administrator=True)
    roles = {
        "instructor": Role.INSTRUCTOR,
        "grader": Role.GRADER,
        "student": Role.STUDENT,
        "classmate": Role.STUDENT,
    }
    memberships = {
        name: Membership.objects.create(course=course, person=people[name], role=role, student_id=name)
        for name, role in roles.items()
    }
    Membership.objects.create(course=elsewhere, person=people["stranger"], role=Role.INSTRUCTOR)
    assignment = make_assignment(course, folder)
    submission = take(assignment, people["student"], [("double.py", RIGHT.encode())])
    return School(
        administrator=administrator,
        course=course,
        assignment=assignment,
        submission=submission,
        membership=memberships["student"],
        regrade_request=RegradeRequest.objects.create(
            submission=submission, check_id="doubling/test_values", sentence="It is right."
        ),
        **people,
    )


def keep_result(
    submission: Submission, points: tuple[float, float] = (2, 3), *, kept: bool = False
) -> Graded:
    """Keep a Result of the next job of a submission: the points of its two checks, of 2 and of 3.

    `kept` is whether the second is kept until the due date.
    """
    job = queue.claim("a test", job_id=submission.jobs.latest("id").pk)
    assert job is not None
    graded = keep(job, "a test", result_of(submission, points, kept=kept))
    assert graded is not None
    return graded


def result_of(submission: Submission, points: tuple[float, float], *, kept: bool = False) -> Result:
    """A Result as a grader would return it."""
    found = find_assignment(submission.assignment.folder)
    checks = [
        CheckResult(
            id=f"doubling/{name}",
            exercise="doubling",
            title=title,
            points=got,
            max_points=most,
            verdict=Verdict.PASSED if got == most else Verdict.FAILED,
            message="" if got == most else "It is not doubled.",
            visibility=Visibility.AFTER_DUE if kept and name == "test_values" else Visibility.ALWAYS,
        )
        for name, title, got, most in (
            ("test_public", "double(3) is 6.", points[0], 2),
            ("test_values", "Every element is doubled.", points[1], 3),
        )
    ]
    now = submission.received_at
    return Result(
        student=student_of(submission),
        assignment=found.info,
        submission=SubmissionInfo(
            source="double.py",
            content_hash=submission.content_hash,
            attempt=submission.attempt,
            submitted_at=now,
        ),
        load=LoadResult(path="double.py", kind="script"),
        checks=tuple(checks),
        started_at=now,
        finished_at=now,
        backend="bubblewrap",
        device="cpu",
        seed=1,
        versions=versions(),
    )
