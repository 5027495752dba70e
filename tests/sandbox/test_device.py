"""Guests on a GPU. Without one: slots, what a guest sees, what is said; what needs CUDA itself is skipped."""

from __future__ import annotations

import errno
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import ClassVar

import pytest
import torch

from sandbox import BackendOptions, Guest, Sandbox, SandboxBroken, StudentRaised
from sandbox import device as devices
from sandbox.device import Gpu, GpuSlots, cuda_findings, libraries, nodes
from sandbox.inside import gpu
from sandbox.inside.modules import weighted_sum
from sandbox.view import guest_view

from .conftest import QUICK, script

ROOT = Path(__file__).parents[2]
Load = Callable[..., Guest]
MIB = 2**20
MISSING = [finding for finding in cuda_findings() if not finding.ok]
needs_gpu = pytest.mark.skipif(
    bool(MISSING), reason="no GPU: " + "; ".join(finding.found for finding in MISSING)
)

SOURCE = """
import os, resource, fcntl, torch
def state(): return torch.cuda.is_initialized(), torch.cuda._is_in_bad_fork()
def limits(): return resource.getrlimit(resource.RLIMIT_AS)[0], resource.getrlimit(resource.RLIMIT_DATA)[0]
def dev(): return sorted(os.listdir('/dev'))
def ioctl(number):
    try:
        fcntl.ioctl(os.open('/dev/null', os.O_RDONLY), number)
    except OSError as error:
        return error.errno
    return 0
def full(): raise torch.OutOfMemoryError('CUDA out of memory. Tried to allocate 20.00 GiB.')
def where(x): return str(x.device), str(torch.ones(1).device)
def double(x): return x * 2
def take(count): return torch.ones(count, dtype=torch.uint8).sum().item()
model = torch.nn.Linear(3, 3)
def device_of(module): return str(next(module.parameters()).device)
"""


class Meter:
    """A GPU whose memory is what the test says."""

    def __init__(self) -> None:
        self.by_pid: dict[int, int] = {}
        self.in_use = 0

    def processes(self, name: str) -> dict[int, int]:
        return self.by_pid

    def used(self, name: str) -> int:
        return self.in_use


# The zygote


def test_the_zygote_leaves_cuda_alone(load: Load) -> None:
    """A fork of a process that has initialised it is a bad fork."""
    assert load(SOURCE).call("state") == (False, False)


# Slots


def slots(folder: Path, count: int = 2, each: int = 1, meter: Meter | None = None) -> GpuSlots:
    return GpuSlots([Gpu(f"GPU-{number}") for number in range(count)], each, folder, lambda: meter)


def test_each_slot_is_one_guests_and_empty_gpus_come_first(tmp_path: Path) -> None:
    own, others = slots(tmp_path, each=2), slots(tmp_path, each=2)
    taken = [own.take(), others.take(), own.take(), others.take()]
    assert [slot.gpu.name for slot in taken] == ["GPU-0", "GPU-1", "GPU-0", "GPU-1"]
    with pytest.raises(SandboxBroken, match="all 4 GPU slots were in use"):
        own.take(0.1)
    assert others.give_back(taken[1]) == ""
    assert own.take(0.1).gpu.name == "GPU-1"


def test_a_process_that_is_killed_gives_its_slot_back(tmp_path: Path) -> None:
    program = (
        "import sys, time; from pathlib import Path; from sandbox.device import Gpu, GpuSlots\n"
        "slot = GpuSlots([Gpu('GPU-0')], 1, Path(sys.argv[1])).take()\n"
        "print('taken', flush=True); time.sleep(60)"
    )
    with subprocess.Popen(
        [sys.executable, "-c", program, str(tmp_path)], stdout=subprocess.PIPE, cwd=ROOT, env=os.environ
    ) as holder:
        assert holder.stdout is not None
        holder.stdout.readline()
        own = slots(tmp_path, count=1)
        with pytest.raises(SandboxBroken):
            own.take(0.1)
        holder.send_signal(signal.SIGKILL)
    assert own.take(5.0).gpu.name == "GPU-0"


def test_the_slots_of_an_attached_sandbox_are_the_same(tmp_path: Path) -> None:
    own = slots(tmp_path, count=1)
    own.take()
    with pytest.raises(SandboxBroken):
        own.attached().take(0.1)


def test_memory_of_a_guest_that_is_gone_is_waited_for_and_then_reported(tmp_path: Path) -> None:
    meter = Meter()
    own = slots(tmp_path, count=1, meter=meter)
    gone = subprocess.Popen(["true"])
    gone.wait()
    slot = own.take()
    meter.by_pid = {gone.pid: 300 * MIB, os.getpid(): MIB}
    said = own.give_back(slot, 0.1)
    assert said == ("GPU GPU-0 still holds 300 MiB of a guest that has ended; look who uses it: nvidia-smi")
    with pytest.raises(SandboxBroken, match="still holds 300 MiB"):
        own.take(0.1)


def test_memory_of_those_who_live_is_theirs(tmp_path: Path) -> None:
    meter = Meter()
    own = slots(tmp_path, count=1, meter=meter)
    slot = own.take()
    meter.by_pid, meter.in_use = {os.getpid(): 300 * MIB}, 300 * MIB
    assert own.give_back(slot, 0.1) == ""


def test_memory_that_is_nobodys_is_found_where_processes_are_not_seen(tmp_path: Path) -> None:
    """In a container the driver names none."""
    meter = Meter()
    meter.in_use = 500 * MIB
    own = slots(tmp_path, count=1, meter=meter)
    slot = own.take()
    assert own.give_back(slot, 0.1) == ""
    slot = own.take()
    meter.in_use = 900 * MIB
    assert "still holds 400 MiB" in own.give_back(slot, 0.1)


# What a guest sees


@pytest.fixture
def dev(tmp_path: Path) -> Path:
    folder = tmp_path / "dev"
    (folder / "nvidia-caps").mkdir(parents=True)
    for name in (
        "nvidia0",
        "nvidia1",
        "nvidiactl",
        "nvidia-uvm",
        "nvidia-modeset",
        "nvidia-caps/nvidia-cap1",
    ):
        (folder / name).touch()
    return folder


def test_the_nodes_are_the_cards_and_what_cuda_opens_beside_them(dev: Path) -> None:
    names = [os.path.relpath(node, dev) for node in nodes(str(dev))]
    assert names == ["nvidia0", "nvidia1", "nvidiactl", "nvidia-uvm", "nvidia-caps/nvidia-cap1"]


def test_the_drivers_libraries_are_told_by_their_names() -> None:
    table = """2 libs found in cache
	libcuda.so.1 (libc6,x86-64) => /opt/driver/libcuda.so.1
	libnvidia-ml.so.1 (libc6,x86-64) => /opt/driver/libnvidia-ml.so.1
	libm.so.6 (libc6,x86-64) => /lib/libm.so.6
	libcuda.so.1 (libc6) => /opt/other/libcuda.so.1
"""
    assert libraries(table) == ("/opt/driver/libcuda.so.1", "/opt/driver/libnvidia-ml.so.1")


@pytest.fixture
def card() -> Iterator[str]:
    """/dev/null by another name, in a folder that the sandbox's user may look into."""
    if os.geteuid() != 0:
        pytest.skip("only root can make device nodes")
    with tempfile.TemporaryDirectory(dir="/var/tmp") as folder:  # /tmp is each guest's own
        os.chmod(folder, 0o755)
        node = f"{folder}/nvidia0"
        try:
            os.mknod(node, 0o020000, os.makedev(1, 3))
            os.chmod(node, 0o666)
            os.close(os.open(node, os.O_RDWR))
        except OSError as error:
            pytest.skip(f"device nodes cannot be made here: {error}")
        yield node


@pytest.fixture
def pretended(card: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Sandbox]:
    """A sandbox for a machine with that card: all but CUDA is real."""
    monkeypatch.setattr(devices, "nodes", lambda: (card,))
    monkeypatch.setattr(GpuSlots, "of_this_machine", classmethod(lambda *_: slots(tmp_path, count=1)))
    guest_view.cache_clear()
    with Sandbox(limits=QUICK, options=BackendOptions(device="cuda")) as own:
        yield own
    guest_view.cache_clear()


def test_a_guest_for_cuda_has_the_nodes_and_is_not_hindered(pretended: Sandbox, card: str) -> None:
    guest = pretended._fork()
    guest.load({}, script(f"{SOURCE}\ndef node(): return os.open({card!r}, os.O_RDWR) > 2\n"))
    guest.start_check()
    assert guest.call("node") is True, "CUDA opens them for reading and writing"
    space, data = guest.call("limits")
    assert space == -1, "CUDA reserves addresses for all the memory there is"
    assert data > 0
    for number in (0xC02046D7, 0x30000001, 37):
        assert guest.call("ioctl", number) == errno.ENOTTY, "let through to the device, which is no GPU"
    assert guest.call("ioctl", 0x5412) == errno.EPERM, "characters for another's terminal"
    assert guest.call("state") == (False, False)
    guest.close()


def test_a_guest_for_the_cpu_gets_none_of_it(load: Load) -> None:
    guest = load(SOURCE)
    assert guest.call("ioctl", 0xC02046D7) == errno.EPERM
    assert not [name for name in guest.call("dev") if "nvidia" in name]


def test_cuda_that_does_not_begin_is_nobodys_fault_and_frees_the_slot(
    pretended: Sandbox, tmp_path: Path
) -> None:
    for _ in range(2):
        with pytest.raises(SandboxBroken, match="CUDA does not work in a guest") as caught:
            pretended.guest({}, script(SOURCE))
        assert "attest doctor" in str(caught.value)
    assert slots(tmp_path, count=1).take(0.1).gpu.name == "GPU-0"


def test_docker_asks_its_engine_for_gpus() -> None:
    pytest.importorskip("docker")
    from sandbox import docker

    class Engine:
        """What the settings of a container are asked of."""

        info: ClassVar[dict[str, int]] = {"NCPU": 2}

        def secured_by(self, _: str) -> bool:
            return False

    for device, expected in (("cuda", [(-1, [["gpu", "compute", "utility"]])]), ("cpu", [])):
        options = BackendOptions(device=device)  # type: ignore[arg-type]
        settings = docker._settings(Engine(), options, QUICK, "/nowhere")  # type: ignore[arg-type]
        asked = settings.get("device_requests", [])
        assert [(one["Count"], one["Capabilities"]) for one in asked] == expected


# Inside


@pytest.fixture
def on_meta() -> Iterator[None]:
    """A device that every torch has, in place of the GPU."""
    gpu.set_device(torch.device("meta"))
    yield
    gpu.set_device(None)


def test_arguments_modules_and_new_tensors_go_to_the_device(on_meta: None) -> None:
    (placed,) = gpu.placed([torch.zeros(2, 3, device="cpu")])
    assert placed.is_meta
    assert placed.shape == (2, 3)
    module = torch.nn.Linear(2, 2, device="cpu")
    assert gpu.moved(module) is module
    assert module.weight.is_meta
    assert torch.ones(1).is_meta
    assert gpu.moved("else") == "else"


def test_gradients_are_weighted_the_same_whatever_the_device() -> None:
    value = torch.arange(6.0, dtype=torch.float64)
    expected = weighted_sum(value, 3)
    gpu.set_device(torch.device("meta"))
    try:
        assert weighted_sum(value, 3) == expected
    finally:
        gpu.set_device(None)


def test_no_memory_left_on_the_device_is_the_verdict_memory(load: Load) -> None:
    guest = load(SOURCE)
    with pytest.raises(StudentRaised) as caught:
        guest.call("full")
    assert caught.value.memory
    assert caught.value.message == (
        "The GPU had no memory left for your code. CUDA out of memory. Tried to allocate 20.00 GiB."
    )
    assert guest.alive


# What is said


def test_what_is_missing_is_said_in_the_order_of_repair(dev: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (dev / "nvidia-uvm").unlink()
    monkeypatch.setattr(devices, "torch_cuda", lambda: None)
    (first,) = cuda_findings(str(dev))
    assert (first.name, first.ok) == ("PyTorch for CUDA", False)
    assert "CUDA build of PyTorch" in first.advice
    monkeypatch.setattr(devices, "torch_cuda", lambda: "12.8")
    first, second = cuda_findings(str(dev))
    assert first.ok
    assert not second.ok
    assert second.found == f"{dev}/nvidia-uvm does not exist"
    (dev / "nvidia-uvm").touch()
    assert [finding.ok for finding in cuda_findings(str(dev))][:3] == [True, True, True]
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "")
    assert "CUDA_VISIBLE_DEVICES is ''" in cuda_findings(str(dev))[2].found


def test_the_gpus_are_those_that_this_process_may_use(dev: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(devices, "nvml", lambda: None)
    monkeypatch.delenv("CUDA_VISIBLE_DEVICES", raising=False)
    assert [one.name for one in devices.gpus(str(dev))] == ["0", "1"]
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "1")
    assert [one.name for one in devices.gpus(str(dev))] == ["1"]
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "MIG-7")
    assert [one.name for one in devices.gpus(str(dev))] == ["MIG-7"]


@pytest.mark.skipif(not MISSING, reason="this machine has a GPU")
def test_without_a_gpu_it_is_refused_with_the_next_step() -> None:
    with pytest.raises(SandboxBroken, match=r"--device cpu|driver|CUDA_VISIBLE_DEVICES"):
        Sandbox(device="cuda").start()


# With one


@needs_gpu
def test_on_a_gpu_arguments_are_there_and_answers_are_here() -> None:
    with Sandbox(device="cuda") as own:
        for _ in range(2):  # the second needs the memory of the first
            with own.guest({}, script(SOURCE)) as guest:
                guest.start_check()
                assert guest.call("where", torch.ones(2)) == ("cuda:0", "cuda:0")
                answer = guest.call("double", torch.ones(2, dtype=torch.float64))
                assert answer.device.type == "cpu"
                assert torch.equal(answer, torch.full((2,), 2.0, dtype=torch.float64))
                assert guest.call("device_of", guest.value("model")) == "cuda:0"
        assert not own.troubles


@needs_gpu
def test_on_a_gpu_too_much_memory_is_said_to_be_the_devices() -> None:
    with Sandbox(device="cuda") as own, own.guest({}, script(SOURCE)) as guest:
        guest.start_check()
        with pytest.raises(StudentRaised) as caught:
            guest.call("take", 2**50)
        assert caught.value.memory
        assert "GPU" in caught.value.message
        assert guest.call("take", 10) == 10
