"""Keeping Results: once for each job, whoever dies when, and one that stands for each submission."""

from __future__ import annotations

from dataclasses import dataclass

from django.db import transaction

from attest.portal.adjusting.models import adjustments_of
from attest.portal.courses.models import CourseAssignment, Membership
from attest.portal.grading.models import Graded, Job
from attest.portal.grading.queue import finish
from attest.portal.handing_in.models import Submission
from attest.portal.marking.answers import remember
from attest.portal.people.models import RESERVED, Person
from graders.adjustments import Adjustments
from graders.reading.identity import student_id
from graders.result import COMPUTED, Result, Status, Student, Visibility
from graders.versions import versions


@dataclass(frozen=True)
class Sums:
    """Points of a Result before anything is taken for coming late."""

    points: float
    max_points: float
    pending_points: float


def sums_of(result: Result, *, whole: bool = True) -> Sums:
    """Return the points of all checks, or (`whole=False`) of those that students see at any time."""
    checks = [one for one in result.checks if whole or one.visibility is Visibility.ALWAYS]
    seen = result.model_copy(update={"checks": tuple(checks)})
    return Sums(seen.points_before_late, seen.max_points, seen.pending_points)


def keep(job: Job, who: str, result: Result, taken_from: Graded | None = None) -> Graded | None:
    """Keep what came of a job, if `who` still holds it; None where it has been given to somebody else.

    What was graded again does not stand until an instructor accepts it, unless nothing stands yet.
    """
    submission = job.submission
    with transaction.atomic():
        # Of checks that are adjusted meanwhile: either all of that is known here, or this is seen there.
        assignment = CourseAssignment.objects.select_for_update(no_key=True).get(pk=submission.assignment_id)
        if not finish(job, who):
            return None
        standing = Graded.objects.filter(submission=submission, stands=True)
        stands = not job.again or not standing.exists()
        if stands:
            standing.update(stands=False)
        graded = Graded.objects.create(
            submission=submission,
            job=job,
            document=result.model_dump_json(exclude=COMPUTED),
            status=result.status.value,
            **columns(result, adjustments_of(assignment.pk)),
            assignment_hash=result.assignment.content_hash,
            versions=versions_text(),
            taken_from=taken_from,
            stands=stands,
        )
        remember(graded, result)
        return graded


def columns(result: Result, adjustments: Adjustments) -> dict[str, float]:
    """Return what tables need of a Result: its points with these adjustments of checks."""
    adjusted = adjustments.applied(result)
    whole, seen = sums_of(adjusted), sums_of(adjusted, whole=False)
    return {
        "points": whole.points,
        "max_points": whole.max_points,
        "pending_points": whole.pending_points,
        "open_points": seen.points,
        "open_max_points": seen.max_points,
        "open_pending_points": seen.pending_points,
    }


def checks_of(assignment: CourseAssignment) -> dict[str, str]:
    """Return the titles of an assignment's checks by their ids, as the latest Result has them."""
    latest = _latest(assignment)
    return {one.id: one.title or one.id for one in latest.checks} if latest else {}


def titles_of(assignment: CourseAssignment) -> dict[str, str]:
    """Return the titles of an assignment's checks and rubric items by their ids, in the same way."""
    latest = _latest(assignment)
    return titles_in(latest) if latest else {}


def titles_in(result: Result) -> dict[str, str]:
    """Return the titles of a Result's checks and rubric items by their ids."""
    checks = {one.id: one.title or one.id for one in result.checks}
    return checks | {one.id: one.title or one.id for one in result.rubric}


def _latest(assignment: CourseAssignment) -> Result | None:
    latest = Graded.objects.filter(submission__assignment=assignment, status=Status.GRADED).first()
    return latest.result if latest else None


def same_work(submission: Submission, assignment_hash: str) -> Graded | None:
    """Return what the same student's same files came to with the same tests and versions, if it is known."""
    return (
        Graded.objects.filter(
            submission__assignment=submission.assignment_id,
            submission__person=submission.person_id,
            submission__content_hash=submission.content_hash,
            assignment_hash=assignment_hash,
            versions=versions_text(),
            status=Status.GRADED,
        )
        .exclude(submission=submission)
        .first()
    )


def known_of(job: Job, assignment_hash: str) -> Graded | None:
    """Return what is known to come of a job with these tests; None where it has to be graded."""
    return None if job.again else same_work(job.submission, assignment_hash)


def keep_known(job: Job, who: str, earlier: Graded) -> Graded | None:
    """Keep as what came of a job what came of the same work before, as `keep` does."""
    return keep(job, who, of_attempt(earlier.result, job.submission), taken_from=earlier)


def of_attempt(result: Result, submission: Submission) -> Result:
    """Return a Result as that of this attempt, as it was received here."""
    info = result.submission.model_copy(
        update={"attempt": submission.attempt, "submitted_at": submission.received_at}
    )
    return result.model_copy(update={"submission": info})


def student_of(submission: Submission) -> Student:
    """Return whose work it is, as the roster has them."""
    person = submission.person
    member = (
        Membership.objects.select_related("section")
        .filter(course=submission.assignment.course, person=person)
        .first()
    )
    return student_from(person, member)


def student_from(person: Person, member: Membership | None) -> Student:
    """Return somebody as Results name them, with what the roster says where they are on it."""
    known_as = person.email.removesuffix(RESERVED)
    identity = member.student_id if member and member.student_id else known_as
    return Student(
        id=student_id(identity, is_folder=True),
        name=person.name,
        email=person.address,
        section=member.section.name if member and member.section else "",
        ids=tuple((kind, str(value)) for kind, value in member.ids.items()) if member else (),
    )


def versions_text() -> str:
    """Return the versions that a verdict depends on, in one line."""
    now = versions()
    return f"attest {now['attest']}, torch {now['torch']}"
