"""A zygote behind one byte stream: its counterpart here, and its processes as the grader holds them."""

from __future__ import annotations

import math
import os
import socket
import subprocess
import sys
from typing import IO, Any

import msgspec

from .errors import SandboxBroken
from .inside.errands import Begin, Errand, Found, Highest, Kill, Look, Looked, Numbers, Status, Tree
from .process import NearProcess, Process, ended

# A relay answers in the time that the way there and back takes; a container may be stopped for a moment.
_ANSWER_SECONDS = 20.0
# So long a counterpart keeps back an end whose last words nobody reads, and a little longer.
_FLUSH_SECONDS = 0.25
_NO_LIMIT = 2**62  # above what any memory comes to: it need not be told exactly
_MAX_ANSWER = 512 * 1024

_encode = msgspec.msgpack.Encoder().encode
_decode = msgspec.msgpack.Decoder(Found).decode


def process_of(descriptors: list[int]) -> Process:
    """The process that a zygote, or a counterpart in its place, has introduced with these descriptors."""
    if len(descriptors) == 1:
        return NearProcess(descriptors[0])
    end, line = descriptors
    return FarProcess(end, socket.socket(fileno=line))


class FarProcess:
    """A process behind a relay, by the pipe that tells its end and a line to the counterpart."""

    def __init__(self, end: int, line: socket.socket) -> None:
        self._end = end
        self._line = line
        self._line.settimeout(_ANSWER_SECONDS)

    def fileno(self) -> int:
        return self._end

    def kill(self) -> None:
        try:
            self._line.send(_encode(Kill()))
        except OSError:
            return  # the connection was cut: the relay has killed all it had

    def ended(self, seconds: float) -> bool:
        if ended(self._end, seconds):
            return True
        # It may be the news that is late. What the relay says comes in order, so this answer comes after it.
        self.numbers(Tree())
        return ended(self._end, _FLUSH_SECONDS)

    def uses(self) -> _FarUses:
        return _FarUses(self)

    def highest(self) -> _FarHighest:
        return _FarHighest(self)

    def status_bytes(self, *names: str) -> tuple[int, ...]:
        return tuple(self.numbers(Status(list(names)), len(names)))

    def close(self) -> None:
        os.close(self._end)
        self._line.close()

    def looked(self, limit: int) -> Looked:
        """What it and all below it use."""
        found = self._find(Look(limit))
        if not isinstance(found, Looked) or not math.isfinite(found.cpu_seconds):
            raise _wrong("no measurement")
        return found

    def numbers(self, errand: Errand, count: int | None = None) -> list[int]:
        """What is answered in whole numbers, `count` of them."""
        found = self._find(errand)
        if not isinstance(found, Numbers) or count not in {None, len(found.found)}:
            raise _wrong("not the numbers asked for")
        return found.found

    def _find(self, errand: Errand) -> Any:
        try:
            self._line.send(_encode(errand))
            answer = self._line.recv(_MAX_ANSWER)
        except TimeoutError:
            raise SandboxBroken(
                f"the container has not answered for {_ANSWER_SECONDS:g} s; "
                "look at the network and at the Docker engine, then run the same command again"
            ) from None
        except OSError:
            answer = b""
        if not answer:
            raise SandboxBroken(
                "the connection to the container was cut; "
                "look at the network and at the Docker engine, then run the same command again"
            )
        try:
            return _decode(answer)
        except msgspec.MsgspecError as error:
            raise _wrong(str(error)) from None


def _wrong(what: str) -> SandboxBroken:
    return SandboxBroken(f"the relay in the container answered wrongly ({what}); make the image again")


class _FarUses:
    def __init__(self, process: FarProcess) -> None:
        self._process = process

    def look(self, limit: int = 0) -> tuple[float, int]:
        found = self._process.looked(limit)
        return found.cpu_seconds, found.memory_bytes

    def cpu_seconds(self) -> float:
        return self._process.looked(_NO_LIMIT).cpu_seconds

    def memory_bytes(self, limit: int = 0) -> int:
        return self._process.looked(limit).memory_bytes

    def tree(self) -> list[int]:
        return self._process.numbers(Tree())

    def close(self) -> None:
        return


class _FarHighest:
    def __init__(self, process: FarProcess) -> None:
        self._process = process
        (self.data_bytes,) = process.numbers(Begin(), 1)

    def bytes(self) -> int:
        return self._process.numbers(Highest(), 1)[0]


def start_counterpart(
    incoming: int, outgoing: int, wrapped: str, log: IO[bytes]
) -> tuple[socket.socket, subprocess.Popen[bytes]]:
    """Start the counterpart on a stream; return the control socket to it, as a zygote's, and its process.

    `wrapped` is how the stream comes: "plain", or "docker" for an engine's way to send two outputs as one.
    The descriptors stay the caller's, who closes them; what the process says goes to `log`.
    """
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    start = f"import sys; sys.path[:] = {sys.path!r}; from sandbox.counterpart import main; main()"
    argv = [sys.executable, "-I", "-S", "-B", "-c", start]
    argv += [str(theirs.fileno()), str(incoming), str(outgoing), wrapped, str(os.getpid())]
    with theirs:
        try:
            process = subprocess.Popen(  # noqa: S603  every part of it is written here
                argv,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
                pass_fds=(theirs.fileno(), incoming, outgoing),
            )
        except OSError as error:
            ours.close()
            raise SandboxBroken(f"the counterpart of the relay could not be started: {error}") from None
    return ours, process
