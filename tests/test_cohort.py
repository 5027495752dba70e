"""The example cohort is graded as a fair person would grade it (`examples/expected.toml`)."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest

from graders.result import Result, Status, Verdict, read_result

EXAMPLES = Path(__file__).resolve().parent.parent / "examples"
COHORT = EXAMPLES / "cohort"
EXPECTED: dict[str, dict[str, Any]] = tomllib.loads((EXAMPLES / "expected.toml").read_text(encoding="utf-8"))
EXERCISES = ("scaled_dot_product_attention", "masks", "mean_pool")
DECISIONS = ("full", "partial", "loses", "none")


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Result]:
    """Grade the whole cohort once, as an instructor does."""
    out = tmp_path_factory.mktemp("cohort") / "graded"
    program = Path(sys.executable).with_name("attest")
    done = subprocess.run(
        [program, "grade", "basics", COHORT, "-o", out],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        env={**os.environ, "COLUMNS": "160"},
        timeout=1200,
        check=False,
    )
    unreadable = [student for student, expected in EXPECTED.items() if expected.get("status") == "unreadable"]
    assert done.returncode == (1 if unreadable else 0), done.stdout + done.stderr
    found = [read_result(path) for path in (out / "results").glob("*.json")]
    return {result.student.id: result for result in found}


def decision(result: Result, exercise: str) -> str:
    """Return what became of one exercise: full, partial or none."""
    checks = [check for check in result.checks if check.exercise == exercise]
    earned, most = sum(check.points for check in checks), sum(check.max_points for check in checks)
    assert most > 0, f"{result.student.id}: no points at all in {exercise}"
    return "full" if earned == most else "none" if earned == 0 else "partial"


def disagreements(result: Result, expected: dict[str, Any]) -> list[str]:
    """Return a sentence for each point on which the result and the fair person differ."""
    found = []
    status = expected.get("status", "graded")
    if result.status != status:
        found.append(f"status is {result.status}, not {status}: {result.message} {result.internal or ''}")
    if result.status is Status.NOT_GRADED:
        return found
    for exercise in EXERCISES:
        got, wanted = decision(result, exercise), expected[exercise]
        if got != wanted and not (wanted == "loses" and got != "full"):
            lost = [
                f"{check.id}: {check.verdict} {check.message}"
                for check in result.checks
                if check.exercise == exercise and check.verdict is not Verdict.PASSED
            ]
            found.append(
                f"{exercise} is {got}, not {wanted}\n      " + "\n      ".join(lost or ["nothing was lost"])
            )
    verdicts = {check.verdict for check in result.checks}
    found += [f"no check is {verdict}" for verdict in expected.get("verdicts", ()) if verdict not in verdicts]
    found += [
        f"{check.id} is broken: {check.internal}"
        for check in result.checks
        if check.verdict is Verdict.BROKEN
    ]
    return found


def test_every_submission_is_described_and_every_description_has_its_submission() -> None:
    assert sorted(path.name for path in COHORT.iterdir()) == sorted(
        each["file"] for each in EXPECTED.values()
    )


def test_descriptions_use_known_words() -> None:
    for student, expected in EXPECTED.items():
        assert {expected[exercise] for exercise in EXERCISES} <= set(DECISIONS), student
        assert set(expected.get("verdicts", ())) <= set(Verdict), student
        assert expected.get("status", "graded") in set(Status), student


def test_the_table_for_people_says_the_same() -> None:
    words = {"full": "full", "partial": "part", "loses": "less", "none": "none"}
    rows = re.findall(
        r"^\| (s\d\d-\w+) \|.*", (EXAMPLES / "README.md").read_text(encoding="utf-8"), re.MULTILINE
    )
    assert rows == list(EXPECTED)
    for line in (EXAMPLES / "README.md").read_text(encoding="utf-8").splitlines():
        student = line.removeprefix("| ").partition(" ")[0]
        if student in EXPECTED:
            cells = [cell.strip() for cell in line.split("|")][-5:-2]
            assert cells == [words[EXPECTED[student][exercise]] for exercise in EXERCISES], student


def test_every_student_has_a_result(results: dict[str, Result]) -> None:
    assert sorted(results) == sorted(EXPECTED)


@pytest.mark.parametrize("student", EXPECTED)
def test_graded_as_a_fair_person_would(results: dict[str, Result], student: str) -> None:
    found = disagreements(results[student], EXPECTED[student])
    assert not found, f"{student} ({EXPECTED[student]['file']}):\n  - " + "\n  - ".join(found)
