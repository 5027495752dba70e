"""The backend `none`: no isolation, on request alone, but within limits and without leftovers."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from sandbox import BackendOptions, Guest, GuestCrashed, GuestTimeout, Sandbox, SandboxBroken, StudentRaised
from sandbox.selftest import selftest
from sandbox.undefended import UNDEFENDED

from .conftest import QUICK, script

SOURCE = """
import os, time
def where(): return os.getcwd()
def spin():
    while True: pass
def take(): return len(b"x" * 2**31)
def dig():
    top = os.getcwd()
    for _ in range(3000):
        os.mkdir("deeper")
        os.chdir("deeper")
    os.chdir(top)
def leave():
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            time.sleep(600)
        os._exit(0)
    os.wait()
"""


@pytest.fixture
def guest() -> Iterator[Guest]:
    with (
        Sandbox("none", QUICK, options=BackendOptions(trust=True)) as sandbox,
        sandbox.guest({}, script(SOURCE)) as guest,
    ):
        guest.start_check()
        yield guest


def test_it_is_refused_unless_the_code_is_trusted() -> None:
    with pytest.raises(SandboxBroken, match="add --i-trust-this-code to --sandbox none"):
        Sandbox("none")


def test_time_and_memory_are_limited(guest: Guest) -> None:
    with pytest.raises(StudentRaised) as caught:
        guest.call("take")
    assert caught.value.memory
    with pytest.raises(GuestTimeout):
        guest.call("spin")


def test_what_it_started_and_where_it_worked_goes_with_it(guest: Guest) -> None:
    folder = Path(guest.call("where"))
    guest.call("leave")
    pids = guest.processes()
    assert len(pids) == 2
    guest.close()
    end = time.monotonic() + 5
    while time.monotonic() < end and any(os.path.exists(f"/proc/{pid}") for pid in pids):
        time.sleep(0.01)
    assert [pid for pid in pids if os.path.exists(f"/proc/{pid}")] == []
    assert not folder.exists()


def test_folders_deeper_than_any_path_are_removed_too(guest: Guest) -> None:
    folder = Path(guest.call("where"))
    with suppress(GuestCrashed):  # it may be ended while it digs
        guest.call("dig")
    end = time.monotonic() + 60
    while guest.alive and time.monotonic() < end:
        with suppress(GuestCrashed):
            guest.call("where")
        time.sleep(0.1)
    assert not guest.alive
    guest.close()
    assert not folder.exists()


@pytest.mark.skipif(os.geteuid() != 0, reason="another user has less to lose")
def test_the_self_test_sees_what_does_not_hold() -> None:
    attempts = list(selftest("none", BackendOptions(trust=True)))
    assert {attempt.kind for attempt in attempts if not attempt.held} >= set(UNDEFENDED["none"]) - {
        "process count",  # held where there are control groups
        "disk",  # held where it is slow
    }
    assert all(attempt.ok for attempt in attempts)
