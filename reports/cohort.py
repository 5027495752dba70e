"""What a cohort's results say together. Each Result is reduced to a Row, so that thousands fit in memory."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import lru_cache
from statistics import mean, median
from sys import intern

from graders.result import CheckResult, NamedError, Result, Status, Verdict, Visibility
from reports.example_line import counterexample_size, example_line

VERDICT_ORDER = tuple(Verdict)
_CODES = {verdict: code for code, verdict in enumerate(VERDICT_ORDER)}
_PASSED, _BROKEN = _CODES[Verdict.PASSED], _CODES[Verdict.BROKEN]


@dataclass(frozen=True, slots=True)
class AskedCheck:
    """One check as it is asked of everybody."""

    id: str
    exercise: str
    title: str
    max_points: float
    visibility: Visibility
    adjusted: str = ""  # "dropped" or "given", where it was found wrong


@dataclass(frozen=True, slots=True)
class Diagnosed:
    """A known error that a submission shows, and where its report shows it best."""

    title: str
    section: str
    check: int  # the check's place in the Result, from 0
    example: str = ""  # the smallest input on which it is seen, in one line


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
    checks: tuple[AskedCheck, ...]  # one and the same tuple for everybody of whom the same was asked
    verdict_codes: bytes  # one for each check: its verdict's place in VERDICT_ORDER
    shares: array[float]  # of each check's points that were earned
    check_seconds: array[float]
    check_cpu_seconds: array[float]
    check_memory: array[float]  # peak in bytes, NaN where it is not known
    load_seconds: float
    broken: tuple[tuple[int, str], ...]  # (the check's place, why) of those that are our fault
    diagnoses: tuple[Diagnosed, ...]  # each known error once
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
        return Counter({VERDICT_ORDER[code]: count for code, count in Counter(self.verdict_codes).items()})

    def not_passed(self) -> Iterator[AskedCheck]:
        """Yield the checks that judged it and did not pass."""
        for check, code in zip(self.checks, self.verdict_codes, strict=True):
            if code not in (_PASSED, _BROKEN):
                yield check

    def broken_checks(self) -> tuple[str, ...]:
        """Return the ids of the checks that are broken by our fault."""
        return tuple(self.checks[place].id for place, _ in self.broken)


def row_of(result: Result) -> Row:
    """Reduce a Result to what the cohort's documents need of it."""
    first = dict.fromkeys(c.diagnosis.title for c in result.checks if c.diagnosis and not c.adjusted)
    exercises = tuple(
        ExercisePoints(
            intern(exercise),
            intern(title),
            sum(c.points for c in mine) + sum(i.points or 0 for i in items),
            sum(c.max_points for c in mine) + sum(i.max_points for i in items),
        )
        for exercise, title, mine in result.by_exercise()
        for items in [[item for item in result.rubric if item.exercise == exercise]]
    )
    checks = result.checks
    unknown = float("nan")
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
        checks=_shared(tuple(_asked(c) for c in checks)),
        verdict_codes=bytes(_CODES[c.verdict] for c in checks),
        shares=array("f", [_share(c) for c in checks]),
        check_seconds=array("f", [c.seconds for c in checks]),
        check_cpu_seconds=array("f", [c.cpu_seconds for c in checks]),
        check_memory=array(
            "f", [unknown if c.peak_memory_bytes is None else c.peak_memory_bytes for c in checks]
        ),
        load_seconds=result.load.seconds,
        broken=tuple((place, (c.internal or "")[:4000]) for place, c in enumerate(checks) if c.pending),
        diagnoses=tuple(_diagnosed(result)),
        notable=result.load.message or "; ".join(first),
        attempt=result.submission.attempt,
        source=result.submission.source,
        content_hash=result.submission.content_hash,
        assignment_id=intern(result.assignment.id),
        assignment_title=intern(result.assignment.title),
        assignment_version=intern(result.assignment.version),
        started_at=result.started_at,
        finished_at=result.finished_at,
        backend=intern(result.backend),
        device=intern(result.device),
        section=intern(result.student.section),
        submitted_at=result.submission.submitted_at,
        late_seconds=result.late.late_seconds if result.late else 0.0,
        points_before_late=result.points_before_late,
        late_points=result.late_points,
    )


def _asked(check: CheckResult) -> AskedCheck:
    adjusted = check.adjusted.kind if check.adjusted else ""
    return AskedCheck(check.id, check.exercise, check.title, check.max_points, check.visibility, adjusted)


@lru_cache(maxsize=64)
def _shared(checks: tuple[AskedCheck, ...]) -> tuple[AskedCheck, ...]:
    """Return the first tuple that was equal to this one, so that a cohort holds its titles once."""
    return checks


def _share(check: CheckResult) -> float:
    judged = check.adjusted or check  # an adjusted check is still known by what it said
    if judged.max_points > 0:
        return judged.points / judged.max_points
    return float(check.verdict is Verdict.PASSED)


def _diagnosed(result: Result) -> Iterator[Diagnosed]:
    """Yield each known error once, by the check whose counterexample is smallest."""
    found: dict[str, list[tuple[int, NamedError]]] = {}
    for place, check in enumerate(result.checks):
        counts = check.diagnosis is not None and check.adjusted is None
        for one in (check.diagnosis, *check.diagnosis.also) if check.diagnosis and counts else ():
            found.setdefault(one.title, []).append((place, one))
    for title, shown in found.items():
        place, named = min(shown, key=lambda one: counterexample_size(result.checks[one[0]]))
        section = named.section or ""
        yield Diagnosed(intern(title), intern(section), place, example_line(result.checks[place]))


@dataclass(slots=True)
class CheckTally:
    """How a check went over the graded submissions. Where it was broken it has judged nobody."""

    check: AskedCheck
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
    """A known error, how many submissions show it, and the one that shows it best."""

    title: str
    section: str
    example: Row
    shown: Diagnosed  # by the example
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
    for row in ordered:
        for exercise in row.exercises:
            exercises.setdefault(exercise.id, exercise.title)
    percents = [percent for row in ordered if (percent := row.percent) is not None]
    return Cohort(
        rows=ordered,
        title=next((row.assignment_title or row.assignment_id for row in ordered), "No results"),
        exercises=tuple(exercises.items()),
        max_points=max((row.max_points for row in ordered), default=0.0),
        checks=tuple(_tallies(row for row in ordered if row.status is Status.GRADED)),
        misunderstandings=tuple(sorted(_misunderstandings(ordered), key=lambda m: -m.count)),
        bins=_bins(percents),
        mean_percent=mean(percents) if percents else None,
        median_percent=median(percents) if percents else None,
    )


def _tallies(graded: Iterable[Row]) -> Iterable[CheckTally]:
    checks: dict[str, CheckTally] = {}
    for row in graded:
        for check, code in zip(row.checks, row.verdict_codes, strict=True):
            tally = checks.get(check.id)
            if tally is None:
                tally = checks[check.id] = CheckTally(check)
            tally.verdicts[VERDICT_ORDER[code]] += 1
        for place, internal in row.broken:
            tally = checks[row.checks[place].id]
            tally.internal = tally.internal or internal
    return checks.values()


def _misunderstandings(rows: Iterable[Row]) -> Iterable[Misunderstanding]:
    """Return every known error with the submission that shows little else and has a counterexample."""
    found: dict[str, Misunderstanding] = {}
    for row in rows:
        for shown in row.diagnoses:
            one = found.get(shown.title)
            if one is None:
                one = found[shown.title] = Misunderstanding(shown.title, shown.section, row, shown)
            one.count += 1
            if _clarity(row, shown) > _clarity(one.example, one.shown):
                one.example, one.shown = row, shown
    return found.values()


def _clarity(row: Row, shown: Diagnosed) -> tuple[bool, int, float]:
    return bool(shown.example), -len(row.diagnoses), row.percent or 0.0


def _bins(percents: Sequence[float]) -> tuple[int, ...]:
    bins = [0] * 10
    for percent in percents:
        bins[min(9, max(0, int(percent // 10)))] += 1
    return tuple(bins)
