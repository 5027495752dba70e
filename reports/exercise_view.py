"""What a reader sees of one exercise: its checks, and the student's words where it asks for some."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from graders.result import CheckResult, Result, Status, Verdict
from reports.amounts import count_text, passing_text
from reports.check_view import CheckView, check_view
from reports.prose_view import ProseView, prose_view
from reports.visible_text import one_line


@dataclass(frozen=True, slots=True)
class ExerciseView:
    """One exercise with the checks that are shown."""

    anchor: str
    title: str
    checks: tuple[CheckView, ...]
    points: float
    max_points: float
    whole: bool  # no check of it is withheld
    prose: ProseView | None = None  # the student's words, where it asks for some
    unnamed: str = ""  # said where failing checks show no known error

    @property
    def passed(self) -> int:
        """How many of the checks shown pass."""
        return sum(check.passed for check in self.checks)

    @property
    def tally(self) -> str:
        """The same in words."""
        return passing_text(self.passed, len(self.checks))


def exercise_views(
    result: Result, shown: Sequence[CheckResult], anchors: Mapping[str, str], *, instructor: bool
) -> tuple[ExerciseView, ...]:
    """Return the exercises that have checks among those `shown`, or ask for words; none of unreadable work.

    `anchors` holds where on the page each check is that is shown, by its id.
    """
    if result.status is Status.UNREADABLE:
        return ()  # each check would say so once more
    unmet = {
        check.id: check.title for check in shown if check.verdict not in (Verdict.PASSED, Verdict.BROKEN)
    }
    views: list[ExerciseView] = []
    for number, (exercise, title, checks) in enumerate(result.by_exercise(), 1):
        mine = [c for c in shown if c.exercise == exercise]
        items = [i for i in result.rubric if i.exercise == exercise]
        first = 1 + sum(len(v.prose.items) for v in views if v.prose)
        prose = prose_view(result, exercise, first, instructor=instructor)
        if not mine and prose is None:
            continue
        views.append(
            ExerciseView(
                anchor=f"exercise-{number}",
                title=one_line(title, 200) or one_line(exercise, 200) or f"Exercise {number}",
                checks=tuple(check_view(c, anchors, unmet) for c in mine),
                points=sum(c.points for c in mine) + sum(i.points or 0 for i in items),
                max_points=sum(c.max_points for c in mine) + sum(i.max_points for i in items),
                whole=all(c.id in anchors for c in checks),
                prose=prose,
                unnamed=_unnamed(mine, instructor=instructor),
            )
        )
    return tuple(views)


def _unnamed(checks: Sequence[CheckResult], *, instructor: bool) -> str:
    """Say that failing checks match no known error, once for an exercise."""
    compared = [
        c for c in checks if c.compared and not c.adjusted and (instructor or c.verdict is Verdict.FAILED)
    ]
    unnamed = [c for c in compared if not c.diagnosis]
    if not unnamed:
        return ""
    if not instructor:  # an error that Python names needs no other name
        known = "" if len(unnamed) == len(compared) else "Some of "
        text = "what fails here matches no error that we know."
        return f"{known}{text}" if known else text[0].upper() + text[1:]
    most = max(c.compared.variants for c in unnamed if c.compared)
    alike = sorted({name for c in unnamed if c.compared for name in c.compared.alike})
    text = (
        f"No known pattern in {count_text(len(unnamed), 'failing check')}, "
        f"compared with {count_text(most, 'known error')}."
    )
    return f"{text} Not told apart: {', '.join(one_line(name, 100) for name in alike)}." if alike else text
