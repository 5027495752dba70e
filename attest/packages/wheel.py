"""A wheel of the Attest that is installed here, made for a package that is graded elsewhere.

The assignments are left out: a package brings its own. So is the reference, which the tests of one use, where
what is made must hold nothing that students may not read.
"""

from __future__ import annotations

import base64
import hashlib
import importlib.metadata
import io
import re
import zipfile
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

from packaging.requirements import Requirement

from graders.assignment import AssignmentError

DISTRIBUTION = "attest-grader"
PACKAGES = ("attest", "graders", "reports", "sandbox")
REFERENCE = "reference"
LEFT_OUT = ("attest/portal/", "attest/lti/", "attest/template/", "graders/cluster/")
_NOT_PINNED = frozenset({"setuptools"})  # what torch names for a compiler's sake
# Where packages are installed, whatever this machine is.
_LINUX = {"extra": "", "os_name": "posix", "sys_platform": "linux", "platform_system": "Linux"}
_TAG = "py3-none-any"
_EARLIEST = (1980, 1, 1, 0, 0, 0)  # a zip's first day: equal wheels are equal bytes


def attest_wheel(*, reference: bool) -> tuple[str, bytes]:
    """Return the file name of the wheel, and the wheel. Raises AssignmentError."""
    distribution = _distribution()
    version = distribution.version
    info = f"attest_grader-{version}.dist-info"
    files = dict(_modules((*PACKAGES, REFERENCE) if reference else PACKAGES))
    files[f"{info}/METADATA"] = _metadata(distribution).encode()
    files[f"{info}/licenses/LICENSE"] = (distribution.read_text("licenses/LICENSE") or "").encode()
    files[f"{info}/WHEEL"] = (
        f"Wheel-Version: 1.0\nGenerator: attest\nRoot-Is-Purelib: true\nTag: {_TAG}\n".encode()
    )
    record = [f"{name},sha256={_digest(data)},{len(data)}" for name, data in files.items()]
    files[f"{info}/RECORD"] = "\n".join([*record, f"{info}/RECORD,,", ""]).encode()
    return f"attest_grader-{version}-{_TAG}.whl", zipped(
        {name: (data, 0o644) for name, data in files.items()}
    )


def zipped(files: dict[str, tuple[bytes, int]]) -> bytes:
    """Return a zip of these files, each with its content and its mode."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, (data, mode) in files.items():
            entry = zipfile.ZipInfo(name, _EARLIEST)
            entry.compress_type = zipfile.ZIP_STORED if name.endswith(".whl") else zipfile.ZIP_DEFLATED
            entry.external_attr = (0o100000 | mode) << 16
            entry.create_system = 3  # Unix, whose modes these are
            archive.writestr(entry, data)
    return packed.getvalue()


def requirements() -> str:
    """Return what Attest itself asks for on Linux, in the versions installed here, as pip reads it."""
    pins = _pins()
    asked = {_normal(one.name): str(one.specifier) for one in _direct(_distribution())}
    return "".join(
        f"{name}=={pins[name]}\n" if name in pins else f"{name}{wanted}\n"
        for name, wanted in sorted(asked.items())
    )


def constraints() -> str:
    """Return the versions of all that this asks for in turn."""
    return "".join(f"{name}=={version}\n" for name, version in sorted(_pins().items()))


def _distribution() -> importlib.metadata.Distribution:
    try:
        return importlib.metadata.distribution(DISTRIBUTION)
    except importlib.metadata.PackageNotFoundError:
        raise AssignmentError(
            f"the package {DISTRIBUTION} is not installed in this Python, so it is not known what to put "
            "into the export. Run: pip install . in Attest's folder."
        ) from None


def _modules(packages: tuple[str, ...]) -> Iterator[tuple[str, bytes]]:
    for package in packages:
        spec = find_spec(package)
        if spec is None or not spec.submodule_search_locations:
            raise AssignmentError(
                f"the package {package} of Attest is not installed here. Install Attest again."
            )
        root = Path(next(iter(spec.submodule_search_locations)))
        for path in sorted(root.rglob("*")):
            name = path.relative_to(root.parent).as_posix()
            if path.is_file() and "__pycache__" not in path.parts and not name.startswith(LEFT_OUT):
                yield name, path.read_bytes()


def _metadata(distribution: importlib.metadata.Distribution) -> str:
    """Return the metadata without the description, which no installer needs."""
    head, _, _ = (distribution.read_text("METADATA") or "").partition("\n\n")
    kept = [line for line in head.splitlines() if not line.startswith("Description-Content-Type:")]
    return "\n".join(kept) + "\n"


def _direct(distribution: importlib.metadata.Distribution) -> Iterator[Requirement]:
    for text in distribution.requires or ():
        found = Requirement(text)
        if found.marker is None or found.marker.evaluate(_LINUX):
            yield found


def _pins() -> dict[str, str]:
    """Return all that Attest asks for, directly or not, as installed: normal name -> public version."""
    found: dict[str, str] = {}
    waiting = list(_direct(_distribution()))
    while waiting:
        name = _normal(waiting.pop().name)
        if name in found or name in _NOT_PINNED:
            continue
        try:
            distribution = importlib.metadata.distribution(name)
        except importlib.metadata.PackageNotFoundError:
            continue
        found[name] = distribution.version.partition("+")[0]
        waiting += _direct(distribution)
    return found


def _normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def _digest(data: bytes) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode("ascii")
