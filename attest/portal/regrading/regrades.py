"""Having attempts graded again, what that changes, and discarding it: the acts, without pages.

A Result of a regrade stands nowhere until it is accepted. What people decided (overrides, adjusted checks,
extensions) is laid over both sides of the comparison, and stays whatever is accepted.
"""

from __future__ import annotations

from dataclasses import dataclass

from django.db import IntegrityError, transaction
from django.db.models import Exists, OuterRef, QuerySet
from django.utils import timezone

from attest.portal.audit.trail import note
from attest.portal.courses.models import CourseAssignment, facts_of
from attest.portal.grading.changes import Line, attempts_of, line_of
from attest.portal.grading.models import Graded, Job
from attest.portal.grading.queue import enqueue
from attest.portal.grading.standing import Standing, supposing, with_marks
from attest.portal.handing_in.models import Submission
from attest.portal.people.models import Person
from attest.portal.regrading.models import Acceptance, Regrade, RegradedAttempt
from graders.assignment import Assignment
from graders.result import Verdict

_OPEN = (Job.State.QUEUED, Job.State.RUNNING)
_NONE = RegradedAttempt.Decision.NONE
Which = Regrade.Which


class NothingToGrade(ValueError):
    """No attempt is as was asked for. The message says so to the instructor."""


@dataclass(frozen=True)
class Asked:
    """What an instructor asks to have graded again."""

    which: Which
    why: str
    check_id: str = ""
    person: Person | None = None


def begin(assignment: CourseAssignment, found: Assignment, asked: Asked, by: Person) -> Regrade:
    """Put attempts into the queue, behind what is new. Raises NothingToGrade.

    Call it where no regrade of the assignment is open.
    """
    try:
        with transaction.atomic():
            CourseAssignment.objects.select_for_update(no_key=True).get(pk=assignment.pk)
            chosen = list(attempts(assignment, found.info.content_hash, asked))
            if not chosen:
                raise NothingToGrade("No attempt is as you ask, or all of those are being graded just now.")
            regrade = Regrade.objects.create(
                assignment=assignment,
                which=asked.which,
                check_id=asked.check_id,
                person=asked.person,
                why=asked.why,
                by=by,
            )
            RegradedAttempt.objects.bulk_create(
                RegradedAttempt(regrade=regrade, submission=one, job=enqueue(one, again=True))
                for one in chosen
            )
            note(
                by,
                "graded again",
                f"assignment {assignment.pk}",
                course=assignment.course,
                whom=asked.person,
                after={"which": asked.which.value, "check": asked.check_id, "attempts": len(chosen)},
                why=asked.why,
            )
    except IntegrityError:  # another instructor was quicker
        raise NothingToGrade("Another regrade of this assignment is open.") from None
    return regrade


def attempts(assignment: CourseAssignment, content_hash: str, asked: Asked) -> list[Submission]:
    """Return the attempts that are asked for: of those that can count, and that nobody grades just now.

    Where the last attempt counts, or the first, no other can.
    """
    found = assignment.submissions.filter(attempt__gt=0).select_related("person")
    found = found.order_by("person_id", "attempt")
    found = found.exclude(jobs__in=Job.objects.filter(assignment=assignment, state__in=_OPEN))
    others = Submission.objects.filter(assignment=assignment, person=OuterRef("person"), attempt__gt=0)
    if assignment.counts == CourseAssignment.Counts.LAST:
        found = found.exclude(Exists(others.filter(attempt__gt=OuterRef("attempt"))))
    if assignment.counts == CourseAssignment.Counts.FIRST:
        found = found.exclude(Exists(others.filter(attempt__lt=OuterRef("attempt"))))
    standing = Graded.objects.filter(submission__assignment=assignment, stands=True)
    match asked.which:
        case Which.STUDENT:
            found = found.filter(person=asked.person)
        case Which.GIVEN_UP:
            found = found.exclude(Exists(standing.filter(submission=OuterRef("pk"))))
        case Which.OUTDATED:
            found = found.filter(results__in=standing.exclude(assignment_hash=content_hash))
        case Which.CHECK:
            found = found.filter(results__in=_not_passed(standing, asked.check_id))
    return list(found)


def _not_passed(standing: QuerySet[Graded], check_id: str) -> list[int]:
    return [
        one.pk
        for one in standing.iterator(100)
        if any(each.id == check_id and each.verdict is not Verdict.PASSED for each in one.result.checks)
    ]


@dataclass(frozen=True)
class Progress:
    """How far a regrade is."""

    attempts: int
    graded: int
    given_up: int

    @property
    def is_over(self) -> bool:
        """Whether nothing more comes of it."""
        return self.graded + self.given_up >= self.attempts


def progress_of(regrade: Regrade) -> Progress:
    """Return how far a regrade is."""
    jobs = Job.objects.filter(regraded__regrade=regrade)
    return Progress(
        jobs.count(),
        jobs.filter(state=Job.State.DONE).count(),
        jobs.filter(state=Job.State.POISONED).count(),
    )


def lines_of(regrade: Regrade) -> list[Line]:
    """Return what would change for each student with an attempt that is graded again and not decided of."""
    return changes_by(regrade.assignment, ready_of(regrade))


def changes_by(assignment: CourseAssignment, results: QuerySet[Graded]) -> list[Line]:
    """Return what would change for each student of whom one of these Results stood."""
    graded = {one.submission_id: one for one in with_marks(results)}
    people = set(Submission.objects.filter(pk__in=graded).values_list("person_id", flat=True))
    lines = []
    for found in attempts_of(assignment, list(people)).values():
        supposed: dict[int, Standing] = {
            one.submission.pk: supposing(one, graded[one.submission.pk])
            for one in found
            if one.submission.pk in graded
        }
        lines.append(line_of(assignment, found, supposed))
    return lines


def ready_of(regrade: Regrade) -> QuerySet[Graded]:
    """Return the Results that came of a regrade, and that nobody has decided of."""
    return Graded.objects.filter(job__regraded__regrade=regrade, job__regraded__decision=_NONE, stands=False)


@transaction.atomic
def discard(regrade: Regrade, by: Person) -> bool:
    """Have what is not accepted come to nothing; what is not graded yet is not graded.

    Return False, with nothing done, where an acceptance of it is under way.
    """
    CourseAssignment.objects.select_for_update(no_key=True).get(pk=regrade.assignment_id)
    if under_way(regrade) is not None:
        return False
    left = regrade.attempts.filter(decision=_NONE)
    left.filter(job__result__stands=True).update(decision=RegradedAttempt.Decision.ACCEPTED)
    number = left.count()
    Job.objects.filter(regraded__in=left, state=Job.State.QUEUED).delete()
    left.update(decision=RegradedAttempt.Decision.DISCARDED)
    note(
        by,
        "regrade discarded",
        f"assignment {regrade.assignment_id}",
        course=regrade.assignment.course,
        after={"attempts": number},
        why=regrade.why,
    )
    settle(regrade)
    return True


def under_way(regrade: Regrade) -> Acceptance | None:
    """Return the acceptance of which something is still to come."""
    latest = latest_of(regrade)
    return latest if latest is not None and latest.errand.waits else None


def latest_of(regrade: Regrade) -> Acceptance | None:
    """Return what was accepted last."""
    return regrade.acceptances.select_related("errand").first()


def settle(regrade: Regrade) -> None:
    """Close a regrade of which all is decided. What could not be graded, or stood at once, needs nothing."""
    waiting = regrade.attempts.filter(decision=_NONE)
    done = waiting.filter(job__state=Job.State.POISONED) | waiting.filter(job__result__stands=True)
    if not waiting.exclude(pk__in=done.values("pk")).exists():
        Regrade.objects.filter(pk=regrade.pk).update(settled_at=timezone.now())


def refresh(assignment: CourseAssignment, found: Assignment, by: Person) -> None:
    """Note what the assignment is today, where it is not what it was when it was last looked at."""
    now = facts_of(found)
    before = {name: getattr(assignment, name) for name in now}
    if now == before:
        return
    with transaction.atomic():
        CourseAssignment.objects.filter(pk=assignment.pk).update(**now)
        note(
            by,
            "assignment changed",
            f"assignment {assignment.pk}",
            course=assignment.course,
            before=before,
            after=now,
        )
    for name, value in now.items():
        setattr(assignment, name, value)
