"""What the benchmark compares is comparable: every way of grading decides the same of its submissions."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

from benchmarks import attest_side, cohort_watch, floor, index_page, plain_checks, scale
from benchmarks.cohort_watch import watch
from graders.assignment import read_assignment

HERE = Path(floor.__file__).parent
SUBMISSIONS = sorted((HERE / "submissions").glob("*.py"))
WRONG = {"inverted_mask": 2, "no_scaling": 1, "target_axis": 1}


@pytest.fixture(scope="module")
def checks() -> list[floor.Check]:
    return floor.load_checks(read_assignment(HERE / "assignment"), seed=1)


def passed_by_plain_checks(source: str) -> int:
    student: dict[str, Any] = {}
    exec(source, student)
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
    assert (
        floor.run_checks(checks, path)
        == passed_by_plain_checks(path.read_text("utf-8"))
        == WRONG.get(path.stem, 5)
    )


def test_the_parts_of_a_submission_are_all_timed(tmp_path: Path) -> None:
    right = [path for path in SUBMISSIONS if path.stem not in WRONG][:1]
    assignment = read_assignment(HERE / "assignment")
    parts = attest_side.time_parts(assignment, right, 1, 1, tmp_path / "parts")
    assert len(parts) == 8
    assert min(parts.values()) > 0


def test_a_large_cohort_has_no_two_alike_and_each_is_as_right_as_what_it_is_made_of() -> None:
    made = list(scale.submissions(40))
    assert len({source for _, source in made}) == 40
    assert {name for name, _ in made} > set(WRONG)
    for name, source in made:
        assert passed_by_plain_checks(source) == WRONG.get(name, 5), source


# After each line it waits until it has been looked at so often that the line has surely been read.
SPEAKER = """
import pathlib, time
for n in (1, 2, 3):
    print(f"[{n}/3] someone", flush=True)
    seen = len(pathlib.Path("looks").read_bytes())
    while len(pathlib.Path("looks").read_bytes()) < seen + 20:
        time.sleep(0.01)
raise SystemExit(3)
"""


def test_a_run_is_watched_while_it_works(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    looks = tmp_path / "looks"
    looks.touch()

    def looked() -> float:
        with looks.open("ab") as file:
            file.write(b".")
        return 0.01

    monkeypatch.setattr(cohort_watch, "yard_seconds", looked)
    found = watch([sys.executable, "-c", SPEAKER], tmp_path, every=0.01)
    assert found.status == 3
    assert len(found.done_at) == 3
    assert found.said == [f"[{n}/3] someone" for n in (1, 2, 3)]
    assert found.most.memory["command"] > 2**20
    assert {look.done for look in found.looks} >= {1, 2}


def test_a_run_that_takes_too_long_is_asked_to_stop(tmp_path: Path) -> None:
    endless = "trap 'echo stopping; exit 130' INT; while :; do sleep 0.05; done"
    found = watch(["sh", "-c", endless], tmp_path, every=0.05, most=0.5)
    assert (found.status, found.said) == (130, ["stopping"])


def test_a_cohort_is_measured_and_nothing_of_it_stays(tmp_path: Path) -> None:
    found = scale.measure(30, 2, tmp_path, minutes=10)
    assert found.size == 30
    assert found.rerun is not None
    assert found.cpu() > 0
    assert found.kept.files == 3 * 30 + 3  # a result, a page and a text each; index, table, run.json
    assert found.kept.results > 30 * 1000
    assert not list(tmp_path.iterdir())


def test_the_page_of_a_made_cohort_is_made_opened_sorted_and_filtered() -> None:
    figures = index_page.measure(30, 14)
    assert (figures.rows, figures.checks) == (30, 14)
    done = [took.what for took in figures.browser]
    assert done == (["opened", *index_page.ACTS] if index_page.chromium() else [])
    assert all(took.ms > 0 and took.computing_ms > 0 for took in figures.browser)
    assert len(list(figures.lines())) == 4 + max(1, len(done))
