"""A small world for tests: courses, people of every role, one submission of a student."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from django.test import Client

from attest.portal.courses.models import Course, CourseAssignment, Membership, Role
from attest.portal.grading.models import RegradeRequest
from attest.portal.handing_in.models import Submission
from attest.portal.handing_in.taking import take
from attest.portal.people.models import Person
from graders.assignment import find_assignment
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
