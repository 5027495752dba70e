"""A Result as GitHub Classroom's autograding reporter takes it: version 3, base64 in one step output.

The reporter prints names and messages into a log that GitHub obeys, so all text here is harmless there. It
reports no points where `max_score` is 0, which is how work without a score stays without one.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Sequence
from typing import Any

from attest.packages.shown import ShownCheck, fitting, is_whole, shown_checks, whole_text
from graders.result import NOT_GRADED, Result, Status, Verdict, Visibility

VERSION = 3
MOST_BYTES = 90_000  # of JSON: as base64 it goes into one variable of an environment, which holds 128 kB
MOST_CHECK = 4_000
LEAST_TEXT = 100
_FAILS = (Verdict.FAILED, Verdict.MISSING, Verdict.SKIPPED)


def github_results(result: Result) -> dict[str, Any]:
    """Return the version 3 result."""
    if not is_whole(result):
        return _alone("Not graded", "error", whole_text(result))
    if result.status is Status.UNREADABLE:
        said = _alone("Something to grade was handed in.", "fail", whole_text(result))
        return said | {"max_score": round(sum(check.max_points for check in result.checks), 4)}
    return fitting(lambda most: _graded(result, most), MOST_CHECK, LEAST_TEXT, MOST_BYTES)


def not_graded() -> dict[str, Any]:
    """Return the result of work that could not be graded through a fault of ours."""
    return _alone("Not graded", "error", NOT_GRADED)


def encoded(found: dict[str, Any]) -> str:
    """Return a result as the step output `result` holds it: one line of base64."""
    return base64.b64encode(json.dumps(found).encode()).decode("ascii")


def _alone(name: str, status: str, said: str) -> dict[str, Any]:
    """Return a result of one test that is worth nothing."""
    test = {
        "name": name,
        "status": status,
        "message": said,
        "test_code": "",
        "filename": "",
        "line_no": 0,
        "duration": 0,
        "score": 0,
    }
    return {"version": VERSION, "status": status, "max_score": 0, "tests": [test]}


def _graded(result: Result, most: int) -> dict[str, Any]:
    shown = shown_checks(result, most)
    listed = [one for one in shown if one.check.visibility is Visibility.ALWAYS]
    passed = all(one.check.verdict is Verdict.PASSED for one in shown)
    return {
        "version": VERSION,
        "status": "pass" if passed else "fail",
        "max_score": round(sum(one.check.max_points for one in shown), 4),
        "tests": [*map(_test, listed), *_withheld(shown)],
    }


def _withheld(shown: Sequence[ShownCheck]) -> list[dict[str, Any]]:
    """Return the checks that a student may not see as one test: the reporter adds up what tests score."""
    hidden = [one.check for one in shown if one.check.visibility is not Visibility.ALWAYS]
    if not hidden:
        return []
    passed = all(check.verdict is Verdict.PASSED for check in hidden)
    (found,) = _alone("Checks that are not shown", "pass" if passed else "fail", "")["tests"]
    return [found | {"score": round(sum(check.points for check in hidden), 4)}]


def _test(shown: ShownCheck) -> dict[str, Any]:
    check = shown.check
    passed = check.verdict is Verdict.PASSED
    return {
        "name": shown.title,
        "status": "pass" if passed else "fail" if check.verdict in _FAILS else "error",
        "message": "" if passed else f"{shown.title}\n{shown.text}",
        "test_code": "",
        "filename": "",
        "line_no": 0,
        "duration": round(check.seconds, 3),
        "score": round(check.points, 4),
    }
