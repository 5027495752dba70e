"""Results in the formats of other autograders: whole, honest about what is not known, and only text."""

from __future__ import annotations

import base64
import json
import re
from datetime import UTC, datetime
from typing import Any

import jsonschema
import pytest

from attest.packages import github_results, prairielearn_results
from attest.packages.github_results import encoded
from attest.packages.github_results import github_results as github
from attest.packages.gradescope_results import (
    counts_as_attempt,
    gradescope_results,
    not_graded,
    refused,
)
from attest.packages.prairielearn_results import not_gradable
from attest.packages.prairielearn_results import prairielearn_results as prairielearn
from graders.result import CheckResult, Late, Result, Status, Verdict
from tests.reports.hostile_results import HOSTILE, hostile
from tests.reports.made_results import ALL, FULL, NOT_GRADED, TYPICAL, UNREADABLE, WAITING, WITHHELD
from tests.reports.result_maker import passing, result

from .conftest import Check

BROKEN = result(
    "noor",
    "Noor",
    checks=passing(
        test_values={"verdict": Verdict.BROKEN, "internal": "ZeroDivisionError in test_hidden.py"}
    ),
)
DUE = datetime(2026, 11, 29, 20, tzinfo=UTC)


def gradescope(of: Result) -> dict[str, Any]:
    return gradescope_results(of, 12.345)


def texts(found: Any) -> list[str]:
    """Every string in a document."""
    if isinstance(found, dict):
        return [text for value in found.values() for text in texts(value)]
    if isinstance(found, list):
        return [text for value in found for text in texts(value)]
    return [found] if isinstance(found, str) else []


EVERY = {**ALL, "broken": BROKEN, **{f"hostile {n}": hostile(text) for n, text in enumerate(HOSTILE)}}


@pytest.mark.parametrize("name", EVERY)
def test_every_result_fits_every_format(name: str, fits: Check) -> None:
    fits("gradescope", gradescope(EVERY[name]))
    fits("prairielearn", prairielearn(EVERY[name]))
    fits("github_classroom", github(EVERY[name]))


def test_what_is_written_without_a_result_fits_too(fits: Check) -> None:
    fits("gradescope", not_graded("why"))
    fits("prairielearn", not_gradable())
    fits("github_classroom", github_results.not_graded())


@pytest.mark.parametrize(
    ("schema", "document"),
    [
        ("gradescope", {"tests": [{"visibility": "shown"}]}),
        ("gradescope", {"tests": [{"output_format": "markdown"}]}),
        ("prairielearn", {"gradable": True, "tests": []}),
        ("prairielearn", {"score": 1.2}),
        ("github_classroom", {"version": 2, "status": "pass", "max_score": 1, "tests": []}),
    ],
)
def test_the_schemas_refuse_what_is_wrong(schema: str, document: Any, fits: Check) -> None:
    with pytest.raises(jsonschema.ValidationError):
        fits(schema, document)


def test_gradescope_gets_score_and_points_of_each_check() -> None:
    found = gradescope(TYPICAL)
    assert found["score"] == TYPICAL.points
    assert found["execution_time"] == 12.35 or found["execution_time"] == 12.34
    assert sum(test["score"] for test in found["tests"]) == pytest.approx(TYPICAL.points)
    assert sum(test["max_score"] for test in found["tests"]) == TYPICAL.max_points
    assert {test["status"] for test in found["tests"]} == {"passed", "failed"}
    assert "leaderboard" not in found
    assert found["stdout_visibility"] == "hidden"
    failed = next(test for test in found["tests"] if test["status"] == "failed")
    assert "The weights differ in 4 of 4 elements" in failed["output"]
    assert "Hint: Divide the scores" in failed["output"]
    assert "attention without the 1/√d_k scaling" in failed["output"]


def test_what_comes_late_costs_by_the_policy_and_says_so() -> None:
    late = Late(due_at=DUE, late_seconds=90_000, percent=20, policy="10 % for each day begun")
    found = gradescope(FULL.model_copy(update={"late": late}))
    assert found["score"] == pytest.approx(FULL.max_points * 0.8)
    assert "1 day 1 hour late" in found["output"]
    assert "20 % of the points earned (10 % for each day begun)" in found["output"]


def test_points_that_hidden_checks_earn_are_not_told_by_the_line_about_lateness() -> None:
    late = Late(due_at=DUE, late_seconds=90_000, percent=20, policy="10 % for each day begun")
    found = gradescope(WITHHELD.model_copy(update={"late": late}))
    assert "20 % of the points earned" in found["output"]
    assert "points earned, " not in found["output"].replace("of the points earned", "")


def test_visibilities_are_ours_and_nothing_hidden_is_named_elsewhere() -> None:
    tests = gradescope(WITHHELD)["tests"]
    found = {test["name"]: test["visibility"] for test in tests}
    assert found["secret-hidden-title"] == "hidden"
    assert found["secret-due-title"] == "after_due_date"
    assert found["A blocked source gets weight zero."] == "visible"
    seen = [text for test in tests if test["visibility"] == "visible" for text in texts(test)]
    assert not any("secret" in text for text in (*seen, gradescope(WITHHELD)["output"]))
    after = [text for test in tests if test["visibility"] != "hidden" for text in texts(test)]
    assert not any("secret-hidden" in text for text in after)


def test_the_numbers_of_what_is_shown_leave_no_gap() -> None:
    numbers = [test["number"] for test in gradescope(WITHHELD)["tests"] if test["visibility"] == "visible"]
    for exercise in {number.partition(".")[0] for number in numbers}:
        own = [int(number.partition(".")[2]) for number in numbers if number.startswith(f"{exercise}.")]
        assert own == list(range(1, len(own) + 1))


def test_no_hidden_check_is_listed_for_prairielearn_or_github() -> None:
    assert not any("secret" in text for text in texts(prairielearn(WITHHELD)))
    last = prairielearn(WITHHELD)["tests"][-1]
    assert last["name"] == "Checks that are not shown"
    worth = sum(check.max_points for check in WITHHELD.checks if check.visibility.value != "always")
    assert last["max_points"] == worth
    assert not any("secret" in text for text in texts(github(WITHHELD)))


@pytest.mark.parametrize("ours", [BROKEN, NOT_GRADED], ids=["broken", "not graded"])
def test_our_own_fault_gives_no_score_anywhere(ours: Result) -> None:
    found = gradescope(ours)
    assert "score" not in found
    assert not any("score" in test or "max_score" in test for test in found["tests"])
    assert "no fault of" in found["output"]
    (for_us,) = [test for test in found["tests"] if test["visibility"] == "hidden"]
    assert re.search("ZeroDivisionError in test_hidden|setting up uid map", for_us["output"])
    seen = [found["output"], *(test["output"] for test in found["tests"] if test is not for_us)]
    assert not any("ZeroDivisionError" in text or "uid map" in text for text in seen)
    assert not counts_as_attempt(found)
    assert prairielearn(ours)["gradable"] is False
    assert "score" not in prairielearn(ours)
    assert github(ours)["status"] == "error"
    assert github(ours)["max_score"] == 0  # at which GitHub's reporter reports no points


def test_what_cannot_be_read_is_nothing_in_gradescope_and_no_attempt_in_prairielearn() -> None:
    assert gradescope(UNREADABLE)["score"] == 0
    assert UNREADABLE.message.rstrip(".") in gradescope(UNREADABLE)["output"]
    found = prairielearn(UNREADABLE)
    assert found["gradable"] is False
    assert UNREADABLE.message.rstrip(".") in found["format_errors"][0]


def test_points_that_wait_for_a_person_are_said_and_in_no_score() -> None:
    found = gradescope(WAITING)
    assert found["score"] == WAITING.points
    assert "4 points wait for a person" in found["output"]
    waiting = [test for test in found["tests"] if "waits" in test["tags"]]
    assert [test["extra_data"]["waiting_points"] for test in waiting] == [2, 2]
    assert not any("score" in test for test in waiting)
    assert not any("GUIDANCE" in text for text in texts(found))
    assert prairielearn(WAITING)["score"] == 1.0
    assert "4 points wait for a person" in prairielearn(WAITING)["message"]


def test_prairielearn_gets_the_part_of_the_points() -> None:
    assert prairielearn(FULL)["score"] == 1.0
    assert prairielearn(TYPICAL)["score"] == pytest.approx(TYPICAL.points / TYPICAL.max_points, abs=1e-6)


def test_github_gets_all_points_and_what_is_wrong() -> None:
    found = github(TYPICAL)
    assert found["status"] == "fail"
    assert found["max_score"] == TYPICAL.max_points
    assert sum(test["score"] for test in found["tests"]) == pytest.approx(TYPICAL.points)
    assert github(FULL)["status"] == "pass"
    output = encoded(found)
    assert re.fullmatch("[A-Za-z0-9+/=]+", output)
    assert json.loads(base64.b64decode(output)) == found


@pytest.mark.parametrize("name", EVERY)
def test_no_text_is_a_command_to_a_workflow(name: str) -> None:
    for text in texts(github(EVERY[name])):
        for line in text.splitlines():
            assert not line.lstrip().startswith("::"), line
            assert "##[" not in line, line


def test_formats_stay_below_what_their_readers_take() -> None:
    long = "x" * 60_000 + "\n"
    checks = tuple(
        CheckResult(
            id=f"masks/test_{n}",
            exercise="masks",
            title=f"Check {n}.",
            points=0,
            max_points=1,
            verdict=Verdict.FAILED,
            message=long,
            hint=long,
            stdout=long * 4,
            stderr=long,
        )
        for n in range(300)
    )
    huge = result("max", "Max", checks=checks)
    assert len(json.dumps(prairielearn(huge)).encode()) <= prairielearn_results.MOST_BYTES
    assert len(encoded(github(huge))) < 128 * 1024
    assert len(json.dumps(gradescope(huge))) < 8 * 2**20


def test_an_attempt_too_many_keeps_what_counted() -> None:
    before = gradescope(TYPICAL)
    found = refused("This submission was not graded.", before)
    assert found["score"] == before["score"]
    assert found["tests"] == before["tests"]
    assert found["output"].startswith("This submission was not graded.\n\n")
    assert counts_as_attempt(before)
    assert not counts_as_attempt(found)


def test_what_gradescope_adds_to_earlier_results_does_not_come_back(fits: Check) -> None:
    before = gradescope(TYPICAL)
    before["tests"][0] |= {"seen": True, "score": None}
    found = refused("Not graded.", before | {"stored_at": "2026", "leaderboard": None})
    fits("gradescope", found)
    assert found["score"] == before["score"]
    fits("gradescope", refused("Not graded.", {"tests": [3, None], "score": 1.5}))
    fits("gradescope", refused("Not graded.", {"tests": "odd"}))


@pytest.mark.parametrize("odd", [None, [], {}, {"extra_data": 3}, {"extra_data": {"attest": []}}])
def test_an_earlier_result_that_is_not_ours_counts_as_an_attempt(odd: object) -> None:
    assert counts_as_attempt(odd)


def test_there_is_a_result_of_every_status() -> None:
    assert {one.status for one in ALL.values()} >= {Status.GRADED, Status.UNREADABLE, Status.NOT_GRADED}
