"""`attest new`: a folder that validates at once, and whose handout can be released."""

from __future__ import annotations

from pathlib import Path

import pytest

from .conftest import Attest


def test_a_new_assignment_validates_and_is_released(attest: Attest, tmp_path: Path) -> None:
    made = attest("new", "my_exercise", "--title", 'Means & "deviations"')
    assert made.returncode == 0, made.stderr
    assert "attest validate my_exercise" in made.stdout
    validated = attest("validate", "my_exercise")
    assert validated.returncode == 0, validated.stdout
    assert "all as it should be" in validated.stdout
    released = attest("release", "my_exercise", "-o", "handout")
    assert released.returncode == 0, released.stderr
    assert '# Means & "deviations"' in (tmp_path / "handout" / "handout.md").read_text()


def test_the_starter_of_the_handout_fails_its_public_check_and_the_solution_passes(
    attest: Attest, tmp_path: Path
) -> None:
    attest("new", "my_exercise")
    attest("release", "my_exercise", "-o", "handout")
    assert attest("check", "handout/standardize.py").returncode == 1
    assert attest("check", "handout/standardize.ipynb").returncode == 1
    solution = (tmp_path / "my_exercise" / "solution" / "standardize.py").read_text()
    (tmp_path / "handout" / "standardize.py").write_text(solution)
    assert attest("check", "handout/standardize.py").returncode == 0


@pytest.mark.parametrize(
    ("name", "says"), [("3-masks", "'3-masks' cannot be an assignment's id"), (" ", "empty")]
)
def test_a_name_that_cannot_be_an_id_is_refused(attest: Attest, tmp_path: Path, name: str, says: str) -> None:
    run = attest("new", name)
    assert run.returncode == 2
    assert says in run.stderr
    assert list(tmp_path.iterdir()) == []


def test_nothing_that_is_there_is_overwritten(attest: Attest, tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    run = attest("new", "mine")
    assert run.returncode == 2
    assert "is there already" in run.stderr
    assert list((tmp_path / "mine").iterdir()) == []
