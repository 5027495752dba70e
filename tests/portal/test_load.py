"""A small class hands in at once while worker and portal are killed: nothing is lost or graded twice."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks import portal
from tests.portal.running import SETTINGS, new_database
from tests.portal.test_serving import needs_sandbox


@needs_sandbox
@pytest.mark.parametrize("options", [(), ("--kill",)], ids=["undisturbed", "killed"])
def test_nothing_of_a_class_that_hands_in_at_once_is_lost(options: tuple[str, ...]) -> None:
    kept = {name: value for name, value in os.environ.items() if name not in SETTINGS}
    run = subprocess.run(
        [sys.executable, "-m", "benchmarks.portal", "--students", "30", "--seconds", "9", *options],
        cwd=Path(portal.__file__).parents[1],
        env={**kept, **new_database()},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )

    assert run.returncode == 0, run.stdout + run.stderr
    assert run.stdout.splitlines()[-1] == "30 students: nothing is lost, and nothing was graded twice"
    assert ("cut off when the portal was killed" in run.stdout) == bool(options)


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("receipts", "said"),
    [
        (["/submissions/999/"], "/submissions/999/ was received and is gone"),
        ([""], "1 students have no receipt"),
    ],
)
def test_what_is_lost_is_said(receipts: list[str], said: str) -> None:
    assert said in portal.lost(1, receipts)
