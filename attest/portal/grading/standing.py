"""How a submission stands: its Result, with what people and the due date make of it, and which one counts.

What is taken for coming late and what instructors gave are worked out when somebody looks, so a due date
that moves, an extension or an override counts at once.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import cached_property
from typing import TypeVar

from django.db.models import Prefetch, QuerySet, prefetch_related_objects
from django.utils import timezone

from attest.portal.adjusting.models import adjustments_for
from attest.portal.courses.due import due_for, extensions_for, late_with
from attest.portal.courses.models import CourseAssignment, Extension
from attest.portal.grading.models import Graded, Job, Override, Release
from attest.portal.grading.results import Sums, sums_of
from attest.portal.handing_in.models import Submission
from attest.portal.marking.counting import Counted, counted_of, laid_over, second_shares
from attest.portal.marking.models import Finding, Mark
from attest.portal.people.models import Person
from graders.adjustments import Adjustments
from graders.result import CheckResult, Late, Overridden, Result, RubricResult, Status, Visibility
from graders.result import Override as WholeOverride
from reports.amounts import points_text

Part = TypeVar("Part", CheckResult, RubricResult)

_NOT_IN_LISTS = ("progress", "created_at", "claimed_at", "lease_until", "finished_at")  # of jobs


@dataclass(frozen=True)
class Standing:
    """One submission as it stands now: all of it (`whole`), or what students see of it at any time."""

    submission: Submission
    job: Job | None  # the latest
    graded: Graded | None  # the one that stands
    overrides: tuple[Override, ...]
    late: Late | None
    whole: bool = True
    marks: tuple[Counted, ...] = ()  # what people gave for answers in words
    second_share: int = 0  # per cent of those answers that two people mark
    adjustments: Adjustments = field(default_factory=Adjustments)
    supposed: bool = False  # these adjustments are only thought of: no column knows them

    @property
    def points(self) -> float | None:
        """The points that count; None where there are none yet."""
        whole = self.given.get("")
        if whole is not None:
            return whole.points
        if self.graded is None or self.graded.status == Status.NOT_GRADED:
            return None
        sums = self.sums
        if self.late is None:
            return sums.points
        return sums.points - self.late.taken(sums.points, sums.max_points - sums.pending_points)

    @property
    def pending_points(self) -> float:
        """Points that are not judged yet: of what waits for a person, and of checks that broke."""
        if self.graded is None or "" in self.given:
            return 0.0
        return self.sums.pending_points

    @property
    def undecided(self) -> str:
        """Those in words: "8 wait for a person", or nothing."""
        pending = self.pending_points
        return f"{points_text(pending)} {'waits' if pending == 1 else 'wait'} for a person" if pending else ""

    @property
    def unreadable(self) -> str:
        """Why nothing of it could be read; "" where something could."""
        unread = self.graded is not None and self.graded.status == Status.UNREADABLE
        return self.result.message if unread else ""

    @property
    def max_points(self) -> float:
        """Points that could be earned."""
        if self.graded is not None and "" in self.given:
            return self.graded.max_points
        return self.sums.max_points if self.graded else self.submission.assignment.max_points

    @property
    def given(self) -> dict[str, Override]:
        """What instructors gave and did not take back, by the part: "" is the whole submission."""
        latest = {one.check_id: one for one in self.overrides}
        return {part: one for part, one in latest.items() if one.points is not None}

    @property
    def basis(self) -> tuple[object, ...]:
        """All that its Result is made of: while this stays the same, nothing of it changes."""
        assert self.graded is not None
        overrides = tuple((one.pk, one.at) for one in self.overrides)
        adjusted = tuple((one.check, one.kind, one.at) for one in self.adjustments)
        return self.graded.pk, self.graded.at, overrides, adjusted, self.late, self.marks

    @cached_property
    def sums(self) -> Sums:
        """The points of the Result with what people gave, before anything is taken for coming late."""
        graded = self.graded
        assert graded is not None
        if self.supposed or any(self.given):
            return sums_of(self.result, whole=self.whole)
        given = sum(one.points for one in self.marks)
        waited = sum(one.max_points for one in self.marks if one.waited)
        if self.whole:
            return Sums(graded.points + given, graded.max_points, graded.pending_points - waited)
        return Sums(graded.open_points + given, graded.open_max_points, graded.open_pending_points - waited)

    @property
    def result(self) -> Result:
        """The Result with marks, overrides, adjusted checks, and what is taken for coming late."""
        assert self.graded is not None
        result = laid_over(self.graded.result, self.marks)
        given = self.given
        changes: dict[str, object] = {"late": self.late}
        if whole := given.pop("", None):
            changes["override"] = whole_override(whole, self.max_points)
        if given:
            changes["checks"] = tuple(_with_given(one, given) for one in result.checks)
            changes["rubric"] = tuple(_with_given(one, given) for one in result.rubric)
        return self.adjustments.applied(result.model_copy(update=changes))


def standings(submissions: Sequence[Submission], *, whole: bool = True) -> list[Standing]:
    """Return how these stand, with few queries."""
    prefetch_related_objects(
        list(submissions),
        # The document is read where it is needed: those of a whole class are more than fits into memory.
        Prefetch("results", with_marks(Graded.objects.filter(stands=True)), to_attr="standing_results"),
        Prefetch("jobs", Job.objects.defer(*_NOT_IN_LISTS).order_by("id"), to_attr="all_jobs"),
        "overrides",
    )
    extensions = extensions_for({one.assignment_id: one.assignment for one in submissions}.values())
    assignments = {one.assignment_id for one in submissions}
    shares = second_shares(assignments)
    adjustments = adjustments_for(assignments)
    return [
        _standing(
            one,
            extensions.get((one.assignment_id, one.person_id)),
            shares.get(one.assignment_id, 0),
            whole=whole,
            adjustments=adjustments[one.assignment_id],
        )
        for one in submissions
    ]


def with_marks(results: QuerySet[Graded]) -> QuerySet[Graded]:
    """Return Results without their documents, with what a standing needs of people's marks."""
    return results.defer("document").prefetch_related(
        Prefetch(
            "findings", Finding.objects.select_related("answer").defer("answer__pieces", "answer__asks")
        ),
        Prefetch("findings__answer__marks", Mark.objects.select_related("level")),
        "findings__answer__marks__comments",
    )


def supposing(found: Standing, graded: Graded) -> Standing:
    """Return how a submission would stand by another Result of it, read by `with_marks`."""
    marks = counted_of(list(graded.findings.all()), found.second_share)
    return replace(found, graded=graded, marks=marks)


def standing(submission: Submission, *, whole: bool = True) -> Standing:
    """Return how one submission stands."""
    return standings([submission], whole=whole)[0]


def own_attempts(assignment: CourseAssignment, person: Person) -> list[Standing]:
    """Return a student's attempts as the student sees them, the latest first."""
    found = assignment.submissions.filter(person=person).select_related("assignment__course", "person")
    return standings(list(found.order_by("-attempt")), whole=shows_kept_checks(assignment, person))


def counting(assignment: CourseAssignment, attempts: Sequence[Standing]) -> Standing | None:
    """Return the attempt that counts; None where nothing is graded. `attempts` come the latest first.

    What was given without an attempt counts as one that came before all others; where the first attempt
    counts, as long as there is none.
    """
    attempts = [one for one in attempts if not one.submission.is_none or one.points is not None]
    if assignment.counts == CourseAssignment.Counts.LAST:
        return attempts[0] if attempts else None
    if assignment.counts == CourseAssignment.Counts.FIRST:
        handed_in = [one for one in attempts if not one.submission.is_none]
        return handed_in[-1] if handed_in else next(iter(attempts), None)
    graded = [one for one in attempts if one.points is not None]
    return max(graded, key=lambda one: (one.points or 0.0, one.submission.attempt), default=None)


def seen_parts(found: Standing, *, kept: bool) -> frozenset[str]:
    """Return the parts whose points a student sees who sees the report: "" is all of it."""
    if found.graded is None:
        return frozenset(("",))
    result = found.result
    seen = (Visibility.ALWAYS, Visibility.AFTER_DUE) if kept else (Visibility.ALWAYS,)
    checks = (one.id for one in result.checks if one.visibility in seen)
    return frozenset(("", *checks, *(one.id for one in result.rubric)))


def shows_results(assignment: CourseAssignment) -> bool:
    """Whether students see reports and points by now."""
    return assignment.feedback == CourseAssignment.Feedback.AT_ONCE or release_of(assignment).exists()


def release_of(assignment: CourseAssignment) -> QuerySet[Release]:
    """Return the release that holds, if there is one."""
    return Release.objects.filter(assignment=assignment, taken_back_at=None)


def shows_kept_checks(assignment: CourseAssignment, person: Person) -> bool:
    """Whether a student sees the checks that are kept until the due date by now."""
    due_at, _ = due_for(assignment, person)
    return kept_checks_are_open(assignment, due_at)


def kept_checks_are_open(assignment: CourseAssignment, due_at: datetime | None) -> bool:
    """Whether a student for whom it is due then sees the checks that are kept until the due date by now."""
    if assignment.hidden_checks == CourseAssignment.Hidden.AFTER_DUE:
        return due_at is not None and due_at <= timezone.now()
    return assignment.hidden_checks == CourseAssignment.Hidden.ALWAYS


def whole_override(given: Override, max_points: float) -> WholeOverride:
    """Return what an instructor gave for a whole submission, as a Result has it."""
    return WholeOverride(points=given.points or 0.0, max_points=max_points, reason=given.reason)


def _with_given(part: Part, given: Mapping[str, Override]) -> Part:
    """Return a check or rubric item with what an instructor gave for it, at most what it is worth."""
    override = given.get(part.id)
    if override is None or override.points is None:
        return part
    pending = isinstance(part, CheckResult) and part.pending
    kept = Overridden(reason=override.reason, points=None if pending else part.points)
    points = min(override.points, part.max_points)
    return part.model_copy(update={"points": points, "overridden": kept})


def _standing(
    submission: Submission,
    extension: Extension | None,
    second_share: int,
    *,
    whole: bool,
    adjustments: Adjustments,
) -> Standing:
    results: list[Graded] = submission.standing_results  # type: ignore[attr-defined]
    all_jobs: list[Job] = submission.all_jobs  # type: ignore[attr-defined]
    # What is graded again is the instructor's alone until it is accepted.
    jobs = [one for one in all_jobs if not (results and one.again)]
    return Standing(
        submission,
        jobs[-1] if jobs else None,
        results[0] if results else None,
        tuple(submission.overrides.all()),
        None if submission.is_none else late_with(submission.assignment, extension, submission.received_at),
        whole,
        counted_of(list(results[0].findings.all()), second_share) if results else (),
        second_share,
        adjustments,
    )
