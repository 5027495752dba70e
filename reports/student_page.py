"""One student's page: a pure function from a Result to HTML that needs nothing but itself."""

from __future__ import annotations

from functools import cache

from jinja2 import Template

from graders.result import Result
from reports.amounts import MomentText, moment_text, points_noun, points_text
from reports.anchors import Audience
from reports.next_step import praise_text
from reports.pages import asset, policy, template
from reports.student_view import StudentView, student_view
from reports.visible_text import excerpt, one_line

STYLE = ("colours.css", "student.css")


def student_html(
    result: Result,
    *,
    audience: Audience = "student",
    after_due: bool = False,
    back: tuple[str, str] = ("", ""),
    moment: MomentText = moment_text,
) -> str:
    """Return the page of one Result. `back` is an address to go back to, and what is there.

    `audience="student"` leaves out hidden checks, the seed and everything internal; `after_due` opens
    the checks that wait for the due date. `moment` writes times.
    """
    view = student_view(result, audience=audience, after_due=after_due, moment=moment)
    return _template().render(
        view=view,
        back=back,
        policy=policy(asset(*STYLE)),
        style=asset(*STYLE),
        id=one_line(result.student.id, 120),
        status=result.status.value,
        message=excerpt(view.message, limit=1500, max_lines=20).text,
        internal=excerpt(result.internal or "", limit=8000, max_lines=200).text,
        points=points_text(view.points),
        max_points=points_text(view.max_points),
        pending=points_noun(view.pending),
        bar=_bar(view),
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
