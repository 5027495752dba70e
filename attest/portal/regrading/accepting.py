"""Accepting what was graded again: chosen at once, and brought into force behind the page, some students
at a time.

Each student's attempts stand as before or as accepted, all of them, whatever dies when; what is left is
brought into force by whoever takes the errand up again, once.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from django.db import transaction
from django.db.models import Count, QuerySet

from attest.portal.audit.trail import note
from attest.portal.courses.models import CourseAssignment
from attest.portal.errands.line import finish, prolong
from attest.portal.errands.models import Errand
from attest.portal.grading.models import Graded
from attest.portal.people.models import Person
from attest.portal.regrading.models import Acceptance, Regrade, RegradedAttempt
from attest.portal.regrading.regrades import changes_by, ready_of, settle, under_way

AT_ONCE = 20  # students in one transaction: others who write wait for it
_NONE = RegradedAttempt.Decision.NONE


@dataclass(frozen=True)
class Counted:
    """How far an acceptance is."""

    students: int
    done: int


@transaction.atomic
def accept(regrade: Regrade, by: Person, people: Collection[int] | None = None) -> int:
    """Have what came of it stand, for all or for these people; return for how many students.

    What is graded later is not part of it. Nothing is done where there is nobody, or where another
    acceptance of the regrade is under way.
    """
    CourseAssignment.objects.select_for_update(no_key=True).get(pk=regrade.assignment_id)
    ready = ready_of(regrade)
    if people is not None:
        ready = ready.filter(submission__person__in=people)
    jobs = list(ready.values_list("job", flat=True))
    if not jobs or under_way(regrade) is not None:
        return 0
    acceptance = Acceptance.objects.create(
        regrade=regrade, errand=Errand.objects.create(kind=Errand.Kind.ACCEPTANCE), by=by
    )
    regrade.attempts.filter(job__in=jobs).update(acceptance=acceptance)
    students = counted(acceptance).students
    note(
        by,
        "regrade accepted",
        f"assignment {regrade.assignment_id}",
        course=regrade.assignment.course,
        after={"students": students},
        why=regrade.why,
    )
    return students


def counted(acceptance: Acceptance) -> Counted:
    """Return how far it is."""
    by_decision = dict(
        acceptance.attempts.order_by()
        .values_list("decision")
        .annotate(Count("submission__person", distinct=True))
    )
    return Counted(sum(by_decision.values()), by_decision.get(RegradedAttempt.Decision.ACCEPTED, 0))


def bring_into_force(errand: Errand, who: str) -> None:
    """Do what was accepted; it may have been begun by a process that died."""
    acceptance = Acceptance.objects.select_related("regrade__assignment__course", "by").get(errand=errand)
    while _bring_some_into_force(acceptance, errand, who):
        pass


@transaction.atomic
def _bring_some_into_force(acceptance: Acceptance, errand: Errand, who: str) -> bool:
    """Do some of it; return whether more is left for `who` to do."""
    CourseAssignment.objects.select_for_update(no_key=True).get(pk=acceptance.regrade.assignment_id)
    if not prolong(errand, who):
        return False
    waiting = acceptance.attempts.filter(decision=_NONE).order_by("submission__person")
    people = list(waiting.values_list("submission__person", flat=True).distinct()[:AT_ONCE])
    if not people:
        settle(acceptance.regrade)
        finish(errand, who)
        return False
    _have_stand(acceptance, people)
    return True


def _have_stand(acceptance: Acceptance, people: Sequence[int]) -> None:
    """Have these people's attempts stand as accepted. Each whose points change has an entry in the trail."""
    regrade = acceptance.regrade
    attempts = acceptance.attempts.filter(submission__person__in=people, decision=_NONE)
    taken: QuerySet[Graded] = ready_of(regrade).filter(job__regraded__in=attempts)
    for line in changes_by(regrade.assignment, taken):
        if line.change is not None and line.now is not None:
            note(
                acceptance.by,
                "regrade accepted",
                f"submission {line.now.submission.pk}",
                course=regrade.assignment.course,
                whom=line.person,
                before={"points": line.change.before},
                after={"points": line.change.now},
                why=regrade.why,
            )
    results = list(taken.values_list("pk", "submission"))
    submissions = [submission for _, submission in results]
    Graded.objects.filter(submission__in=submissions, stands=True).update(stands=False)
    Graded.objects.filter(pk__in=[number for number, _ in results]).update(stands=True)
    attempts.update(decision=RegradedAttempt.Decision.ACCEPTED)
