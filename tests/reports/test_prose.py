"""Answers in words in every report: exactly as written, never markup, and guidance for markers alone."""

from __future__ import annotations

import csv
import io

import pytest

from attest.student_text import student_text
from graders.result import AnswerPiece, Result
from reports import grades_csv, index_html, student_html, student_markdown
from reports.student_view import student_view
from reports.visible_text import visible_text
from tests.reports.hostile_results import HOSTILE
from tests.reports.made_results import MARKED, TYPICAL, UNANSWERED, WAITING, item, words
from tests.reports.page_tags import read_page

TEXT = WAITING.answers[0].pieces[0].text


def said(text: str) -> Result:
    return words(item("mean", "Says why."), pieces=(AnswerPiece(where="answers.md", text=text),))


def terminal(result: Result) -> str:
    return student_text(student_view(result), 160).plain


def test_the_score_says_what_waits_for_a_person() -> None:
    page = read_page(student_html(WAITING))
    assert "20 of 24 points, 4 wait for a person" in " ".join(page.one("p", class_="big").text.split())
    assert "**Score: 20 of 24 points, 4 wait for a person**" in student_markdown(WAITING)
    assert "20 of 24 points, 4 wait for a person: 10 of 10 checks pass." in terminal(WAITING)


def test_one_point_waits() -> None:
    assert "1 waits for a person" in student_markdown(
        words(item("mean", "Says why.").model_copy(update={"max_points": 1.0}))
    )


def test_a_score_without_rubric_items_says_nothing_of_persons() -> None:
    plain = WAITING.model_copy(update={"rubric": (), "answers": ()})
    for text in (student_html(plain), student_markdown(plain), terminal(plain)):
        assert "person" not in text


def test_the_student_reads_their_own_answer_as_they_wrote_it() -> None:
    page = read_page(student_html(WAITING))
    assert TEXT in [pre.text for pre in page.all("pre")]
    assert TEXT in student_markdown(WAITING)
    assert "mean_pool.ipynb, Markdown cell 7" in student_html(WAITING)


def test_that_there_is_no_answer_is_said_beside_a_failing_check() -> None:
    failing = UNANSWERED.model_copy(update={"checks": TYPICAL.checks})
    for text in (student_html(failing), student_markdown(failing)):
        assert "Besides, no answer in words was found for" in text


def test_points_and_comment_are_shown_once_marked() -> None:
    for text in (student_html(MARKED), student_markdown(MARKED), terminal(MARKED)):
        assert "2 of 2 points" in text
        assert "0.5 of 2 points" in text
        assert "Clear, and the example is good." in text
        assert "Say it with the mask." in text
        assert "wait for a person" not in text


def test_guidance_is_for_the_marker_alone() -> None:
    for result in (WAITING, MARKED, UNANSWERED):
        for due in (False, True):
            for text in (
                student_html(result, after_due=due),
                student_markdown(result, after_due=due),
                terminal(result),
            ):
                assert "GUIDANCE" not in text
        assert "GUIDANCE" in student_html(result, audience="instructor")
        assert "GUIDANCE" in student_markdown(result, audience="instructor")


def test_that_an_answer_has_changed_is_for_the_instructor_alone() -> None:
    assert "has changed since it was marked" not in student_html(MARKED)
    assert "has changed since it was marked" in student_html(MARKED, audience="instructor")


def test_a_student_without_an_answer_is_told_so_first() -> None:
    assert "Start here" in student_html(UNANSWERED)
    for text in (student_html(UNANSWERED), student_markdown(UNANSWERED)):
        assert "answer in words was found for" in text
    assert "No answer: Says what padding does to a mean. (0 of 2 points)" in terminal(UNANSWERED)


@pytest.mark.parametrize("text", HOSTILE)
def test_no_answer_becomes_markup(text: str) -> None:
    page = read_page(student_html(said("x" + text), audience="instructor"))
    assert page.shape == read_page(student_html(said("x"), audience="instructor")).shape
    assert visible_text("x" + text).rstrip("\n") in [pre.text for pre in page.all("pre")]
    assert "\x1b" not in terminal(said(text))


def test_an_answer_cannot_leave_its_fence() -> None:
    text = "```\n# out\n~~~\n````\n<script>"
    assert f"\n`````text\n{text}\n`````\n" in student_markdown(said(text))


def test_an_answer_is_no_command_to_a_ci_service() -> None:
    for line in terminal(said("::set-output name=x::y")).splitlines():
        assert not line.lstrip().startswith("::")


def test_the_cohort_s_page_says_how_much_waits_and_whose_answer_has_changed() -> None:
    page = index_html([WAITING, MARKED.model_copy(update={"student": UNANSWERED.student})], {})
    assert "Answers that wait for a person" in page
    assert "2 rubric items of 1 student" in page
    assert "the answer has changed since it was marked" in page


def test_a_grade_table_has_what_waits_beside_the_points() -> None:
    (row,) = csv.DictReader(io.StringIO(grades_csv([WAITING]).decode()))
    assert [row[name] for name in ("points", "max_points", "pending_points", "waiting_points")] == [
        "20.0",
        "24.0",
        "4.0",
        "4.0",
    ]
    assert (row["percent"], row["points_mean_pool"]) == ("100.0", "6.0")
