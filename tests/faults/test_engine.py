"""The Docker engine is stopped in the middle of a run and started again: what was graded is kept."""

from __future__ import annotations

import time
from typing import Any

import pytest

from sandbox import SandboxBroken
from sandbox.engine import connect, find_image
from sandbox.orphans import OWNER
from tests.attest.processes import alive, descendants, wait_for
from tests.faults.cohorts import STUDENTS, Place
from tests.faults.conftest import Undisturbed
from tests.faults.gate import Gate


@pytest.fixture
def client() -> Any:
    try:
        engine = connect()
        find_image(engine, None)
    except SandboxBroken as error:
        pytest.skip(str(error))
    return engine.client


def containers(client: Any, pids: set[int]) -> list[Any]:
    """Those that some processes own."""
    found = client.containers.list(all=True, filters={"label": OWNER}, ignore_removed=True)
    return [each for each in found if int(each.labels[OWNER].split()[2]) in pids]


@pytest.mark.parametrize("back_after", [0.0, None], ids=["at once", "after the run"])
def test_an_engine_that_stops_costs_nothing_but_another_run(
    back_after: float | None,
    client: Any,
    attest_command: list[str],
    here: Place,
    undisturbed: Undisturbed,
) -> None:
    gate = Gate(here.folder / "engine")
    docker = {"DOCKER_HOST": gate.address}
    process = here.start(attest_command, "--sandbox", "docker", **docker)
    family: set[int] = set()
    try:
        wait_for(lambda: list((here.out / "results").glob("*.json")), 120)
        family = {process.pid, *descendants(process.pid)}
        gate.shut()
        for container in containers(client, family):
            container.remove(force=True, v=True)
        if back_after is not None:
            time.sleep(back_after)
            gate.open()
        output, errors = process.communicate(timeout=180)
    finally:
        process.kill()
    assert "Traceback" not in errors
    wait_for(lambda: not any(map(alive, family)), 15)
    _the_same(here, undisturbed, all_of_them=False)
    if back_after is None:
        assert process.returncode in (1, 2), output
        ways = ("the same command again goes on", "Grade just these again: attest grade ")
        assert any(way in output + errors for way in ways), "it says how to go on"
        gate.open()
    family |= _finished(here, attest_command, docker)
    _the_same(here, undisturbed, all_of_them=True)
    assert not containers(client, family)
    assert not here.left_over()


def _finished(here: Place, attest_command: list[str], docker: dict[str, str]) -> set[int]:
    """Go on with the run; return the processes that it had."""
    process = here.start(attest_command, "--sandbox", "docker", **docker)
    family = {process.pid}
    try:
        while process.poll() is None:
            family |= set(descendants(process.pid))
            time.sleep(0.05)
        output, errors = process.communicate(timeout=180)
    finally:
        process.kill()
    assert process.returncode == 0, output + errors
    return family


def _the_same(here: Place, undisturbed: Undisturbed, all_of_them: bool) -> None:
    """Every graded result is what it is under bubblewrap, but for what names the backend."""
    found = {
        student: result | {"backend": "bubblewrap", "versions": undisturbed.results[student]["versions"]}
        for student, result in here.whole().items()
        if result["status"] == "graded"
    }
    assert all(result == undisturbed.results[student] for student, result in found.items())
    assert not all_of_them or set(found) == set(STUDENTS)
