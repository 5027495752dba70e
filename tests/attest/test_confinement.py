"""The options of the sandbox: what is refused, and what a run without a sandbox says."""

from __future__ import annotations

import json
from pathlib import Path

from graders.result import read_result

LOUD = "NO ISOLATION: nothing is kept from the code that runs."


def test_others_work_is_not_run_without_a_sandbox(
    attest, doubling: Path, cohort: Path, tmp_path: Path
) -> None:
    run = attest("grade", doubling, cohort, "-o", "out", "--sandbox", "none")
    assert run.returncode == 2
    assert "add --i-trust-this-code to --sandbox none" in run.stderr
    assert not (tmp_path / "out" / "run.json").exists()


def test_a_run_without_a_sandbox_says_so_everywhere(
    attest, doubling: Path, cohort: Path, tmp_path: Path
) -> None:
    none = "--sandbox", "none", "--i-trust-this-code"
    run = attest("grade", doubling, cohort / "lena.py", "-o", "out", *none)
    assert run.returncode == 0, run.stderr
    assert LOUD in run.stderr
    described = json.loads((tmp_path / "out" / "run.json").read_text())
    assert described["backend"] == "none"
    assert described["warning"].startswith("no isolation was used")
    (result,) = (read_result(path) for path in (tmp_path / "out" / "results").glob("*.json"))
    assert result.backend == "none"
    assert result.points == 5


def test_ones_own_work_needs_one_option(attest, doubling: Path, cohort: Path) -> None:
    run = attest("check", cohort / "lena.py", "-a", str(doubling), "--sandbox", "none")
    assert run.returncode == 0, run.stderr
    assert LOUD in run.stderr


def test_what_a_backend_cannot_do_is_said(attest, doubling: Path, cohort: Path) -> None:
    run = attest("grade", doubling, cohort, "-o", "out", "--isolation", "container")
    assert run.returncode == 2
    assert "needs the docker backend" in run.stderr
    run = attest("grade", doubling, cohort, "-o", "out", "--sandbox", "chroot")
    assert run.returncode == 2
    assert "there is no backend 'chroot'" in run.stderr
