"""What a cohort's results say together. Each Result is reduced to a Row, so that thousands fit in memory."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from statistics import mean, median

from graders.result import Result, Status, Verdict


@dataclass(frozen=True, slots=True)
class Outcome:
    """One check of one submission."""

    id: str
    exercise: str
    title: str
    verdict: Verdict
    internal: str


@dataclass(frozen=True, slots=True)
class ExercisePoints:
    """One exercise of one submission."""

    id: str
    title: str
    points: float
    max_points: float


@dataclass(frozen=True, slots=True)
class Row:
    """What the cohort's documents need of one Result."""

    student_id: str
    name: str
    status: Status
    message: str
    internal: str
    points: float
    max_points: float
    pending_points: float  # of broken checks, and of what waits for a person
    waiting: int  # rubric items that wait for a person
    waiting_points: float
    changed: tuple[str, ...]  # rubric items whose answer has changed since it was marked
    exercises: tuple[ExercisePoints, ...]
    outcomes: tuple[Outcome, ...]
    diagnoses: tuple[tuple[str, str], ...]  # (title, section), each once
    notable: str  # why it could not be loaded, or else the errors that it shows first
    attempt: int
    source: str
    content_hash: str
    assignment_id: str
    assignment_title: str
    assignment_version: str
    started_at: datetime
    finished_at: datetime
    backend: str
    device: str
    section: str
    submitted_at: datetime | None
    late_seconds: float
    points_before_late: float
    late_points: float

    @property
    def seconds(self) -> float:
        """How long grading took."""
        return (self.finished_at - self.started_at).total_seconds()

    @property
    def percent(self) -> float | None:
        """Points as a share of the points that were judged: those that wait are left out."""
        judged = self.max_points - self.pending_points
        if self.status is not Status.GRADED or judged <= 0:
            return None
        return 100 * self.points / judged

    def verdicts(self) -> Counter[Verdict]:
        """Return how many checks have each verdict."""
        return Counter(outcome.verdict for outcome in self.outcomes)

    def broken_checks(self) -> tuple[str, ...]:
        """Return the ids of the checks that are broken by our fault."""
        return tuple(outcome.id for outcome in self.outcomes if outcome.verdict is Verdict.BROKEN)


def row_of(result: Result) -> Row:
    """Reduce a Result to what the cohort's documents need of it."""
    named = [one for c in result.checks if c.diagnosis for one in (c.diagnosis, *c.diagnosis.also)]
    diagnoses = {one.title: one.section or "" for one in named}
    first = dict.fromkeys(c.diagnosis.title for c in result.checks if c.diagnosis)
    exercises = tuple(
        ExercisePoints(
            exercise,
            title,
            sum(c.points for c in mine) + sum(i.points or 0 for i in items),
            sum(c.max_points for c in mine) + sum(i.max_points for i in items),
        )
        for exercise, title, mine in result.by_exercise()
        for items in [[item for item in result.rubric if item.exercise == exercise]]
    )
    return Row(
        student_id=result.student.id,
        name=result.student.name,
        status=result.status,
        message=result.message[:2000],
        internal=(result.internal or "")[:4000],
        points=result.points,
        max_points=result.max_points,
        pending_points=result.pending_points,
        waiting=sum(item.waits for item in result.rubric),
        waiting_points=result.waiting_points,
        changed=tuple(item.id for item in result.rubric if item.answer_changed),
        exercises=exercises,
        outcomes=tuple(
            Outcome(c.id, c.exercise, c.title, c.verdict, (c.internal or "")[:4000]) for c in result.checks
        ),
        diagnoses=tuple(diagnoses.items()),
        notable=result.load.message or "; ".join(first),
        attempt=result.submission.attempt,
        source=result.submission.source,
        content_hash=result.submission.content_hash,
        assignment_id=result.assignment.id,
        assignment_title=result.assignment.title,
        assignment_version=result.assignment.version,
        started_at=result.started_at,
        finished_at=result.finished_at,
        backend=result.backend,
        device=result.device,
        section=result.student.section,
        submitted_at=result.submission.submitted_at,
        late_seconds=result.late.late_seconds if result.late else 0.0,
        points_before_late=result.points_before_late,
        late_points=result.late_points,
    )


@dataclass(slots=True)
class CheckTally:
    """How a check went over the cohort. Broken checks are not counted as judged."""

    id: str
    exercise: str
    title: str
    verdicts: Counter[Verdict] = field(default_factory=Counter)
    internal: str = ""

    @property
    def judged(self) -> int:
        """How many submissions it judged."""
        return self.verdicts.total() - self.broken

    @property
    def passed(self) -> int:
        """How many of them passed."""
        return self.verdicts[Verdict.PASSED]

    @property
    def broken(self) -> int:
        """How often it was our fault."""
        return self.verdicts[Verdict.BROKEN]


@dataclass(slots=True)
class Misunderstanding:
    """A diagnosis, how many submissions show it, and one of them."""

    title: str
    section: str
    example: Row
    count: int = 0


@dataclass(frozen=True, slots=True)
class Cohort:
    """The cohort as its instructor wants to see it."""

    rows: tuple[Row, ...]
    title: str
    exercises: tuple[tuple[str, str], ...]
    max_points: float
    checks: tuple[CheckTally, ...]
    misunderstandings: tuple[Misunderstanding, ...]
    bins: tuple[int, ...]  # graded submissions by tenths of the points: [0, 10 %), …, [90 %, 100 %]
    mean_percent: float | None
    median_percent: float | None

    def having(self, status: Status) -> tuple[Row, ...]:
        """Return the rows with this status."""
        return tuple(row for row in self.rows if row.status is status)


def cohort_of(rows: Iterable[Row]) -> Cohort:
    """Count what a cohort's rows say together."""
    ordered = tuple(rows)
    exercises: dict[str, str] = {}
    checks: dict[str, CheckTally] = {}
    found: dict[str, Misunderstanding] = {}
    for row in ordered:
        for exercise in row.exercises:
            exercises.setdefault(exercise.id, exercise.title)
        for outcome in row.outcomes:
            tally = checks.get(outcome.id)
            if tally is None:
                tally = checks[outcome.id] = CheckTally(outcome.id, outcome.exercise, outcome.title)
            tally.verdicts[outcome.verdict] += 1
            tally.internal = tally.internal or outcome.internal
        for title, section in row.diagnoses:
            found.setdefault(title, Misunderstanding(title, section, row)).count += 1
    percents = [percent for row in ordered if (percent := row.percent) is not None]
    return Cohort(
        rows=ordered,
        title=next((row.assignment_title or row.assignment_id for row in ordered), "No results"),
        exercises=tuple(exercises.items()),
        max_points=max((row.max_points for row in ordered), default=0.0),
        checks=tuple(checks.values()),
        misunderstandings=tuple(sorted(found.values(), key=lambda m: -m.count)),
        bins=_bins(percents),
        mean_percent=mean(percents) if percents else None,
        median_percent=median(percents) if percents else None,
    )


def _bins(percents: Sequence[float]) -> tuple[int, ...]:
    bins = [0] * 10
    for percent in percents:
        bins[min(9, max(0, int(percent // 10)))] += 1
    return tuple(bins)
