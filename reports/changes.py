"""What grading again changes: which checks come out otherwise, and what that does to a student's points.

A difference of words alone is no change: what counts are points, what waits, and verdicts.
"""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from graders.result import CheckResult, Result, RubricResult, Status, Verdict
from reports.amounts import points_text
from reports.gradebook import cell
from reports.verdict_words import STATUSES, VERDICTS


@dataclass(frozen=True, slots=True)
class Said:
    """What one check or rubric item came to; what is not there has no word."""

    word: str = ""
    points: float | None = None
    max_points: float = 0.0
    broken: bool = False

    @property
    def text(self) -> str:
        """Return it in words: "failed, 0 of 4"."""
        if not self.word:
            return "not there"
        points = (
            "" if self.points is None else f", {points_text(self.points)} of {points_text(self.max_points)}"
        )
        return f"{self.word}{points}"


_ABSENT = Said()


@dataclass(frozen=True, slots=True)
class CheckChange:
    """A check or rubric item that comes out otherwise."""

    id: str
    title: str
    before: Said
    now: Said

    @property
    def newly_broken(self) -> bool:
        """Whether it is broken now, by our fault, and was not before."""
        return self.now.broken and not self.before.broken

    @property
    def mended(self) -> bool:
        """Whether it was broken and is not any more."""
        return self.before.broken and not self.now.broken

    @property
    def text(self) -> str:
        """Return it in a few words: "failed, 0 of 4 → passed, 4 of 4"."""
        return f"{self.before.text} → {self.now.text}"


@dataclass(frozen=True, slots=True)
class StudentChange:
    """What changes for one student. Points are absent where there is no score."""

    student_id: str
    name: str
    before: float | None
    now: float | None
    max_before: float
    max_now: float
    pending_before: float
    pending_now: float
    checks: tuple[CheckChange, ...]
    other: tuple[str, ...]  # sentences: what else is otherwise

    @property
    def difference(self) -> float:
        """Points gained; negative where some are lost."""
        return (self.now or 0.0) - (self.before or 0.0)


@dataclass(frozen=True, slots=True)
class Turn:
    """For how many students a check turned from one word into another."""

    id: str
    title: str
    before: str
    now: str
    count: int
    newly_broken: bool


def change_of(before: Result, now: Result) -> StudentChange | None:
    """Return what changes for a student; None for nothing."""
    checks = _changes(_said(before), _said(now), _titles(before) | _titles(now))
    other = []
    if before.status is not now.status:
        other.append(f"{STATUSES[before.status]} → {STATUSES[now.status]}")
    if now.submission.attempts and before.submission.attempt != now.submission.attempt:
        other.append(f"attempt {now.submission.attempt} counts, not {before.submission.attempt}")
    elif before.submission.content_hash != now.submission.content_hash:
        other.append("something else was handed in since")
    if before.late != now.late:
        other.append("what coming late takes is worked out otherwise")
    change = StudentChange(
        student_id=now.student.id,
        name=now.student.name,
        before=_points(before),
        now=_points(now),
        max_before=before.max_points,
        max_now=now.max_points,
        pending_before=before.pending_points,
        pending_now=now.pending_points,
        checks=checks,
        other=tuple(other),
    )
    same = (change.before, change.max_before, change.pending_before) == (
        change.now,
        change.max_now,
        change.pending_now,
    )
    return None if same and not checks and not other else change


def turns(changes: Iterable[StudentChange]) -> tuple[Turn, ...]:
    """Return how each check turned over all students, what concerns most of them first."""
    counted: Counter[tuple[str, str, str, str, bool]] = Counter(
        (one.id, one.title, one.before.word or "not there", one.now.word or "not there", one.newly_broken)
        for change in changes
        for one in change.checks
    )
    return tuple(
        Turn(identity, title, before, now, count, broken)
        for (identity, title, before, now, broken), count in counted.most_common()
    )


def by_size(changes: Iterable[StudentChange]) -> list[StudentChange]:
    """Return the changes, those of most points first."""
    return sorted(changes, key=lambda one: (-abs(one.difference), one.student_id))


def changes_csv(changes: Sequence[StudentChange]) -> bytes:
    """Return a row for each student and check that changes; without a check where it is something else."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(
        (
            *("student_id", "name", "points_before", "points_now", "difference"),
            *("max_points_before", "max_points_now", "pending_before", "pending_now"),
            *("check", "title", "verdict_before", "verdict_now", "check_points_before", "check_points_now"),
            *("newly_broken", "mended", "other"),
        )
    )
    for change in changes:
        who = (
            cell(change.student_id),
            cell(change.name),
            change.before,
            change.now,
            round(change.difference, 6),
            change.max_before,
            change.max_now,
            change.pending_before,
            change.pending_now,
        )
        other = cell("; ".join(change.other))
        for one in change.checks:
            said = (one.before.word, one.now.word, one.before.points, one.now.points)
            flags = (int(one.newly_broken), int(one.mended))
            writer.writerow((*who, cell(one.id), cell(one.title), *said, *flags, other))
        if not change.checks:
            writer.writerow((*who, *([""] * 8), other))
    return out.getvalue().encode("utf-8")


def _points(result: Result) -> float | None:
    return None if result.status is Status.NOT_GRADED else result.points


def _titles(result: Result) -> dict[str, str]:
    checks = {check.id: check.title for check in result.checks}
    return checks | {item.id: item.title for item in result.rubric}


def _said(result: Result) -> dict[str, Said]:
    said = {check.id: _of_check(check) for check in result.checks}
    return said | {item.id: _of_item(item) for item in result.rubric}


def _of_check(check: CheckResult) -> Said:
    word = VERDICTS[check.verdict].word.lower()
    if check.adjusted is not None and (check.adjusted.kind, check.verdict) != ("given", Verdict.PASSED):
        word = f"{word} ({check.adjusted.kind})"
    return Said(word, check.points, check.max_points, check.pending)


def _of_item(item: RubricResult) -> Said:
    word = "waits" if item.waits else "marked" if item.marked_at else "no answer"
    return Said(word, item.points, item.max_points)


def _changes(
    before: dict[str, Said], now: dict[str, Said], titles: dict[str, str]
) -> tuple[CheckChange, ...]:
    order = [*now, *(identity for identity in before if identity not in now)]
    return tuple(
        CheckChange(identity, titles[identity], old, new)
        for identity in order
        if (old := before.get(identity, _ABSENT)) != (new := now.get(identity, _ABSENT))
    )
