"""A zygote reached over one byte stream: the same answers, the same verdicts, and nothing left behind."""

from __future__ import annotations

import os
import shutil
import signal
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
import torch

from sandbox import (
    Guest,
    GuestCrashed,
    GuestGone,
    GuestMemory,
    GuestOutput,
    GuestTimeout,
    Sandbox,
    SandboxBroken,
    StudentRaised,
    far,
    held,
)
from sandbox.backends import BACKENDS

from .conftest import script
from .relayed import QUICK, WORK, Launched, Relayed

Load = Callable[..., Guest]
MIB = 2**20


@pytest.fixture(scope="module", autouse=True)
def _backend() -> Iterator[None]:
    if shutil.which("bwrap") is None and os.environ.get("ATTEST_REQUIRE") != "all":
        pytest.skip("bubblewrap (bwrap) is not installed")
    BACKENDS["relayed"] = Relayed
    yield
    del BACKENDS["relayed"]


@pytest.fixture(scope="module")
def family(_backend: None) -> Iterator[Sandbox]:
    with Sandbox("relayed") as sandbox:
        sandbox.start()
        yield sandbox


@pytest.fixture(scope="module")
def sandbox(family: Sandbox) -> Iterator[Sandbox]:
    with family.attach(QUICK) as attached:
        yield attached


def launched(sandbox: Sandbox) -> Launched:
    assert isinstance(sandbox._launched, Launched)
    return sandbox._launched


def below(pid: int) -> set[int]:
    found, grew = {pid}, True
    parents = {}
    for entry in Path("/proc").glob("[0-9]*/stat"):
        try:
            parents[int(entry.parent.name)] = int(entry.read_text().rpartition(")")[2].split()[1])
        except OSError:
            continue
    while grew:
        more = {child for child, parent in parents.items() if parent in found} - found
        found |= more
        grew = bool(more)
    return found


def gone(pids: set[int], seconds: float = 10.0) -> bool:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if not any(_lives(pid) for pid in pids):
            return True
        time.sleep(0.02)
    return False


def _lives(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False


def resident(pid: int) -> int:
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmRSS"):
            return int(line.split()[1]) * 1024
    raise AssertionError


# The same as near


def test_no_descriptor_of_the_graders_passes(family: Sandbox) -> None:
    far = launched(family).far.pid
    ours = {os.readlink(f"/proc/self/fd/{fd}") for fd in os.listdir("/proc/self/fd") if _is_link(fd)}
    theirs = {os.readlink(f"/proc/{far}/fd/{fd}") for fd in os.listdir(f"/proc/{far}/fd")}
    assert not {name for name in ours & theirs if name.startswith(("socket:", "pipe:"))}


def _is_link(fd: str) -> bool:
    return os.path.islink(f"/proc/self/fd/{fd}")


@pytest.mark.parametrize("count", [1, 10_000, 8 * MIB])
def test_tensors_of_every_size_come_back_as_they_are(sandbox: Sandbox, count: int) -> None:
    values = torch.arange(count, dtype=torch.float32)
    with sandbox.guest({}, script(WORK)) as guest:
        assert torch.equal(guest.call("double", values), 2 * values)


def test_files_travel_over_the_stream(sandbox: Sandbox) -> None:
    with sandbox.guest({"data.txt": b"carried"}, script(WORK)) as guest:
        assert guest.call("read") == "carried"


def test_what_is_printed_is_separate_and_complete(sandbox: Sandbox) -> None:
    with sandbox.guest({}, script(WORK)) as guest:
        guest.start_check()
        guest.call("say")
        guest.call("sleep", 0.1)
        output = guest.take_output()
    assert (output.stdout, output.stderr) == ("out\n", "err\n")


@pytest.mark.parametrize(
    ("name", "args", "verdict"),
    [
        ("sleep", (30,), GuestTimeout),
        ("flood", (), GuestOutput),
        ("crash", (), GuestCrashed),
        ("leave", (), GuestCrashed),
        ("answers_without_end", (), GuestCrashed),
    ],
)
def test_a_verdict_is_the_same_and_the_next_guest_is_well(
    sandbox: Sandbox, name: str, args: tuple[object, ...], verdict: type[GuestGone]
) -> None:
    with sandbox.guest({}, script(WORK)) as guest:
        with pytest.raises(verdict) as caught:
            guest.call(name, *args)
        pids = set(guest.processes())
    if name == "crash":
        assert "SIGSEGV" in caught.value.sentence
    if name == "leave":
        assert "exit status 7" in caught.value.sentence
    assert gone(pids)
    with sandbox.guest({}, script(WORK)) as guest:
        assert guest.call("say") == 1


def test_processor_time_and_memory_are_measured_by_the_relay(family: Sandbox) -> None:
    limits = replace(QUICK, check_seconds=20.0, check_cpu_seconds=0.3, memory_bytes=256 * MIB)
    with family.attach(limits) as attached:
        with attached.guest({}, script(WORK)) as guest, pytest.raises(GuestTimeout, match="processor"):
            guest.call("spin")
        with attached.guest({}, script(WORK)) as guest:
            guest.start_check()
            guest.call("take", 64 * MIB)
            assert 64 * MIB <= guest.usage().peak_memory_bytes < 100 * MIB
            guest.call("take", 64 * MIB)
            with pytest.raises((GuestMemory, StudentRaised)):
                guest.call("take", 256 * MIB)


def test_a_cap_on_memory_finds_the_exact_peak(sandbox: Sandbox) -> None:
    with sandbox.guest({}, script(WORK)) as guest:
        with guest.memory_cap(16 * MIB) as use:
            guest.call("borrow", 8 * MIB)
        assert 7 * MIB < use.peak_bytes < 10 * MIB
        with pytest.raises(StudentRaised) as caught, guest.memory_cap(16 * MIB):
            guest.call("borrow", 32 * MIB)
        assert caught.value.memory


def test_a_model_can_be_lent(sandbox: Sandbox) -> None:
    with sandbox.guest({}, script(WORK)) as guest:
        assert guest.call("ask", held(lambda x: x * 3), torch.ones(2)).tolist() == [4.0, 4.0]


def test_questions_can_be_sent_ahead(sandbox: Sandbox) -> None:
    with sandbox.guest({}, script(WORK)) as guest:
        guest.start_check()
        guest.call("double", torch.ones(2), seed=1)
        ahead = guest.asked()
    with sandbox.guest({}, script(WORK.replace("2 * x", "5 * x"))) as guest:
        guest.start_check(ahead)
        assert guest.call("double", torch.ones(2), seed=1).tolist() == [5.0, 5.0]


# Nothing is left


def test_all_processes_of_a_guest_are_gone_with_it(sandbox: Sandbox) -> None:
    with sandbox.guest({}, script(WORK)) as guest:
        guest.call("starts", 5)
        pids = set(guest.processes())
        assert len(pids) == 6
        assert all(map(_lives, pids))
    assert gone(pids, 0.5)


def test_many_guests_leave_no_descriptor_on_either_side(sandbox: Sandbox, family: Sandbox) -> None:
    sides = (os.getpid(), launched(family).process.pid, launched(family).far.pid)
    with sandbox.guest({}, script(WORK)):
        pass
    time.sleep(0.5)  # the next guest is on its way
    before = [len(os.listdir(f"/proc/{pid}/fd")) for pid in sides]
    for _ in range(15):
        with sandbox.guest({}, script(WORK)) as guest:
            guest.call("say")
    time.sleep(0.5)
    assert [len(os.listdir(f"/proc/{pid}/fd")) for pid in sides] == before


def test_a_closed_sandbox_leaves_nothing() -> None:
    sandbox = Sandbox("relayed")
    with sandbox, sandbox.guest({}, script(WORK)) as guest:
        guest.call("starts", 3)
        pids = below(launched(sandbox).far.pid) | below(launched(sandbox).process.pid)
        assert len(pids) > 6
    assert gone(pids)


@pytest.mark.parametrize(("victim", "busy"), [("far", False), ("far", True), ("process", True)])
def test_a_cut_connection_is_our_fault_and_leaves_nothing(victim: str, busy: bool) -> None:
    with Sandbox("relayed", QUICK) as sandbox:
        guest = sandbox.guest({}, script(WORK))
        guest.call("starts", 2)
        pids = below(launched(sandbox).far.pid)
        kill = threading.Timer(0.3 * busy, getattr(launched(sandbox), victim).kill)
        kill.start()
        if not busy:
            kill.join()
        with pytest.raises(SandboxBroken) as caught:
            guest.call("sleep", 3.5)
        assert victim == "process" or "the connection to the container was cut" in str(caught.value)
        with pytest.raises(SandboxBroken):
            sandbox.guest({}, script(WORK))
        assert gone(pids)


def test_a_connection_that_stalls_is_no_timeout_of_the_students(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(far, "_ANSWER_SECONDS", 1.5)
    with Sandbox("relayed", QUICK) as sandbox, sandbox.guest({}, script(WORK)) as guest:
        relay = launched(sandbox).far.pid
        os.kill(relay, signal.SIGSTOP)
        try:
            with pytest.raises(SandboxBroken, match=r"has not answered for 1\.5 s"):
                guest.call("spin")
        finally:
            os.kill(relay, signal.SIGCONT)


# Whoever does not stop sending is not read


@pytest.mark.parametrize("name", ["floods_later", "answers_later_without_end"])
def test_what_nobody_reads_fills_no_memory(family: Sandbox, name: str) -> None:
    with family.attach(QUICK) as attached, attached.guest({}, script(WORK)) as guest:
        sides = (os.getpid(), launched(family).process.pid, launched(family).far.pid)
        guest.call(name)
        before = [resident(pid) for pid in sides]
        time.sleep(1.0)
        assert max(resident(pid) - was for pid, was in zip(sides, before, strict=True)) < 12 * MIB
        with pytest.raises((GuestOutput, GuestCrashed)):
            guest.call("sleep", 20)
        begin = time.monotonic()
    assert time.monotonic() - begin < 5


def test_backends_with_a_relay_take_part_in_attaching_from_other_processes(family: Sandbox) -> None:
    import multiprocessing

    context = multiprocessing.get_context("fork")
    answers: multiprocessing.Queue[int] = context.Queue()

    def work(attached: Sandbox) -> None:
        with attached, attached.guest({}, script("def f(): return 42")) as guest:
            answers.put(guest.call("f"))

    worker = context.Process(target=work, args=(family.attach(),))
    worker.start()
    assert answers.get(timeout=30) == 42
    worker.join(10)
    assert worker.exitcode == 0
