"""What a backend has to do: build the confinement and start the zygote in it. Knows nothing of guests."""

from __future__ import annotations

import socket
import subprocess
from typing import IO, Protocol


class Launched:
    """A started zygote: the process on the host that holds it, and what it has said."""

    def __init__(self, process: subprocess.Popen[bytes], log: IO[bytes]) -> None:
        self.process = process
        self._log = log

    def said(self) -> str:
        """The last of what the backend and the zygote wrote to stderr."""
        self._log.seek(0)
        return self._log.read()[-2000:].decode("utf-8", "replace").strip()

    def close(self) -> None:
        """Stop everything inside; returns when it is gone."""
        self.process.kill()
        self.process.wait()
        self._log.close()


class Backend(Protocol):
    """Starts a zygote that talks on `control` and dies with the process returned. Raises SandboxBroken."""

    name: str

    def launch(self, control: socket.socket) -> Launched: ...
