"""The part of the cohort's page about its checks: what to look at first, then all of them by exercise."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from graders.result import Status
from reports.amounts import count_text
from reports.cohort import CheckTally, Cohort
from reports.graded_checks import too_few
from reports.item_analysis import CheckStatistics
from reports.visible_text import one_line

_ADJUSTED = {"dropped": " Dropped: it counts for nobody.", "given": " Given to all."}
_HARDEST = 3
_MOST_LOOKED_AT = 8
_FEW_CHECKS = 12  # that can stand open on a page

# R. L. Ebel and D. A. Frisbie, Essentials of Educational Measurement, 5th edition, 1991, chapter 13: below
# 0.2 is poor, from 0.3 on good.
_GOOD, _FAIR = 0.3, 0.2
_EASY, _HARD = 0.9, 0.3


@dataclass(frozen=True, slots=True)
class Look:
    """A check that deserves a look, and why."""

    title: str
    exercise: str
    why: str
    suspect: bool
    number: int
    failing: int


@dataclass(frozen=True, slots=True)
class CheckLine:
    """One check as a line of the table."""

    title: str
    number: int  # its place in the cohort's checks: what the table of students is filtered by
    passed: int
    judged: int
    reached: int  # of these: it was not skipped
    broken: int
    percent: str  # that pass, for the bar
    difficulty: str
    difficulty_word: str
    discrimination: str
    discrimination_word: str
    suspect: bool

    @property
    def failing(self) -> int:
        """How many do not pass it."""
        return self.judged - self.passed

    @property
    def held_up(self) -> int:
        """How many never reached it."""
        return self.judged - self.reached


@dataclass(frozen=True, slots=True)
class ExerciseLines:
    """The checks of one exercise."""

    title: str
    lines: tuple[CheckLine, ...]
    said: str


@dataclass(frozen=True, slots=True)
class ChecksView:
    """All of it."""

    looks: tuple[Look, ...]
    more: int  # suspect checks that are only marked in the tables
    exercises: tuple[ExerciseLines, ...]
    open: bool
    too_few: str


def checks_view(cohort: Cohort, statistics: Mapping[str, CheckStatistics]) -> ChecksView:
    """Return what is said of the cohort's checks."""
    lines = [_line(number, tally, statistics[tally.check.id]) for number, tally in enumerate(cohort.checks)]
    looks = list(_looks(cohort, statistics, lines))
    return ChecksView(
        looks=tuple(looks[:_MOST_LOOKED_AT]),
        more=sum(look.suspect for look in looks[_MOST_LOOKED_AT:]),
        exercises=tuple(_exercises(cohort, lines)),
        open=len(lines) <= _FEW_CHECKS,
        too_few=too_few(len(cohort.having(Status.GRADED)), "how checks discriminate"),
    )


def _line(number: int, tally: CheckTally, found: CheckStatistics) -> CheckLine:
    suspect = found.suspect and not tally.check.adjusted  # else somebody has looked at it already
    return CheckLine(
        title=_title(tally),
        number=number,
        passed=tally.passed,
        judged=tally.judged,
        reached=found.reached,
        broken=tally.broken,
        percent=f"{100 * tally.passed / tally.judged:.1f}" if tally.judged else "0",
        difficulty="" if found.difficulty is None else f"{found.difficulty:.2f}",
        difficulty_word=_difficulty_word(found.difficulty),
        discrimination="" if found.discrimination is None else _signed(found.discrimination),
        discrimination_word=_discrimination_word(found, suspect),
        suspect=suspect,
    )


def _title(tally: CheckTally) -> str:
    adjusted = _ADJUSTED.get(tally.check.adjusted, "")
    return f"{one_line(tally.check.title or tally.check.id)}{adjusted}"


def _signed(value: float) -> str:
    """Return a correlation with two decimals and a real minus sign."""
    text = f"{abs(value):.2f}"
    return f"−{text}" if value < 0 and float(text) else text


def _difficulty_word(value: float | None) -> str:
    if value is None:
        return "nobody reached it"
    return "easy" if value >= _EASY else "hard" if value < _HARD else "moderate"


def _discrimination_word(found: CheckStatistics, suspect: bool) -> str:
    value = found.discrimination
    if value is None:
        return {
            "few": "too few to tell",
            "check alike": "all did alike",
            "others alike": "all did alike elsewhere",
            "": "",
        }[found.undefined]
    if suspect:
        return "look at this check"
    return "good" if value >= _GOOD else "fair" if value >= _FAIR else "weak"


def _looks(
    cohort: Cohort, statistics: Mapping[str, CheckStatistics], lines: Sequence[CheckLine]
) -> Iterator[Look]:
    """Yield the checks that may be wrong, then those that nobody passes, then the hardest of the others."""
    exercises = {identity: one_line(title or identity, 120) for identity, title in cohort.exercises}

    def look(line: CheckLine, why: str, *, suspect: bool = False) -> Look:
        exercise = exercises.get(cohort.checks[line.number].check.exercise, "")
        return Look(line.title, exercise, why, suspect, line.number, line.failing)

    def found_of(line: CheckLine) -> CheckStatistics:
        return statistics[cohort.checks[line.number].check.id]

    suspects = [line for line in lines if line.suspect]
    for line in sorted(suspects, key=lambda line: found_of(line).discrimination or 0.0):
        found = found_of(line)
        yield look(
            line,
            "Look at this check: those who fail it have "
            f"{_percent(found.rest_of_failing)} of the points elsewhere, those who pass it "
            f"{_percent(found.rest_of_passing)}. What it asks may be unclear, or what it expects wrong.",
            suspect=True,
        )
    others = [
        line
        for line in lines
        if line.failing and not line.suspect and not cohort.checks[line.number].check.adjusted
    ]
    for line in (line for line in others if not line.passed and line.judged > 1):
        yield look(line, f"Nobody passes it, of {line.judged:,}. Can it be passed, and was it taught?")
    some = [line for line in others if line.passed and line.reached > line.passed]
    for line in sorted(some, key=lambda line: found_of(line).difficulty or 0.0)[:_HARDEST]:
        reached = " who reached it" if line.held_up else ""
        yield look(line, f"Among the hardest: {line.passed:,} of {line.reached:,}{reached} pass.")


def _percent(share: float | None) -> str:
    return f"{100 * (share or 0):.0f} %"


def _exercises(cohort: Cohort, lines: Sequence[CheckLine]) -> Iterator[ExerciseLines]:
    for identity, title in cohort.exercises:
        mine = tuple(line for line in lines if cohort.checks[line.number].check.exercise == identity)
        if not mine:
            continue
        judged, passed = sum(line.judged for line in mine), sum(line.passed for line in mine)
        said = [count_text(len(mine), "check")]
        said += [f"{100 * passed / judged:.0f} % passed"] if judged else []
        suspects = sum(line.suspect for line in mine)
        said += [f"{suspects} to look at"] if suspects else []
        yield ExerciseLines(one_line(title or identity, 200), mine, ", ".join(said))
