"""What the benchmark compares is comparable: every way of grading decides the same of its submissions."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from benchmarks import attest_side, floor, plain_checks
from graders.assignment import read_assignment

HERE = Path(floor.__file__).parent
SUBMISSIONS = sorted((HERE / "submissions").glob("*.py"))
WRONG = {"inverted_mask": 2, "no_scaling": 1, "target_axis": 1}


@pytest.fixture(scope="module")
def checks() -> list[floor.Check]:
    return floor.load_checks(read_assignment(HERE / "assignment"), seed=1)


def passed_by_plain_checks(path: Path) -> int:
    student: dict[str, Any] = {}
    exec(path.read_text(encoding="utf-8"), student)
    passed = 0
    for check in plain_checks.CHECKS:
        try:
            check(student["scaled_dot_product_attention"])
        except AssertionError:
            continue
        passed += 1
    return passed


def test_five_checks_with_as_many_cases_on_both_sides(checks: list[floor.Check]) -> None:
    names = [name.removeprefix("test_") for name, _, _ in checks]
    assert names == [check.__name__.removeprefix("check_") for check in plain_checks.CHECKS]
    assert [1 if cases is None else len(cases) for _, _, cases in checks] == [1, 25, 25, 25, 25]


def test_five_right_submissions_and_three_wrong_ones() -> None:
    assert len(SUBMISSIONS) == 8
    assert {path.stem for path in SUBMISSIONS} > set(WRONG)


@pytest.mark.parametrize("path", SUBMISSIONS, ids=lambda path: path.stem)
def test_floor_and_plain_checks_agree(checks: list[floor.Check], path: Path) -> None:
    assert floor.run_checks(checks, path) == passed_by_plain_checks(path) == WRONG.get(path.stem, 5)


def test_the_parts_of_a_submission_are_all_timed(tmp_path: Path) -> None:
    right = [path for path in SUBMISSIONS if path.stem not in WRONG][:1]
    assignment = read_assignment(HERE / "assignment")
    parts = attest_side.time_parts(assignment, right, 1, 1, tmp_path / "parts")
    assert len(parts) == 8
    assert min(parts.values()) > 0
