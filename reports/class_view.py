"""How a class did: the distribution of points, what was misunderstood, and its checks.

It is a part of the cohort's page, and by itself what the portal shows of an assignment.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from markupsafe import Markup

from reports.amounts import count_text
from reports.anchors import Audience, check_anchors
from reports.cohort import AskedCheck, Cohort, Row, cohort_of
from reports.graded_checks import GradedChecks, graded_checks
from reports.index_checks import checks_view
from reports.item_analysis import check_statistics
from reports.pages import template
from reports.visible_text import one_line

MOST_LISTED = 50
_MOST_OPEN = 10  # misunderstandings that are not folded
_TALLEST = 130.0  # of the distribution's bars
_GROUND = 160.0

Link = Callable[[Row, str], str]  # where a submission shows a check; "" where there is no such page
Who = Callable[[str, int], str]  # where they are who are "failing" a check or "shows" a misunderstanding


def class_html(rows: Sequence[Row], link: Link, who: Callable[[str, str], str]) -> Markup:
    """Return it as a part of a page; "" where nothing is graded. The page has `class.css`.

    `who` says where the students are listed who are "failing" the check of this id, or "shows" the
    misunderstanding of this title.
    """
    cohort = cohort_of(rows)
    graded = graded_checks(rows)
    if not graded.rows:
        return Markup("")

    def href(kind: str, number: int) -> str:
        if kind == "failing":
            return who(kind, cohort.checks[number].check.id)
        return who(kind, cohort.misunderstandings[number].title)

    text = template("class.html.jinja").render(class_view(cohort, graded, link, href))
    return Markup(text)  # noqa: S704 - our own template escapes all that it is given


def class_view(cohort: Cohort, graded: GradedChecks, link: Link, who: Who) -> dict[str, Any]:
    """Return what the template of it needs."""
    misunderstandings = list(_misunderstandings(cohort, len(graded.rows), link))
    return {
        "middle": _middle(cohort),
        "distribution_text": _distribution_text(cohort),
        "bars": _bars(cohort),
        "misunderstandings": misunderstandings[:_MOST_OPEN],
        "rarer": misunderstandings[_MOST_OPEN:],
        "checks": checks_view(cohort, check_statistics(graded)),
        "who_href": who,
    }


def check_links(links: Mapping[str, str], audience: Audience, after_due: bool) -> Link:
    """Return what finds a check in a student's report: its address, "" where there is no report."""
    known: dict[int, tuple[tuple[AskedCheck, ...], dict[str, str]]] = {}

    def link(row: Row, check: str) -> str:
        page = links.get(row.student_id, "")
        if id(row.checks) not in known:
            known[id(row.checks)] = row.checks, check_anchors(row.checks, audience, after_due)
        anchor = known[id(row.checks)][1].get(check, "")
        return f"{page}#{anchor}" if page and anchor else page

    return link


def _misunderstandings(cohort: Cohort, graded: int, link: Link) -> Iterator[dict[str, Any]]:
    for number, one in enumerate(cohort.misunderstandings[:MOST_LISTED]):
        yield {
            "number": number,
            "count": one.count,
            "share": f"{100 * one.count / graded:.0f} %" if graded else "",
            "title": one_line(one.title),
            "section": one_line(one.section),
            "example": one.shown.example,
            "href": link(one.example, one.example.checks[one.shown.check].id),
        }


def _middle(cohort: Cohort) -> str:
    if cohort.mean_percent is None or cohort.median_percent is None:
        return ""
    return f"Mean {cohort.mean_percent:.0f} %, median {cohort.median_percent:.0f} %."


def _bars(cohort: Cohort) -> list[dict[str, Any]]:
    tallest = max(cohort.bins) or 1
    bars = []
    for number, count in enumerate(cohort.bins):
        height = round(_TALLEST * count / tallest, 1)
        x, y = 3 + 40 * number, round(_GROUND - height, 1)
        bars.append(
            {
                "x": x,
                "y": y,
                "height": height,
                "middle": x + 17,
                "above": y - 5,
                "count": count,
                "from": 10 * number,
            }
        )
    return bars


def _distribution_text(cohort: Cohort) -> str:
    parts = [
        f"{10 * n} to {10 * n + 10} percent: {count_text(count, 'submission')}"
        for n, count in enumerate(cohort.bins)
        if count
    ]
    return "Score distribution. " + "; ".join(parts) + "."
