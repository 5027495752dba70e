"""A Result as Gradescope's results.json: a pure function, and what is written where nothing could be graded.

Where a check of ours broke, or nothing could be graded, no score is given at all: a number would be taken
for the student's. What explains it is hidden from the student and shown to the instructor.
"""

from __future__ import annotations

from typing import Any

from attest.packages.shown import (
    ShownCheck,
    cut,
    for_instructor,
    is_whole,
    shown_checks,
    waiting_items,
    waiting_text,
    whole_text,
)
from graders.result import NOT_GRADED, Result, RubricResult, Status, Verdict, Visibility
from reports.visible_text import one_line

VISIBILITIES = {
    Visibility.ALWAYS: "visible",
    Visibility.AFTER_DUE: "after_due_date",
    Visibility.HIDDEN: "hidden",
}
OURS = "attest"  # under which extra_data holds what the next attempt is to know
MOST_INTERNAL = 8_000
_OF_WHOLE = frozenset({"score", "execution_time"})
_OF_TEST = frozenset(
    {"score", "max_score", "status", "name", "name_format", "number", "output", "output_format", "tags"}
    | {"visibility", "extra_data"}
)


def gradescope_results(result: Result, seconds: float) -> dict[str, Any]:
    """Return results.json; `seconds` is how long the grading took."""
    whole = is_whole(result)
    tests = [_test(shown, scored=whole) for shown in shown_checks(result)]
    tests += [_item(item) for item in waiting_items(result)]
    if not whole:
        tests.append(_for_instructor(for_instructor(result)))
    found = _frame(whole_text(result), tests, graded=whole) | {"execution_time": round(seconds, 2)}
    if whole:
        found["score"] = _points(result.points if result.status is Status.GRADED else 0.0)
    found["extra_data"][OURS] |= {
        "assignment": result.assignment.id,
        "version": result.assignment.version,
        "content_hash": result.assignment.content_hash,
        "backend": result.backend,
        "attempt": result.submission.attempt,
    }
    return found


def not_graded(why: str) -> dict[str, Any]:
    """Return results.json of work that could not be graded; `why` is for the instructor."""
    said = f"{NOT_GRADED} Your instructor can see what went wrong, and can have it graded again."
    return _frame(said, [_for_instructor(why)], graded=False)


def refused(said: str, kept: dict[str, Any]) -> dict[str, Any]:
    """Return results.json of an attempt that is not graded: what counted before stays, with a word on top."""
    before = kept.get("output")
    text = f"{said}\n\n{before}" if isinstance(before, str) and before else said
    tests = kept.get("tests")
    known = [_known(one, _OF_TEST) for one in tests] if isinstance(tests, list) else []
    return _known(kept, _OF_WHOLE) | _frame(cut(text, MOST_INTERNAL), known, graded=False)


def _known(found: object, fields: frozenset[str]) -> dict[str, Any]:
    """Return what we may have written of what came back."""
    items = found.items() if isinstance(found, dict) else ()
    return {key: value for key, value in items if key in fields and value is not None}


def counts_as_attempt(results: object) -> bool:
    """Whether an earlier results.json was graded; one that is not ours counts."""
    extra = results.get("extra_data") if isinstance(results, dict) else None
    own = extra.get(OURS) if isinstance(extra, dict) else None
    return not isinstance(own, dict) or own.get("graded") is not False


def _frame(said: str, tests: list[dict[str, Any]], *, graded: bool) -> dict[str, Any]:
    return {
        "output": said,
        "output_format": "text",
        "test_output_format": "text",
        "test_name_format": "text",
        "visibility": "visible",
        "stdout_visibility": "hidden",
        "tests": tests,
        "extra_data": {OURS: {"graded": graded}},
    }


def _test(shown: ShownCheck, *, scored: bool) -> dict[str, Any]:
    check = shown.check
    found: dict[str, Any] = {
        "name": shown.title,
        "name_format": "text",
        "number": shown.number,
        "output": shown.text,
        "output_format": "text",
        "tags": [one_line(check.exercise, 100), check.verdict.value],
        "visibility": VISIBILITIES[check.visibility],
    }
    if check.verdict is not Verdict.BROKEN:
        found["status"] = "passed" if check.verdict is Verdict.PASSED else "failed"
    if scored:
        found |= {"score": _points(check.points), "max_score": _points(check.max_points)}
    return found


def _item(item: RubricResult) -> dict[str, Any]:
    return {
        "name": f"For a person: {one_line(item.title, 200)}",
        "name_format": "text",
        "output": waiting_text((item,)),
        "output_format": "text",
        "tags": [one_line(item.exercise, 100), "waits"],
        "visibility": "visible",
        "extra_data": {"waiting_points": _points(item.max_points)},
    }


def _for_instructor(why: str) -> dict[str, Any]:
    return {
        "name": "For the instructor: what went wrong",
        "name_format": "text",
        "output": cut(why, MOST_INTERNAL),
        "output_format": "text",
        "status": "failed",
        "tags": ["instructor"],
        "visibility": "hidden",
    }


def _points(points: float) -> float:
    return round(points, 4)
