"""`attest validate`, as an author uses it."""

from __future__ import annotations

from pathlib import Path


def test_a_good_assignment_is_proved(attest, doubling: Path) -> None:
    run = attest("validate", doubling)
    assert run.returncode == 0, run.stdout + run.stderr
    assert "all as it should be" in run.stdout
    rows = [line.split() for line in run.stdout.splitlines()]
    assert ["variant", "square", "0", "✗", "✗"] in rows
    assert ["accepted", "sum", "5", "·", "·"] in rows


def test_a_variant_that_passes_is_found(attest, doubling: Path) -> None:
    (doubling / "variants" / "square.py").write_text("def double(x):\n    return x + x\n")
    run = attest("validate", doubling, "--seeds", "1")
    assert run.returncode == 1
    assert "square.py" in run.stdout
    assert "to mend" in run.stdout


def test_a_solution_that_fails_is_found(attest, doubling: Path) -> None:
    (doubling / "solution" / "double.py").write_text("def double(x):\n    return 3 * x\n")
    assert attest("validate", doubling, "--seeds", "1").returncode == 1


def test_nothing_named_is_wrong_use(attest) -> None:
    run = attest("validate")
    assert run.returncode == 2
    assert "--all" in run.stderr
