"""What to do next is the same on the page and in its Markdown twin."""

from __future__ import annotations

from typing import Any

import pytest

from graders.result import Result, Verdict, Visibility
from reports import student_html, student_markdown
from tests.reports.made_results import (
    EVERY_VERDICT,
    FULL,
    MARKED,
    NOTEBOOK,
    SYNTAX,
    TYPICAL,
    UNANSWERED,
    WAITING,
)
from tests.reports.page_tags import read_page
from tests.reports.result_maker import passing, result

SKIPPED = {"verdict": Verdict.SKIPPED, "points": 0.0, "requires": ("test_values",)}
HIDDEN = {"verdict": Verdict.FAILED, "points": 0.0, "visibility": Visibility.HIDDEN}


def bare(text: str) -> str:
    return " ".join(text.replace("*", "").replace("\\", "").replace("`", "").split())


def all_but(name: str, change: dict[str, Any], of_all: dict[str, Any]) -> Result:
    checks = [one.model_copy(update=change if one.id.endswith(f"/{name}") else of_all) for one in passing()]
    return result("x", "X", checks=tuple(checks))


@pytest.mark.parametrize(
    ("one", "title", "sentence"),
    [
        (FULL, "Nothing left to do", "passes. Well done."),
        (WAITING, "Nothing left to do", "Well done. A person will read what you wrote in words."),
        (MARKED, "Nothing left to do", "Well done. A person has read what you wrote in words."),
        (UNANSWERED, "Start here: your answer in words", "passes, but no answer in words was found for"),
        (TYPICAL, "Start here: The pooled vector", "at stake."),
        (NOTEBOOK, "Start here: loading week 3", "Mend that first."),
        (SYNTAX, "Start here: loading", "Mend that first."),
        (EVERY_VERDICT, "Start here: ", "1 more check (1 point) waits for it."),
        (
            result("x", "X", checks=passing(test_values={"verdict": Verdict.BROKEN, "points": 0.0})),
            "Nothing for you to do",
            "What has not passed is our fault. Your instructor has been told.",
        ),
        (
            result("x", "X", checks=passing(test_values=HIDDEN, test_shapes=SKIPPED)),
            "Nothing to mend here",
            "What has not passed waits for a check that is not shown here.",
        ),
        (all_but("none", {}, HIDDEN), "Nothing to mend here", "No check is shown here."),
    ],
    ids=lambda value: value[:24] if isinstance(value, str) else "",
)
def test_the_page_and_its_twin_say_the_same(one: Result, title: str, sentence: str) -> None:
    page = read_page(student_html(one))
    markdown = bare(student_markdown(one))
    heading = page.one("h2", id="next")
    assert " ".join(heading.text.split()).startswith(title)
    assert f"## {title}" in markdown
    assert sentence in " ".join(page.text.split())
    assert sentence in markdown


def test_a_failing_check_does_not_hide_that_an_answer_is_missing() -> None:
    for checks in (TYPICAL, SYNTAX):
        one = UNANSWERED.model_copy(update={"checks": checks.checks, "load": checks.load})
        for text in (student_html(one), student_markdown(one)):
            assert "Besides, no answer in words was found for" in text
