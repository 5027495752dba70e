"""The cohort's page: who needs the instructor, how it went, what was misunderstood, and every student."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from graders.result import Result, Status
from reports.amounts import count_text, points_noun
from reports.anchors import Audience
from reports.class_view import MOST_LISTED, check_links, class_view
from reports.cohort import Cohort, Row, cohort_of, row_of
from reports.graded_checks import graded_checks
from reports.index_outliers import outliers_view
from reports.index_table import table_view
from reports.pages import asset, policy, template
from reports.verdict_words import STATUSES
from reports.visible_text import excerpt, one_line

_STYLE = ("colours.css", "class.css", "index.css")
_SCRIPT = ("index.js",)


@dataclass(frozen=True)
class Run:
    """What a page about a cohort says of the run."""

    again: str = ""  # the command that goes on with it
    unfinished: str = ""  # in a sentence, that it has not come to its end


def index_html(results: Iterable[Result], links: Mapping[str, str]) -> str:
    """Return the page of a cohort. `links` says where each student's report lies, by student id."""
    return rows_html([row_of(result) for result in results], links)


def rows_html(
    rows: Sequence[Row],
    links: Mapping[str, str],
    problems: Sequence[str] = (),
    *,
    audience: Audience = "student",
    after_due: bool = False,
    run: Run = Run(),
) -> str:
    """Return the page of a cohort's rows. `problems` are result files that could not be used.

    `audience` and `after_due` say for whom the reports were written: only what is shown there is linked to.
    """
    cohort = cohort_of(rows)
    graded = graded_checks(rows)
    link = check_links(links, audience, after_due)
    return template("index.html.jinja").render(
        policy=policy(asset(*_STYLE), asset(*_SCRIPT)),
        style=asset(*_STYLE),
        script=asset(*_SCRIPT),
        title=one_line(cohort.title, 200),
        summary=_summary(cohort),
        needs_you=list(_needs_you(cohort, links, problems, run)),
        graded=len(graded.rows),
        **class_view(cohort, graded, link, lambda _kind, _number: "#students-title"),
        outliers=outliers_view(graded, link),
        table=table_view(cohort, links, MOST_LISTED),
    )


def _summary(cohort: Cohort) -> str:
    parts = [count_text(len(cohort.rows), "submission")]
    parts += [f"{len(some):,} {STATUSES[s]}" for s in Status if (some := cohort.having(s))]
    return ": ".join([parts[0], ", ".join(parts[1:])]) if cohort.rows else "No results."


def _needs_you(
    cohort: Cohort, links: Mapping[str, str], problems: Sequence[str], run: Run
) -> Iterator[dict[str, Any]]:
    def group(title: str, why: str, items: list[dict[str, str]]) -> Iterator[dict[str, Any]]:
        if items:
            more = max(0, len(items) - MOST_LISTED)
            yield {"title": title, "why": why, "entries": items[:MOST_LISTED], "more": more}

    again = one_line(run.again, 2000)
    yield from group(
        "Interrupted",
        f"The same command goes on: `{again}`" if again else "The same command goes on.",
        [{"href": "", "name": run.unfinished, "text": "", "internal": ""}] if run.unfinished else [],
    )
    yield from group(
        "Not graded",
        "The fault is ours: no score was given. Mend the cause, then grade just these again"
        + (f": `{again}`" if again else "."),
        [_item(row, links) for row in cohort.having(Status.NOT_GRADED)],
    )
    yield from group(
        "Checks of ours that broke",
        "Their points are pending: no student has lost them. Mend the check, then see who changes by "
        "`attest regrade OUT`. If it was chance, `attest regrade OUT --broken` grades just these again.",
        [
            {
                "href": "",
                "name": one_line(check.check.title or check.check.id).rstrip("."),
                "text": f"for {count_text(check.broken, 'submission')}",
                "internal": excerpt(check.internal, limit=4000, max_lines=80).text,
            }
            for check in cohort.checks
            if check.broken and not check.check.adjusted
        ],
    )
    yield from group(
        "Answers that wait for a person",
        "`attest rubric OUT --export marks.csv` writes them into a table; give points there, and read it "
        "back by `--import`.",
        list(_answers(cohort, links)),
    )
    yield from group(
        "Unreadable",
        "Nothing in these can be read as a script or a notebook, so they have no points.",
        [_item(row, links) for row in cohort.having(Status.UNREADABLE)],
    )
    yield from group(
        "Nothing handed in",
        "These are in the roster and have no submission, so they have no points.",
        [_item(row, links) for row in cohort.having(Status.NOTHING)],
    )
    yield from group(
        "Result files that could not be used",
        "These students are missing from this page.",
        [{"href": "", "name": one_line(problem, 600), "text": "", "internal": ""} for problem in problems],
    )


def _answers(cohort: Cohort, links: Mapping[str, str]) -> Iterator[dict[str, str]]:
    """Yield what a person has to judge: how much in all, and whose answer is another than the marked one."""
    waiting = [row for row in cohort.rows if row.waiting]
    if waiting:
        items = count_text(sum(row.waiting for row in waiting), "rubric item")
        yield {
            "href": "",
            "name": f"{items} of {count_text(len(waiting), 'student')}",
            "text": f"{points_noun(sum(row.waiting_points for row in waiting))} in all",
            "internal": "",
        }
    for row in cohort.rows:
        if row.changed:
            yield _item(row, links) | {"text": "the answer has changed since it was marked; its mark stays"}


def _item(row: Row, links: Mapping[str, str]) -> dict[str, str]:
    return {
        "href": links.get(row.student_id, ""),
        "name": one_line(row.name or row.student_id, 120),
        "text": one_line(row.message, 600),
        "internal": excerpt(row.internal, limit=4000, max_lines=80).text,
    }
