"""However a run ends, what was graded is kept and nothing is left running."""

from __future__ import annotations

import json
import os
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from graders.result import read_result
from tests.attest.conftest import RIGHT
from tests.attest.processes import alive, children, descendants, runs, wait_for

SLOW = f"import time\ntime.sleep(1)\n{RIGHT}"


@pytest.fixture
def slow_cohort(tmp_path: Path) -> Path:
    """Eight students whose files take a second to load."""
    folder = tmp_path / "cohort"
    folder.mkdir()
    for number in range(8):
        (folder / f"student{number}.py").write_text(SLOW)
    return folder


@pytest.fixture
def run(
    attest_command: list[str], doubling: Path, slow_cohort: Path, tmp_path: Path
) -> Iterator[subprocess.Popen[str]]:
    """`attest grade` at work on the slow cohort: two workers have begun."""
    command = [*attest_command, "grade", doubling, slow_cohort, "-o", tmp_path / "out", "--jobs", "2"]
    process = subprocess.Popen(
        command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    try:
        wait_for(lambda: len(workers(process)) == 2)
        yield process
    finally:
        process.kill()
        process.communicate()


def pool(process: subprocess.Popen[str]) -> int | None:
    return next((child for child in children(process.pid) if runs(child, "graders.workers")), None)


def workers(process: subprocess.Popen[str]) -> list[int]:
    parent = pool(process)
    return [child for child in children(parent) if runs(child, "graders.workers")] if parent else []


def graded(out: Path) -> dict[str, float]:
    return {r.student.id: r.points for r in map(read_result, (out / "results").glob("*.json"))}


def test_a_killed_worker_costs_nobody_anything(run: subprocess.Popen[str], tmp_path: Path) -> None:
    os.kill(workers(run)[0], signal.SIGKILL)
    _, errors = run.communicate(timeout=120)
    assert run.returncode == 0, errors
    assert graded(tmp_path / "out") == {f"student{number}": 5 for number in range(8)}


def test_a_killed_sandbox_costs_nobody_anything(run: subprocess.Popen[str], tmp_path: Path) -> None:
    parent = pool(run)
    assert parent is not None
    zygote = next(child for child in children(parent) if not runs(child, "graders.workers"))
    os.kill(zygote, signal.SIGKILL)
    _, errors = run.communicate(timeout=120)
    assert run.returncode == 0, errors
    assert graded(tmp_path / "out") == {f"student{number}": 5 for number in range(8)}


def test_a_killed_pool_is_a_sentence_and_leaves_nothing(run: subprocess.Popen[str], tmp_path: Path) -> None:
    everybody = descendants(run.pid)
    parent = pool(run)
    assert parent is not None
    os.kill(parent, signal.SIGKILL)
    _, errors = run.communicate(timeout=60)
    assert run.returncode == 2
    assert "died (SIGKILL)" in errors
    assert "the same command again goes on" in errors
    wait_for(lambda: not any(map(alive, everybody)), 10)


def test_when_the_main_process_is_killed_everything_ends(run: subprocess.Popen[str]) -> None:
    everybody = descendants(run.pid)
    assert len(everybody) >= 4  # the pool, two workers, the sandbox
    run.kill()
    run.wait()
    wait_for(lambda: not any(map(alive, everybody)), 10)


def test_ctrl_c_finishes_what_runs_and_resume_goes_on(
    run: subprocess.Popen[str], attest, doubling: Path, slow_cohort: Path, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    wait_for(lambda: graded(out))
    everybody = descendants(run.pid)
    run.send_signal(signal.SIGINT)
    output, errors = run.communicate(timeout=60)
    assert run.returncode == 130, errors
    assert "Traceback" not in errors
    assert "the submissions in hand are being finished" in errors
    before = graded(out)
    assert 0 < len(before) < 8
    assert f"Stopped with {8 - len(before)} submission" in output
    assert f"Go on with: attest grade {doubling} {slow_cohort}" in output
    assert (out / "index.html").is_file()
    assert json.loads((out / "run.json").read_text())["interrupted"] is True
    assert not any(map(alive, everybody))

    again = attest("grade", doubling, slow_cohort, "-o", out)
    assert again.returncode == 0, again.stderr
    assert len(graded(out)) == 8


def test_a_second_ctrl_c_ends_it_at_once(run: subprocess.Popen[str], tmp_path: Path) -> None:
    everybody = descendants(run.pid)
    run.send_signal(signal.SIGINT)
    wait_for(lambda: any("being finished" in line for line in [run.stderr.readline() if run.stderr else ""]))
    run.send_signal(signal.SIGINT)
    output, errors = run.communicate(timeout=20)
    assert run.returncode == 130
    assert "Traceback" not in errors
    assert "Stopped with" in output
    wait_for(lambda: not any(map(alive, everybody)), 10)


def test_ctrl_c_before_anything_is_graded_leaves_nothing(
    attest_command: list[str], doubling: Path, slow_cohort: Path, tmp_path: Path
) -> None:
    process = subprocess.Popen(
        [*attest_command, "grade", doubling, slow_cohort, "-o", tmp_path / "out"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    wait_for(lambda: pool(process))
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=30)
    assert process.returncode == 130
    assert errors.endswith("attest: stopped.\n")
    assert not (tmp_path / "out").exists()
