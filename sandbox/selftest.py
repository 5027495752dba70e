"""A live test of one backend: a program inside a real guest tries to get out, and what held is seen outside.

What can be verified from outside is: whether a canary's words came back, a listener saw anybody, a process
still runs, a file was made. Where only the guest can tell, its word counts against the backend.
"""

from __future__ import annotations

import os
import secrets
import socket
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from .backend import BackendOptions
from .errors import GuestCrashed, GuestGone, GuestMemory, StudentRaised
from .guest import Guest
from .inside.questions import Program
from .limits import Limits
from .sandboxes import Sandbox
from .undefended import KINDS, UNDEFENDED

LIMITS = Limits(
    memory_bytes=256 * 2**20, processes=24, file_bytes=16 * 2**20, disk_bytes=32 * 2**20, check_seconds=10.0
)
_SHARED = ("/var/tmp", "/tmp", "/home", "/")  # noqa: S108
_PROBE = Program("script", "probe.py", (Path(__file__).with_name("probe.py").read_text(),))


@dataclass(frozen=True)
class Attempt:
    """One kind of attempt: whether the backend held, what was seen, and why it says that it cannot."""

    kind: str
    held: bool
    seen: str
    undefended: str = ""

    @property
    def tried(self) -> str:
        return KINDS[self.kind]

    @property
    def ok(self) -> bool:
        """Whether it is as the backend says."""
        return self.held or bool(self.undefended)


def selftest(backend: str, options: BackendOptions = BackendOptions()) -> Iterator[Attempt]:  # noqa: B008
    """Try each kind in a guest of its own. Raises SandboxBroken where the backend does not work here."""
    with ExitStack() as stack:
        canary = stack.enter_context(_Canary())
        options = replace(options, secrets=(*options.secrets, canary.secret))
        sandbox = stack.enter_context(Sandbox(backend, LIMITS, options=options))
        tries: dict[str, Callable[[Guest], str]] = {
            "secrets": lambda guest: canary.secrets_read(guest, options.secrets),
            "host files": canary.files_read,
            "host writes": canary.files_written,
            "processes": canary.processes_read,
            "process names": canary.processes_listed,
            "signals": canary.processes_signalled,
            "network": canary.reached,
            "system calls": _calls,
            "process count": _processes,
            "memory": _memory,
            "disk": _disk,
        }
        for kind, attempt in tries.items():
            with sandbox.guest({}, _PROBE) as guest:
                guest.start_check()
                try:
                    wrong = attempt(guest)
                except StudentRaised as error:  # what was not tried has not held
                    wrong = f"the attempt failed: {error}"
                yield _told(backend, kind, wrong)
        yield _told(backend, "leftovers", _leftovers(sandbox))
        yield _told(backend, "counts", _counts(sandbox))


def _told(backend: str, kind: str, wrong: str) -> Attempt:
    return Attempt(kind, not wrong, wrong, UNDEFENDED.get(backend, {}).get(kind, "") if wrong else "")


def _asked(guest: Guest, name: str, *args: Any) -> Any:
    """What the probe returns; None where the guest did not live to say it."""
    try:
        return guest.call(name, *args)
    except GuestGone:
        return None


class _Canary:
    """What must stay untouched: a secret, a file and a folder of everybody's, a process, listeners."""

    def __init__(self) -> None:
        self._stack = ExitStack()
        self._word = secrets.token_hex(8)

    def __enter__(self) -> _Canary:
        self.folder = self._stack.enter_context(tempfile.TemporaryDirectory(prefix="attest-canary-"))
        os.chmod(self.folder, 0o755)  # noqa: S103  so that permissions alone keep nobody out
        self.secret = f"{self.folder}/secret"
        os.mkdir(self.secret, 0o700)
        Path(self.secret, "test_hidden.py").write_text(self._word)
        Path(self.folder, "open.txt").write_text(self._word)
        os.mkdir(f"{self.folder}/everybody")
        os.chmod(f"{self.folder}/everybody", 0o777)  # noqa: S103
        environment = {"ATTEST_CANARY": self._word}
        self._process = self._stack.enter_context(
            subprocess.Popen(["/bin/sleep", "600"], env=environment, stdin=subprocess.DEVNULL)
        )
        self._stack.callback(self._process.kill)
        self._tcp, self._udp = (
            socket.socket(socket.AF_INET, kind) for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM)
        )
        self._unix = socket.socket(socket.AF_UNIX)
        self._unix.bind(f"\0attest-{self._word}")
        for made in (self._tcp, self._udp, self._unix):
            self._stack.enter_context(made)
            if made is not self._unix:
                made.bind(("127.0.0.1", 0))
            if made is not self._udp:
                made.listen()
            made.setblocking(False)
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def secrets_read(self, guest: Guest, paths: tuple[str, ...]) -> str:
        wanted = [*paths, f"{self.secret}/test_hidden.py", "/etc/shadow"]
        return _first("it read", _asked(guest, "read", wanted))

    def files_read(self, guest: Guest) -> str:
        wanted = [f"{self.folder}/open.txt", "/etc/hostname", "/etc/machine-id", "/root", "/home", "/var/log"]
        found = _asked(guest, "read", wanted) or []
        return _first("it read", [text for text in found if not text.startswith("/etc/hostname: guest")])

    def files_written(self, guest: Guest) -> str:
        name = f"attest-canary-{self._word}"
        folders = [f"{self.folder}/everybody", *_SHARED]
        _asked(guest, "write", folders, name)
        made = [place for folder in folders if (place := Path(folder, name)).exists()]
        for place in made:
            place.unlink()
        return _first("it made", [str(place) for place in made])

    def processes_read(self, guest: Guest) -> str:
        return _first("it read", _asked(guest, "look", [self._process.pid, os.getpid()]))

    def processes_listed(self, guest: Guest) -> str:
        found = _asked(guest, "read", [f"/proc/{self._process.pid}/cmdline"]) or []
        return _first("it saw", [text for text in found if "sleep" in text])

    def processes_signalled(self, guest: Guest) -> str:
        _asked(guest, "send_signals", [self._process.pid])
        try:
            self._process.wait(0.2)
        except subprocess.TimeoutExpired:
            return ""
        return "it ended a process of the machine"

    def reached(self, guest: Guest) -> str:
        ports = self._tcp.getsockname()[1], self._udp.getsockname()[1]
        _asked(guest, "connect", *ports, f"attest-{self._word}")
        seen = []
        for way, listener in (("TCP", self._tcp), ("a unix socket", self._unix)):
            try:
                listener.accept()[0].close()
                seen.append(way)
            except BlockingIOError:
                continue
        try:
            self._udp.recv(64)
            seen.append("UDP")
        except BlockingIOError:
            pass
        return _first("it came through by", seen)


def _first(what: str, found: list[str] | None) -> str:
    return f"{what} {found[0].strip()[:100]!r}" if found else ""


def _calls(guest: Guest) -> str:
    return _first("it could call", _asked(guest, "forbidden_calls"))


def _processes(guest: Guest) -> str:
    started = _asked(guest, "start_many", 4 * LIMITS.processes)
    running = len(guest.processes())
    if (started or 0) > LIMITS.processes or running > LIMITS.processes + 1:
        return f"it started {max(started or 0, running)} processes, with a limit of {LIMITS.processes}"
    return ""


def _memory(guest: Guest) -> str:
    try:
        taken = guest.call("allocate", 4 * LIMITS.memory_bytes)
    except (GuestMemory, GuestCrashed):
        taken = 0
    except StudentRaised as error:
        if not error.memory:
            raise
        taken = 0
    most = max(int(taken), guest.usage().peak_memory_bytes)
    return (
        f"it took {most >> 20} MiB, with a limit of {LIMITS.memory_bytes >> 20}"
        if most > 1.2 * LIMITS.memory_bytes
        else ""
    )


def _disk(guest: Guest) -> str:
    written = _asked(guest, "fill", 8 * LIMITS.disk_bytes) or 0
    return (
        f"it wrote {written >> 20} MiB, with a limit of {LIMITS.disk_bytes >> 20}"
        if written > LIMITS.disk_bytes
        else ""
    )


def _leftovers(sandbox: Sandbox) -> str:
    with sandbox.guest({}, _PROBE) as guest:
        _asked(guest, "leave")
        pids = guest.processes()
    left = [pid for pid in pids if _runs(pid)]
    if len(pids) < 2:
        return "the process that it left was not seen"
    return f"process {left[0]} was left" if left else ""


def _counts(sandbox: Sandbox) -> str:
    """Of two that run side by side, as two workers' guests do."""
    with (
        sandbox.attach() as one,
        sandbox.attach() as other,
        one.guest({}, _PROBE) as greedy,
        other.guest({}, _PROBE) as neighbour,
    ):
        for guest in (greedy, neighbour):
            guest.start_check()
        used = _asked(greedy, "use_up", 20_000) or 0
        lacking = _asked(neighbour, "lacking") or []
    return _first(f"after it had used up {used}, its neighbour could not have", lacking)


def _runs(pid: int) -> bool:
    try:
        return "\nState:\tZ" not in Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return False
