"""Scores leave while the LMS is in trouble and the portal is killed twice: each right, none out of order."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks import outbox
from tests.lti.platform.services import Received
from tests.portal.running import SETTINGS, new_database


def test_every_student_ends_with_the_right_score_whoever_dies_when() -> None:
    kept = {name: value for name, value in os.environ.items() if name not in SETTINGS}
    run = subprocess.run(
        [sys.executable, "-m", "benchmarks.outbox", "--students", "40", "--kills", "2", "--trouble", "0.2"],
        cwd=Path(outbox.__file__).parents[1],
        env={**kept, **new_database()},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )

    assert run.returncode == 0, run.stdout + run.stderr
    assert run.stdout.splitlines()[-1] == "40 students: every score is right, none out of order"
    assert run.stdout.count("killed with ") == 2


def came(at: float, stamp: str, points: float) -> Received:
    return Received(at, "41", {"userId": "s1", "timestamp": stamp, "scoreGiven": points}, 200)


@pytest.mark.parametrize(
    ("received", "said"),
    [
        ([came(10, "1970-01-01T00:00:05Z", 1), came(12, "1970-01-01T00:00:05Z", 2)], "times do not grow"),
        ([came(10, "1970-01-01T00:00:11Z", 1)], "a time lies ahead"),
        ([came(10, "1970-01-01T00:00:05Z", 1), came(10.5, "1970-01-01T00:00:06Z", 2)], "within a second"),
        ([came(10, "1970-01-01T00:00:05Z", 2), came(12, "1970-01-01T00:00:06Z", 1)], "an older score came"),
    ],
)
def test_what_is_out_of_order_is_said(received: list[Received], said: str) -> None:
    (line,) = outbox.disorder(received)
    assert said in line


def test_what_is_in_order_is_not() -> None:
    scores = [came(10, "1970-01-01T00:00:05Z", 1), came(12, "1970-01-01T00:00:06Z", 2)]
    assert outbox.disorder(scores) == []
