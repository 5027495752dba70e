"""The image of the docker backend: what it is made from, its name, and how it is built.

Its tag is a hash of all that it is made from, so an image that is not the one for this installation is seen
at once. Nothing of graders, references or assignments goes into it.
"""

from __future__ import annotations

import hashlib
import importlib.util
import io
import os
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from . import view as views
from .errors import SandboxBroken

if TYPE_CHECKING:
    from docker import DockerClient

REPOSITORY = "attest-sandbox"
INPUTS = "attest.inputs"  # the label that holds the hash, whatever an image is called
BUILD = "attest image build"
_HERE = Path(__file__).parent
_LAYS_OUT = ("layout.py", "view.py")


@dataclass(frozen=True)
class Build:
    """What `attest image build` was asked for."""

    base: str | None = None  # None: the slim image of this Python's version
    wheelhouse: Path | None = None  # a folder of wheels, used alone
    ca_bundle: Path | None = None  # trusted while building
    tag: str | None = None  # None: image_name()
    network: str | None = None  # the engine's network for the build


def default_base() -> str:
    return f"python:{sys.version_info.major}.{sys.version_info.minor}-slim"


def image_name() -> str:
    """The name of the image that fits this installation."""
    return f"{REPOSITORY}:{inputs_hash()[:16]}"


def inputs_hash() -> str:
    """Of all that decides what is in the image, but for the base and where packages come from."""
    digest = hashlib.sha256()
    for name, content in sorted(_own_files().items()):
        digest.update(f"{name}\0{len(content)}\0".encode() + content)
    return digest.hexdigest()


def _own_files() -> dict[str, bytes]:
    """The context of the build without wheels and certificates: name -> content."""
    try:
        pins = views.pinned()
    except views.NotInstalled as error:
        raise SandboxBroken(str(error)) from None
    wanted = [name for name in (*views.REQUIRED, *views.OPTIONAL) if name in pins]
    files = {
        "Dockerfile": (_HERE / "Dockerfile").read_bytes(),
        "sandbox/__init__.py": b"",
        "requirements.txt": "".join(f"{name}\n" for name in wanted).encode(),
        "constraints.txt": "".join(f"{name}=={version}\n" for name, version in pins.items()).encode(),
    }
    files |= {f"sandbox/{name}": (_HERE / name).read_bytes() for name in _LAYS_OUT}
    files |= {path.name: path.read_bytes() for path in (_HERE / "image").glob("*.sh")}
    return files | {
        f"inside/{path.name}": path.read_bytes() for path in sorted((_HERE / "inside").glob("*.py"))
    }


def build_image(client: DockerClient, build: Build) -> Iterator[str]:
    """Build the image, yielding what the engine says. Raises SandboxBroken."""
    from docker.errors import APIError

    if build.wheelhouse is not None and not list(build.wheelhouse.glob("*.whl")):
        raise SandboxBroken(
            f"{build.wheelhouse} holds no wheels (*.whl); make one with: {BUILD} --make-wheelhouse"
        )
    arguments = {"BASE": build.base or default_base()}
    if build.wheelhouse is None:
        arguments |= {
            name: os.environ[name] for name in ("PIP_INDEX_URL", "PIP_EXTRA_INDEX_URL") if name in os.environ
        }
    try:
        with _context(build) as context:
            answers = client.api.build(
                fileobj=context,
                custom_context=True,
                encoding=None,
                tag=build.tag or image_name(),
                buildargs=arguments,
                labels={INPUTS: inputs_hash()},
                network_mode=build.network,
                rm=True,
                forcerm=True,
                decode=True,
                timeout=3600,
            )
            for answer in answers:
                yield from _said(answer)
    except APIError as error:
        raise SandboxBroken(f"the engine refused the build: {error.explanation or error}") from None


def _said(answer: dict[str, Any]) -> Iterator[str]:
    if "error" in answer:
        raise SandboxBroken(
            f"the image could not be built: {str(answer['error']).strip()}; what the build printed says why"
        )
    yield from (line for line in str(answer.get("stream", "")).splitlines() if line.strip())


@contextmanager
def _context(build: Build) -> Iterator[io.BufferedRandom]:
    """The build context as a tar file."""
    with tempfile.TemporaryFile() as file, tarfile.open(fileobj=file, mode="w") as tar:
        for name, content in sorted(_own_files().items()):
            _add(tar, name, content)
        for folder in ("trust", "wheels"):
            _add(tar, f"{folder}/.keep", b"")
        if build.ca_bundle is not None:
            _add(tar, "trust/ca.pem", build.ca_bundle.read_bytes())
        for wheel in sorted(build.wheelhouse.glob("*.whl")) if build.wheelhouse else ():
            tar.add(wheel, f"wheels/{wheel.name}", filter=_unstamped)
        tar.close()
        file.seek(0)
        yield file


def _add(tar: tarfile.TarFile, name: str, content: bytes) -> None:
    member = tarfile.TarInfo(name)
    member.size, member.mode = len(content), 0o644
    tar.addfile(member, io.BytesIO(content))


def _unstamped(member: tarfile.TarInfo) -> tarfile.TarInfo:
    """Without dates and owners, so that the engine's cache sees equal files as equal."""
    member.mtime, member.uid, member.gid, member.uname, member.gname = 0, 0, 0, "", ""
    return member


def make_wheelhouse(folder: Path) -> None:
    """Have this Python's pip make a wheel of everything that the image needs. Raises SandboxBroken."""
    if sys.platform != "linux":
        raise SandboxBroken(
            f"wheels made on {sys.platform} do not fit the image; make the wheelhouse on a Linux machine "
            f"with Python {sys.version_info.major}.{sys.version_info.minor}"
        )
    if importlib.util.find_spec("pip") is None:
        raise SandboxBroken(f"{sys.executable} has no pip to make wheels with; run: python -m ensurepip")
    folder.mkdir(parents=True, exist_ok=True)
    own = _own_files()
    with tempfile.TemporaryDirectory(prefix="attest-") as scratch:
        for name in ("requirements.txt", "constraints.txt"):
            Path(scratch, name).write_bytes(own[name])
        argv = [sys.executable, "-m", "pip", "--disable-pip-version-check", "wheel", "--quiet"]
        argv += ["-w", str(folder), "-r", f"{scratch}/requirements.txt", "-c", f"{scratch}/constraints.txt"]
        done = subprocess.run(argv, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, check=False)  # noqa: S603
    if done.returncode:
        last = "; ".join(done.stderr.strip().splitlines()[-3:])
        raise SandboxBroken(f"pip could not make the wheelhouse {folder}: {last}")
