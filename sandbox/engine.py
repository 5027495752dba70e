"""The Docker engine: connecting to it, and saying in one sentence why that is not possible."""

from __future__ import annotations

import os
import platform
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from .errors import SandboxBroken
from .images import BUILD, INPUTS, REPOSITORY, image_name, inputs_hash
from .tunnel import tunnel

if TYPE_CHECKING:
    from docker import DockerClient

# API 1.41 is Docker 20.10, the first with cgroup v2 and private cgroup namespaces.
_OLDEST_API = (1, 41)
_OLDEST_ENGINE = "20.10"
_REQUEST_SECONDS = 60
# Runtimes whose containers use this machine's kernel; others, such as gVisor's runsc, bring their own.
_SHARED_KERNEL = frozenset({None, "runc", "crun", "io.containerd.runc.v2", "nvidia", "youki"})


@dataclass(frozen=True)
class Engine:
    """A connected engine, and what it says of itself."""

    client: DockerClient
    info: dict[str, Any]
    address: str

    def shares_kernel(self, runtime: str | None) -> bool:
        """Whether a container runs on this machine's kernel and sees its folders, so descriptors can pass."""
        memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
        return (
            self.address.startswith(("unix://", "http+unix://"))
            and runtime in _SHARED_KERNEL
            and self.info.get("OSType") == "linux"
            and self.info.get("KernelVersion") == platform.release()
            and abs(int(self.info.get("MemTotal", 0)) - memory) < 2**20
        )

    def secured_by(self, module: str) -> bool:
        """Whether the engine uses this security module: apparmor, userns, rootless."""
        return any(f"name={module}" in option for option in self.info.get("SecurityOptions") or ())


def connect() -> Engine:
    """The engine that DOCKER_HOST names, or this machine's. Raises SandboxBroken."""
    try:
        import docker
    except ImportError:
        raise SandboxBroken(
            "the docker backend needs the Docker SDK for Python; run: pip install 'docker>=7.1'"
        ) from None
    address = os.environ.get("DOCKER_HOST") or "unix:///var/run/docker.sock"
    with told(f"no Docker engine at {address}"):
        if address.startswith("ssh://"):
            client = docker.DockerClient(f"unix://{tunnel(address)}", timeout=_REQUEST_SECONDS)
        else:
            client = docker.from_env(timeout=_REQUEST_SECONDS)
        version = client.version()
        _check_version(version)
        return Engine(client, client.info(), client.api.base_url if "://" not in address else address)


def _check_version(version: dict[str, Any]) -> None:
    found = tuple(int(part) for part in str(version.get("ApiVersion", "0.0")).split("."))
    if found < _OLDEST_API:
        raise SandboxBroken(
            f"the Docker engine is version {version.get('Version')}, and {_OLDEST_ENGINE} is the oldest that "
            "works; upgrade it, or use --sandbox bubblewrap"
        )


@contextmanager
def told(what: str) -> Iterator[None]:
    """What the SDK raises, as a SandboxBroken with a next step."""
    import requests
    from docker.errors import APIError, DockerException

    try:
        yield
    except APIError as error:
        raise SandboxBroken(
            f"{what}: the engine says: {error.explanation or error}; run: attest doctor"
        ) from None
    except (DockerException, requests.RequestException, OSError) as error:
        text = str(error)
        if "Permission denied" in text:
            raise SandboxBroken(
                f"{what}: permission denied; add yourself to its group (sudo usermod -aG docker $USER, then "
                "log in again), or use --sandbox bubblewrap"
            ) from None
        installed = (
            "start it: sudo systemctl start docker"
            if shutil.which("dockerd") or shutil.which("docker")
            else "install one (Debian, Ubuntu: sudo apt install docker.io)"
        )
        reason = text.rpartition("Error while fetching server API version: ")[2]
        raise SandboxBroken(f"{what}: {reason}; {installed}, or use --sandbox bubblewrap") from None


def find_image(engine: Engine, asked: str | None) -> str:
    """The id of the image to use. SandboxBroken where it is not there, or not the one for this Attest."""
    from docker.errors import ImageNotFound

    name = asked or image_name()
    command = f"{BUILD} --tag {asked}" if asked else BUILD
    with told(f"the image {name} cannot be looked up"):
        try:
            image = engine.client.images.get(name)
        except ImageNotFound:
            older = asked is None and engine.client.images.list(name=REPOSITORY)
            found = (
                f"the engine's images {REPOSITORY} were made for other versions of Attest or its packages"
                if older
                else f"the engine has no image {name}"
            )
            raise SandboxBroken(f"{found}; build one (some minutes): {command}") from None
    if image.labels.get(INPUTS) != inputs_hash():
        raise SandboxBroken(
            f"the image {name} was made for another version of Attest, or of the packages that it holds; "
            f"build it again: {command}"
        )
    return str(image.id)


def has_image(engine: Engine, asked: str | None) -> bool:
    """Whether there is an image to use."""
    try:
        return bool(find_image(engine, asked))
    except SandboxBroken:
        return False
