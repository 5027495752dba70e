"""A Result as the results.json of PrairieLearn's external graders: a pure function.

PrairieLearn shows everything at once and knows no hidden tests, so only checks that a student may always see
are listed by name; the others are one line, and count in the score. Work that cannot be judged, because it
cannot be read or because something of ours broke, is not gradable: that takes no attempt and no points.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from attest.packages.shown import MOST_CHECK, ShownCheck, fitting, is_whole, shown_checks, whole_text
from graders.result import NOT_GRADED, Result, Status, Visibility
from reports.amounts import count_text, points_noun

MOST_BYTES = 900_000  # PrairieLearn takes 1 MB
LEAST_TEXT = 200


def prairielearn_results(result: Result) -> dict[str, Any]:
    """Return results.json."""
    if result.status is Status.UNREADABLE or not is_whole(result):
        return _not_gradable(whole_text(result))
    return fitting(lambda most: _graded(result, most), MOST_CHECK, LEAST_TEXT, MOST_BYTES)


def not_gradable() -> dict[str, Any]:
    """Return results.json of work that could not be graded through a fault of ours."""
    return _not_gradable(f"{NOT_GRADED} Tell your instructor, who can have it graded again.")


def _not_gradable(said: str) -> dict[str, Any]:
    return {"gradable": False, "message": said, "format_errors": [said]}


def _graded(result: Result, most: int) -> dict[str, Any]:
    shown = shown_checks(result, most)
    listed = [one for one in shown if one.check.visibility is Visibility.ALWAYS]
    withheld = [one for one in shown if one.check.visibility is not Visibility.ALWAYS]
    return {
        "gradable": True,
        "score": _score(shown),
        "message": whole_text(result),
        "output": "",
        "images": [],
        "tests": [*map(_test, listed), *_withheld(withheld)],
    }


def _score(shown: Sequence[ShownCheck]) -> float:
    """Return the part of the checks' points that was earned; what a person judges is PrairieLearn's own."""
    most = sum(one.check.max_points for one in shown)
    earned = sum(one.check.points for one in shown)
    return round(min(1.0, max(0.0, earned / most)), 6) if most else 0.0


def _test(shown: ShownCheck) -> dict[str, Any]:
    return {
        "name": f"{shown.number} {shown.title}",
        "description": shown.exercise,
        "points": round(shown.check.points, 4),
        "max_points": round(shown.check.max_points, 4),
        "message": shown.text,
        "output": "",
        "images": [],
    }


def _withheld(checks: Sequence[ShownCheck]) -> list[dict[str, Any]]:
    if not checks:
        return []
    worth = sum(one.check.max_points for one in checks)
    return [
        {
            "name": "Checks that are not shown",
            "description": f"{count_text(len(checks), 'check')} with {points_noun(worth)} in all.",
            "points": round(sum(one.check.points for one in checks), 4),
            "max_points": round(worth, 4),
            "message": "",
            "output": "",
            "images": [],
        }
    ]
