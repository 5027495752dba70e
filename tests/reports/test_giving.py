"""Points that an instructor gave stand in page and text with the reason, for one part or the whole."""

from __future__ import annotations

from datetime import timedelta

import pytest

from graders.result import Late, Overridden, Override, Result, Status, Verdict
from reports import student_html, student_markdown
from reports.cohort import row_of
from tests.reports.made_results import FULL, MARKED, NOT_GRADED, UNREADABLE, WAITING, WITHHELD
from tests.reports.page_tags import read_page
from tests.reports.result_maker import STARTED, passing, result

GIVEN = Overridden(reason="The idea is *right*", points=0)
WHOLE = Override(points=17, max_points=20, reason="Shown in the tutorial.")


def one_check(verdict: Verdict, points: float, overridden: Overridden = GIVEN) -> Result:
    """A result in which all passes but one check of 3 points, for which somebody gave points."""
    checks = tuple(
        one.model_copy(update={"points": points, "overridden": overridden})
        if one.id.endswith("/test_values")
        else one
        for one in passing(test_values={"verdict": verdict})
    )
    return result("x", "X", checks=checks)


def said(found: Result, **options: object) -> list[str]:
    """What the page says, and what the text does, without its escapes."""
    page = read_page(student_html(found, **options)).text  # type: ignore[arg-type]
    text = student_markdown(found, **options).replace("\\", "")  # type: ignore[arg-type]
    return [page, text]


def test_points_for_one_check_are_said_with_the_reason_beside_it_and_count() -> None:
    found = one_check(Verdict.FAILED, 1.5)

    assert found.points == 18.5
    for text in said(found):
        assert "18.5 of 20 points" in text
        assert "Your instructor gave 1.5 points in place of 0. The reason: The idea is *right*." in text
        assert "1.5 of 3 points" in text
    assert "Start here: Context and weights agree with the formula." in said(found)[0]


def test_a_check_with_all_of_its_points_given_leaves_nothing_to_mend() -> None:
    for text in said(one_check(Verdict.FAILED, 3)):
        assert "20 of 20 points" in text
        assert "Start here" not in text
        assert "your instructor gave the points" in text


def test_a_broken_check_whose_points_were_given_waits_for_nobody() -> None:
    found = one_check(Verdict.BROKEN, 2, Overridden(reason="Read by hand."))

    assert (found.points, found.pending_points) == (19, 0)
    for text in said(found):
        assert "Your instructor gave 2 points. The reason: Read by hand." in text
        assert "pending" not in text


def test_points_taken_from_a_check_that_passes_are_said_too() -> None:
    for text in said(one_check(Verdict.PASSED, 1, Overridden(reason="It was copied.", points=3))):
        assert "Your instructor gave 1 point in place of 3. The reason: It was copied." in text


def test_a_rubric_item_has_its_reason_as_well() -> None:
    item = MARKED.rubric[0].model_copy(update={"points": 0.5, "overridden": GIVEN})
    found = MARKED.model_copy(update={"rubric": (item, *MARKED.rubric[1:])})

    for text in said(found):
        assert "Your instructor gave 0.5 points in place of 0. The reason: The idea is *right*." in text


@pytest.mark.parametrize("found", [FULL, WAITING, WITHHELD, UNREADABLE, NOT_GRADED])
def test_points_for_the_whole_stand_whatever_there_is(found: Result) -> None:
    changed = found.model_copy(update={"override": WHOLE})

    assert (changed.points, changed.max_points, changed.pending_points) == (17, 20, 0)
    for text in said(changed):
        assert "17" in text
        assert "The reason: Shown in the tutorial." in text
        assert "\n0 of" not in text
    row = row_of(changed)
    assert (row.points, row.pending_points) == (17, 0)


def test_nothing_is_taken_for_coming_late_from_points_for_the_whole() -> None:
    late = Late(due_at=STARTED - timedelta(days=1), late_seconds=86_400, percent=50, policy="50 %")
    found = FULL.model_copy(update={"late": late})
    assert found.points == 10

    changed = found.model_copy(update={"override": WHOLE})

    assert (changed.points, changed.late_points) == (17, 0)
    for text in said(changed):
        assert "17 of 20 points" in text
        assert "Handed in" not in text


def test_a_student_with_points_alone_has_a_page() -> None:
    found = result("x", "X", checks=(), override=WHOLE, status=Status.GRADED)

    for text in said(found):
        assert "17 of 20 points" in text
        assert "Your instructor gave 17 points, for the whole of it." in text


def test_the_reason_is_shown_as_it_is_written_and_never_as_markup() -> None:
    hostile = Override(points=1, max_points=20, reason="<script>alert(1)</script> [a](javascript:x)")
    html = student_html(FULL.model_copy(update={"override": hostile}))

    assert "<script>" not in html
    assert '<a href="javascript' not in html
