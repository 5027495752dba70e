"""Portals of these tests end with them: where a start is broken off, and where the tests are killed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from tests.attest.processes import descendants
from tests.portal.running import Portal, new_database, wait_for

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("broken_off", [KeyboardInterrupt, AssertionError])
def test_a_start_that_is_broken_off_leaves_no_process(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, broken_off: type[BaseException]
) -> None:
    before = set(descendants(os.getpid()))
    started: list[set[int]] = []

    def interrupt(_portal: Portal) -> bool:
        started.append(set(descendants(os.getpid())) - before)
        raise broken_off

    monkeypatch.setattr(Portal, "is_ready", interrupt)
    with pytest.raises(broken_off):
        Portal(tmp_path / "data", env=new_database())

    assert len(started[0]) == 1
    assert not started[0] & set(descendants(os.getpid()))


def test_a_portal_outlives_the_thread_that_started_it(tmp_path: Path) -> None:
    started: list[Portal] = []
    thread = threading.Thread(target=lambda: started.append(Portal(tmp_path / "data", env=new_database())))
    thread.start()
    thread.join()
    (portal,) = started
    with portal:
        time.sleep(0.5)
        assert portal.is_ready()


def test_tests_that_are_killed_leave_no_portal(tmp_path: Path) -> None:
    source = (
        "import sys; from pathlib import Path; from tests.portal.running import Portal; "
        "portal = Portal(Path(sys.argv[1])); print(portal.process.pid, flush=True); sys.stdin.read()"
    )
    tests = subprocess.Popen(
        [sys.executable, "-c", source, str(tmp_path / "data")],
        cwd=ROOT,
        env={**os.environ, **new_database()},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    assert tests.stdout is not None
    portal = int(tests.stdout.readline())
    all_of_it = {portal, *descendants(portal)}
    assert len(all_of_it) > 1  # its workers

    tests.send_signal(signal.SIGKILL)
    tests.wait()

    wait_for(lambda: not any(Path(f"/proc/{one}").exists() for one in all_of_it), 30)
