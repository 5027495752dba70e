"""The cohort's page: who needs the instructor, how it went, what was misunderstood, and every student."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from graders.result import Result, Status, Verdict
from reports.amounts import count_text, points_noun, points_text
from reports.cohort import CheckTally, Cohort, Row, cohort_of, row_of
from reports.pages import asset, policy, template
from reports.verdict_words import STATUSES, VERDICTS
from reports.visible_text import excerpt, one_line

_STYLE = ("colours.css", "index.css")
_SCRIPT = ("index.js",)
_MOST_LISTED = 50
_TALLEST = 130.0  # of the distribution's bars
_GROUND = 160.0


def index_html(results: Iterable[Result], links: Mapping[str, str]) -> str:
    """Return the page of a cohort. `links` says where each student's report lies, by student id."""
    return rows_html([row_of(result) for result in results], links)


def rows_html(rows: Sequence[Row], links: Mapping[str, str], problems: Sequence[str] = ()) -> str:
    """Return the page of a cohort's rows. `problems` are result files that could not be used."""
    cohort = cohort_of(rows)
    graded = cohort.having(Status.GRADED)
    present = {outcome.verdict for row in rows for outcome in row.outcomes}
    return template("index.html.jinja").render(
        policy=policy(asset(*_STYLE), asset(*_SCRIPT)),
        style=asset(*_STYLE),
        script=asset(*_SCRIPT),
        title=one_line(cohort.title, 200),
        summary=_summary(cohort),
        needs_you=list(_needs_you(cohort, links, problems)),
        graded=len(graded),
        middle=_middle(cohort),
        distribution_text=_distribution_text(cohort),
        bars=_bars(cohort),
        misunderstandings=[
            {
                "count": one.count,
                "title": one_line(one.title),
                "section": one_line(one.section),
                "href": links.get(one.example.student_id, ""),
            }
            for one in cohort.misunderstandings[:_MOST_LISTED]
        ],
        exercises=list(_exercises(cohort)),
        table_exercises=[one_line(title or identity, 60) for identity, title in cohort.exercises],
        statuses=[STATUSES[s] for s in Status if cohort.having(s)],
        verdicts=[VERDICTS[v].word.lower() for v in Verdict if v in present],
        rows=_table(cohort, links),
    )


def _summary(cohort: Cohort) -> str:
    parts = [count_text(len(cohort.rows), "submission")]
    parts += [f"{len(some):,} {STATUSES[s]}" for s in Status if (some := cohort.having(s))]
    return ": ".join([parts[0], ", ".join(parts[1:])]) if cohort.rows else "No results."


def _middle(cohort: Cohort) -> str:
    if cohort.mean_percent is None or cohort.median_percent is None:
        return ""
    return f"Mean {cohort.mean_percent:.0f} %, median {cohort.median_percent:.0f} %."


def _needs_you(cohort: Cohort, links: Mapping[str, str], problems: Sequence[str]) -> Iterator[dict[str, Any]]:
    def group(title: str, why: str, items: list[dict[str, str]]) -> Iterator[dict[str, Any]]:
        if items:
            more = max(0, len(items) - _MOST_LISTED)
            yield {"title": title, "why": why, "entries": items[:_MOST_LISTED], "more": more}

    yield from group(
        "Not graded",
        "The fault is ours: no score was given. Mend the cause and grade these again.",
        [_item(row, links) for row in cohort.having(Status.NOT_GRADED)],
    )
    yield from group(
        "Checks of ours that broke",
        "Their points are pending: no student has lost them. Mend the check and grade again.",
        [
            {
                "href": "",
                "name": one_line(check.title or check.id).rstrip("."),
                "text": f"for {count_text(check.broken, 'submission')}",
                "internal": excerpt(check.internal, limit=4000, max_lines=80).text,
            }
            for check in cohort.checks
            if check.broken
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


def _exercises(cohort: Cohort) -> Iterator[dict[str, Any]]:
    for identity, title in cohort.exercises:
        checks = [_rate(check) for check in cohort.checks if check.exercise == identity]
        if checks:
            yield {"title": one_line(title or identity, 200), "checks": checks}


def _rate(check: CheckTally) -> dict[str, Any]:
    return {
        "title": one_line(check.title or check.id),
        "passed": check.passed,
        "judged": check.judged,
        "broken": check.broken,
        "percent": f"{100 * check.passed / check.judged:.1f}" if check.judged else "0",
    }


def _table(cohort: Cohort, links: Mapping[str, str]) -> Iterator[dict[str, Any]]:
    for row in cohort.rows:
        verdicts = row.verdicts()
        scored = row.status is not Status.NOT_GRADED
        points = {e.id: e for e in row.exercises}
        name = one_line(row.name or row.student_id, 80)
        identity = one_line(row.student_id, 80)
        yield {
            "href": links.get(row.student_id, ""),
            "name": name,
            "id": identity if identity != name else "",
            "score": f"{points_text(row.points)} of {points_text(row.max_points or cohort.max_points)}"
            if scored
            else "",
            "pending": points_text(row.pending_points) if row.pending_points else "",
            "exercises": [
                points_text(points[e].points) if scored and e in points else "" for e, _ in cohort.exercises
            ],
            "passed": f"{verdicts[Verdict.PASSED]} of {verdicts.total()}" if verdicts else "",
            "others": ", ".join(
                f"{verdicts[v]} {VERDICTS[v].word.lower()}"
                for v in Verdict
                if v is not Verdict.PASSED and verdicts[v]
            ),
            "status": STATUSES[row.status],
            "seconds": f"{row.seconds:.1f} s" if row.seconds >= 0 else "",
        }
