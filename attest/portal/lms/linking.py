"""Making links: an LMS's course with one of the portal's, what is clicked there with an assignment."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta

from django.core.signing import BadSignature, TimestampSigner
from django.db import transaction
from django.db.models import QuerySet

from attest.installed import installed_assignments
from attest.lti.claims import Launch
from attest.portal.audit.trail import note
from attest.portal.courses.adding import add_assignment
from attest.portal.courses.models import Course, CourseAssignment, Role
from attest.portal.lms.arriving import MOST_NAME, context_facts, named_assignment, take_in
from attest.portal.lms.models import LinkedContext, PlatformPerson
from attest.portal.numbers import row_number
from attest.portal.people.models import Person
from attest.portal.permissions import role_in
from attest.portal.uploads.folders import is_data
from graders.assignment import AssignmentError, find_assignment
from reports.amounts import points_text

CODES_LIVE = timedelta(days=7)
_CODES = TimestampSigner(salt="a course for an LMS", sep=".")
_OWN, _INSTALLED = "own", "installed"
_KEPT_RULES = ("late_policy", "attempts", "attempts_an_hour", "hidden_checks", "counts", "feedback")


def code_of(course: Course) -> str:
    """Return the code by which instructors in an LMS link their course with this one."""
    return _CODES.sign(str(course.pk))


def course_by(code: str) -> Course | None:
    """Return the course that a code was made for."""
    try:
        number = int(_CODES.unsign(code.strip(), max_age=CODES_LIVE))
    except (BadSignature, ValueError):
        return None
    return Course.objects.filter(pk=number).first()


def taught_by(person: Person) -> QuerySet[Course]:
    """Return the courses in which somebody is an instructor."""
    return Course.objects.filter(memberships__person=person, memberships__role=Role.INSTRUCTOR)


def original(launch: Launch, person: Person) -> Course | None:
    """Return the course that the LMS's is a copy of, where this person teaches it."""
    named = named_assignment(launch)
    if named is None or role_in(person, named.course) != Role.INSTRUCTOR:
        return None
    return named.course


@transaction.atomic
def new_course(launch: Launch, told: PlatformPerson, zone: str, copied: Course | None) -> Course:
    """Make the course that belongs to an LMS's, with the assignments of the one that it is a copy of."""
    title = (launch.context_title or launch.context_label or "Course from the LMS")[:MOST_NAME]
    course = Course.objects.create(title=title, zone=zone)
    note(told.person, "course made", f"course {course.pk}", course=course, why="for a course of an LMS")
    if told.person.zone == "UTC":
        Person.objects.filter(pk=told.person_id).update(zone=zone)
    for assignment in copied.assignments.all() if copied else ():
        if is_data(assignment.folder):
            continue  # an upload belongs to its course
        rules = {name: getattr(assignment, name) for name in _KEPT_RULES}
        _add(course, assignment.folder, told.person, rules)
    return course


@transaction.atomic
def link_context(launch: Launch, told: PlatformPerson, course: Course) -> LinkedContext:
    """Link an LMS's course with one of ours; whoever does it is an instructor of it from then on."""
    context, is_new = LinkedContext.objects.get_or_create(
        platform=told.platform,
        deployment_id=launch.deployment_id,
        context_id=launch.context_id,
        defaults={**context_facts(launch), "course": course, "linked_by": told.person},
    )
    if is_new:
        after = {"context": context.pk, "platform": told.platform_id}
        note(told.person, "LMS course linked", f"course {course.pk}", course=course, after=after)
    take_in(context, told, Role.INSTRUCTOR, launch.person_sourced_id)
    return context


def offered(course: Course) -> list[tuple[str, str]]:
    """Return what can be linked: the course's assignments, and those that come with Attest."""
    own = list(course.assignments.all())
    there = {one.folder for one in own}
    known = [(value_of(one), f"{one.title}, {points_text(one.max_points)} points") for one in own]
    return known + [
        (f"{_INSTALLED}:{name}", f"{one.title}, {points_text(one.points)} points (comes with Attest)")
        for name, one in installed_assignments().items()
        if name not in there
    ]


def value_of(assignment: CourseAssignment) -> str:
    """Return how `offered` names an assignment of the course."""
    return f"{_OWN}:{assignment.pk}"


@transaction.atomic
def chosen_assignment(course: Course, value: str, by: Person) -> CourseAssignment | None:
    """Return what was chosen of `offered`; one that comes with Attest is added to the course, once."""
    kind, _, name = value.partition(":")
    if kind == _OWN:
        return course.assignments.filter(pk=row_number(name)).first()
    if kind == _INSTALLED and name in installed_assignments():
        # Who chooses the same at the same moment waits, and finds it.
        Course.objects.select_for_update(no_key=True).get(pk=course.pk)
        return course.assignments.filter(folder=name).first() or _add(course, name, by, {})
    return None


def _add(course: Course, folder: str, by: Person, rules: Mapping[str, object]) -> CourseAssignment | None:
    """Add an assignment to a course; None where its folder cannot be read any more."""
    try:
        found = find_assignment(folder)
    except AssignmentError:
        return None
    return add_assignment(course, folder, found, by, rules=rules)
