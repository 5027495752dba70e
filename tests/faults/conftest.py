"""Runs that nobody disturbs, to compare the others with."""

from __future__ import annotations

import os
import random
import shutil
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.attest.conftest import attest_command
from tests.faults.cohorts import STUDENTS, Place, place

__all__ = ["attest_command"]


@dataclass(frozen=True)
class Undisturbed:
    """What a run comes to when nothing happens, and how long it takes."""

    results: dict[str, Any]
    seconds: float


@pytest.fixture(scope="session", autouse=True)
def _sandbox_works() -> None:
    if shutil.which("bwrap") is None and os.environ.get("ATTEST_REQUIRE") != "all":
        pytest.skip("bubblewrap (bwrap) is not installed")


@pytest.fixture(scope="session")
def undisturbed(attest_command: list[str], tmp_path_factory: pytest.TempPathFactory) -> Undisturbed:
    here = place(tmp_path_factory.mktemp("undisturbed") / "run")
    began = time.monotonic()
    status, said = here.run(attest_command)
    assert status == 0, said
    found = here.whole()
    assert set(found) == set(STUDENTS)
    assert not here.left_over()
    return Undisturbed(found, time.monotonic() - began)


@pytest.fixture
def here(tmp_path: Path) -> Place:
    return place(tmp_path / "run")


@pytest.fixture
def rng(request: pytest.FixtureRequest) -> random.Random:
    """By ATTEST_FAULTS_SEED, or a seed of the test's own; printed where the test fails."""
    seed = os.environ.get("ATTEST_FAULTS_SEED", request.node.name)
    print(f"ATTEST_FAULTS_SEED={seed}")
    return random.Random(seed)
