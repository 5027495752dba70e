"""Two errors at once are both shown, and what matches no known error is said once for an exercise."""

from __future__ import annotations

from typing import Any

import pytest

from attest.student_text import student_text
from graders.result import Compared, Diagnosis, NamedError, Result, StudentError, Verdict
from reports.cohort import row_of
from reports.next_step import behaves_like, plain_pieces
from reports.student_page import student_html
from reports.student_text import student_markdown
from reports.student_view import student_view
from tests.reports.page_tags import read_page
from tests.reports.result_maker import passing, result

UNNAMED = "hat fails here matches no error that we know"


def failing(diagnosis: Diagnosis | None = None, alike: tuple[str, ...] = ()) -> dict[str, Any]:
    return {
        "verdict": Verdict.FAILED,
        "points": 0.0,
        "diagnosis": diagnosis,
        "compared": Compared(variants=12, alike=alike),
        "hint": diagnosis.hint if diagnosis else None,
    }


@pytest.fixture
def two_errors() -> Result:
    other = NamedError(variant="b", title="weights first", section="Section B", hint="Swap `the` two.")
    both = Diagnosis(variant="a", title="no scaling", section="Section A", hint="Divide.", also=(other,))
    return result("ada", "Ada", checks=passing(test_values=failing(both)))


def terminal(result: Result) -> str:
    return student_text(student_view(result), 400).plain


def test_both_errors_have_their_name_section_and_hint(two_errors: Result) -> None:
    for text in (student_html(two_errors), student_markdown(two_errors), terminal(two_errors)):
        for part in ("no scaling", "weights first", "Section A", "Section B", "Divide.", "Swap"):
            assert part in text
        assert UNNAMED not in text


def test_one_sentence_names_both_errors_in_every_report(two_errors: Result) -> None:
    said = (
        "Your code behaves like no scaling and, at the same time, weights first. "
        "Read again: Section A, Section B."
    )
    assert said in terminal(two_errors)
    assert said in student_markdown(two_errors).replace("*", "")
    assert read_page(student_html(two_errors)).text.count(said) == 2  # where to start, and at the check


@pytest.mark.parametrize(
    ("sections", "again"),
    [
        (("Why divide by √d_k?", "Why divide by √d_k?"), "Read again: Why divide by √d_k?"),
        (("Look!", "Masks"), "Read again: Look!, Masks."),
        (("Masks", "Why?"), "Read again: Masks, Why?"),
        ((None, None), ""),
    ],
)
def test_sections_are_named_once_and_end_as_they_end(sections: tuple[str | None, ...], again: str) -> None:
    first, second = sections
    other = NamedError(variant="b", title="weights first", section=second)
    both = Diagnosis(variant="a", title="no scaling", section=first, also=(other,))
    sentence = plain_pieces(behaves_like(both))
    assert (
        sentence == f"Your code behaves like no scaling and, at the same time, weights first. {again}".strip()
    )


def test_both_errors_count_as_misunderstood(two_errors: Result) -> None:
    shown = [(one.title, one.section) for one in row_of(two_errors).diagnoses]
    assert shown == [("no scaling", "Section A"), ("weights first", "Section B")]


def test_no_known_error_is_said_once() -> None:
    unnamed = result(
        "ada", "Ada", checks=passing(test_values=failing(), test_shapes=failing(alike=("this", "that")))
    )
    for text in (student_html(unnamed), student_markdown(unnamed), terminal(unnamed)):
        assert text.count(UNNAMED) == 1
    page = student_html(unnamed, audience="instructor")
    assert "No known pattern in 2 failing checks, compared with 12 known errors." in page
    assert "Not told apart: that, this." in page


def test_an_error_that_python_names_is_not_said_to_be_unknown_to_the_student() -> None:
    raised = failing() | {"verdict": Verdict.ERROR, "error": StudentError(type="NameError", message="x")}
    one = result("ada", "Ada", checks=passing(test_values=raised))
    assert UNNAMED not in student_html(one)
    assert "No known pattern in 1 failing check" in student_html(one, audience="instructor")


def test_nothing_is_said_where_nothing_could_be_compared() -> None:
    plain = result("ada", "Ada", checks=passing(test_values={"verdict": Verdict.FAILED, "points": 0.0}))
    assert UNNAMED not in student_html(plain)
    assert "No known pattern" not in student_html(plain, audience="instructor")
