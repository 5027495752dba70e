"""What a student reads on the page, and in which order."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone

import pytest

from graders.result import CellResult, Late, LoadResult, Result, Status, StudentError, Verdict
from reports import student_html, student_markdown
from reports.verdict_words import VERDICTS
from tests.reports.made_results import (
    ALL,
    EVERY_VERDICT,
    FULL,
    HUGE,
    NOT_GRADED,
    NOTEBOOK,
    RTL,
    SYNTAX,
    TYPICAL,
    UNREADABLE,
    WITHHELD,
)
from tests.reports.page_tags import Page, read_page
from tests.reports.result_maker import passing, result


def page_of(result: Result, **options: object) -> Page:
    return read_page(student_html(result, **options))  # type: ignore[arg-type]


def test_full_marks_are_praised_and_nothing_else_is_asked() -> None:
    page = page_of(FULL)
    assert "20 of 20 points" in page.text
    assert "Nothing left to do" in page.text
    assert "Start here" not in page.text


def test_the_first_failing_check_worth_most_comes_first() -> None:
    page = page_of(TYPICAL)
    link = next(h for h in page.all("h2") if h.text.startswith("Start here"))
    assert link.text == "Start here: The pooled vector is the mean over real tokens only."
    position = page.text.index
    assert position("Start here") < position("Exercises") < position("About this run")


def test_among_checks_worth_the_same_the_first_in_order_is_the_start() -> None:
    failed = {"verdict": Verdict.FAILED}
    one = result("x", "X", checks=passing(test_padding_mask=failed, test_mask_blocks=failed))
    assert "Start here: A blocked source gets weight zero." in page_of(one).text


def test_what_waits_for_the_first_step_is_counted() -> None:
    assert "1 more check (1 point) waits for it." in page_of(EVERY_VERDICT).text


@pytest.mark.parametrize("verdict", Verdict)
def test_every_verdict_is_said_in_a_word_beside_its_mark(verdict: Verdict) -> None:
    page = page_of(result("x", "X", checks=passing(test_values={"verdict": verdict})))
    words = VERDICTS[verdict]
    assert f"{words.mark} {words.word}" in [" ".join(e.text.split()) for e in page.all("span")]


def test_a_broken_check_is_our_fault_and_its_points_are_pending() -> None:
    page = page_of(EVERY_VERDICT)
    assert "2 points wait for a check of ours to be mended. You do not lose them." in page.text
    assert "2 points pending" in page.text
    assert "KeyError" not in page.text
    assert "KeyError" in page_of(EVERY_VERDICT, audience="instructor").text


def test_a_diagnosis_names_the_error_and_the_section_to_read_again() -> None:
    text = page_of(TYPICAL).text
    said = "Your code behaves like attention without the 1/√d_k scaling. Read again: Why divide by √d_k?"
    assert said in text
    assert f"{said}." not in text


def test_a_hint_is_inline_markdown() -> None:
    page = page_of(TYPICAL)
    assert "math.sqrt(d_k)" in [code.text for code in page.all("code")]
    assert "before" in [strong.text for strong in page.all("strong")]


def test_a_counterexample_shows_call_inputs_got_and_expected_with_differing_cells_marked() -> None:
    page = page_of(TYPICAL)
    assert "scaled_dot_product_attention(query, key, value)" in [
        pre.text for pre in page.all("pre", class_="call")
    ]
    captions = [caption.text for caption in page.all("figcaption")]
    assert "query shape (2, 2), float64" in captions
    assert "You returned shape (2, 2), float64" in captions
    assert "≠ 0.7311" in [td.text for td in page.all("td", class_="off")]
    assert "≠ 0.6698" in [td.text for td in page.all("td", class_="want")]


def test_a_slice_of_a_larger_tensor_says_which_it_is() -> None:
    captions = [caption.text for caption in page_of(HUGE).all("caption")]
    assert "[2, 0, :, :]" in captions
    assert "[3, 2, :, :]" in captions


def test_the_students_own_lines_are_shown_with_what_was_raised() -> None:
    page = page_of(TYPICAL)
    assert "attention.py, line 41, in masked_mean_pool\n    kept = hidden * padding_mask" in [
        pre.text for pre in page.all("pre")
    ]


def test_long_output_is_cut_with_a_note() -> None:
    text = page_of(EVERY_VERDICT).text
    assert "Cut: the first 499 of 20,000 characters are shown. More was printed than is kept." in text


def test_a_cell_that_raised_comes_before_the_exercises_and_is_the_start_when_a_name_is_missing() -> None:
    text = page_of(NOTEBOOK).text
    assert "Start here: loading week 3 (final) v2.ipynb" in text
    assert text.index("Cell 5 raised an error") < text.index("The numbers of the lesson come out.")
    assert text.count("pip install einops") == 1


def test_a_syntax_error_is_the_start() -> None:
    text = page_of(SYNTAX).text
    assert "Line 14 raised an error, so names that it should define are missing. Mend that first." in text
    assert "SyntaxError: '(' was never closed" in text


def test_what_works_is_said() -> None:
    assert "6 of 10 checks pass. All is right in “Causal and padding masks”." in page_of(TYPICAL).text


def test_not_graded_is_our_fault_and_shows_no_score() -> None:
    page = page_of(NOT_GRADED)
    assert "Not graded yet" in page.text
    assert "The fault is ours, not yours" in page.text
    assert not page.all("p", class_="big")
    assert "SandboxBroken" not in page.text
    assert "SandboxBroken" in page_of(NOT_GRADED, audience="instructor").text


def test_unreadable_says_why_and_what_to_do() -> None:
    text = page_of(UNREADABLE).text
    assert "Nothing to grade could be read" in text
    assert "essay.docx is a Word document" in text
    assert "hand it in again" in text
    assert text.count("essay.docx is a Word document") == 1
    assert "Missing" not in text  # not once more for each check


def test_nothing_handed_in_is_said_once_and_is_no_attempt() -> None:
    one = result("x", "X", status=Status.NOTHING, message="Nothing was handed in.", checks=())
    for text in (page_of(one).text, student_markdown(one)):
        assert text.count("Nothing was handed in") == 1
        assert "ttempt" not in text


def test_a_due_date_is_said_in_the_zone_in_which_it_was_given() -> None:
    berlin = timezone(timedelta(hours=1))
    late = Late(due_at=datetime(2026, 11, 30, 23, 59, tzinfo=berlin), late_seconds=7200.0, percent=10.0)
    text = page_of(result("x", "X", checks=passing(), late=late)).text
    assert "Handed in 2 hours late (due 2026-11-30 23:59 UTC+01:00)" in text


def test_what_comes_first_is_what_has_not_passed() -> None:
    skipped = {
        "verdict": Verdict.SKIPPED,
        "points": 0.0,
        "message": "Not run, since it needs another check that did not pass: x",
        "requires": ("test_lesson_numbers", "test_values"),
    }
    failed = {"verdict": Verdict.FAILED, "points": 0.0}
    one = result("x", "X", checks=passing(test_values=failed, test_shapes=skipped))
    for text in (page_of(one).text, student_markdown(one)):
        assert "First comes: Context and weights agree with the formula." in text
        assert "Not run, since" not in text


def test_a_program_that_cannot_be_run_is_the_start() -> None:
    error = StudentError(type="SyntaxError", message="'(' was never closed", traceback=("a.py, line 6",))
    said = "a.py cannot be run: SyntaxError: '(' was never closed (line 6)."
    failed = {"verdict": Verdict.ERROR, "points": 0.0, "error": error, "message": said}
    load = LoadResult(path="a.py", kind="script", cells=(CellResult(number=6, status="raised", error=error),))
    one = result("x", "X", load=load, checks=passing(test_values=failed))
    assert f"Start here: loading a.py {said}" in page_of(one).text


def test_the_seed_is_for_the_instructor_alone() -> None:
    assert str(FULL.seed) not in student_html(FULL)
    assert str(FULL.seed) in student_html(FULL, audience="instructor")


def test_a_hidden_check_is_a_number_and_its_points_to_the_student() -> None:
    html = student_html(WITHHELD)
    assert "secret" not in html
    text = read_page(html).text
    assert "9 of 11 points" in text
    assert "1 check (2 points) is shown after the due date and 2 checks (7 points) are hidden." in text
    assert "The score above does not count them yet." in text


def test_a_failing_hidden_check_looks_like_a_passing_one_before_the_due_date() -> None:
    mended = WITHHELD.model_copy(
        update={
            "checks": tuple(
                c.model_copy(update={"verdict": Verdict.PASSED, "points": c.max_points, "message": ""})
                if "secret" in c.title
                else c
                for c in WITHHELD.checks
            )
        }
    )
    assert student_html(WITHHELD) == student_html(mended)


def test_after_the_due_date_the_checks_open_and_the_hidden_ones_count_unseen() -> None:
    html = student_html(WITHHELD, after_due=True)
    assert "secret-due-title" in html
    assert "secret-due-message" in html
    assert "secret-hidden" not in html
    text = read_page(html).text
    assert "13 of 20 points" in text
    assert "2 checks (7 points) are hidden. The score above counts them." in text


def test_the_instructor_sees_every_check() -> None:
    html = student_html(WITHHELD, audience="instructor")
    assert "secret-hidden-title" in html
    assert "13 of 20 points" in read_page(html).text


def test_a_name_keeps_its_own_direction() -> None:
    assert "ליאת כהן" in [bdi.text for bdi in page_of(RTL).all("bdi")]


@pytest.mark.parametrize("status", Status)
def test_any_status_can_have_any_checks(status: Status) -> None:
    for one in ALL.values():
        page_of(one.model_copy(update={"status": status, "message": "Why."}))
