"""One student's page: a pure function from a Result to HTML that needs nothing but itself."""

from __future__ import annotations

from functools import cache

from jinja2 import Template

from graders.result import Result, Status, Verdict
from reports.amounts import points_noun, points_text
from reports.pages import asset, policy, template
from reports.student_view import Audience, StudentView, student_view
from reports.visible_text import excerpt, one_line

_STYLE = ("colours.css", "student.css")


def student_html(result: Result, *, audience: Audience = "student", after_due: bool = False) -> str:
    """Return the page of one Result.

    `audience="student"` leaves out hidden checks, the seed and everything internal; `after_due` opens
    the checks that wait for the due date.
    """
    view = student_view(result, audience=audience, after_due=after_due)
    return _template().render(
        view=view,
        policy=policy(asset(*_STYLE)),
        style=asset(*_STYLE),
        id=one_line(result.student.id, 120),
        status=result.status.value,
        message=excerpt(result.message, limit=1500, max_lines=20).text,
        internal=excerpt(result.internal or "", limit=8000, max_lines=200).text,
        points=points_text(view.points),
        max_points=points_text(view.max_points),
        pending=points_noun(view.pending),
        bar=_bar(view),
        worth=points_noun(view.start.check.max_points - view.start.check.points) if view.start else "",
        start_message=start_message(view),
        start_with_loading=start_with_loading(view),
        praise=praise_text(view),
    )


@cache
def _template() -> Template:
    return template("student.html.jinja")


def _bar(view: StudentView) -> dict[str, str]:
    whole = view.max_points or 1.0
    lengths = {
        "earned": view.points,
        "pending": view.pending,
        "decided": view.points + view.pending,
        "waiting": view.waiting,
    }
    return {name: f"{100 * points / whole:.2f}" for name, points in lengths.items()}


def start_with_loading(view: StudentView) -> str:
    """Return what to say where loading is to be mended before anything else, or nothing."""
    if view.result.status is not Status.GRADED or not view.load.trouble:
        return ""
    if view.result.load.verdict is not Verdict.PASSED:
        return view.load.message
    if view.start is None or view.start.check.verdict is not Verdict.MISSING or not view.load.cells:
        return ""
    first = view.load.cells[0]
    return f"{first.where} {first.what}, so names that it should define are missing. Mend that first."


def start_message(view: StudentView) -> str:
    """Return the first failing check's message in one line, with what was raised."""
    if view.start is None:
        return ""
    error = view.start.error
    if error is None:
        return one_line(view.start.message, 400)
    said = f"{error.type}: {error.message}" if error.message else f"{error.type}."
    if view.start.check.verdict is Verdict.ERROR:
        return one_line(f"Your code raised {said}", 400)
    return one_line(f"{view.start.message} {said}", 400)


def praise_text(view: StudentView) -> str:
    """Return what works, in one or two sentences."""
    text = f"{view.passed} of {view.checks} checks pass."
    if not view.praise:
        return text
    names = ", ".join(f"“{title}”" for title in view.praise[:4])
    return f"{text} All is right in {names}."
