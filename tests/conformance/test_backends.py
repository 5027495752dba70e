"""One suite for every backend: limits, verdicts, loading, values, respawn, neighbours, and nothing left over.

What a backend says it cannot defend (`sandbox.undefended`) is not asked of it; everything else is.
"""

from __future__ import annotations

import os
import resource
import time
from dataclasses import replace
from pathlib import Path

import pytest
import torch

from sandbox import (
    GuestCrashed,
    GuestGone,
    GuestMemory,
    GuestOutput,
    GuestTimeout,
    NameMissing,
    Opaque,
    Program,
    RemoteException,
    StudentRaised,
    held,
)
from tests.conformance.ground import Ground, on
from tests.sandbox.conftest import QUICK

# Limits and verdicts


@on()
@pytest.mark.parametrize("body", ["while True: pass", "import time; time.sleep(60)", "sum(iter(int, 1))"])
def test_wall_time(ground: Ground, body: str) -> None:
    guest = ground.load(f"def f():\n    {body}")
    with pytest.raises(GuestTimeout) as caught:
        guest.call("f")
    assert (caught.value.kind, caught.value.limit, guest.alive) == ("wall", 1.0, False)


@on()
def test_processor_time_of_all_processes(ground: Ground) -> None:
    source = (
        "import os, time\ndef f():\n"
        "    for _ in range(4):\n        if os.fork() == 0:\n            while True: pass\n"
        "    time.sleep(60)\n"
    )
    with ground.family.attach(replace(QUICK, check_seconds=30.0, check_cpu_seconds=0.5)) as sandbox:  # noqa: SIM117
        with sandbox.guest({}, Program("script", "a.py", (source,))) as guest:
            guest.start_check()
            with pytest.raises(GuestTimeout) as caught:
                guest.call("f")
            assert caught.value.kind == "cpu"


@on("memory")
def test_private_memory(ground: Ground) -> None:
    guest = ground.load("def f():\n    kept = []\n    while True: kept.append(bytearray(16 << 20))")
    with pytest.raises((StudentRaised, GuestMemory)) as caught:
        guest.call("f")
    assert not isinstance(caught.value, StudentRaised) or caught.value.memory


@on("memory")
def test_shared_memory(ground: Ground) -> None:
    guest = ground.load(
        "import mmap\ndef f():\n    kept = []\n    while True:\n        area = mmap.mmap(-1, 16 << 20)\n"
        "        for at in range(0, len(area), 4096): area[at] = 1\n        kept.append(area)"
    )
    with pytest.raises(GuestMemory):
        guest.call("f")


@on("process count")
def test_processes_are_bounded(ground: Ground) -> None:
    source = (
        "import os, time\ndef f():\n    made = 0\n    while True:\n        try:\n"
        "            if os.fork() == 0: time.sleep(60)\n            made += 1\n"
        "        except OSError: return made"
    )
    with ground.family.attach(replace(QUICK, check_seconds=60.0, check_cpu_seconds=60.0)) as sandbox:  # noqa: SIM117
        with sandbox.guest({}, Program("script", "a.py", (source,))) as guest:
            guest.start_check()
            assert 0 < guest.call("f") <= QUICK.processes


@on()
def test_open_files_are_bounded(ground: Ground) -> None:
    guest = ground.load(
        "def f():\n    kept = []\n    try:\n        while True: kept.append(open('/dev/null'))\n"
        "    except OSError: return len(kept)"
    )
    assert 0 < guest.call("f") < QUICK.open_files


@on()
def test_a_file_is_bounded(ground: Ground) -> None:
    guest = ground.load(
        "import signal\ndef f():\n    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n    written = 0\n"
        "    try:\n"
        "        with open('large', 'wb', buffering=0) as file:\n"
        "            while True: written += file.write(bytes(1 << 20))\n    except OSError: return written"
    )
    assert 0 < guest.call("f") <= QUICK.file_bytes


@on("disk", but=("user", "none"))  # there a watch ends the guest that writes too much
def test_the_disk_is_bounded(ground: Ground) -> None:
    guest = ground.load(
        "def f():\n    written = 0\n    for number in range(200):\n        try:\n"
        "            with open(f'{number}', 'wb', buffering=0) as file:\n"
        "                written += file.write(bytes(1 << 20))\n"
        "        except OSError: return written\n    return written"
    )
    assert 0 < guest.call("f") <= QUICK.disk_bytes


@on()
def test_a_flood_of_output(ground: Ground) -> None:
    guest = ground.load("import os\ndef f():\n    while True: os.write(1, b'x' * 10_000)")
    with pytest.raises(GuestOutput):
        guest.call("f")
    output = guest.take_output()
    assert output.truncated
    assert 0 < len(output.stdout) <= QUICK.output_bytes


# Loading


@on()
def test_loading_stops_a_statement_and_goes_on(ground: Ground) -> None:
    guest = ground.load("A = 1\nwhile True:\n    pass\ndef f(): return A + 1\n")
    assert guest.call("f") == 2
    assert [cell.status for cell in guest.report.cells] == ["ok", "stopped", "ok"]


@on()
def test_what_dies_while_it_is_loaded_leaves_its_definitions(ground: Ground) -> None:
    guest = ground.load("import os\ndef f(): return 7\nos._exit(0)\n")
    assert (guest.call("f"), guest.report.level) == (7, "definitions")


@on()
def test_errors_of_cells_and_what_is_missing(ground: Ground) -> None:
    program = Program("notebook", "a.ipynb", ("x = 1", "1 / 0", "def f(): return x", "!ls"))
    with ground.quick.guest({"data.txt": b"hello"}, program) as guest:
        guest.start_check()
        assert guest.call("f") == 1
        assert [cell.status for cell in guest.report.cells][:3] == ["ok", "raised", "ok"]
        with pytest.raises(NameMissing, match="did you mean f"):
            guest.call("ff")


@on()
def test_files_lie_in_its_folder(ground: Ground) -> None:
    program = Program("script", "a.py", ("import helper\ndef f(): return helper.X, open('d/x.txt').read()",))
    with ground.quick.guest({"helper.py": b"X = 5", "d/x.txt": b"hello"}, program) as guest:
        assert guest.call("f") == (5, "hello")


# Values


@on()
def test_values_cross_both_ways(ground: Ground) -> None:
    guest = ground.load("def same(x): return x\ndef made(): return [object(), ValueError('v')]\n")
    value = {"a": [1, 2.5, None, True, "é", b"b"], "t": (1, (2,)), "d": torch.float16}
    assert guest.call("same", value) == value
    for dtype in (torch.float64, torch.float32, torch.bfloat16, torch.int64, torch.bool, torch.uint8):
        guest.start_check()
        tensor = torch.arange(6).reshape(2, 3).to(dtype)
        answer = guest.call("same", tensor)
        assert type(answer) is torch.Tensor
        assert answer.dtype is dtype
        assert torch.equal(answer, tensor)
    large = torch.arange(2**21, dtype=torch.float64)
    assert torch.equal(guest.call("same", large), large)
    guest.start_check()
    thing, error = guest.call("made")
    assert isinstance(thing, Opaque)
    assert error == RemoteException("ValueError", "v")


@on()
def test_a_lent_model_is_called_from_inside(ground: Ground) -> None:
    model = torch.nn.Linear(2, 2)
    guest = ground.load("def f(model, x): return model(x), model(x).sum()")
    x = torch.ones(1, 2)
    answer, total = guest.call("f", held(model), x)
    assert torch.equal(answer, model(x).detach())
    assert torch.equal(total, model(x).sum().detach())


# Death and what follows


DEATHS = {
    "leaves": ("import os\ndef f(): os._exit(3)", GuestCrashed),
    "crashes": ("import ctypes\ndef f(): ctypes.string_at(0)", GuestCrashed),
    "closes": ("import os\ndef f(): os.close(3); import time; time.sleep(60)", GuestCrashed),
    "lies": ("import os\ndef f(): os.write(3, bytes([255] * 12)); import time; time.sleep(60)", GuestCrashed),
    "hangs": ("def f():\n    while True: pass", GuestTimeout),
}


@on()
@pytest.mark.parametrize("death", DEATHS)
def test_a_dead_guest_is_gone_and_another_answers(ground: Ground, death: str) -> None:
    source, kind = DEATHS[death]
    guest = ground.load(source)
    with pytest.raises(kind):
        guest.call("f")
    with pytest.raises(GuestGone):
        guest.call("f")
    assert not guest.alive
    assert ground.load("def f(): return 2").call("f") == 2


@on("leftovers")
def test_nothing_of_a_guest_is_left(ground: Ground) -> None:
    source = (
        "import os, signal, time\ndef f():\n    for _ in range(3):\n        if os.fork() == 0:\n"
        "            os.setsid()\n            if os.fork() == 0:\n"
        "                for number in (1, 2, 15): signal.signal(number, signal.SIG_IGN)\n"
        "                while True: time.sleep(0.05)\n            os._exit(0)\n        os.wait()\n"
        "    open('left', 'w').close()\n    return 'left'"
    )
    ground.load("def f(): return 1").close()  # what is made once, and the guest that is made ahead
    before = everything()
    guest = ground.load(source)
    assert guest.call("f") == "left"
    own = set(guest.processes())
    guest.close()
    ground.guests.clear()
    deadline = time.monotonic() + 10
    while (everything() != before or living(own)) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert everything() == before
    assert living(own) == []


def living(pids: set[int]) -> list[int]:
    return [pid for pid in pids if Path(f"/proc/{pid}").exists()]


def everything() -> tuple[int, tuple[str, ...]]:
    """This process's descriptors, and the machine's mounts."""
    mounts = Path("/proc/self/mounts").read_text().splitlines()
    return len(os.listdir("/proc/self/fd")), tuple(sorted(line for line in mounts if "attest" in line))


@on("signals", "processes")
def test_neighbours_do_not_meet(ground: Ground) -> None:
    first = ground.load(
        "import os\nsecret = 'a secret'\nopen('mine', 'w').write(secret)\ndef f(): return secret"
    )
    second = ground.load(
        "import os, glob\ndef f():\n    found = []\n"
        "    for pid in range(2, 3000):\n        if pid in (os.getpid(), os.getppid()): continue\n"
        "        try:\n            os.kill(pid, 9)\n            found.append(pid)\n"
        "        except OSError: pass\n"
        "    for path in (*glob.glob('../*/mine'), *glob.glob('../../*/*/mine'), 'mine'):\n"
        "        try: found.append(open(path).read())\n        except OSError: pass\n    return found"
    )
    assert second.call("f") == []
    assert first.call("f") == "a secret"


@on("network")
def test_there_is_no_network(ground: Ground) -> None:
    guest = ground.load(
        "import socket\ndef f():\n    made = []\n    for family in (2, 10, 16, 17, 38, 40):\n"
        "        try:\n            socket.socket(family, 2)\n            made.append(family)\n"
        "        except OSError: pass\n    return made"
    )
    assert guest.call("f") == []


@on("system calls")
def test_namespaces_mounts_and_root_are_refused(ground: Ground) -> None:
    guest = ground.load(
        "import ctypes, os\nlibc = ctypes.CDLL(None)\ndef f():\n    done = []\n"
        "    if libc.unshare(0x10000000) == 0: done.append('namespace')\n"
        "    if libc.mount(b'x', b'/tmp', b'tmpfs', 0, None) == 0: done.append('mount')\n"
        "    if libc.ptrace(0, 0, 0, 0) == 0: done.append('trace')\n"
        "    if libc.setuid(0) == 0 or os.getuid() == 0: done.append('root')\n    return done"
    )
    assert guest.call("f") == []


@on("system calls")
def test_no_crash_is_handed_to_a_program_of_the_machine(ground: Ground) -> None:
    """With a limit of 1 the kernel dumps nothing; with 0 it would give the dump to such a program."""
    guest = ground.load(
        "import ctypes, resource\ndef f():\n"
        "    try: resource.setrlimit(resource.RLIMIT_CORE, (0, 0))\n"
        "    except (OSError, ValueError): return list(resource.getrlimit(resource.RLIMIT_CORE))\n"
    )
    most = resource.getrlimit(resource.RLIMIT_CORE)[1]  # what this process may not raise, nor can a guest's
    assert guest.call("f") == ([0, 0] if most == 0 and ground.name != "docker" else [1, 1])
