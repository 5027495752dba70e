"""A disk that fills while results and reports are written: whole files, a sentence, a rerun that finishes."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.faults.cohorts import STUDENTS, Place
from tests.faults.conftest import Undisturbed
from tests.fuzz.properties import sentence


@contextmanager
def small_disk(path: Path, kilobytes: int) -> Iterator[None]:
    if os.geteuid() != 0:
        pytest.skip("mounting a file system needs root")
    path.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={kilobytes}k", "attest-test", str(path)], check=True)
    try:
        yield
    finally:
        subprocess.run(["umount", str(path)], check=True)


# At the first of them not one result fits, at the next not one page, at the others not all pages.
@pytest.mark.parametrize("kilobytes", [8, 24, 100])
def test_a_full_disk_costs_nothing_but_another_run(
    kilobytes: int, attest_command: list[str], here: Place, undisturbed: Undisturbed
) -> None:
    with small_disk(here.out, kilobytes):
        status, said = here.run(attest_command)
        assert status in (1, 2)
        assert "Traceback" not in said
        full = [line for line in said.splitlines() if "disk is full" in line or "No space left" in line]
        assert full, said
        for line in full:
            sentence(line)
            assert "do the same again" in line or "attest report" in line, "it says how to go on"
        before = here.whole()  # each is whole
        assert all(result == undisturbed.results[student] for student, result in before.items())

        subprocess.run(["mount", "-o", "remount,size=20m", str(here.out)], check=True)
        status, said = here.run(attest_command)
        assert status == 0, said
        assert here.whole() == undisturbed.results
        for name in ("index.html", "grades.csv", *(f"reports/{student}.html" for student in STUDENTS)):
            assert (here.out / name).stat().st_size
        assert not here.left_over()
