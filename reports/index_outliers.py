"""The part of the cohort's page about time and memory: whose code stands out, where, and by which rule."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from reports.amounts import bytes_text, count_text, seconds_text
from reports.cohort import Row
from reports.graded_checks import GradedChecks, too_few
from reports.outliers import LEAST_BYTES, LEAST_CPU_SECONDS, LEAST_SECONDS, SPREADS, Outlier, outliers
from reports.visible_text import one_line

_MOST_LISTED = 25

RULE = (
    f"Named is whose code lies above the class's median for the same check by {SPREADS:g} times the usual "
    f"spread (1.4826 × the median deviation from it), and by {LEAST_CPU_SECONDS:g} s of processor time, "
    f"{LEAST_SECONDS:g} s by the clock, or {bytes_text(LEAST_BYTES)} of memory."
)


@dataclass(frozen=True, slots=True)
class OutlierLine:
    """One line of the table."""

    href: str
    name: str
    what: str
    took: str
    usual: str
    where: str
    more: str


@dataclass(frozen=True, slots=True)
class OutliersView:
    """All of it."""

    lines: tuple[OutlierLine, ...]
    more: int
    said: str  # where there are no lines
    rule: str = RULE


def outliers_view(graded: GradedChecks, link: Callable[[Row, str], str]) -> OutliersView:
    """Return who stands out; `link` says where a check's part of a student's report is."""
    found = outliers(graded)
    if found:
        return OutliersView(
            tuple(_line(one, link) for one in found[:_MOST_LISTED]), max(0, len(found) - _MOST_LISTED), ""
        )
    return OutliersView((), 0, too_few(len(graded.rows), "who stands out") or "Nobody stands out.")


def _line(one: Outlier, link: Callable[[Row, str], str]) -> OutlierLine:
    text = seconds_text if one.kind == "time" else _memory_text
    took = text(one.value)
    if one.cpu_seconds is not None:
        took += f", {seconds_text(one.cpu_seconds)} of it computing"
    return OutlierLine(
        href=link(one.row, one.check.id if one.check else ""),
        name=one_line(one.row.name or one.row.student_id, 80),
        what=one.kind.capitalize(),
        took=took,
        usual=text(one.usual),
        where=one_line(one.check.title or one.check.id) if one.check else "while the file was loaded",
        more=f"and {count_text(one.more, 'more check')}" if one.more else "",
    )


def _memory_text(size: float) -> str:
    return bytes_text(round(size))
