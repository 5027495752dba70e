"""kill -9 at random moments: nothing is lost, doubled or half written; a rerun finishes what is missing."""

from __future__ import annotations

import os
import random
import signal
import time

import pytest

from tests.attest.processes import alive, descendants, wait_for
from tests.faults.cohorts import STUDENTS, Place, Running, cgroups, mounts
from tests.faults.conftest import Undisturbed

ROUNDS = int(os.environ.get("ATTEST_FAULTS_ROUNDS", "1"))  # of each victim


@pytest.mark.parametrize("victim", ["guest", "zygote", "worker", "pool", "command"] * ROUNDS)
def test_a_rerun_after_kill_9_comes_to_the_same(
    victim: str,
    attest_command: list[str],
    here: Place,
    undisturbed: Undisturbed,
    rng: random.Random,
) -> None:
    process = here.start(attest_command)
    running = Running(process.pid)
    delay = rng.uniform(0.2, 0.95) * undisturbed.seconds
    print(f"{victim} is killed after {delay:.2f} s")
    family: set[int] = set()
    try:
        end = time.monotonic() + delay
        while time.monotonic() < end and process.poll() is None:
            family |= {process.pid, *descendants(process.pid)}
            time.sleep(0.02)
        killed = _kill(running, victim, rng)
        family |= {process.pid, *descendants(process.pid)}
        output, errors = process.communicate(timeout=180)
    finally:
        process.kill()
    assert "Traceback" not in errors
    wait_for(lambda: not any(map(alive, family)), 15)

    found = here.whole()  # each is whole
    for student, result in found.items():
        if victim != "guest":
            assert result == undisturbed.results[student]
    if set(found) < set(STUDENTS):
        assert victim in ("pool", "command"), f"{victim} {killed}: {output}{errors}"
        kept = {path.name: path.stat().st_mtime_ns for path in (here.out / "results").glob("*.json")}
        status, said = here.run(attest_command)
        assert status == 0, said
        if kept:
            assert f"({len(kept)} more are graded already)" in said
        assert {name: (here.out / "results" / name).stat().st_mtime_ns for name in kept} == kept
    _the_same_but_for_the_killed_guest(here.whole(), undisturbed, 1 if victim == "guest" else 0)
    for name in ("index.html", "grades.csv", *(f"reports/{student}.html" for student in STUDENTS)):
        assert (here.out / name).is_file()
    assert not here.left_over()
    assert not mounts(here.folder)
    assert not cgroups(family)


def _kill(running: Running, victim: str, rng: random.Random) -> int | None:
    candidates = running.of(victim)
    if not candidates:  # it has not begun, or has ended
        return None
    chosen = rng.choice(candidates)
    try:
        os.kill(chosen, signal.SIGKILL)
    except ProcessLookupError:
        return None
    return chosen


def _the_same_but_for_the_killed_guest(found: object, undisturbed: Undisturbed, most: int) -> None:
    assert isinstance(found, dict)
    assert set(found) == set(STUDENTS)
    other = [student for student in STUDENTS if found[student] != undisturbed.results[student]]
    assert len(other) <= most, other
    for student in other:
        verdicts = {check["verdict"] for check in found[student]["checks"]}
        assert verdicts <= {"passed", "failed", "error", "crashed", "skipped"}


def test_the_command_killed_again_and_again_still_finishes(
    attest_command: list[str], here: Place, undisturbed: Undisturbed, rng: random.Random
) -> None:
    for _ in range(6):
        process = here.start(attest_command)
        try:
            process.wait(rng.uniform(0.4, 0.9) * undisturbed.seconds)
            break
        except Exception:
            process.kill()
        finally:
            process.kill()
            process.communicate()
        assert all(undisturbed.results[student] == result for student, result in here.whole().items())
    status, said = here.run(attest_command)
    assert status == 0, said
    assert here.whole() == undisturbed.results
    assert not here.left_over()
