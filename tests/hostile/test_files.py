"""Every attempt of `files/`: what is handed in is hostile as a file, before any of it is run."""

from __future__ import annotations

import runpy
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.conformance.backends import EVERY, ISOLATING
from tests.hostile.attempts import Attempt, on_backends
from tests.hostile.canary import HostCanary
from tests.hostile.conftest import Bench
from tests.hostile.test_code import check


@pytest.mark.parametrize(("backend", "attempt"), on_backends("files", ISOLATING, EVERY), ids=str)
def test_attempt(
    benches: Callable[[str], Bench], host_canary: HostCanary, backend: str, attempt: Attempt, tmp_path: Path
) -> None:
    made: Path = runpy.run_path(str(attempt.path))["make"](tmp_path)
    result = check(benches(backend), host_canary, attempt, made)
    if attempt.status == "unreadable":
        assert result.points == 0
        assert {one.verdict.value for one in result.checks} == {"missing"}
