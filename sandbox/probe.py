"""The program of the self-test: loaded as a submission, it tries what a hostile one would."""

from __future__ import annotations

import ctypes
import errno
import os
import signal
import socket
import time
from collections.abc import Callable

CHILDREN: list[int] = []
SOCKETS: list[tuple[socket.socket, socket.socket]] = []


def read(paths: list[str]) -> list[str]:
    """The first words of each file, and the names in each folder, that can be read."""
    found = []
    for path in paths:
        try:
            if os.path.isdir(path):
                found += [f"{path}: {name}" for name in os.listdir(path)[:3]]
            else:
                with open(path, "rb") as file:
                    found.append(f"{path}: {file.read(200).decode('utf-8', 'replace')}")
        except OSError:
            continue
    return found


def write(folders: list[str], name: str) -> list[str]:
    """The files that could be made."""
    made = []
    for folder in folders:
        try:
            with open(f"{folder}/{name}", "w") as file:
                file.write("x")
            made.append(f"{folder}/{name}")
        except OSError:
            continue
    return made


def look(pids: list[int]) -> list[str]:
    """What can be read of others' memory, descriptors and environment."""
    names = ("environ", "maps", "mem", "fd", "cwd/", "root/")
    return read([f"/proc/{pid}/{name}" for pid in pids for name in names])


def listed(pids: list[int]) -> list[int]:
    """Those of the processes that /proc names, by their arguments."""
    return [pid for pid in pids if read([f"/proc/{pid}/cmdline"])]


def send_signals(pids: list[int]) -> list[int]:
    """Those that took one."""
    taken = []
    for pid in pids:
        try:
            os.kill(pid, signal.SIGTERM)
            taken.append(pid)
        except OSError:
            continue
    return taken


def connect(port: int, dns: int, name: str) -> list[str]:
    """The ways that seemed to lead somewhere: TCP and UDP to the loopback, a unix socket without a path."""
    ways = []
    for family, kind, address, way in (
        (socket.AF_INET, socket.SOCK_STREAM, ("127.0.0.1", port), "TCP"),
        (socket.AF_INET, socket.SOCK_DGRAM, ("127.0.0.1", dns), "UDP"),
        (socket.AF_UNIX, socket.SOCK_STREAM, f"\0{name}", "unix"),
    ):
        try:
            with socket.socket(family, kind) as made:
                made.settimeout(1)
                made.connect(address)
                made.send(b"attest")
                ways.append(way)
        except OSError:
            continue
    return ways


def start_many(most: int) -> int:
    """How many processes could be started."""
    while len(CHILDREN) < most:
        try:
            pid = os.fork()
        except OSError:
            break
        if pid == 0:
            time.sleep(60)
            os._exit(0)
        CHILDREN.append(pid)
    return len(CHILDREN)


def leave() -> bool:
    """Leave a process behind that is nobody's child and hears no signal."""
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
                signal.signal(number, signal.SIG_IGN)
            time.sleep(600)
        os._exit(0)
    os.wait()
    return True


def allocate(most: int) -> int:
    """How many bytes could be taken."""
    taken: list[bytes] = []
    while len(taken) * 2**22 < most:
        taken.append(b"x" * 2**22)
    return len(taken) * 2**22


def fill(most: int) -> int:
    """How many bytes could be written, over many files."""
    written = number = 0
    while written < most:
        number += 1
        try:
            with open(f"filled-{number}", "wb", buffering=0) as file:
                for _ in range(4):
                    written += file.write(b"x" * 2**20)
        except OSError:
            break
    return written


def forbidden_calls() -> list[str]:
    """The system calls that worked, though only a way out needs them."""
    libc = ctypes.CDLL(None, use_errno=True)
    calls: dict[str, Callable[[], int]] = {
        "unshare": lambda: libc.unshare(0x10000000),
        "mount": lambda: libc.mount(b"none", b"/", b"tmpfs", 0, None),
        "ptrace": lambda: libc.ptrace(16, os.getppid(), None, None),
        "setuid": lambda: libc.setuid(0),
        "chroot": lambda: libc.chroot(b"."),
        "io_uring_setup": lambda: libc.syscall(425, 1, None),
    }
    worked = []
    for name, call in calls.items():
        # Refused is refused before it is looked at; a fault or a wrong argument is an answer of the call.
        if call() == 0 or ctypes.get_errno() not in (errno.EPERM, errno.ENOSYS, errno.EACCES):
            worked.append(name)
    return worked


def use_up(most: int) -> int:
    """How many descriptors, all on their way between sockets, and timers could be had."""
    libc = ctypes.CDLL(None, use_errno=True)
    sent = timers = 0
    timer = ctypes.c_void_p()
    while timers < most and libc.timer_create(1, None, ctypes.byref(timer)) == 0:
        timers += 1
    try:
        while sent < most:
            pair = socket.socketpair()
            SOCKETS.append(pair)
            for _ in range(4):
                pair[0].setblocking(False)
                socket.send_fds(pair[0], [b"x"], [0] * 250)
                sent += 250
    except OSError:
        pass
    return sent + timers


def lacking() -> list[str]:
    """What of this cannot be had."""
    libc = ctypes.CDLL(None, use_errno=True)
    found = []
    ours, theirs = socket.socketpair()
    try:
        with ours, theirs:
            socket.send_fds(ours, [b"x"], [0])
    except OSError as error:
        found.append(f"a descriptor sent: {error}")
    timer = ctypes.c_void_p()
    if libc.timer_create(1, None, ctypes.byref(timer)) != 0:
        found.append(f"a timer: {os.strerror(ctypes.get_errno())}")
    return found
