"""Limits held by the kernel's control groups: who is inside, what is stopped, and that nothing is left."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from sandbox import Guest, GuestMemory, Limits, Sandbox
from sandbox.cgroup_places import Places, find_places, remove_tree, run_name
from sandbox.cgroups import RLIMITS, GuestGroup, RunGroups, held_by

from .conftest import QUICK, script

ROOT = Path(__file__).parents[2]
Load = Callable[..., Guest]
MIB = 2**20

PLAIN = """
import os, time, threading, mmap
kept = []
def f(): return 6 * 7
def hold(count):
    shared = mmap.mmap(-1, count)
    for _ in range(count >> 20):
        shared.write(bytes(1 << 20))
    kept.append(shared)
def later(count, seconds):
    def work():
        time.sleep(seconds)
        hold(count)
    threading.Thread(target=work, daemon=True).start()
def fill(count, times):
    total = 0
    for index in range(times):
        try:
            with open(f"/tmp/{index}", "wb") as file:
                file.write(b"1" * count)
                total += count
        except OSError:
            pass
    return total
def child(count, seconds):
    if os.fork() == 0:
        hold(count)
        time.sleep(seconds)
        os._exit(0)
    os.wait()
"""


# A machine that has much else to do must not end a guest before its memory does.
PATIENT = replace(QUICK, check_seconds=20.0, check_cpu_seconds=20.0)


@pytest.fixture(scope="module")
def sandbox(family: Sandbox) -> Iterator[Sandbox]:
    with family.attach(PATIENT) as attached:
        yield attached


@pytest.fixture
def held(sandbox: Sandbox) -> Sandbox:
    if sandbox.held_by == RLIMITS:
        pytest.skip(f"no control groups here: {held_by()[1]}")
    return sandbox


def group_of(guest: Guest) -> GuestGroup:
    assert guest.group is not None
    return guest.group


def test_a_guest_is_in_its_own_group(held: Sandbox, load: Load) -> None:
    source = (
        PLAIN
        + "inside = [line for line in open('/proc/self/cgroup')] if os.path.exists('/proc/self') else []"
    )
    guest, other = load(source), load(PLAIN)
    first, second = guest.processes()[0], other.processes()[0]
    assert group_of(guest).holds(first)
    assert group_of(other).holds(second)
    assert not group_of(guest).holds(second), "each guest has its own"
    assert not group_of(guest).holds(os.getpid())


def test_the_kernel_stops_what_the_grader_does_not_look_at(held: Sandbox, load: Load) -> None:
    """Between two questions nobody samples."""
    guest = load(PLAIN)
    guest.call("later", group_of(guest).most + 32 * MIB, 0.05)
    end = time.monotonic() + 10
    while not group_of(guest).killed() and time.monotonic() < end:
        time.sleep(0.02)
    assert group_of(guest).killed()
    with pytest.raises(GuestMemory) as caught:
        guest.call("f")
    assert caught.value.sentence == GuestMemory(QUICK.memory_bytes).sentence


def test_a_kill_by_somebody_else_is_no_lack_of_memory(held: Sandbox, load: Load) -> None:
    guest = load(PLAIN)
    os.kill(guest.processes()[0], signal.SIGKILL)
    with pytest.raises(Exception, match="killed by the system") as caught:
        guest.call("f")
    assert not isinstance(caught.value, GuestMemory)


def test_files_in_memory_leave_room_for_what_may_be_allocated(held: Sandbox, load: Load) -> None:
    guest = load(PLAIN)
    assert guest.call("fill", MIB, 40) > QUICK.disk_bytes / 2
    guest.call("hold", QUICK.memory_bytes - 48 * MIB)
    assert guest.call("f") == 42


def test_the_peak_of_a_check_is_the_kernels(held: Sandbox, load: Load) -> None:
    """A child that is gone before anybody looks."""
    guest = load(PLAIN)
    guest.start_check()
    guest.call("child", 64 * MIB, 0)
    assert guest.usage().peak_memory_bytes >= 64 * MIB
    guest.start_check()
    guest.call("f")
    assert guest.usage().peak_memory_bytes < 48 * MIB


def test_a_child_and_a_file_count_within_a_cap(held: Sandbox, load: Load) -> None:
    for call in (("child", 16 * MIB, 0), ("fill", 4 * MIB, 4)):
        guest = load(PLAIN)
        with pytest.raises(GuestMemory), guest.memory_cap(8 * MIB):
            guest.call(*call)
    guest = load(PLAIN)
    with guest.memory_cap(8 * MIB):
        guest.call("fill", MIB, 4)


def test_processes_are_held_by_the_group_too(held: Sandbox, load: Load) -> None:
    guest = load(PLAIN)
    folder = group_of(guest)._folders["pids"]
    assert int(Path(folder, "pids.max").read_text()) == QUICK.processes
    assert int(Path(folder, "pids.current").read_text()) >= 1


def test_a_group_is_used_again_only_when_it_is_empty(held: Sandbox) -> None:
    groups = RunGroups.open()
    try:
        group = groups.take(Limits(), 0)
        assert group is not None
        groups.give_back(group)
        assert groups.take(Limits(), 0) is group
        sleeper = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
        for folder in group._all:
            Path(folder, "cgroup.procs").write_text(str(sleeper.pid))
        assert not group.empty()
        groups.give_back(group)
        other = groups.take(Limits(), 0)
        assert other is not None
        assert other is not group
        assert sleeper.wait(10) == -signal.SIGKILL, "who is left in a group goes with it"
    finally:
        groups.close()
    assert not [folder for folder in (*group._all, *other._all) if os.path.exists(folder)]


def test_many_guests_leave_no_groups(held: Sandbox, family: Sandbox) -> None:
    def count() -> int:
        parents = {Path(run).parent for run in find_places().run.values()}
        return sum(len(list(parent.rglob(f"guest-{os.getpid()}-*"))) for parent in parents)

    before = count()
    with family.attach(PATIENT) as own:
        for _ in range(6):
            own.guest({}, script(PLAIN)).close()
        assert before < count() <= before + 3 * len(find_places().run), "a guest's, and a spare's"
    assert count() == before


def test_what_a_killed_run_has_left_is_swept(held: Sandbox) -> None:
    places = find_places()
    ours = run_name()
    over = re.sub(r"-(\d+)-(\d+)-(\d+)$", lambda found: f"-{found[1]}-1-{found[3]}", ours)
    parents = {os.path.dirname(run) for run in places.run.values()}
    sleeper = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
    try:
        for parent in parents:
            Path(parent, over, "guest-1").mkdir(parents=True)
            Path(parent, ours).mkdir()
            Path(parent, over, "guest-1", "cgroup.procs").write_text(str(sleeper.pid))
        places.sweep()
        assert not [parent for parent in parents if Path(parent, over).exists()]
        assert all(Path(parent, ours).exists() for parent in parents), "this process still runs"
        assert sleeper.wait(10) == -signal.SIGKILL
    finally:
        sleeper.kill()
        for parent in parents:
            if Path(parent, ours).exists():
                Path(parent, ours).rmdir()


def test_what_was_left_in_the_group_of_an_earlier_session_is_swept(held: Sandbox) -> None:
    places = find_places()
    own = os.path.dirname(places.run["memory"])
    if os.path.basename(os.path.dirname(own)) == "":
        pytest.skip("our own group has none beside it")
    beside = Path(os.path.dirname(own), f"attest-test-{os.getpid()}")
    left = beside / re.sub(r"-(\d+)-(\d+)$", r"-1-\2", run_name())
    try:
        left.mkdir(parents=True)
    except OSError as error:
        pytest.skip(f"no group can be made beside our own: {error}")
    try:
        places.sweep()
        assert not left.exists()
    finally:
        remove_tree(str(beside))


def test_a_run_that_is_killed_is_cleaned_up_by_the_next(held: Sandbox) -> None:
    program = (
        "import sys, time\nfrom sandbox import Program, Sandbox\n"
        "with Sandbox() as one:\n"
        "    guest = one.guest({}, Program('script', 'a.py', ('def f(): return 1',)))\n"
        "    print(*guest.group._all, flush=True)\n    time.sleep(60)\n"
    )
    with subprocess.Popen(
        [sys.executable, "-c", program], stdout=subprocess.PIPE, text=True, cwd=ROOT, env=os.environ
    ) as run:
        assert run.stdout is not None
        folders = run.stdout.readline().split()
        assert folders
        assert all(os.path.isdir(folder) for folder in folders)
        run.kill()
    RunGroups.open().close()
    assert not [folder for folder in folders if os.path.exists(folder)]


def test_without_groups_guests_are_held_as_before(family: Sandbox) -> None:
    with family.attach(PATIENT) as own:
        own._groups = RunGroups(Places(0, {}, "for this test"), owner=False)
        assert own.held_by == RLIMITS
        with own.guest({}, script(PLAIN)) as guest:
            guest.start_check()
            assert guest.group is None
            assert guest.call("f") == 42
            with pytest.raises(GuestMemory):
                guest.call("hold", 2 * QUICK.memory_bytes)


def test_a_guest_that_cannot_enter_is_held_otherwise(held: Sandbox, family: Sandbox) -> None:
    with family.attach(PATIENT) as own:
        assert own._groups is not None
        take = own._groups.take

        def closed(limits: Limits, zygote_bytes: int) -> GuestGroup | None:
            group = take(limits, zygote_bytes)
            if group is not None:
                group.doors[0] = os.open("/dev/null", os.O_WRONLY)
            return group

        own._groups.take = closed  # type: ignore[method-assign]
        with own.guest({}, script(PLAIN)) as guest:
            assert guest.call("f") == 42
            assert guest.group is None
        assert own.held_by == RLIMITS
        assert own.guest({}, script(PLAIN)).call("f") == 42


# Version 2 as far as its files go, in a folder: this says how paths are found, not what the kernel does.


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    for name in ("", "user.slice", "user.slice/own.scope"):
        folder = tmp_path / "cgroup" / name
        folder.mkdir()
        own = name == "user.slice/own.scope"
        (folder / "cgroup.controllers").write_text("cpu memory pids\n")
        (folder / "cgroup.subtree_control").write_text("" if own else "cpu memory pids\n")
        (folder / "cgroup.procs").write_text("1\n" if own else "")
    return tmp_path


def pretend(tree: Path, own: str, root: str = "/") -> str:
    proc = tree / "proc"
    proc.mkdir()
    mounted = f"30 23 0:26 {root} {tree}/cgroup rw,nosuid - cgroup2 cgroup2 rw,nsdelegate\n"
    (proc / "mountinfo").write_text(mounted)
    (proc / "cgroup").write_text(f"0::{own}\n")
    return str(proc)


def test_version_2_goes_up_past_a_group_that_holds_others(tree: Path) -> None:
    found = find_places(pretend(tree, "/user.slice/own.scope"))
    assert found.version == 2
    assert {os.path.dirname(run) for run in found.run.values()} == {f"{tree}/cgroup/user.slice"}
    assert set(found.run) == {"memory", "pids", "cpu"}


def test_version_2_is_found_below_the_root_that_a_container_sees(tree: Path) -> None:
    found = find_places(pretend(tree, "/docker/abc/user.slice", root="/docker/abc"))
    assert {os.path.dirname(run) for run in found.run.values()} == {f"{tree}/cgroup/user.slice"}


def test_version_2_without_controllers_says_what_is_missing(tree: Path) -> None:
    for controllers in (tree / "cgroup").rglob("cgroup.controllers"):
        controllers.write_text("cpu io\n")
    found = find_places(pretend(tree, "/user.slice"))
    assert not found.run
    assert found.held_by == RLIMITS
    assert "no controller memory and no controller pids" in found.why
