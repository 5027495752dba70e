"""Running the real `attest` as a user does: a process of its own, in a folder of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

Attest = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture(scope="session")
def attest_command() -> list[str]:
    """The installed program that belongs to the Python which runs the tests."""
    program = Path(sys.executable).with_name("attest")
    assert program.is_file(), f"{program} is missing: install Attest into this environment (make test does)."
    return [str(program)]


@pytest.fixture
def attest(attest_command: list[str], tmp_path: Path) -> Attest:
    """Run `attest` with these arguments in an empty folder; stdout and stderr are kept apart."""

    def run(
        *arguments: str | Path,
        cwd: Path = tmp_path,
        env: Mapping[str, str] | None = None,
        timeout: float = 300,
    ) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [*attest_command, *map(str, arguments)],
            cwd=cwd,
            env={**os.environ, "COLUMNS": "160", **(env or {})},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            encoding="utf-8",
            timeout=timeout,
            check=False,
        )

    return run
