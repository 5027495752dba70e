"""A lock on a file is had by one process, and ends with it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from attest.portal.locked import locked

HOLDS = (
    "import sys, time; from pathlib import Path; from attest.portal.locked import locked\n"
    "with locked(Path(sys.argv[1])) as had:\n"
    "    print(had, flush=True); sys.stdin.read()"
)


def test_who_is_killed_leaves_no_lock(tmp_path: Path) -> None:
    path = tmp_path / "columns.lock"
    with subprocess.Popen(
        [sys.executable, "-c", HOLDS, str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == b"True\n"
        with locked(path, wait=False) as had:
            assert not had

        other.kill()

        with locked(path) as had:
            assert had
    assert path.stat().st_mode & 0o777 == 0o600


def test_a_lock_is_had_again_after_it_was_given_up(tmp_path: Path) -> None:
    for wait in (True, False, False):
        with locked(tmp_path / "a.lock", wait=wait) as had:
            assert had
