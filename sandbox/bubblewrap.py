"""The `bubblewrap` backend: a zygote inside `bwrap --unshare-all`."""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from . import view as views
from .backend import BackendOptions, LaunchedProcess, Mode
from .errors import SandboxBroken
from .inside import uids
from .limits import Limits

# Where root stages what is seen inside, in a mount namespace of its own: the first that exists.
_STAGES = ("/mnt", "/media", "/srv", "/opt", "/var/tmp")  # noqa: S108
# For root, where this machine has no uids for guests: a container of its own user namespace, with few ids.
_NOBODY = 65534


class Bubblewrap:
    """Starts the zygote under bubblewrap, as an unprivileged user even when Attest runs as root."""

    name = "bubblewrap"
    mode: Mode = "namespaces"

    def __init__(self, options: BackendOptions) -> None:
        if options.isolation != "guest":
            raise SandboxBroken(
                f"isolation {options.isolation!r} needs the docker backend; use --sandbox docker, "
                "or --isolation guest"
            )
        self._device = options.device

    def launch(self, limits: Limits) -> LaunchedProcess:  # noqa: ARG002  each guest has its own
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with theirs:
            try:
                return _launch(ours, theirs, self._device)
            except BaseException:
                ours.close()
                raise


@dataclass(frozen=True)
class _Users:
    """The uids that a sandbox has: the zygote's own, and those of which each guest gets one."""

    among: range
    own: int
    locks: int  # the descriptor that keeps others from them

    @property
    def of(self) -> tuple[int, int]:
        return self.among[0], len(self.among)

    @property
    def for_guests(self) -> tuple[int, int, int]:
        return self.locks, *self.of


def _launch(ours: socket.socket, control: socket.socket, device: str) -> LaunchedProcess:
    program = shutil.which("bwrap")
    if program is None:
        raise SandboxBroken(
            "bubblewrap (bwrap) was not found on the PATH; "
            "install it (Debian, Ubuntu: apt install bubblewrap), then run: attest doctor"
        )
    try:
        seen = views.guest_view(device)
    except views.NotInstalled as error:
        raise SandboxBroken(str(error)) from None
    root = os.geteuid() == 0
    stage = _stage() if root else ""
    staged = [
        (source, place, f"{stage}/{index}" if root else source)
        for index, (source, place) in enumerate(seen.binds)
    ]
    log = tempfile.TemporaryFile()  # noqa: SIM115  it lives as long as the zygote
    files = {place: _memory_file(content) for place, content in seen.files.items()}
    users = _users() if root else None
    shown = [(where, place) for _, place, where in staged]
    argv = _arguments(program, seen, shown, files, users)
    argv += map(str, (control.fileno(), *(users.for_guests if users else ())))
    kept = [] if users is None else [users.locks]
    if root:
        plan = {
            "stage": stage,
            "uid": users.own if users else _NOBODY,
            "uids": users and users.of,
            "binds": [(source, os.path.basename(where)) for source, _, where in staged],
            "argv": argv,
        }
        launcher = str(Path(__file__).with_name("launch.py"))
        argv = [sys.executable, "-I", "-S", "-B", launcher, json.dumps(plan)]
    try:
        process = subprocess.Popen(  # noqa: S603  every part of it is written here
            argv,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            env={"LANG": "C.UTF-8"},
            # The interrupt key stops Attest, which then closes the sandbox.
            start_new_session=True,
            pass_fds=(control.fileno(), *files.values(), *kept),
        )
    except OSError as error:
        log.close()
        raise SandboxBroken(f"bubblewrap could not be started: {error}; run: attest doctor") from None
    finally:
        for fd in (*files.values(), *kept):
            os.close(fd)
    return LaunchedProcess(ours, process, log)


def _arguments(
    program: str, seen: views.View, binds: list[tuple[str, str]], files: dict[str, int], users: _Users | None
) -> list[str]:
    """The command but for the zygote's arguments; with `users` there is a user namespace already."""
    argv = [
        program,
        *(f"--unshare-{kind}" for kind in ("ipc", "pid", "net", "uts", "cgroup-try")),
        *([] if users else ["--unshare-user"]),
        "--die-with-parent",
        "--new-session",
        "--as-pid-1",
        "--hostname",
        "guest",
    ]
    # What the zygote keeps, over its own user namespace alone: it makes the guests' namespaces and users.
    argv += ["--clearenv", "--cap-drop", "ALL"]
    for name in ("CAP_SYS_ADMIN", *(("CAP_SETUID", "CAP_KILL") if users else ())):
        argv += ["--cap-add", name]
    for name, value in seen.environment.items():
        argv += ["--setenv", name, value]
    above = {str(folder) for _, place in (*binds, *seen.devices) for folder in Path(place).parents}
    # Those that bubblewrap makes by itself, nobody but the zygote's user may look into.
    for place in sorted({*seen.folders, *above} - {"/"}):
        argv += ["--dir", place]
    # The zygote's own while it starts; each guest has its own in this place.
    argv += ["--size", str(2**20), "--tmpfs", "/tmp"]  # noqa: S108
    for target, place in seen.links:
        argv += ["--symlink", target, place]
    stdlib = seen.path[0]
    for source, place in binds:
        argv += ["--ro-bind", source, place]
        if place == stdlib:
            # A Python without a virtual environment keeps all its packages here.
            argv += [
                part
                for name in ("site-packages", "dist-packages")
                if os.path.isdir(f"{source}/{name}")
                for part in ("--tmpfs", f"{stdlib}/{name}")
            ]
    for source, place in seen.devices:
        argv += ["--dev-bind", source, place]
    for place, fd in files.items():
        argv += ["--perms", "0444", "--file", str(fd), place]
    argv += [
        "--remount-ro",
        "/",
        "--chdir",
        "/work",
        "--",
        seen.interpreter,
        "-I",
        "-S",
        "-B",
        "-X",
        "utf8",
        "-c",
    ]
    start = f"import sys; sys.path[:] = {list(seen.path)!r}; from inside.zygote import main; main()"
    return [*argv, start]


def _users() -> _Users | None:
    """Those of one sandbox; None where this machine has none to give."""
    among = uids.here(uids.HIGH, uids.LOW)
    if among is None:
        return None
    try:
        return _Users(among, *uids.lease(among))
    except OSError as error:
        raise SandboxBroken(f"there is no user for the sandbox to run as: {error}") from None


def _memory_file(content: bytes) -> int:
    fd = os.memfd_create("attest")
    os.write(fd, content)
    os.lseek(fd, 0, os.SEEK_SET)
    return fd


def _stage() -> str:
    for stage in _STAGES:
        if os.path.isdir(stage) and not os.path.islink(stage):
            return stage
    raise SandboxBroken(
        f"none of {', '.join(_STAGES)} is a folder; root needs one to prepare the sandbox in; create /mnt"
    )
