"""GPUs: what a guest needs to see of them, one guest at a time on each slot, and that its memory comes back.

A slot is a lock on a file of this user's, so all workers and all of the user's runs share them, and who is
killed gives its slots back. Nothing here touches CUDA: the zygote forks, and only a guest may begin with it.
"""

from __future__ import annotations

import ctypes
import fcntl
import glob
import os
import re
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Protocol

from .errors import SandboxBroken
from .fitness import Finding

# The control device and those that CUDA opens beside it; a GPU's own is /dev/nvidia0 and so on.
_CONTROL = ("nvidiactl", "nvidia-uvm", "nvidia-uvm-tools")
# Read by CUDA before anything else; a fixed copy says nothing of other processes.
COPIED = (
    "/proc/driver/nvidia/params",
    "/proc/driver/nvidia/version",
    "/proc/devices",
    "/proc/sys/vm/mmap_min_addr",
)
# torch asks the driver, not CUDA, whether there is a GPU: after CUDA has been asked no fork can use it.
ENVIRONMENT = {"PYTORCH_NVML_BASED_CUDA_CHECK": "1"}
_LIBRARIES = ("libcuda.so", "libnvidia-", "libcudadebugger.so")
_FOLDERS = (
    f"/usr/lib/{os.uname().machine}-linux-gnu",
    "/usr/lib64",
    "/usr/lib",
    "/usr/local/nvidia/lib64",
    "/usr/lib/wsl/lib",
)
LIBRARY_FOLDER = "/nvidia"
# What CUDA itself has in the host's memory beside a program's: its context, and the kernels of the libraries.
HOST_BYTES = 2 * 2**30
_WAIT_SECONDS = 900.0
_FREE_SECONDS = 10.0
_LOOK_SECONDS = 0.05
_LEFT = 64 * 2**20  # of a GPU without processes: what the driver keeps
_MOST_PROCESSES = 256


@dataclass(frozen=True)
class Gpu:
    """One GPU: `name` is what CUDA_VISIBLE_DEVICES calls it."""

    name: str
    total_bytes: int = 0


class GpuMeter(Protocol):
    """What is known of the memory of a GPU."""

    def processes(self, name: str) -> dict[int, int]:
        """Bytes by the pids of those that compute on it."""

    def used(self, name: str) -> int:
        """Bytes in use, by whomever."""


class _Memory(ctypes.Structure):
    _fields_ = (("total", ctypes.c_ulonglong), ("free", ctypes.c_ulonglong), ("used", ctypes.c_ulonglong))


class _Process(ctypes.Structure):
    _fields_ = (
        ("pid", ctypes.c_uint),
        ("used", ctypes.c_ulonglong),
        ("instance", ctypes.c_uint),
        ("compute_instance", ctypes.c_uint),
    )


class Nvml:
    """NVIDIA's management library, which leaves CUDA alone. OSError where there is none."""

    def __init__(self, library: str = "libnvidia-ml.so.1") -> None:
        self._library = ctypes.CDLL(library)
        if self._library.nvmlInit_v2() != 0:
            raise OSError("the driver does not answer (nvmlInit)")

    def gpus(self) -> list[Gpu]:
        """All of the machine's."""
        count = ctypes.c_uint()
        self._library.nvmlDeviceGetCount_v2(ctypes.byref(count))
        found = []
        for index in range(count.value):
            handle = ctypes.c_void_p()
            if self._library.nvmlDeviceGetHandleByIndex_v2(index, ctypes.byref(handle)) == 0:
                text = ctypes.create_string_buffer(96)
                self._library.nvmlDeviceGetUUID(handle, text, 96)
                found.append(Gpu(text.value.decode() or str(index), self._memory(handle).total))
        return found

    def processes(self, name: str) -> dict[int, int]:
        handle = self._handle(name)
        if handle is None:
            return {}
        count, found = ctypes.c_uint(_MOST_PROCESSES), (_Process * _MOST_PROCESSES)()
        ask = getattr(self._library, "nvmlDeviceGetComputeRunningProcesses_v3", None)
        if ask is None or ask(handle, ctypes.byref(count), found) != 0:
            return {}
        unknown = ctypes.c_ulonglong(-1).value
        return {one.pid: 0 if one.used == unknown else one.used for one in found[: count.value]}

    def used(self, name: str) -> int:
        handle = self._handle(name)
        return 0 if handle is None else int(self._memory(handle).used)

    def _handle(self, name: str) -> ctypes.c_void_p | None:
        handle = ctypes.c_void_p()
        if name.isdecimal():
            wrong = self._library.nvmlDeviceGetHandleByIndex_v2(int(name), ctypes.byref(handle))
        else:
            wrong = self._library.nvmlDeviceGetHandleByUUID(name.encode(), ctypes.byref(handle))
        return None if wrong else handle

    def _memory(self, handle: ctypes.c_void_p) -> _Memory:
        memory = _Memory()
        self._library.nvmlDeviceGetMemoryInfo(handle, ctypes.byref(memory))
        return memory


def nvml() -> Nvml | None:
    """The management library, if there is one that answers; each process begins with it anew."""
    return _nvml(os.getpid())


@cache
def _nvml(_process: int) -> Nvml | None:
    try:
        return Nvml()
    except (OSError, AttributeError):
        return None


def gpus(dev: str = "/dev") -> list[Gpu]:
    """Those that guests may use: of CUDA_VISIBLE_DEVICES where it is set, else all."""
    known = library.gpus() if (library := nvml()) is not None else []
    wanted = os.environ.get("CUDA_VISIBLE_DEVICES")
    if not known:
        numbers = sorted(int(node.rpartition("nvidia")[2]) for node in glob.glob(f"{dev}/nvidia[0-9]*"))
        known = [Gpu(str(number)) for number in numbers]
    if wanted is None:
        return known
    by_name = {gpu.name: gpu for gpu in known} | {str(index): gpu for index, gpu in enumerate(known)}
    names = [name.strip() for name in wanted.split(",") if name.strip()]
    return [by_name.get(name, Gpu(name)) for name in names if not name.startswith("-")]


# What a guest sees


def nodes(dev: str = "/dev") -> tuple[str, ...]:
    """The device nodes that CUDA opens."""
    cards = sorted(
        node for node in glob.glob(f"{dev}/nvidia[0-9]*") if re.fullmatch(r"nvidia\d+", Path(node).name)
    )
    control = [f"{dev}/{name}" for name in _CONTROL if os.path.exists(f"{dev}/{name}")]
    return (*cards, *control, *sorted(glob.glob(f"{dev}/nvidia-caps/*")))


def libraries(table: str | None = None) -> tuple[str, ...]:
    """The driver's libraries, which belong to the kernel's module and so to the machine.

    `table` is what `ldconfig -p` prints; unless given, the linker's folders are looked through.
    """
    if table is not None:
        found = [line.rpartition("=> ")[2].strip() for line in table.splitlines() if "=> " in line]
    else:
        folders = [*_FOLDERS, *os.environ.get("LD_LIBRARY_PATH", "").split(":")]
        found = [path for folder in filter(None, folders) for path in sorted(glob.glob(f"{folder}/lib*.so*"))]
    named: dict[str, str] = {}
    for path in found:
        name = os.path.basename(path)
        if name.startswith(_LIBRARIES):
            named.setdefault(name, path)
    return tuple(named.values())


# Slots


class Slot:
    """A guest's place on a GPU, until it is given back."""

    def __init__(self, gpu: Gpu, number: int, lock: int, used: int) -> None:
        self.gpu = gpu
        self.number = number
        self.used_before = used
        self._lock = lock

    def give_back(self) -> None:
        os.close(self._lock)


class GpuSlots:
    """The slots of this machine's GPUs: `each` guests at a time on each."""

    def __init__(
        self,
        found: list[Gpu],
        each: int = 1,
        folder: Path | None = None,
        meter: Callable[[], GpuMeter | None] = nvml,
    ) -> None:
        self._gpus = found
        self._each = each
        self._meter = meter
        self._folder = folder or _locks()
        self._lost: list[tuple[Slot, str]] = []

    @classmethod
    def of_this_machine(cls, each: int, own_torch: bool = True) -> GpuSlots:
        """Raises SandboxBroken where there is no GPU; without `own_torch` guests bring another PyTorch."""
        wrong = [finding for finding in cuda_findings(own_torch=own_torch) if not finding.ok]
        if wrong:
            raise SandboxBroken(f"{wrong[0].name}: {wrong[0].found}; {wrong[0].advice}")
        return cls(gpus(), each)

    def attached(self) -> GpuSlots:
        """The same slots, for another Sandbox, in this process or another."""
        return GpuSlots(self._gpus, self._each, self._folder, self._meter)

    def take(self, seconds: float = _WAIT_SECONDS) -> Slot:
        """Wait for a free slot; those of GPUs with the fewest guests come first. Raises SandboxBroken."""
        end = time.monotonic() + seconds
        while True:
            for number in range(self._each):
                for gpu in self._gpus:
                    slot = self._try(gpu, number)
                    if slot is not None:
                        return slot
            if self._lost and len(self._lost) >= len(self._gpus) * self._each:
                raise SandboxBroken(self._lost[-1][1])
            if time.monotonic() > end:
                said = f"; {self._lost[-1][1]}" if self._lost else ""
                raise SandboxBroken(
                    f"all {len(self._gpus) * self._each} GPU slots were in use for {seconds:g} s{said}; "
                    "use fewer workers (--jobs), or look who uses the GPU: nvidia-smi"
                )
            time.sleep(_LOOK_SECONDS)

    def give_back(self, slot: Slot, seconds: float = _FREE_SECONDS) -> str:
        """Once all of a guest has ended: wait until its memory is free; what is wrong if it is not.

        A slot whose memory does not come back is not used again by this process.
        """
        end = time.monotonic() + seconds
        while (left := self._left(slot)) > 0:
            if time.monotonic() > end:
                said = (
                    f"GPU {slot.gpu.name} still holds {left / 2**20:.0f} MiB of a guest that has ended; "
                    "look who uses it: nvidia-smi"
                )
                self._lost.append((slot, said))
                return said
            time.sleep(_LOOK_SECONDS)
        slot.give_back()
        return ""

    def _left(self, slot: Slot) -> int:
        """Bytes of a GPU that are held for processes that are gone."""
        meter = self._meter()
        if meter is None:
            return 0
        found = meter.processes(slot.gpu.name)
        gone = [pid for pid in found if not os.path.exists(f"/proc/{pid}")]
        if gone:
            return sum(found[pid] for pid in gone) or 1
        if found or self._each > 1:
            return 0  # what else is in use is somebody's who lives
        more = meter.used(slot.gpu.name) - slot.used_before
        return more if more > _LEFT else 0

    def _try(self, gpu: Gpu, number: int) -> Slot | None:
        name = re.sub(r"[^\w.-]", "_", gpu.name)
        lock = os.open(self._folder / f"{name}.{number}", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(lock)
            return None
        meter = self._meter()
        return Slot(gpu, number, lock, meter.used(gpu.name) if meter else 0)


def _locks() -> Path:
    """Where the locks are: a folder of this user's alone."""
    folder = Path(tempfile.gettempdir(), f"attest-gpu-{os.getuid()}")
    folder.mkdir(mode=0o700, exist_ok=True)
    found = folder.lstat()
    if found.st_uid != os.getuid() or not folder.is_dir() or folder.is_symlink():
        raise SandboxBroken(f"{folder} is not a folder of this user's; remove it")
    return folder


# For `attest doctor`


def cuda_findings(dev: str = "/dev", own_torch: bool = True) -> list[Finding]:
    """What `--device cuda` needs, in the order of repair; stops at the first that is missing."""
    found = []
    if own_torch:
        version = torch_cuda()
        found.append(
            Finding(
                "PyTorch for CUDA",
                bool(version),
                f"built for CUDA {version}" if version else "PyTorch is not installed, or built without CUDA",
                "install the CUDA build of PyTorch (see https://pytorch.org), or use --device cpu",
            )
        )
        if not version:
            return found
    seen = nodes(dev)
    closed = [node for node in seen if not os.access(node, os.R_OK | os.W_OK)]
    missing = [f"{dev}/{name}" for name in ("nvidiactl", "nvidia-uvm") if f"{dev}/{name}" not in seen]
    found.append(
        Finding(
            "GPU devices",
            bool(seen) and not closed and not missing,
            f"{closed[0]} may not be opened by this user"
            if closed
            else f"{missing[0]} does not exist"
            if missing
            else ", ".join(seen),
            "load the driver (nvidia-smi as root, or nvidia-modprobe -u), "
            "or add this user to the group of the device",
        )
    )
    if not found[-1].ok:
        return found
    usable = gpus(dev)
    found.append(
        Finding(
            "GPUs",
            bool(usable),
            ", ".join(
                f"{gpu.name} ({gpu.total_bytes / 2**30:.0f} GiB)" if gpu.total_bytes else gpu.name
                for gpu in usable
            )
            or f"none (CUDA_VISIBLE_DEVICES is {os.environ.get('CUDA_VISIBLE_DEVICES', 'not set')!r})",
            "let CUDA_VISIBLE_DEVICES name a GPU, or unset it",
        )
    )
    if found[-1].ok and nvml() is None:
        found.append(
            Finding(
                "GPU memory",
                True,
                "libnvidia-ml.so.1 does not answer, so it is not checked that guests give memory back",
            )
        )
    return found


def torch_cuda() -> str | None:
    """The version of CUDA that torch is built for, read without importing it."""
    spec = find_spec("torch")
    if spec is None or spec.origin is None:
        return None
    try:
        text = Path(spec.origin).with_name("version.py").read_text()
    except OSError:
        return None
    found = re.search(r"^cuda(?:\s*:[^=]*)?\s*=\s*['\"]([\d.]+)['\"]", text, re.MULTILINE)
    return found[1] if found else None
