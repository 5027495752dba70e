"""Beginning and end: nothing is left behind, whoever dies first."""

from __future__ import annotations

import multiprocessing
import os
import signal
import subprocess
import sys
import tempfile
import textwrap
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from sandbox import BackendOptions, Guest, Limits, Sandbox, SandboxBroken

from .conftest import script
from .less_than_root import as_nobody

Load = Callable[..., Guest]
ROOT = Path(__file__).parents[2]


def descriptors() -> int:
    return len(os.listdir("/proc/self/fd"))


def descendants(pid: int) -> set[int]:
    """Every process below `pid`."""
    found = {pid}
    for entry in Path("/proc").glob("[0-9]*/stat"):
        try:
            parent = int(entry.read_text().rpartition(")")[2].split()[1])
        except OSError:
            continue
        if parent in found:
            found.add(int(entry.parent.name))
    return found - {pid}


def gone(pids: set[int], seconds: float = 5.0) -> bool:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        alive = {
            pid
            for pid in pids
            if Path(f"/proc/{pid}/stat").exists() and " Z " not in Path(f"/proc/{pid}/stat").read_text()
        }
        if not alive:
            return True
        time.sleep(0.02)
    return False


def mounts() -> list[str]:
    return Path("/proc/self/mountinfo").read_text().splitlines()


def test_a_sandbox_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))  # whatever others leave elsewhere
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    before = descriptors(), mounts()
    own = descendants(os.getpid())
    with Sandbox() as sandbox:
        guests = [sandbox.guest({}, script("def f(): return 1")) for _ in range(3)]
        assert [guest.call("f") for guest in guests] == [1, 1, 1]
        guests[0].close()
        started = descendants(os.getpid()) - own
        assert len(started) > 4
    assert gone(started)
    sandbox.close()
    assert not guests[1].alive
    assert (descriptors(), mounts()) == before
    assert os.listdir(tmp_path) == []
    with pytest.raises(SandboxBroken, match="closed"):
        sandbox.guest({}, script("A = 1"))


def test_many_guests_leak_no_descriptor_and_no_process(sandbox: Sandbox) -> None:
    with sandbox.guest({}, script("A = 1")):
        pass
    before = descriptors(), len(descendants(os.getpid()))
    for _ in range(30):
        with sandbox.guest({}, script("def f(): return 1")) as guest:
            assert guest.call("f") == 1
    assert descriptors() == before[0]
    assert len(descendants(os.getpid())) <= before[1]


def test_everything_dies_with_the_parent() -> None:
    source = """
        import sys
        from sandbox import Sandbox, Program
        sandbox = Sandbox()
        deaf = "import os, signal, time\\nfor n in (1, 2, 15): signal.signal(n, signal.SIG_IGN)\\n"
        deaf += "if os.fork() == 0: time.sleep(600)\\ndef f(): return 1"
        guest = sandbox.guest({}, Program("script", "a.py", (deaf,)))
        guest.call("f")
        other = sandbox.attach()
        other.guest({}, Program("script", "a.py", ("A = 1",)))
        print("ready", flush=True)
        guest.call("f")
        sys.stdin.read()
    """
    process = subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(source)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        cwd=ROOT,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == b"ready\n"
    pids = descendants(process.pid)
    assert len(pids) > 5
    process.send_signal(signal.SIGKILL)
    process.wait()
    process.stdout.close()
    assert process.stdin is not None
    process.stdin.close()
    assert gone(pids)


def test_a_dead_guest_costs_nothing_but_itself(load: Load) -> None:
    source = "import os\ndef die(): os._exit(3)\ndef f(): return 1"
    first, second = load(source), load(source)
    with pytest.raises(Exception, match="exit status 3"):
        first.call("die")
    assert not first.alive
    assert second.call("f") == 1
    assert load(source).call("f") == 1


def test_a_guest_that_dies_between_questions_is_noticed(load: Load) -> None:
    guest = load("import os, threading\ndef f(): threading.Timer(0.05, lambda: os._exit(4)).start()")
    guest.call("f")
    time.sleep(0.3)
    with pytest.raises(Exception, match="exit status 4"):
        guest.call("f")


def test_a_dead_zygote_is_our_fault() -> None:
    others = descendants(os.getpid())
    with Sandbox() as sandbox:
        sandbox.start()
        for pid in descendants(os.getpid()) - others:
            if "inside.zygote" in Path(f"/proc/{pid}/cmdline").read_text():
                os.kill(pid, signal.SIGKILL)
        with pytest.raises(SandboxBroken, match="the zygote does not answer"):
            sandbox.guest({}, script("A = 1"))


def test_without_bubblewrap_the_message_says_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nonexistent")
    with pytest.raises(SandboxBroken, match=r"bwrap.*not found.*apt install bubblewrap.*attest doctor"):
        Sandbox().start()


def test_what_is_asked_for_and_cannot_be_is_named() -> None:
    with pytest.raises(SandboxBroken, match=r"no backend 'podman'.*use one of bubblewrap"):
        Sandbox("podman")
    with pytest.raises(SandboxBroken, match="no device 'tpu'; use one of cpu, cuda"):
        Sandbox(device="tpu")
    with pytest.raises(SandboxBroken, match="isolation 'container' needs the docker backend"):
        Sandbox(options=BackendOptions(isolation="container"))


def test_attached_sandboxes_have_their_own_limits_and_die_alone(family: Sandbox) -> None:
    with family.attach(Limits(check_seconds=0.2)) as attached:
        assert attached.limits.check_seconds == 0.2
        with attached.guest({}, script("def f(): return 1")) as guest:
            assert guest.call("f") == 1
    with family.attach() as other, other.guest({}, script("def f(): return 2")) as guest:
        assert guest.call("f") == 2


def _work(sandbox: Sandbox, answers: multiprocessing.Queue[int]) -> None:
    with sandbox, sandbox.guest({}, script("def f(): return 42")) as guest:
        answers.put(guest.call("f"))


def test_an_attached_sandbox_works_in_another_process(family: Sandbox) -> None:
    context = multiprocessing.get_context("fork")
    answers: multiprocessing.Queue[int] = context.Queue()
    worker = context.Process(target=_work, args=(family.attach(), answers))
    worker.start()
    assert answers.get(timeout=30) == 42
    worker.join(10)
    assert worker.exitcode == 0


def test_only_an_attached_sandbox_can_be_handed_on(family: Sandbox) -> None:
    import pickle

    with pytest.raises(TypeError, match="attach"):
        pickle.dumps(family)


def test_checks_have_their_own_clock(load: Load) -> None:
    guest = load("import time\ndef f(s): time.sleep(s)")
    for _ in range(3):
        guest.start_check()
        guest.call("f", 0.6)
    assert 0.6 <= guest.usage().seconds < 1.0
    with pytest.raises(Exception, match="had not finished after 1 seconds"):
        guest.call("f", 0.6)


def test_usage_is_measured_from_outside(load: Load) -> None:
    source = """
import torch, time
def f(n):
    global kept
    kept = torch.ones(n)
    end = time.time() + 0.15
    while time.time() < end: pass
"""
    guest = load(source)
    guest.call("f", 16 * 2**20)
    usage = guest.usage()
    assert 64 * 2**20 <= usage.peak_memory_bytes < 100 * 2**20
    assert 0.02 < usage.cpu_seconds < 1.0
    assert usage.seconds >= 0.15


AS_A_USER = """
import os, torch
from sandbox import GuestMemory, GuestTimeout, Limits, Program, Sandbox, StudentRaised
assert os.getuid() != 0
source = '''
import os, torch, mmap
kept = []
def f(x): return x + 1
def who(): return os.getuid()
def loop():
    while True: pass
def take():
    while True:
        kept.append(mmap.mmap(-1, 2**26))
        for i in range(0, 2**26, 4096): kept[-1][i] = 1
def bomb():
    n = 0
    while True:
        if os.fork() == 0: os.pause() if hasattr(os, 'pause') else __import__('time').sleep(60)
        n += 1
'''
program = Program('script', 'a.py', (source,))
with Sandbox(limits=Limits(check_seconds=5.0, memory_bytes=2**28, processes=16)) as sandbox:
    with sandbox.guest({'a.py': b'x'}, program) as guest:
        assert guest.call('f', torch.ones(2)).tolist() == [2.0, 2.0]
        assert guest.call('who') == 65534
        assert guest.usage().cpu_seconds > 0
    for name, kind in (('loop', GuestTimeout), ('take', GuestMemory), ('bomb', StudentRaised)):
        with sandbox.guest({}, program) as guest:
            try:
                guest.call(name)
            except kind as error:
                print(name, 'ends in', type(error).__name__)
"""


@pytest.mark.skipif(os.geteuid() != 0, reason="the tests run as an ordinary user already")
def test_an_ordinary_user_needs_no_root() -> None:
    done = as_nobody(AS_A_USER)
    assert done.stderr == ""
    assert done.stdout.splitlines() == [
        "loop ends in GuestTimeout",
        "take ends in GuestMemory",
        "bomb ends in StudentRaised",
    ]


def test_a_spare_guest_that_was_killed_is_replaced(family: Sandbox) -> None:
    with family.attach() as attached:
        attached.prefork()
        time.sleep(0.3)
        spare = max(descendants(os.getpid()))  # the youngest
        os.kill(spare, signal.SIGKILL)
        with attached.guest({}, script("def f(): return 1")) as guest:
            assert guest.processes()[0] != spare
            assert guest.call("f") == 1
