"""What can be seen inside the sandbox: an allow-list of places, each read-only.

Everything gets a neutral place, so that no path inside says where Attest, a home or a virtual
environment lies on the host. What is not listed here does not exist for a submission.
"""

from __future__ import annotations

import functools
import importlib.metadata
import os
import re
import sys
import sysconfig
from dataclasses import dataclass
from pathlib import Path

PYTHON = "/python"
PACKAGES = "/packages"
GUEST = "/guest"

# What the zygote needs, and what an exercise may ask for.
REQUIRED = ("torch", "numpy", "safetensors", "msgspec", "ipython", "matplotlib", "einops")
# Seen when installed: students import them at the top of a cell that defines something.
OPTIONAL = ("pandas", "tqdm", "scipy", "scikit-learn", "seaborn")
# Needs of torch that only a compiler could use.
LEFT_OUT = frozenset({"setuptools", "triton"})

ENVIRONMENT = {
    "HOME": "/work",
    "USER": "student",
    "LANG": "C.UTF-8",
    "TZ": "UTC",
    "TMPDIR": "/tmp",  # noqa: S108  the guest's own
    "TERM": "dumb",
    "OMP_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
    "MPLBACKEND": "Agg",
    "MPLCONFIGDIR": "/tmp/matplotlib",  # noqa: S108
    "IPYTHONDIR": "/tmp/ipython",  # noqa: S108
    "PYTHONDONTWRITEBYTECODE": "1",
    "TORCHDYNAMO_DISABLE": "1",  # torch.compile has no compiler here, so it changes nothing
}
# Handed on when set: on some processors they keep linear algebra right.
HANDED_ON = ("OPENBLAS_CORETYPE", "OPENBLAS_L2_SIZE", "ATEN_CPU_CAPABILITY")

DEVICES = ("null", "zero", "full", "urandom", "random")
EMPTY_FOLDERS = ("/dev/shm", "/work", "/scratch")  # noqa: S108  where each guest mounts its own

# Read by torch's CPU detection and by some libraries; a fixed copy says nothing of other processes.
COPIED = (
    "/proc/cpuinfo",
    "/sys/devices/system/cpu/possible",
    "/sys/devices/system/cpu/present",
    "/sys/devices/system/cpu/online",
)
WRITTEN = {
    "/etc/passwd": "student:x:65534:65534:student:/work:/nonexistent\n",
    "/etc/group": "student:x:65534:\n",
    "/etc/hosts": "127.0.0.1 localhost\n",
}


@dataclass(frozen=True)
class View:
    """What is put where. `binds` are read-only (host path, place), in the order of mounting."""

    binds: tuple[tuple[str, str], ...]
    devices: tuple[tuple[str, str], ...]
    links: tuple[tuple[str, str], ...]  # (target, place)
    files: dict[str, bytes]  # place -> contents
    folders: tuple[str, ...]
    environment: dict[str, str]
    interpreter: str
    path: tuple[str, ...]  # sys.path inside


class NotInstalled(LookupError):
    """A package that the zygote needs is not installed."""


@functools.cache
def guest_view(device: str = "cpu") -> View:
    """The view of this Python and its packages; with `cuda`, of the GPUs and their driver as well."""
    version = f"python{sys.version_info.major}.{sys.version_info.minor}"
    stdlib = f"{PYTHON}/lib/{version}"
    binds = [
        (os.path.realpath(sys.executable), f"{PYTHON}/bin/{version}"),
        (sysconfig.get_path("stdlib"), stdlib),
    ]
    environment = ENVIRONMENT | {name: os.environ[name] for name in HANDED_ON if name in os.environ}
    if sysconfig.get_config_var("Py_ENABLE_SHARED"):
        name = str(sysconfig.get_config_var("INSTSONAME"))
        shared = os.path.join(str(sysconfig.get_config_var("LIBDIR")), name)
        if os.path.exists(shared):
            binds.append((os.path.realpath(shared), f"{PYTHON}/lib/{name}"))
            environment["LD_LIBRARY_PATH"] = f"{PYTHON}/lib"
    binds += [(str(place), f"{PACKAGES}/{place.name}") for place in packages()]
    binds.append((str(Path(__file__).with_name("inside")), f"{GUEST}/inside"))
    libraries, links = _libraries()
    devices = tuple((f"/dev/{name}", f"/dev/{name}") for name in DEVICES)
    copied: tuple[str, ...] = COPIED
    if device == "cuda":
        from . import device as gpu  # not where the docker image is built, which has this file alone

        drivers = _drivers([place for _, place in libraries])
        binds += drivers
        devices += tuple((node, node) for node in gpu.nodes())
        copied += gpu.COPIED
        environment |= gpu.ENVIRONMENT
        if drivers:
            paths = [gpu.LIBRARY_FOLDER, environment.get("LD_LIBRARY_PATH", "")]
            environment["LD_LIBRARY_PATH"] = ":".join(filter(None, paths))
    return View(
        binds=(*libraries, *binds),
        devices=devices,
        links=links,
        files={place: text.encode() for place, text in WRITTEN.items()} | _copies(copied),
        folders=EMPTY_FOLDERS,
        environment=environment,
        interpreter=f"{PYTHON}/bin/{version}",
        path=(stdlib, f"{stdlib}/lib-dynload", PACKAGES, GUEST),
    )


def _drivers(seen: list[str]) -> list[tuple[str, str]]:
    """The driver's libraries that lie in none of the folders that are seen anyway."""
    from . import device as gpu

    return [
        (os.path.realpath(path), f"{gpu.LIBRARY_FOLDER}/{os.path.basename(path)}")
        for path in gpu.libraries()
        if os.path.dirname(path) not in seen
    ]


def _copies(places: tuple[str, ...]) -> dict[str, bytes]:
    found = {}
    for place in places:
        try:
            found[place] = Path(place).read_bytes()
        except OSError:
            continue
    return found


def _libraries() -> tuple[tuple[tuple[str, str], ...], tuple[tuple[str, str], ...]]:
    """Where the shared libraries and the dynamic linker are, on Debian's layout or any other."""
    binds, links = [], []
    multiarch = sysconfig.get_config_var("MULTIARCH")
    for root in ("/usr/lib", "/usr/lib64", "/lib", "/lib64"):
        if os.path.islink(root):
            links.append((os.readlink(root), root))
            continue
        place = f"{root}/{multiarch}" if multiarch and os.path.isdir(f"{root}/{multiarch}") else root
        if os.path.isdir(place):
            binds.append((place, place))
    if os.path.exists("/etc/ld.so.cache"):
        binds.append(("/etc/ld.so.cache", "/etc/ld.so.cache"))
    return tuple(binds), tuple(links)


@functools.cache
def packages() -> tuple[Path, ...]:
    """The files and folders of the allowed distributions and of all that they require."""
    return tuple(sorted({place for distribution in _allowed().values() for place in _places(distribution)}))


@functools.cache
def pinned() -> dict[str, str]:
    """The allowed distributions and all that they require, as installed here: name -> public version."""
    return {name: found.version.partition("+")[0] for name, found in sorted(_allowed().items())}


def _allowed() -> dict[str, importlib.metadata.Distribution]:
    closure: dict[str, importlib.metadata.Distribution] = {}
    for name in REQUIRED:
        if not _close(name, closure):
            raise NotInstalled(
                f"the package {name} is not installed in {sys.prefix}; install Attest's dependencies"
            )
    for name in OPTIONAL:
        _close(name, closure)
    return closure


def _close(name: str, closure: dict[str, importlib.metadata.Distribution]) -> bool:
    from packaging.requirements import Requirement

    name = re.sub(r"[-_.]+", "-", name).lower()
    if name in closure or name in LEFT_OUT:
        return True
    try:
        distribution = importlib.metadata.distribution(name)
    except importlib.metadata.PackageNotFoundError:
        return False
    closure[name] = distribution
    for text in distribution.requires or ():
        requirement = Requirement(text)
        if requirement.marker is None or requirement.marker.evaluate({"extra": ""}):
            _close(requirement.name, closure)
    return True


def _places(distribution: importlib.metadata.Distribution) -> set[Path]:
    root = Path(str(distribution.locate_file("")))
    record = distribution.read_text("RECORD") or ""
    names = {line.split(",")[0].split("/")[0].strip('"') for line in record.splitlines()}
    return {
        root / name
        for name in names - {"", "..", "__pycache__"}
        if (root / name).exists() and not name.endswith(".pth")
    }
