"""Every guest is a user of its own on the host, whoever else runs guests there, and whatever has died."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from contextlib import ExitStack
from pathlib import Path

import pytest

from sandbox import Guest, Sandbox
from sandbox.inside.uids import HIGH, HIGH_OF_CONTAINERS, LOW, Uids, here, is_mapped, lease, open_locks

from .conftest import QUICK, script

ROOT = Path(__file__).parents[2]
WHO = "def f(): return 1"
# Beyond those of guests and containers: no guest that runs meanwhile has one of these.
NOBODYS = range(HIGH_OF_CONTAINERS.stop, HIGH_OF_CONTAINERS.stop + 100)

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="only root gives guests users of their own")


def users(guest: Guest) -> set[int]:
    """The host's uids of all processes of a guest."""
    lines = [Path(f"/proc/{pid}/status").read_text() for pid in guest.processes()]
    return {int(uid) for text in lines for uid in text.partition("Uid:")[2].splitlines()[0].split()}


def test_guests_of_one_zygote_of_siblings_and_of_others_are_all_different_users(family: Sandbox) -> None:
    with ExitStack() as stack:
        sandboxes = [family.attach(QUICK), family.attach(QUICK), Sandbox(limits=QUICK)]
        for sandbox in sandboxes:
            stack.enter_context(sandbox)
        guests = [stack.enter_context(sandbox.guest({}, script(WHO))) for sandbox in sandboxes * 3]
        found = [users(guest) for guest in guests]
        assert all(len(each) == 1 for each in found)
        assert len(set.union(*found)) == len(guests)
        among = here(HIGH, LOW)
        assert among is not None
        assert set.union(*found) <= set(among)


def test_a_zygote_is_another_user_than_its_guests(sandbox: Sandbox) -> None:
    with sandbox.guest({}, script(WHO)) as guest:
        parent = int(Path(f"/proc/{guest.processes()[0]}/stat").read_text().rpartition(")")[2].split()[1])
        uid = os.stat(f"/proc/{parent}").st_uid
        assert uid not in {0, *users(guest)}


def test_an_uid_is_free_again_when_its_guest_has_ended(family: Sandbox) -> None:
    with family.attach(QUICK) as sandbox:
        with sandbox.guest({}, script(WHO)) as guest:
            (uid,) = users(guest)
            assert not is_free(uid)
        assert is_free(uid)


HOLDS = """
import subprocess, sys, time
from sandbox.inside.uids import lease
uid, locks = lease(range(int(sys.argv[1]), int(sys.argv[1]) + 1))
child = subprocess.Popen(["sleep", "60"], pass_fds=[locks])
print(child.pid, flush=True)
time.sleep(60)
"""


def test_a_lease_ends_with_the_last_of_those_who_hold_it_however_they_end() -> None:
    uid = NOBODYS[7]
    with subprocess.Popen(
        [sys.executable, "-c", HOLDS, str(uid)], cwd=ROOT, stdout=subprocess.PIPE, text=True
    ) as holder:
        assert holder.stdout is not None
        child = int(holder.stdout.readline())
        assert not is_free(uid)
        holder.kill()
        holder.wait()
        assert not is_free(uid)
        os.kill(child, signal.SIGKILL)
    end = time.monotonic() + 10
    while not is_free(uid) and time.monotonic() < end:
        time.sleep(0.01)
    assert is_free(uid)


def is_free(uid: int) -> bool:
    try:
        _, locks = lease(range(uid, uid + 1))
    except OSError:
        return False
    os.close(locks)
    return True


def test_nobody_gets_what_another_has() -> None:
    few = range(NOBODYS[20], NOBODYS[24])
    leased, locks = zip(*(lease(few) for _ in range(3)), strict=True)
    own = open_locks()
    try:
        uids = Uids(few, own)
        (left,) = set(few) - set(leased)
        assert uids.take() == left
    finally:
        for fd in locks:
            os.close(fd)
    os.close(own)


def test_where_all_are_in_use_it_says_so() -> None:
    few = range(NOBODYS[30], NOBODYS[31])
    _, locks = lease(few)
    try:
        with pytest.raises(OSError, match=f"all uids from {few[0]} to {few[0]} are in use"):
            lease(few)
    finally:
        os.close(locks)


def test_an_uid_of_somebody_is_left_out() -> None:
    few = range(NOBODYS[40], NOBODYS[43])
    own = open_locks()
    assert Uids(few, own, lambda uid: uid != few[1]).take() == few[1]
    os.close(own)


def test_a_range_in_which_somebody_has_an_account_is_not_taken() -> None:
    assert here(range(65_000, 65_536), LOW) == LOW  # nobody's
    assert here(range(65_000, 65_536)) is None


IN_A_NAMESPACE = """
from sandbox.inside.uids import HIGH, LOW, here
print(here(HIGH, LOW) == LOW)
"""


def test_where_only_few_ids_are_mapped_these_are_taken() -> None:
    assert is_mapped(HIGH)
    (said,) = mapped(IN_A_NAMESPACE, "0 0 65536").split()
    assert said == "True"


GUESTS_IN_A_NAMESPACE = """
import os
from pathlib import Path
from sandbox import Program, Sandbox
program = Program("script", "a.py", ("def f(): return 1",))
with Sandbox() as sandbox, sandbox.guest({}, program) as one, sandbox.guest({}, program) as other:
    print(*[os.stat(f"/proc/{guest.processes()[0]}").st_uid for guest in (one, other)])
"""


@pytest.mark.parametrize(("ids", "among"), [("0 0 65536", LOW), ("0 0 1000\n65534 65534 1", (65534,))])
def test_a_container_with_few_ids_uses_those_that_it_has(ids: str, among: range | tuple[int]) -> None:
    one, other = map(int, mapped(GUESTS_IN_A_NAMESPACE, ids).split())
    assert {one, other} <= set(among)
    assert (one == other) == (len(among) == 1)


def mapped(code: str, ids: str) -> str:
    """What a program prints that is root in a user namespace with these ids alone."""
    ready, go = os.pipe()
    held, hold = os.pipe()
    inside = (
        "import os, sys; from sandbox.inside import system; system.unshare(system.CLONE_NEWUSER); "
        f"os.write({go}, b'1'); os.read({held}, 1); exec(sys.argv[1])"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", inside, code],
        cwd=ROOT,
        pass_fds=(go, held),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    os.close(go)
    assert os.read(ready, 1) == b"1"
    for name in ("uid_map", "gid_map"):
        Path(f"/proc/{process.pid}/{name}").write_text(ids)
    os.write(hold, b"1")
    out, err = process.communicate(timeout=120)
    for fd in (ready, held, hold):
        os.close(fd)
    assert process.returncode == 0, err
    return out
