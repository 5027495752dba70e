"""An engine at ssh://host: its socket is forwarded by the ssh program, with the user's own settings."""

from __future__ import annotations

import atexit
import os
import shutil
import subprocess
import tempfile
import time
from urllib.parse import urlsplit

from .errors import SandboxBroken

_OPEN_SECONDS = 30.0
_ENGINE = "/var/run/docker.sock"
# One for each process: a fork has its own.
_tunnels: dict[tuple[int, str], tuple[subprocess.Popen[bytes], str]] = {}


def tunnel(address: str) -> str:
    """The path of a socket here that leads to the engine at `address`. Raises SandboxBroken."""
    key = os.getpid(), address
    if key in _tunnels and _tunnels[key][0].poll() is None:
        return _tunnels[key][1]
    parts = urlsplit(address)
    if not parts.hostname or parts.hostname.startswith("-"):
        raise SandboxBroken(f"DOCKER_HOST names no host: {address!r}; write ssh://user@host")
    program = shutil.which("ssh")
    if program is None:
        raise SandboxBroken(
            f"DOCKER_HOST is {address}, and there is no ssh program; install it (apt install openssh-client)"
        )
    folder = tempfile.mkdtemp(prefix="attest-")
    path = f"{folder}/engine"
    argv = [program, "-T", "-o", "ExitOnForwardFailure=yes", "-o", "BatchMode=yes"]
    argv += ["-L", f"{path}:{parts.path if len(parts.path) > 1 else _ENGINE}"]
    argv += ["-l", parts.username] if parts.username else []
    argv += ["-p", str(parts.port)] if parts.port else []
    # It ends when its stdin is closed, and so with this process, however that ends.
    argv += ["--", parts.hostname, "cat"]
    with tempfile.TemporaryFile() as said:
        process = subprocess.Popen(  # noqa: S603  the host is the user's own choice
            argv, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=said, start_new_session=True
        )
        atexit.register(_close, process, folder, os.getpid())
        end = time.monotonic() + _OPEN_SECONDS
        while time.monotonic() < end and process.poll() is None:
            if os.path.exists(path):
                _tunnels[key] = process, path
                return path
            time.sleep(0.02)
        said.seek(0)
        why = said.read()[-500:].decode("utf-8", "replace").strip() or f"it took over {_OPEN_SECONDS:g} s"
    _close(process, folder, os.getpid())
    raise SandboxBroken(
        f"ssh cannot forward the engine of {parts.hostname}: {why}; try: ssh {parts.hostname}"
    )


def _close(process: subprocess.Popen[bytes], folder: str, owner: int) -> None:
    if os.getpid() == owner:
        process.kill()
        process.wait()
        shutil.rmtree(folder, ignore_errors=True)
