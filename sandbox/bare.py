"""A zygote on the machine itself, without namespaces: what the backends `user` and `none` share.

Everything of a run lies in one folder, which a guardian (see guardian.py) removes when the run ends. Where a
run was killed with its guardian, that of the next run does it: what has a free lock is nobody's any more.
"""

from __future__ import annotations

import fcntl
import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from . import view as views
from .backend import LaunchedProcess
from .errors import SandboxBroken
from .inside import landlock

# Where every user may pass; the system's own choice of a folder may be one's own.
_FOLDERS = ("/tmp", "/var/tmp")  # noqa: S108
_PREFIX = "attest-guests-"
_CLOSING_SECONDS = 20.0


class LaunchedBare(LaunchedProcess):
    """A zygote and its guardian, which is given the time to clean up."""

    def close(self) -> None:
        self.control.close()
        if self.process.poll() is None:
            self.process.terminate()
            with suppress(subprocess.TimeoutExpired):
                self.process.wait(_CLOSING_SECONDS)
        super().close()


def launch(uids: bool, secrets: tuple[str, ...] = (), confine_files: bool = True) -> LaunchedBare:
    """Start a guardian and, below it, a zygote whose guests have uids of their own or not.

    `secrets` are what a guest with an uid must not be able to read; `confine_files` gives it only what it
    needs to open, where the kernel can do that. Raises SandboxBroken.
    """
    try:
        seen = views.guest_view()
    except views.NotInstalled as error:
        raise SandboxBroken(str(error)) from None
    base, lock = _own_folder(uids)
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    said, say = os.pipe()
    log = tempfile.TemporaryFile()  # noqa: SIM115  it lives as long as the zygote
    plan = _plan(seen, base, uids=uids, secrets=secrets, confine_files=confine_files)
    file = Path(base, "plan.json")
    file.touch(0o600)  # it says where things lie
    file.write_text(json.dumps(plan))
    guardian = str(Path(__file__).with_name("guardian.py"))
    argv = [sys.executable, "-I", "-S", "-B", guardian, str(file)]
    descriptors = (theirs.fileno(), lock, say)
    try:
        process = subprocess.Popen(  # noqa: S603  every part of it is written here
            [*argv, *map(str, descriptors)],
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            env={"LANG": "C.UTF-8"},
            # The interrupt key stops Attest, which then closes the sandbox.
            start_new_session=True,
            pass_fds=descriptors,
        )
    except OSError as error:
        shutil.rmtree(base)
        raise SandboxBroken(f"the sandbox could not be started: {error}; run: attest doctor") from None
    finally:
        theirs.close()
        os.close(lock)
        os.close(say)
    launched = LaunchedBare(ours, process, log)
    _wait_until_started(launched, said)
    return launched


def _wait_until_started(launched: LaunchedBare, said: int) -> None:
    with os.fdopen(said, "rb") as pipe:
        answer = pipe.readline().decode("utf-8", "replace").strip()
    if answer == "ok":
        return
    words = answer or f"the sandbox could not be started: {launched.said()}; run: attest doctor"
    launched.close()
    raise SandboxBroken(words)


def _plan(
    seen: views.View, base: str, *, uids: bool, secrets: tuple[str, ...], confine_files: bool
) -> dict[str, Any]:
    root = f"{base}/seen"
    own = tuple(
        (source, place)
        for source, place in seen.binds
        if place.startswith((views.PYTHON, views.PACKAGES, views.GUEST))
    )
    path = [f"{root}{place}" for place in seen.path]
    start = f"import sys; sys.path[:] = {path!r}; from inside.zygote import main; main()"
    listed = uids and confine_files and landlock.version() > 0
    return {
        "parent": os.getpid(),
        "base": base,
        "root": root,
        "stale": _stale(base),
        "uids": uids,
        "secrets": [os.path.abspath(path) for path in secrets],
        "landlock": listed,
        "parts": own,
        "environment": _environment(seen.environment, root, base),
        "argv": [f"{root}{seen.interpreter}", "-I", "-S", "-B", "-X", "utf8", "-c", start],
        "files": _files(seen, base, own) if listed else None,
    }


def _environment(environment: Mapping[str, str], root: str, base: str) -> dict[str, str]:
    """What is inside, with its places where they are here."""
    moved = {"LD_LIBRARY_PATH": f"{root}{views.PYTHON}/lib"} if "LD_LIBRARY_PATH" in environment else {}
    own = dict.fromkeys(("HOME", "TMPDIR", "MPLCONFIGDIR", "IPYTHONDIR"), f"{base}/zygote")
    return {**environment, **moved, **own}


def _files(seen: views.View, base: str, own: tuple[tuple[str, str], ...]) -> list[tuple[str, int]]:
    """What a guest may open: Python, libraries, devices, its own folder, and shared memory.

    Guests' folders are one entry, since each may enter its own alone.
    """
    sources = [source for source, _ in (*seen.binds, *own)]
    read = [f"{base}/seen", *sources, *(os.path.realpath(source) for source in sources)]
    # A file that is copied elsewhere is read here where it is.
    read += [place for place in seen.files if place.startswith(("/proc/", "/sys/"))]
    return [
        *((path, landlock.READ) for path in dict.fromkeys(read)),
        *((source, landlock.DEVICE) for source, _ in seen.devices),
        (f"{base}/guests", landlock.WRITE),
        # multiprocessing's locks and tensors; whose else are there is not told
        ("/dev/shm", landlock.WRITE & ~landlock.READ_DIR),  # noqa: S108
        # Python looks for time zones here first, and stops at what is there and cannot be read.
        ("/usr/share/zoneinfo", landlock.READ),
    ]


def _own_folder(uids: bool) -> tuple[str, int]:
    """A new folder that every user may pass, and a descriptor that holds the lock on it."""
    parent = next((folder for folder in _FOLDERS if os.path.isdir(folder)), tempfile.gettempdir())
    while True:
        base = tempfile.mkdtemp(prefix=_PREFIX, dir=parent)
        lock = os.open(base, os.O_RDONLY | os.O_DIRECTORY)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            for name in ("seen", "guests", "zygote"):
                os.mkdir(f"{base}/{name}", 0o711)
            # Beyond what the umask takes away.
            for folder in (base, f"{base}/seen", f"{base}/guests") if uids else ():
                os.chmod(folder, 0o711)  # noqa: S103
        except OSError:  # taken for stale, between its making and its lock
            os.close(lock)
            continue
        return base, lock


def _stale(own: str) -> list[str]:
    """Folders of runs that were killed together with their guardian."""
    found = []
    for folder in _FOLDERS:
        for path in Path(folder).glob(f"{_PREFIX}*") if os.path.isdir(folder) else ():
            with suppress(OSError):
                if str(path) != own and path.lstat().st_uid == os.geteuid() and _is_free(path):
                    found.append(str(path))
    return found


def _is_free(path: Path) -> bool:
    fd = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    finally:
        os.close(fd)
    return True
