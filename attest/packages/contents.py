"""What every package holds: how Attest is installed there, and the assignment that is graded there."""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import files as package_files
from pathlib import Path

from attest.packages.manifest import FILE, Package
from attest.packages.wheel import attest_wheel, constraints, requirements
from graders.assignment import Assignment, AssignmentError
from graders.cluster.bundle import files_of
from reports.visible_text import one_line

_ADDRESS = re.compile(r"(https?|file)://[!-~]+")
Files = dict[str, tuple[bytes, int]]  # by the path in the package: content and mode
PLAIN, PROGRAM = 0o644, 0o755
FOLDER = "assignment"


@dataclass(frozen=True)
class Sources:
    """Where what a package needs comes from when it is installed."""

    torch_index: str | None = None  # of PyTorch's builds for the CPU
    wheelhouse: Path | None = None  # a folder of wheels, which go into the package and are used alone


def installing(sources: Sources, *, reference: bool) -> Files:
    """Return install.sh and all that it needs. Raises AssignmentError."""
    name, wheel = attest_wheel(reference=reference)
    minor = f"python{sys.version_info.major}.{sys.version_info.minor}"
    found: Files = {
        "install.sh": (own("install.sh").replace("PYTHON", minor).encode(), PROGRAM),
        "requirements.txt": (_pinned(requirements(), sources).encode(), PLAIN),
        "constraints.txt": (_pinned(constraints(), sources).encode(), PLAIN),
        name: (wheel, PLAIN),
    }
    if sources.torch_index:
        if not _ADDRESS.fullmatch(sources.torch_index):
            raise AssignmentError(
                f"--torch-index {one_line(sources.torch_index, 100)!r}: is no address. PyTorch's "
                "installation page shows one behind --index-url, when the CPU is chosen there; it begins with https://."
            )
        found["index.txt"] = (f"{sources.torch_index}\n".encode(), PLAIN)
    if sources.wheelhouse is not None:
        wheels = sorted(sources.wheelhouse.glob("*.whl"))
        if not wheels:
            raise AssignmentError(
                f"{sources.wheelhouse}: holds no wheels (*.whl). Export without it once; then make it by: "
                f"pip wheel -w {sources.wheelhouse} -r requirements.txt, with the file in that package."
            )
        found |= {f"wheels/{path.name}": (path.read_bytes(), PLAIN) for path in wheels}
    return found


def _pinned(lines: str, sources: Sources) -> str:
    """Return the pins, PyTorch's as the build for the CPU where its index is known."""
    if not sources.torch_index:
        return lines
    return "".join(
        f"{line}+cpu\n" if line.startswith("torch==") else f"{line}\n" for line in lines.splitlines()
    )


def graded_there(assignment: Assignment, package: Package | None = None) -> Files:
    """Return the assignment, hidden tests and all, and package.json beside it."""
    root, files = files_of(assignment)
    told = package or Package(assignment="")
    told = told.model_copy(update={"assignment": f"{FOLDER}/{root}" if root != "." else FOLDER})
    found: Files = {f"{FOLDER}/{name}": (data, PLAIN) for name, data in files.items()}
    found[FILE] = (told.model_dump_json(indent=1).encode(), PLAIN)
    return found


def own(name: str) -> str:
    """Return a file that comes with this module."""
    return (package_files("attest.packages") / "files" / name).read_text(encoding="utf-8")


def below(folder: str, files: Mapping[str, tuple[bytes, int]]) -> Files:
    """Return files with their paths below a folder."""
    return {f"{folder}/{name}": one for name, one in files.items()}
