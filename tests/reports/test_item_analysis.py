"""Difficulty and discrimination are what one works out by hand, or it is said why there are none."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from graders.result import Adjusted, Result, Status
from reports import index_html
from reports.cohort import row_of
from reports.graded_checks import FEWEST, graded_checks
from reports.item_analysis import CheckStatistics, check_statistics
from tests.reports.made_cohorts import BROKEN, SKIPPED, cohort
from tests.reports.page_tags import read_page
from tests.reports.result_maker import EXERCISES

ONE, NIL = 1.0, 0.0
UPPER, LOWER = [ONE] * 5 + [NIL] * 5, [NIL] * 5 + [ONE] * 5


def statistics(results: Sequence[Result]) -> dict[str, CheckStatistics]:
    found = check_statistics(graded_checks([row_of(result) for result in results]))
    return {identity.partition("/")[2]: one for identity, one in found.items()}


def test_a_check_that_agrees_with_the_rest_discriminates_fully() -> None:
    found = statistics(cohort({"a": UPPER, "b": UPPER}))["a"]
    assert (found.difficulty, found.discrimination) == (0.5, 1.0)
    assert (found.rest_of_passing, found.rest_of_failing, found.suspect) == (1.0, 0.0, False)


def test_a_check_that_good_students_fail_and_weak_ones_pass_is_suspect() -> None:
    found = statistics(cohort({"a": UPPER, "b": UPPER, "wrong": LOWER}))
    assert found["wrong"].discrimination == -1.0
    assert (found["wrong"].rest_of_passing, found["wrong"].rest_of_failing) == (0.0, 1.0)
    assert found["wrong"].suspect
    assert not found["a"].suspect


def test_the_check_itself_is_left_out_of_the_score() -> None:
    # a passes for 0 to 5, b for 0 to 3 and 6: of the 6 who pass a, 4 pass b, of the 4 others 1. With one
    # other check its share is the score: r = (0.4 - 0.6 × 0.5) / √(0.24 × 0.25) = 0.408. With a in the score
    # itself it would be 0.83.
    a, b = [ONE] * 6 + [NIL] * 4, [ONE] * 4 + [NIL] * 2 + [ONE] + [NIL] * 3
    found = statistics(cohort({"a": a, "b": b}))
    assert found["a"].discrimination == pytest.approx(0.1 / (0.24 * 0.25) ** 0.5)
    assert found["b"].discrimination == pytest.approx(0.1 / (0.24 * 0.25) ** 0.5)


def test_points_weigh_in_the_score_and_points_given_in_part_count_in_part() -> None:
    # The score of the others is 0.75 × b + 0.25 × c.
    a = [ONE, 0.5, 0.5, NIL, NIL, ONE, 0.5, 0.5, NIL, NIL]
    b, c = [ONE, ONE, NIL, NIL, NIL] * 2, [ONE, NIL, ONE, NIL, NIL] * 2
    found = statistics(cohort({"a": a, "b": b, "c": c}, worth={"b": 3.0}))["a"]
    # Deviations of a: 0.6, 0.1, 0.1, -0.4, -0.4; of the score (mean 0.4): 0.6, 0.35, -0.15, -0.4, -0.4.
    products, squares_a, squares_score = 0.36 + 0.035 - 0.015 + 0.32, 0.7, 0.825
    assert found.difficulty == pytest.approx(0.4)
    assert found.discrimination == pytest.approx(products / (squares_a * squares_score) ** 0.5)


def test_who_never_reached_a_check_says_nothing_of_it_and_a_broken_one_judges_nobody() -> None:
    gated = [ONE] * 6 + [NIL] * 4 + [SKIPPED] * 5 + [BROKEN] * 5
    found = statistics(cohort({"a": UPPER * 2, "gated": gated}))
    assert found["gated"].reached == 10
    assert found["gated"].difficulty == pytest.approx(0.6)
    assert found["a"].difficulty == pytest.approx(0.5)


def test_a_broken_check_is_no_lost_point_of_the_others() -> None:
    mixed = [BROKEN, *UPPER[1:]]
    found = statistics(cohort({"a": UPPER, "b": UPPER, "c": mixed}))["a"]
    assert found.discrimination == pytest.approx(1.0)


@pytest.mark.parametrize(
    ("shares", "undefined"),
    [
        ({"a": UPPER[:9], "b": UPPER[:9]}, "few"),
        ({"a": [ONE] * 12, "b": [*UPPER, ONE, NIL]}, "check alike"),
        ({"a": [NIL] * 12, "b": [*UPPER, ONE, NIL]}, "check alike"),
        ({"a": UPPER, "b": [ONE] * 10}, "others alike"),
        ({"a": UPPER}, "few"),  # no other check: no score that it could agree with
        ({"a": [SKIPPED] * 12, "b": [*UPPER, ONE, NIL]}, "few"),
        ({"a": [BROKEN] * 12, "b": [BROKEN] * 12}, "few"),
    ],
)
def test_where_nothing_can_be_told_it_says_why(shares: dict[str, list[float | str]], undefined: str) -> None:
    found = statistics(cohort(shares))["a"]
    assert (found.discrimination, found.undefined) == (None, undefined)
    assert not found.suspect


def test_a_class_of_nobody_has_no_statistics() -> None:
    assert statistics(cohort({"a": [], "b": []})) == {}


def test_a_correlation_that_chance_alone_would_make_is_no_reason_for_a_look() -> None:
    # Of 20 students 10 pass a; of these 5 pass b, of the others 6: r = -0.10, and chance strays by 0.23.
    a, b = [ONE] * 10 + [NIL] * 10, [ONE] * 5 + [NIL] * 5 + [ONE] * 6 + [NIL] * 4
    found = statistics(cohort({"a": a, "b": b}))["a"]
    assert found.discrimination is not None
    assert -0.2 < found.discrimination < 0
    assert not found.suspect


def test_one_student_makes_no_check_suspect() -> None:
    found = statistics(cohort({"a": [NIL] + [ONE] * 11, "b": [ONE, ONE] + [NIL] * 10}))["a"]
    assert found.discrimination is not None
    assert found.discrimination < -0.6
    assert not found.suspect


def test_only_graded_submissions_count() -> None:
    results = cohort({"a": UPPER * 2, "b": UPPER * 2})
    unreadable = [one.model_copy(update={"status": Status.UNREADABLE}) for one in results[5:10]]
    found = statistics([*results[:5], *unreadable, *results[10:]])
    assert found["a"].reached == 15
    assert found["a"].difficulty == pytest.approx(10 / 15)


def test_the_page_says_which_check_to_look_at_and_why() -> None:
    page = read_page(index_html(cohort({"a": UPPER, "b": UPPER, "wrong": LOWER}), {}))
    (suspect,) = page.all("li", class_="suspect")
    text = " ".join(suspect.text.split())
    assert text == (
        f"The check wrong. {EXERCISES[0][1]} Look at this check: those who fail it have 100 % of the points "
        "elsewhere, those who pass it 0 %. What it asks may be unclear, or what it expects wrong. "
        "5 do not pass: The check wrong."
    )
    (row,) = page.all("tr", class_="suspect")
    assert "−1.00 look at this check" in row.text


def test_a_check_that_was_dropped_already_is_nothing_to_look_at() -> None:
    dropped = Adjusted(kind="dropped", reason="It was wrong.", points=0.0, max_points=1.0)
    measured = {(n, "wrong"): {"points": 0.0, "max_points": 0.0, "adjusted": dropped} for n in range(10)}
    page = read_page(index_html(cohort({"a": UPPER, "b": UPPER, "wrong": LOWER}, measured=measured), {}))
    assert not page.all("li", class_="suspect")
    assert "look at this check" not in page.text
    assert "Among the hardest" in page.text
    assert not any("wrong" in li.text for li in page.all("li"))


def test_the_page_says_where_there_are_too_few_to_tell() -> None:
    text = read_page(index_html(cohort({"a": UPPER[3:7], "b": UPPER[3:7]}), {})).text
    assert f"4 graded submissions are too few to tell how checks discriminate: it takes {FEWEST}." in text
    assert "0.50 moderate" in text
    assert text.count("too few to tell") == 4  # the sentence, two checks, and time and memory


def test_a_check_that_nobody_passes_and_the_hardest_come_first() -> None:
    half, most = UPPER, [ONE] * 7 + [NIL] * 3
    shares = {
        "easy": [ONE] * 10,
        "never": [NIL] * 10,
        "half": half,
        "most": most,
        "gate": [SKIPPED] * 2 + [NIL] * 2 + [ONE] * 6,
    }
    looks = [" ".join(li.text.split()) for li in read_page(index_html(cohort(shares), {})).all("li")]
    found = [look for look in looks if look.startswith("The check")]
    assert [look.split(".")[0] for look in found] == [
        "The check never",
        "The check half",
        "The check most",
        "The check gate",
    ]
    assert "Nobody passes it, of 10." in found[0]
    assert "Among the hardest: 7 of 10 pass. 3 do not pass" in found[2]
    assert "Among the hardest: 6 of 8 who reached it pass. 4 do not pass" in found[3]
