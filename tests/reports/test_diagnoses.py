"""Two errors at once are both shown, and what matches no known error is said once for an exercise."""

from __future__ import annotations

from typing import Any

import pytest

from graders.result import Compared, Diagnosis, NamedError, Result, Verdict
from reports.cohort import row_of
from reports.student_page import student_html
from reports.student_text import student_markdown
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


def test_both_errors_have_their_name_section_and_hint(two_errors: Result) -> None:
    for text in (student_html(two_errors), student_markdown(two_errors)):
        for part in ("no scaling", "weights first", "Section A", "Section B", "Divide.", "Swap"):
            assert part in text
        assert UNNAMED not in text


def test_both_errors_count_as_misunderstood(two_errors: Result) -> None:
    assert row_of(two_errors).diagnoses == (("no scaling", "Section A"), ("weights first", "Section B"))


def test_no_known_error_is_said_once() -> None:
    unnamed = result(
        "ada", "Ada", checks=passing(test_values=failing(), test_shapes=failing(alike=("this", "that")))
    )
    for text in (student_html(unnamed), student_markdown(unnamed)):
        assert text.count(UNNAMED) == 1
    page = student_html(unnamed, audience="instructor")
    assert "No known pattern in 2 failing checks, compared with 12 known errors." in page
    assert "Not told apart: that, this." in page


def test_nothing_is_said_where_nothing_could_be_compared() -> None:
    plain = result("ada", "Ada", checks=passing(test_values={"verdict": Verdict.FAILED, "points": 0.0}))
    assert UNNAMED not in student_html(plain)
    assert "No known pattern" not in student_html(plain, audience="instructor")
