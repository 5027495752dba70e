"""Everything that these tests say of the portal holds on PostgreSQL: they are run again on a real server."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.portal.postgresql import programs, server
from tests.portal.running import SETTINGS

HERE = Path(__file__).parent
ELSEWHERE = ("test_postgresql.py", "test_backup_across.py", "test_accessibility.py")  # the same, or both


@pytest.mark.skipif("DATABASE_URL" in os.environ, reason="These tests run on another database already.")
def test_the_portals_tests_hold_on_postgresql() -> None:
    found = programs()
    if found is None:
        pytest.skip("PostgreSQL is not installed.")
    with server(found) as url:
        kept = {name: value for name, value in os.environ.items() if name not in SETTINGS}
        run = subprocess.run(
            [
                *(sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(HERE)),
                *(f"--ignore={HERE / name}" for name in ELSEWHERE),
            ],
            cwd=HERE.parents[1],
            env={**kept, "DATABASE_URL": url},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
        )
    assert run.returncode == 0, run.stdout[-8000:] + run.stderr[-2000:]
    assert " passed" in run.stdout
