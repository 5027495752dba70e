"""What a backend has to do: build the confinement and start the zygote in it. Knows nothing of guests."""

from __future__ import annotations

import socket
import subprocess
from dataclasses import dataclass
from typing import IO, Literal, Protocol

from .limits import Limits

Isolation = Literal["guest", "container"]
Device = Literal["cpu", "cuda"]
# What keeps guests apart: namespaces of their own, uids of their own on the machine itself, or nothing.
Mode = Literal["namespaces", "user", "none"]


@dataclass(frozen=True)
class BackendOptions:
    """How a backend is to work. Each takes what concerns it; SandboxBroken for what it cannot do."""

    isolation: Isolation = "guest"  # "container": a container of its own for each submission
    runtime: str | None = None  # the engine's runtime; None: its default
    image: str | None = None  # None: the one that `attest image build` makes
    device: Device = "cpu"
    guests_per_gpu: int = 1  # at a time, on each GPU
    trust: bool = False  # the code is the caller's own
    secrets: tuple[str, ...] = ()  # folders and files that no guest may read; where they could, it is refused


class Launched(Protocol):
    """A zygote that has been set going. It dies when `control` closes, and with its launching process."""

    control: socket.socket  # the grader's connected SEQPACKET socket to it
    siblings: int | None  # how many attached Sandboxes may share its confinement; None: any number

    def said(self) -> str:
        """The last of what the backend and the zygote wrote to stderr."""

    def close(self) -> None:
        """Stop everything inside, and close `control`; returns when it is gone. Idempotent."""


class Backend(Protocol):
    """Starts zygotes. Each `launch` raises SandboxBroken, and waits for nothing that takes seconds.

    `limits` are those of the guests to come, for a backend that also bounds all of them together.
    """

    name: str
    mode: Mode

    def __init__(self, options: BackendOptions) -> None: ...

    def launch(self, limits: Limits) -> Launched: ...


class LaunchedProcess:
    """A zygote inside a process of this machine."""

    siblings: int | None = None

    def __init__(self, control: socket.socket, process: subprocess.Popen[bytes], log: IO[bytes]) -> None:
        self.control = control
        self.process = process
        self._log = log

    def said(self) -> str:
        if self._log.closed:
            return ""
        self._log.seek(0)
        return self._log.read()[-2000:].decode("utf-8", "replace").strip()

    def close(self) -> None:
        self.control.close()
        self.process.kill()
        self.process.wait()
        self._log.close()
