"""What a report says of a submission that came late: by how much, what that takes, and by which policy."""

from __future__ import annotations

from graders.result import Late
from reports.amounts import MomentText, moment_text, points_noun, points_text
from reports.visible_text import one_line

_UNITS = (("day", 86_400), ("hour", 3_600), ("minute", 60))


def late_line(late: Late | None, earned: float, taken: float, moment: MomentText = moment_text) -> str:
    """Return the line about coming late; "" where it came in time. `moment` writes when it was due."""
    if late is None:
        return ""
    due = f"due {moment(late.due_at)}"
    if late.extension_seconds:
        due += f", {duration_text(late.extension_seconds)} of extension included"
    if late.unknown:
        return f"Handed in late ({due}), it is not known by how much, so no points are taken."
    came = f"Handed in {duration_text(late.late_seconds)} late ({due})"
    if not late.percent:
        return f"{came}; no points are taken."
    of = "the points earned" if late.of == "earned" else "the points that could be had"
    policy = f" ({one_line(late.policy, 200)})" if late.policy else ""
    verb = "is" if taken == 1 else "are"
    return (
        f"{came}: {late.percent:g} % of {of}{policy}. Of {points_noun(earned)} earned, {points_text(taken)} "
        f"{verb} taken for it."
    )


def duration_text(seconds: float) -> str:
    """Return "1 day 3 hours", "12 minutes"; less than a minute is one."""
    left = max(60, int(seconds))
    parts = []
    for unit, size in _UNITS:
        count, left = divmod(left, size)
        if count:
            parts.append(f"{count:,} {unit}{'s' * (count != 1)}")
    return " ".join(parts[:2])
