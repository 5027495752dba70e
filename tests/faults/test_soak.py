"""The short form of `make soak`: nothing that the grader or its sandbox holds grows with what is graded."""

from __future__ import annotations

import tempfile
from dataclasses import replace
from pathlib import Path

import pytest

from tests.faults.soak import EVERY, Held, Soak, soak


def test_150_submissions_leave_nothing_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "temporary").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "temporary"))
    found = soak(150, tmp_path)
    assert not found.not_graded
    assert not found.wrong()
    assert not found.grown(), found.looks


def test_what_grows_is_told() -> None:
    flat = Held(0, 10**8, 10**8, 20, 20, 4, 30, 0, 1)
    looks = [
        replace(
            flat, submissions=number * EVERY, descriptors=20 + number, grader_bytes=10**8 + number * 2**20
        )
        for number in range(20)
    ]
    assert [line.split()[0] for line in Soak(looks).grown()] == ["grader_bytes", "descriptors"]
    assert not Soak([replace(flat, submissions=number) for number in range(20)]).grown()
