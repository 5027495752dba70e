"""The table of students on the cohort's page, and what it can be filtered by."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from graders.result import Status, Verdict
from reports.amounts import points_text
from reports.cohort import VERDICT_ORDER, Cohort, Row
from reports.verdict_words import STATUSES, VERDICTS
from reports.visible_text import one_line


@dataclass(frozen=True, slots=True)
class StudentLine:
    """One student."""

    href: str
    name: str
    id: str  # "" where it is the name
    section: str
    score: str
    pending: str
    late: str
    exercises: tuple[str, ...]
    passed: str
    others: str
    status: str
    seconds: str
    failing: str  # the numbers of the checks that did not pass, as the bits of a hexadecimal number
    shows: str  # the numbers of the misunderstandings that it shows


@dataclass(frozen=True, slots=True)
class TableView:
    """The table, and the choices of its filters: (number, title)."""

    exercises: tuple[str, ...]
    sections: tuple[str, ...]  # none where there is one for all
    statuses: tuple[str, ...]
    verdicts: tuple[str, ...]
    checks: tuple[tuple[str, tuple[tuple[int, str], ...]], ...]  # by exercise
    misunderstandings: tuple[tuple[int, str], ...]
    lines: Iterator[StudentLine]


def table_view(cohort: Cohort, links: Mapping[str, str], most_misunderstandings: int) -> TableView:
    """Return the table. Its lines are made as they are written, so that they are never all in memory."""
    codes = {code for row in cohort.rows for code in row.verdict_codes}
    sections = sorted({one_line(row.section, 60) for row in cohort.rows if row.section})
    numbers = {tally.check.id: number for number, tally in enumerate(cohort.checks)}
    shown = {one.title: n for n, one in enumerate(cohort.misunderstandings[:most_misunderstandings])}
    several = len({row.section for row in cohort.rows}) > 1
    return TableView(
        exercises=tuple(one_line(title or identity, 60) for identity, title in cohort.exercises),
        sections=tuple(sections) if several else (),
        statuses=tuple(STATUSES[s] for s in Status if cohort.having(s)),
        verdicts=tuple(VERDICTS[v].word.lower() for v in Verdict if VERDICT_ORDER.index(v) in codes),
        checks=tuple(_choices(cohort)),
        misunderstandings=tuple((number, one_line(title, 90)) for title, number in shown.items()),
        lines=(_line(row, cohort, links, numbers, shown) for row in cohort.rows),
    )


def _choices(cohort: Cohort) -> Iterator[tuple[str, tuple[tuple[int, str], ...]]]:
    for identity, title in cohort.exercises:
        mine = tuple(
            (number, one_line(tally.check.title or tally.check.id, 90))
            for number, tally in enumerate(cohort.checks)
            if tally.check.exercise == identity and tally.passed < tally.judged
        )
        if mine:
            yield one_line(title or identity, 90), mine


def _line(
    row: Row, cohort: Cohort, links: Mapping[str, str], numbers: Mapping[str, int], shown: Mapping[str, int]
) -> StudentLine:
    verdicts = row.verdicts()
    graded = row.status is Status.GRADED
    scored = row.status is not Status.NOT_GRADED
    points = {e.id: e.points for e in row.exercises}
    name = one_line(row.name or row.student_id, 80)
    identity = one_line(row.student_id, 80)
    failing = sum(1 << numbers[check.id] for check in row.not_passed()) if graded else 0
    return StudentLine(
        href=links.get(row.student_id, ""),
        name=name,
        id=identity if identity != name else "",
        section=one_line(row.section, 60),
        score=f"{points_text(row.points)} of {points_text(row.max_points or cohort.max_points)}"
        if scored
        else "",
        pending=points_text(row.pending_points) if row.pending_points else "",
        late=points_text(row.late_points) if row.late_points else "",
        exercises=tuple(
            points_text(points[e]) if scored and e in points else "" for e, _ in cohort.exercises
        ),
        passed=f"{verdicts[Verdict.PASSED]} of {verdicts.total()}" if verdicts else "",
        others=", ".join(
            f"{verdicts[v]} {VERDICTS[v].word.lower()}"
            for v in Verdict
            if v is not Verdict.PASSED and verdicts[v]
        ),
        status=STATUSES[row.status],
        seconds=f"{row.seconds:.1f} s" if row.seconds >= 0 else "",
        failing=f"{failing:x}" if failing else "",
        shows=" ".join(str(shown[one.title]) for one in row.diagnoses if one.title in shown),
    )
