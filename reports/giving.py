"""What a report says of points that a person gave in place of those that were worked out, and why."""

from __future__ import annotations

from graders.result import CheckResult, Result, RubricResult
from graders.sentences import full_stop
from reports.amounts import points_noun, points_text
from reports.visible_text import one_line

_MOST = 2000


def given_for_part(part: CheckResult | RubricResult) -> str:
    """Return the sentence about one check or rubric item; "" where nobody gave its points."""
    if part.overridden is None:
        return ""
    before = part.overridden.points
    instead = "" if before is None else f" in place of {points_text(before)}"
    return f"Your instructor gave {points_noun(part.points or 0)}{instead}. {_reason(part.overridden.reason)}"


def given_for_all(result: Result) -> str:
    """Return the sentence about the whole submission; "" where nobody gave its points."""
    if result.override is None:
        return ""
    instead = "whatever its parts come to" if result.checks or result.rubric else "for the whole of it"
    return f"Your instructor gave {points_noun(result.points)}, {instead}. {_reason(result.override.reason)}"


def _reason(text: str) -> str:
    line = one_line(text, _MOST)
    return f"The reason: {line}{full_stop(line)}"
