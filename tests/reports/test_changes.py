"""What a regrade changes is said in full, and nothing that does not change."""

from __future__ import annotations

import csv
import io

from graders.adjustments import Adjustment, Adjustments
from graders.result import Result, RubricResult, Status, Verdict
from reports.changes import StudentChange, by_size, change_of, changes_csv, turns
from reports.changes_page import Changes, changes_html, summary_text
from tests.reports.page_tags import read_page
from tests.reports.result_maker import passing, result

FAILED, BROKEN, PASSED = ({"verdict": each} for each in (Verdict.FAILED, Verdict.BROKEN, Verdict.PASSED))


def made(student: str = "ada", **changes: object) -> Result:
    return result(student, student.title(), checks=passing(**changes))  # type: ignore[arg-type]


def change(before: Result, now: Result) -> StudentChange:
    found = change_of(before, now)
    assert found is not None
    return found


def test_other_words_times_and_seeds_are_no_change() -> None:
    before = made(test_values=FAILED | {"message": "3 came"})
    now = made(test_values=FAILED | {"message": "4 came", "seconds": 2.0}).model_copy(update={"seed": 1})
    assert change_of(before, now) is None


def test_points_and_checks_are_told() -> None:
    found = change(made(test_values=FAILED), made(test_padding_mask=FAILED))
    assert (found.before, found.now, found.difference) == (17, 18, 1)
    assert [one.text for one in found.checks] == [
        "failed, 0 of 3 → passed, 3 of 3",
        "passed, 2 of 2 → failed, 0 of 2",
    ]


def test_what_is_broken_and_what_is_mended_are_told_apart() -> None:
    found = change(made(test_values=BROKEN), made(test_padding_mask=BROKEN))
    assert [(one.newly_broken, one.mended) for one in found.checks] == [(False, True), (True, False)]
    assert (found.pending_before, found.pending_now) == (3, 2)


def test_checks_that_came_or_went_are_told() -> None:
    before = made()
    now = before.model_copy(update={"checks": before.checks[1:]})
    assert [one.text for one in change(before, now).checks] == ["passed, 2 of 2 → not there"]
    assert [one.text for one in change(now, before).checks] == ["not there → passed, 2 of 2"]


def test_another_status_and_no_score_are_told() -> None:
    now = made().model_copy(update={"status": Status.NOT_GRADED, "checks": ()})
    found = change(made(), now)
    assert (found.before, found.now) == (20, None)
    assert found.other == ("graded → not graded",)


def test_a_mark_that_waits_again_is_told() -> None:
    item = RubricResult(id="masks/why", exercise="masks", title="Why.", max_points=2, points=1.0)
    before = made().model_copy(update={"rubric": (item,)})
    now = made().model_copy(update={"rubric": (item.model_copy(update={"points": None}),)})
    assert [one.text for one in change(before, now).checks] == ["no answer, 1 of 2 → waits"]


def test_the_summary_counts_both_sides() -> None:
    gains = change(made("ada", test_values=FAILED), made("ada"))
    loses = change(made("ben"), made("ben", test_values=FAILED))
    level = change(made("cy", test_values=FAILED), made("cy", test_values=BROKEN))
    assert summary_text((gains, loses, level), 40) == (
        "3 of 40 students change: 1 gains, 1 loses, 1 has the same points in another way."
    )
    assert summary_text((), 1) == "Nothing changes for any of 1 student."
    assert [one.student_id for one in by_size((level, loses, gains))] == ["ada", "ben", "cy"]
    assert [(turn.before, turn.now, turn.count) for turn in turns((gains, gains, loses))] == [
        ("failed", "passed", 2),
        ("passed", "failed", 1),
    ]


def test_the_page_and_the_table_run_nothing_of_a_students() -> None:
    name = "<script>alert(1)</script>"
    before = result(name, "=1+1", checks=passing(test_values=FAILED))
    found = change(before, result(name, "=1+1"))
    page = changes_html(Changes("<b>T</b>", ("said `x`",), 1, (found,), "../reports", "reports"))
    assert not read_page(page).all("script")
    assert "<b>T</b>" not in page
    (row,) = csv.DictReader(io.StringIO(changes_csv((found,)).decode()))
    assert row["name"] == "'=1+1"
    assert (row["verdict_before"], row["verdict_now"], row["difference"]) == ("failed", "passed", "3.0")


def test_a_check_that_was_dropped_is_told() -> None:
    before = made(test_values=FAILED)
    adjustment = Adjustment(
        check="scaled_dot_product_attention/test_values", kind="dropped", reason="r", at=before.started_at
    )
    found = change(before, Adjustments([adjustment]).applied(before))
    assert [one.text for one in found.checks] == ["failed, 0 of 3 → failed (dropped), 0 of 0"]
