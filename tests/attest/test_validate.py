"""`attest validate`, as an author uses it."""

from __future__ import annotations

from pathlib import Path

from attest.installed import installed_assignments
from attest.validate import not_parts


def test_a_good_assignment_is_proved(attest, doubling: Path) -> None:
    run = attest("validate", doubling)
    assert run.returncode == 0, run.stdout + run.stderr
    assert "all as it should be" in run.stdout
    rows = [line.split() for line in run.stdout.splitlines()]
    assert ["variant", "square", "0", "✗", "✗"] in rows
    assert ["accepted", "sum", "5", "·", "·"] in rows


def test_the_tables_are_written_too(attest, doubling: Path, tmp_path: Path) -> None:
    page, text = tmp_path / "page.html", tmp_path / "text.md"
    run = attest("validate", doubling, "--seeds", "1", "--html", page, "--markdown", text)
    assert run.returncode == 0, run.stdout + run.stderr
    html = page.read_text()
    assert html.count("<table>") == 1
    assert all(part in html for part in ("Accepted", "square", "1 of 1 variants named", "default-src"))
    assert "src=" not in html.replace("default-src", "").replace("style-src", "").replace("img-src", "")
    assert "| `square` | 0 | **✗** |" in text.read_text()


def test_a_variant_that_passes_is_found(attest, doubling: Path) -> None:
    (doubling / "variants" / "square.py").write_text("def double(x):\n    return x + x\n")
    run = attest("validate", doubling, "--seeds", "1")
    assert run.returncode == 1
    assert "square.py" in run.stdout
    assert "to mend" in run.stdout


def test_a_solution_that_fails_is_found(attest, doubling: Path) -> None:
    (doubling / "solution" / "double.py").write_text("def double(x):\n    return 3 * x\n")
    assert attest("validate", doubling, "--seeds", "1").returncode == 1


def test_a_proof_can_be_made_in_parts(attest, doubling: Path) -> None:
    (doubling / "solution" / "double.py").write_text("def double(x):\n    return 3 * x\n")
    said = attest("validate", doubling, "--only", "model", "--first-seed", "7", "--seeds", "2").stdout
    assert "seed 7:" in said
    assert "seed 8:" in said
    assert "seed 1:" not in said


def test_nothing_named_is_wrong_use(attest) -> None:
    run = attest("validate")
    assert run.returncode == 2
    assert "--all" in run.stderr


def test_all_means_each_exercise_once() -> None:
    chosen = not_parts(installed_assignments().values())
    folders = [exercise.folder for one in chosen for exercise in one.exercises]
    assert len(folders) == len(set(folders))
    assert set(folders) == {
        exercise.folder for one in installed_assignments().values() for exercise in one.exercises
    }
