"""What another autograder shows of a Result: a text for each check, and one for the whole, as plain text.

A check's text is that of the report in which a student sees it: a hidden check is named in no visible one's.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from attest.student_text import check_text, load_text
from attest.terminal import harmless
from graders.result import NOT_GRADED, CheckResult, Result, RubricResult, Status, Visibility
from graders.sentences import full_stop
from reports.amounts import count_text, points_noun
from reports.check_view import CheckView
from reports.lateness import late_line
from reports.next_step import plain_pieces
from reports.student_view import student_view
from reports.verdict_words import VERDICTS
from reports.visible_text import excerpt, one_line, visible_text

MOST_CHECK = 12_000  # characters of one check's text
MOST_WHOLE = 12_000
MOST_LINES = 300
WIDTH = 90


@dataclass(frozen=True, slots=True)
class ShownCheck:
    """One check with its place and its text; `number` leaves no gap where checks are hidden."""

    check: CheckResult
    number: str
    exercise: str
    title: str
    text: str


def shown_checks(result: Result, most: int = MOST_CHECK) -> tuple[ShownCheck, ...]:
    """Return every check of a Result, those that a student sees at once first in each exercise."""
    views = _views(result)
    found = []
    for place, (_, exercise, checks) in enumerate(result.by_exercise(), 1):
        ordered = sorted(checks, key=lambda check: list(Visibility).index(check.visibility))
        for number, check in enumerate(ordered, 1):
            title = harmless(one_line(check.title) or one_line(check.id))
            text = cut(_text(check, views.get(check.id)), most)
            found.append(ShownCheck(check, f"{place}.{number}", one_line(exercise, 200), title, text))
    return tuple(found)


def _views(result: Result) -> dict[str, CheckView]:
    """Return each check as the first to see it does."""
    found: dict[str, CheckView] = {}
    for view in (
        student_view(result),
        student_view(result, after_due=True),
        student_view(result, audience="instructor"),
    ):
        for exercise in view.exercises:
            for check in exercise.checks:
                found.setdefault(check.check.id, check)
    return found


def _text(check: CheckResult, view: CheckView | None) -> str:
    if view is None:  # nothing could be read, which the text of the whole says
        return harmless(visible_text(check.message))
    word = "" if view.passed else f"{VERDICTS[check.verdict].word}."
    return "\n".join(filter(None, (view.given, word, check_text(view, WIDTH))))


def cut(text: str, most: int) -> str:
    """Return the beginning of a long text, with a note that says so."""
    found = excerpt(text, limit=most, max_lines=MOST_LINES)
    return harmless("\n".join(filter(None, (found.text, found.note))))


def fitting(
    made: Callable[[int], dict[str, Any]], characters: int, least: int, most_bytes: int
) -> dict[str, Any]:
    """Return a document of at most so many bytes of JSON.

    `made` gives it with so many characters of each check's text; they are halved until it fits, to no fewer
    than `least`.
    """
    while True:
        found = made(characters)
        if len(json.dumps(found).encode()) <= most_bytes or characters <= least:
            return found
        characters //= 2


def waiting_items(result: Result) -> tuple[RubricResult, ...]:
    """Return what a person has still to judge."""
    return tuple(item for item in result.rubric if item.waits)


def is_whole(result: Result) -> bool:
    """Whether a score can be given: the work was graded, and no check of ours broke."""
    if result.status is Status.NOT_GRADED:
        return False
    return not any(check.pending for check in result.checks)


def whole_text(result: Result) -> str:
    """Return what is said to the student above all checks."""
    return cut("\n\n".join(filter(None, _paragraphs(result))), MOST_WHOLE)


def _paragraphs(result: Result) -> Iterator[str]:
    if result.status is Status.NOT_GRADED:
        yield NOT_GRADED
        yield "Your instructor can see what went wrong, and can have it graded again."
        return
    view = student_view(result)
    if result.status is Status.UNREADABLE:
        yield f"Nothing to grade could be read. {view.message}"
        yield "Open your file, see that it is the one you mean to hand in, and hand it in again."
        return
    broken = [check for check in result.checks if check.pending]
    if broken:
        worth = points_noun(sum(check.max_points for check in broken))
        yield (
            f"{count_text(len(broken), 'check')} of ours failed to do its work, through no fault of yours. "
            f"{worth} can only be given once it is mended, so there is no score yet. Your instructor can see "
            "why."
        )
    items = waiting_items(result)
    if items:
        yield waiting_text(items)
    yield _late(result)
    yield load_text(view.load, WIDTH)
    if view.start is not None:
        step = view.next_step
        said = " ".join(plain_pieces(pieces) for pieces in step.paragraphs)
        title = f"{step.title}: {step.what}" if step.what else step.title
        yield f"{title}{full_stop(title)} {said}"


def waiting_text(items: tuple[RubricResult, ...]) -> str:
    """Say what waits for a person, and that the score does not hold it yet."""
    worth = sum(item.max_points for item in items)
    titles = "; ".join(f"{one_line(item.title)} ({points_noun(item.max_points)})" for item in items)
    waits, are = ("waits", "is") if worth == 1 else ("wait", "are")
    return (
        f"{points_noun(worth)} {waits} for a person, who reads what you wrote, and {are} not in the score "
        f"yet: {titles}."
    )


def _late(result: Result) -> str:
    """Say that it came late; how many points that takes, only where no hidden check is among them."""
    if result.late is None:
        return ""
    if all(check.visibility is Visibility.ALWAYS for check in result.checks):
        return late_line(result.late, result.points_before_late, result.late_points)
    said, _, _ = late_line(result.late, 0, 0).partition(". Of ")
    return f"{said}{full_stop(said)}"


def for_instructor(result: Result) -> str:
    """Return what is printed where instructors alone look: how it was run, and why something broke."""
    lines = [
        f"Assignment {result.assignment.id} {result.assignment.version}, {result.assignment.content_hash}",
        f"Backend {result.backend}, seed {result.seed}, "
        + ", ".join(f"{name} {version}" for name, version in result.versions.items()),
    ]
    if result.internal:
        lines += ["Not graded:", result.internal]
    for check in result.checks:
        if check.pending:
            lines += [f"Broken: {check.id}", check.message, check.internal or ""]
    return harmless(visible_text("\n".join(filter(None, lines))))
