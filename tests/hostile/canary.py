"""A neighbour of every attempt: an honest guest with secrets, that notices when somebody touches them.

Its program is run in a guest of its own beside the attempt. `HOST` is the same outside, on the machine.
"""

from __future__ import annotations

import fcntl
import os
import secrets
import shutil
import signal
import socket
import tempfile
from pathlib import Path
from typing import Any, Self

from sandbox import Guest, Program, Sandbox

# Attempts look for these by name.
MARK = "CANARY-"
HOST_SOCKET = "\0attest-host-canary"
HOST_PORT = 47_123
HOST_FOLDER = "attest-host-canary"
HOST_VARIABLE = "ATTEST_HOST_CANARY"

PROGRAM = """
import ctypes, fcntl, os, resource, select, signal, socket, tempfile, threading, time

heard, held = [], {}

def hold(secret):
    held["secret"] = secret
    os.environ["CANARY"] = secret
    held["folders"] = []
    # One folder may have two names.
    for folder in dict.fromkeys((os.getcwd(), tempfile.gettempdir(), "/dev/shm")):
        try:
            with open(f"{folder}/canary", "w") as file:
                file.write(secret)
            os.chmod(f"{folder}/canary", 0o666)
            held["folders"].append(folder)
            locked = held[folder] = open(f"{folder}/canary", "r+")
            fcntl.lockf(locked, fcntl.LOCK_EX)
        except OSError:
            pass
    # Not every backend has sockets and segments.
    for name in ("\\0attest-canary", *(f"{folder}/canary-socket" for folder in held["folders"])):
        try:
            listener = socket.socket(socket.AF_UNIX)
            listener.bind(name)
            if name[0] == "/":
                os.chmod(name, 0o777)
            listener.listen()
            threading.Thread(target=listen, args=(listener,), daemon=True).start()
        except OSError:
            pass
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGUSR1, signal.SIGIO):
        signal.signal(number, lambda number, frame: heard.append(f"signal {number}"))
    threading.Thread(target=spend, daemon=True).start()
    held["bounds"] = bounds()
    held["segment"] = ctypes.CDLL(None, use_errno=True).shmget(0x617474, 4096, 0o1666)
    held["session"] = os.getsid(0)
    held["names"] = names()
    return len(held["folders"])

def names():
    return {folder: sorted(os.listdir(folder)) for folder in held["folders"] if folder != "/dev/shm"}

def bounds():
    kinds = resource.RLIMIT_NOFILE, resource.RLIMIT_CPU, resource.RLIMIT_AS
    limits = [resource.getrlimit(kind) for kind in kinds]
    return limits, os.getpriority(os.PRIO_PROCESS, 0), os.sched_getaffinity(0)

def spend():
    # All the time, what the kernel counts by user: as a loader of batches sends its tensors, and more.
    libc = ctypes.CDLL(None, use_errno=True)
    while not heard:
        try:
            one_of_each(libc)
        except OSError as error:
            heard.append(f"the kernel gives it no more: {error}")
        time.sleep(0.05)

def one_of_each(libc):
    ours, theirs = socket.socketpair()
    with ours, theirs:
        socket.send_fds(ours, [b"x"], [0])
        for fd in socket.recv_fds(theirs, 1, 1)[1]:
            os.close(fd)
    ends = os.pipe()
    capacity = fcntl.fcntl(ends[0], 1032)  # F_GETPIPE_SZ
    events = select.epoll()
    events.register(ends[0], select.EPOLLIN)
    events.close()
    for fd in ends:
        os.close(fd)
    if capacity != 65536:
        raise OSError(f"a pipe of {capacity} bytes")
    timer = ctypes.c_void_p()
    if libc.timer_create(1, None, ctypes.byref(timer)) != 0:
        raise OSError(f"no timer: {os.strerror(ctypes.get_errno())}")
    libc.timer_delete(timer)

def listen(listener):
    while True:
        listener.accept()
        heard.append("a connection")

def look():
    found = list(heard)
    for folder in held["folders"]:
        with open(f"{folder}/canary") as file:
            if file.read() != held["secret"]:
                found.append(f"{folder}/canary was changed")
    if names() != held["names"]:
        found.append(f"files came or went: {names()}")
    if os.environ["CANARY"] != held["secret"]:
        found.append("the environment was changed")
    if bounds() != held["bounds"]:
        found.append("its priority or limits were changed")
    if os.getsid(0) != held["session"]:
        found.append("the session was changed")
    return found
"""


class Canary:
    """A guest that holds secrets; a context manager."""

    def __init__(self, sandbox: Sandbox) -> None:
        self.secret = MARK + secrets.token_hex(16)
        self._guest: Guest = sandbox.guest({}, Program("script", "canary.py", (PROGRAM,)))
        self._guest.start_check()
        assert self._guest.call("hold", self.secret) > 0

    def disturbed(self) -> list[str]:
        """What somebody did to it, in words; empty where nobody did anything."""
        if not self._guest.alive:
            return ["it is dead"]
        self._guest.start_check()
        return list(self._guest.call("look"))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._guest.close()


class HostCanary:
    """Secrets of this machine: a file, shared memory, sockets, a variable; a context manager."""

    def __init__(self) -> None:
        self.secret = MARK + secrets.token_hex(16)
        self.folder = Path(tempfile.gettempdir()) / HOST_FOLDER
        self._listeners: list[socket.socket] = []
        self._before: Any = None

    def __enter__(self) -> Self:
        self._listeners = self._at_the_addresses()
        os.environ[HOST_VARIABLE] = self.secret
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir()
        self.folder.chmod(0o755)
        (self.folder / "secret").write_text(self.secret)
        self._shared = Path("/dev/shm") / HOST_FOLDER
        self._shared.write_text(self.secret)
        self._shared.chmod(0o666)
        for listener in self._listeners:
            listener.listen()
            listener.setblocking(False)
        self._lock = open(self.folder / "lock", "w")
        fcntl.flock(self._lock, fcntl.LOCK_EX)
        self._heard: list[int] = []
        self._before = {
            number: signal.signal(number, lambda number, _: self._heard.append(number))
            for number in (signal.SIGUSR1, signal.SIGUSR2, signal.SIGIO, signal.SIGURG)
        }
        return self

    @staticmethod
    def _at_the_addresses() -> list[socket.socket]:
        """Sockets at the addresses that attempts know. Raises RuntimeError where another run has its own."""
        tcp, abstract = socket.socket(), socket.socket(socket.AF_UNIX)
        tcp.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            tcp.bind(("127.0.0.1", HOST_PORT))
            abstract.bind(HOST_SOCKET)
        except OSError:
            tcp.close()
            abstract.close()
            raise RuntimeError(
                f"port {HOST_PORT} is in use: these tests run once at a time on a machine"
            ) from None
        return [tcp, abstract]

    def disturbed(self) -> list[str]:
        """What somebody did to it, in words."""
        found = [f"signal {number}" for number in self._heard]
        for listener in self._listeners:
            try:
                listener.accept()[0].close()
                found.append(f"a connection to {listener.getsockname()!r}")
            except BlockingIOError:
                pass
        if (self.folder / "secret").read_text() != self.secret or self._shared.read_text() != self.secret:
            found.append("its files were changed")
        if sorted(path.name for path in self.folder.iterdir()) != ["lock", "secret"]:
            found.append("files came or went")
        self._heard.clear()
        return found

    def __exit__(self, *_: object) -> None:
        for listener in self._listeners:
            listener.close()
        self._lock.close()
        self._shared.unlink(missing_ok=True)
        shutil.rmtree(self.folder, ignore_errors=True)
        os.environ.pop(HOST_VARIABLE, None)
        for number, handler in self._before.items():
            signal.signal(number, handler)
