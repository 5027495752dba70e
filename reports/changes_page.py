"""A regrade as a page: who changes, by how much and why, before it counts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import quote

from reports.amounts import count_text, points_text
from reports.changes import StudentChange, by_size, turns
from reports.pages import asset, policy, template
from reports.report_names import report_name
from reports.visible_text import one_line

_STYLE = ("colours.css", "changes.css")
_MOST_CHECKS = 50  # named of one student


@dataclass(frozen=True)
class Changes:
    """What was graded again. `before` and `now` are where the reports of either lie, seen from the page."""

    title: str
    said: tuple[str, ...]  # sentences above the tables
    students: int
    changes: tuple[StudentChange, ...]
    before: str
    now: str


def changes_html(regrade: Changes) -> str:
    """Return the page."""
    style = asset(*_STYLE)
    return template("changes.html.jinja").render(
        policy=policy(style),
        style=style,
        title=one_line(regrade.title, 200),
        summary=summary_text(regrade.changes, regrade.students),
        said=[one_line(line, 600) for line in regrade.said],
        turns=[
            {
                "title": one_line(turn.title or turn.id),
                "id": one_line(turn.id),
                "text": f"{turn.before} → {turn.now}",
                "count": turn.count,
                "broken": turn.newly_broken,
            }
            for turn in turns(regrade.changes)
        ],
        students=[_student(change, regrade) for change in by_size(regrade.changes)],
    )


def summary_text(changes: Sequence[StudentChange], students: int) -> str:
    """Return how many change, and to which side."""
    if not changes:
        return f"Nothing changes for any of {count_text(students, 'student')}."
    gain = sum(change.difference > 0 for change in changes)
    lose = sum(change.difference < 0 for change in changes)
    level = len(changes) - gain - lose
    parts = [f"{gain:,} gain{'s' * (gain == 1)}", f"{lose:,} lose{'s' * (lose == 1)}"]
    if level:
        parts.append(f"{level:,} {'has' if level == 1 else 'have'} the same points in another way")
    verb = "changes" if len(changes) == 1 else "change"
    return f"{len(changes):,} of {count_text(students, 'student')} {verb}: {', '.join(parts)}."


def score_text(points: float | None, most: float, pending: float) -> str:
    """Return a score: "12 of 20", with what waits."""
    if points is None:
        return "no score"
    waits = f", {points_text(pending)} pending" if pending else ""
    return f"{points_text(points)} of {points_text(most)}{waits}"


def difference_text(change: StudentChange) -> str:
    """Return what is gained or lost, with its sign."""
    sign = "+" if change.difference > 0 else "−" if change.difference < 0 else "±"
    return f"{sign}{points_text(abs(change.difference))}"


def _student(change: StudentChange, regrade: Changes) -> dict[str, object]:
    page = f"{quote(report_name(change.student_id))}.html"
    return {
        "id": one_line(change.student_id, 120),
        "name": one_line(change.name, 120),
        "before": score_text(change.before, change.max_before, change.pending_before),
        "now": score_text(change.now, change.max_now, change.pending_now),
        "difference": difference_text(change),
        "tone": "good" if change.difference > 0 else "bad" if change.difference < 0 else "soft",
        "before_href": f"{regrade.before}/{page}",
        "now_href": f"{regrade.now}/{page}",
        "checks": [
            {
                "title": one_line(one.title or one.id),
                "text": one.text,
                "note": "broken now" if one.newly_broken else "mended" if one.mended else "",
            }
            for one in change.checks[:_MOST_CHECKS]
        ],
        "more": max(0, len(change.checks) - _MOST_CHECKS),
        "other": [one_line(text) for text in change.other],
    }
