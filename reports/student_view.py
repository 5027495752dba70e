"""What one reader may see of a Result, in the order in which it is read.

A student's view names no check that is withheld, and counts its points only once the due date has passed:
otherwise a changing score would answer questions about hidden checks.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from graders.result import CheckResult, LoadResult, Result, Status, Verdict, Visibility
from reports.adjusting import adjusted_lines
from reports.amounts import MomentText, count_text, moment_text, points_noun, points_text
from reports.anchors import Audience, check_anchors, is_shown
from reports.check_view import CheckView
from reports.exercise_view import ExerciseView, exercise_views
from reports.giving import given_for_all
from reports.lateness import late_line
from reports.load_view import LoadView, load_view
from reports.next_step import NextStep, next_step
from reports.run_facts import run_facts
from reports.visible_text import one_line

NOTHING_HANDED_IN = "Nothing was handed in"


@dataclass(frozen=True, slots=True)
class StudentView:
    """Everything that one page shows."""

    result: Result
    instructor: bool
    name: str
    title: str
    points: float
    max_points: float
    pending: float  # of checks that are our fault
    waiting: float  # of rubric items that wait for a person
    exercises: tuple[ExerciseView, ...]
    load: LoadView
    start: CheckView | None
    freed: str  # what waits for `start`
    praise: tuple[str, ...]
    withheld: str
    facts: tuple[tuple[str, str], ...]
    late: str = ""  # that it came late, and what that takes
    adjusted: tuple[str, ...] = ()  # a sentence for each check that was found wrong
    given: str = ""  # that a person gave the points of the whole, and why

    @property
    def score(self) -> str:
        """The score in words: "12 of 20 points", and what is not decided yet is said by `undecided`."""
        return f"{points_text(self.points)} of {points_noun(self.max_points)}"

    @property
    def attempt(self) -> str:
        """Which attempt this is; nothing that was not handed in is one."""
        return "" if self.result.status is Status.NOTHING else f"attempt {self.result.submission.attempt}"

    @property
    def message(self) -> str:
        """What is said below the heading of work that was not graded, unless it only says the same again."""
        said = self.result.message[:1500]
        return "" if said.strip(" .") == NOTHING_HANDED_IN else said

    @property
    def next_step(self) -> NextStep:
        """What to do next."""
        return next_step(self)

    @property
    def undecided(self) -> str:
        """What a person has still to judge: "8 wait for a person", or nothing."""
        if not self.waiting:
            return ""
        return f"{points_text(self.waiting)} {'waits' if self.waiting == 1 else 'wait'} for a person"

    @property
    def items(self) -> int:
        """How many rubric items there are."""
        return sum(len(e.prose.items) for e in self.exercises if e.prose)

    @property
    def unanswered(self) -> tuple[ExerciseView, ...]:
        """The exercises that ask for words and have none, while points can be had for them."""
        return tuple(
            e
            for e in self.exercises
            if e.prose and not e.prose.answered and any(i.word == "No answer" for i in e.prose.items)
        )

    @property
    def checks(self) -> int:
        """How many checks are shown."""
        return sum(len(exercise.checks) for exercise in self.exercises)

    @property
    def passed(self) -> int:
        """How many of them pass."""
        return sum(exercise.passed for exercise in self.exercises)

    @property
    def broken(self) -> int:
        """How many of them are our fault."""
        return sum(c.check.pending for e in self.exercises for c in e.checks)


def student_view(
    result: Result,
    *,
    audience: Audience = "student",
    after_due: bool = False,
    moment: MomentText = moment_text,
) -> StudentView:
    """Return what `audience` may see of `result`; `after_due` opens the checks that wait for the due date.

    `moment` writes times: as the result has them, unless whoever shows it knows in which zone they are read.
    """
    instructor = audience == "instructor"
    shown = [c for c in result.checks if is_shown(c, audience, after_due)]
    anchors = check_anchors(result.checks, audience, after_due)
    exercises = exercise_views(result, shown, anchors, instructor=instructor)
    views = [view for exercise in exercises for view in exercise.checks]
    start = _start(views)
    withheld = [c for c in result.checks if c.id not in anchors]
    counted = _counted(result, result.checks if instructor or after_due else shown, moment)
    return StudentView(
        result=result,
        instructor=instructor,
        name=one_line(result.student.name, 120) or one_line(result.student.id, 120) or "Unnamed student",
        title=one_line(result.assignment.title, 200) or one_line(result.assignment.id, 200),
        points=counted.points,
        max_points=counted.max_points,
        waiting=result.waiting_points,
        pending=counted.pending,
        late=counted.late,
        adjusted=adjusted_lines(shown, withheld if after_due else ()),
        given=given_for_all(result),
        exercises=exercises,
        load=load_view(_without_repeats(result)),
        start=start,
        freed=_freed(start, views),
        praise=_praise(exercises),
        withheld=_withheld_text(withheld, counted=after_due),
        facts=tuple(run_facts(result, shown, instructor, moment)),
    )


@dataclass(frozen=True, slots=True)
class _Counted:
    """The points that some checks and all rubric items come to."""

    points: float
    max_points: float
    pending: float
    late: str


def _counted(result: Result, checks: Sequence[CheckResult], moment: MomentText) -> _Counted:
    """Count these checks; but what a person gave for the whole counts, whatever they come to."""
    if result.override is not None:
        return _Counted(result.override.points, result.override.max_points, 0.0, "")
    earned = sum(c.points for c in checks) + sum(i.points or 0 for i in result.rubric)
    max_points = sum(c.max_points for c in checks) + sum(i.max_points for i in result.rubric)
    pending = sum(c.max_points for c in checks if c.pending)
    taken = result.late.taken(earned, max_points - pending - result.waiting_points) if result.late else 0.0
    late = late_line(result.late, earned, taken, moment) if result.status is Status.GRADED else ""
    return _Counted(earned - taken, max_points, pending, late)


def _without_repeats(result: Result) -> LoadResult:
    """Return how it was loaded, without what the page's head says of work that could not be read."""
    if result.status is Status.UNREADABLE and result.load.message == result.message:
        return result.load.model_copy(update={"verdict": Verdict.PASSED, "message": ""})
    return result.load


def _start(views: Sequence[CheckView]) -> CheckView | None:
    """Return the failing check worth most, the first of them: what to do next."""
    mine = {Verdict.PASSED, Verdict.SKIPPED, Verdict.BROKEN}
    return max(
        (v for v in views if v.check.verdict not in mine and not _is_settled(v.check)),
        key=lambda v: v.check.max_points,
        default=None,
    )


def _is_settled(check: CheckResult) -> bool:
    """Whether a check that did not pass leaves nothing to mend: it was found wrong, or its points given."""
    return check.adjusted is not None or (check.overridden is not None and check.points >= check.max_points)


def _freed(start: CheckView | None, views: Sequence[CheckView]) -> str:
    if start is None:
        return ""
    waiting = [v.check for v in views if any(link.anchor == start.anchor for link in v.waits_for)]
    if not waiting:
        return ""
    verb = "waits" if len(waiting) == 1 else "wait"
    worth = points_noun(sum(c.max_points for c in waiting))
    return f"{count_text(len(waiting), 'more check')} ({worth}) {verb} for it."


def _praise(exercises: Sequence[ExerciseView]) -> tuple[str, ...]:
    """Return the exercises in which every check passes, and a person found all that was asked."""
    return tuple(
        e.title
        for e in exercises
        if e.checks
        and e.passed == len(e.checks)
        and e.whole
        and all(item.full for item in (e.prose.items if e.prose else ()))
    )


def _withheld_text(withheld: Sequence[CheckResult], *, counted: bool) -> str:
    """Say how many checks are not shown and what they are worth, and nothing else of them."""
    parts = []
    for visibility, text in (
        (Visibility.AFTER_DUE, "shown after the due date"),
        (Visibility.HIDDEN, "hidden"),
    ):
        some = [c for c in withheld if c.visibility is visibility]
        if some:
            verb = "is" if len(some) == 1 else "are"
            worth = points_noun(sum(c.max_points for c in some))
            parts.append(f"{count_text(len(some), 'check')} ({worth}) {verb} {text}")
    if not parts:
        return ""
    where = "counts them" if counted else "does not count them yet"
    return f"{' and '.join(parts)}. The score above {where}."
