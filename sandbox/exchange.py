"""Questions to one guest and their answers, under every limit: one at a time, or several sent ahead.

The grader waits here for the wire, the guest's output and its end at once, and looks at clocks and
memory a few times a second. Whatever goes wrong, the guest is dead when a GuestGone is raised.
"""

from __future__ import annotations

import os
import select
import signal
import socket
import time
from collections.abc import Sequence
from dataclasses import dataclass

from .cgroups import GuestGroup
from .errors import GuestCrashed, GuestGone, GuestMemory, GuestOutput, GuestTimeout
from .inside.wire import FrameError, FrameReader, Outgoing
from .limits import Limits
from .process import Process

# How often clocks and memory are looked at while a guest works.
TICK = 0.02
_CHUNK = 64 * 1024
_CLOSING_SECONDS = 0.5
_MOST_WORDS = 300
_GONE = select.POLLHUP | select.POLLERR | select.POLLNVAL


@dataclass(frozen=True)
class Descriptors:
    """The grader's ends of a guest: the wire, what it reads of stdout and stderr, and the guest's process.

    `group` is the control group that the guest was told to enter, if any.
    """

    wire: socket.socket
    out: int
    err: int
    process: Process
    group: GuestGroup | None = None
    extra_bytes: int = 0  # of memory, beside what its limit allows: what CUDA has in the host's


class Stream:
    """What is kept of one output stream, up to a cap."""

    def __init__(self, fd: int) -> None:
        self.fd = fd
        self.kept = bytearray()
        self.open = True


class Exchange:
    """The grader's side of one guest's wire."""

    def __init__(self, ends: Descriptors, limits: Limits) -> None:
        self._ends = ends
        self._limits = limits
        self._meter = ends.process.uses()
        self._end = ends.process.fileno()
        self.group = ends.group
        self._reader = FrameReader()
        self._streams = {ends.out: Stream(ends.out), ends.err: Stream(ends.err)}
        self._wire = ends.wire.fileno()
        self._sending = False
        self._ahead = 0  # questions that have been sent and whose answers have not been taken
        self._outgoing: Outgoing | None = None
        self._poll = select.poll()
        self._poll.register(ends.wire, select.POLLIN)
        self._poll.register(self._end, select.POLLIN)
        for fd in self._streams:
            os.set_blocking(fd, False)
            self._poll.register(fd, select.POLLIN)
        ends.wire.setblocking(False)
        self.end: GuestGone | None = None
        self._written = 0
        self._room = limits.output_bytes
        self.truncated = False
        self.memory_cap = limits.memory_bytes
        self._most_memory = limits.memory_bytes + ends.extra_bytes
        self.start_check()

    def start_check(self) -> None:
        """Begin counting anew, and forget what was printed."""
        self._drain()
        self.set_clocks()
        self._written = 0
        self._room = self._limits.output_bytes
        self.truncated = False
        for stream in self._streams.values():
            stream.kept.clear()

    def set_clocks(self) -> None:
        """Count time and memory from now on."""
        self.seconds = 0.0
        self._lent = 0.0
        self._looked = time.monotonic()
        self.peak_memory_bytes = 0
        if self.group is not None:
            self.group.begin_peak()
        self._cpu_base = self._meter.cpu_seconds()

    def close(self) -> None:
        """Let go of what the meter keeps open; what was measured stays."""
        self._meter.close()

    def processes(self) -> list[int]:
        return self._meter.tree()

    def cpu_seconds(self) -> float:
        return max(0.0, self._meter.cpu_seconds() - self._cpu_base) + self._lent

    def lend(self, taken: float, seconds: float, cpu_seconds: float) -> None:
        """Count `taken` processor seconds of the grader's, spent for the guest, as its own.

        Processor time stands for its wall time too: a grader that is kept waiting costs the guest nothing.
        """
        self.seconds += taken
        self._lent += taken
        if time.monotonic() - self._looked > TICK:  # each answer comes sooner than a wait would look
            self._look(0.0, seconds, cpu_seconds)

    def take_output(self) -> tuple[bytes, bytes, bool]:
        """What was printed since the last take: stdout, stderr, and whether some was dropped."""
        self._drain()
        out, err = (bytes(stream.kept) for stream in self._streams.values())
        for stream in self._streams.values():
            stream.kept.clear()
        truncated, self.truncated = self.truncated, False
        return out, err, truncated

    def ask(
        self, header: bytes, body: list[bytes | memoryview], seconds: float, cpu_seconds: float
    ) -> tuple[bytes, bytearray]:
        """Send one frame and return the frame that answers it; GuestGone when none comes in time.

        `seconds` and `cpu_seconds` are what all questions since the clocks were set may take together.
        """
        return self._answer(Outgoing(header, body), seconds, cpu_seconds)

    def send_ahead(self, frames: Sequence[tuple[bytes, list[bytes | memoryview]]]) -> None:
        """Send questions that are answered one after another while the grader does something else."""
        if self.end is not None or not frames:
            return
        try:
            self._nothing_waits()
        except FrameError as error:
            self.stop(not_an_answer(str(error)))
            return
        except GuestGone:
            return  # the next question finds out
        self._ahead = len(frames)
        self._send(Outgoing.together(frames))

    def take_ahead(self, seconds: float, cpu_seconds: float) -> tuple[bytes, bytearray]:
        """The answer to the first question sent ahead that has none yet; as `ask`."""
        return self._answer(None, seconds, cpu_seconds)

    def greeting(self, seconds: float) -> tuple[bytes, bytearray]:
        """The frame that a guest sends by itself when it has been confined."""
        return self._wait(time.monotonic(), seconds, seconds)

    def _answer(
        self, outgoing: Outgoing | None, seconds: float, cpu_seconds: float
    ) -> tuple[bytes, bytearray]:
        """The answer to a question that is sent now, or (None) to the next of those sent ahead."""
        if self.end is not None:
            raise self.end
        start = time.monotonic()
        try:
            if outgoing is None:
                self._ahead -= 1
            else:
                self._nothing_waits()
                self._send(outgoing)
            return self._wait(start, seconds, cpu_seconds)
        except FrameError as error:
            raise self.stop(not_an_answer(str(error))) from None
        finally:
            self.seconds += time.monotonic() - start

    def _wait(self, start: float, seconds: float, cpu_seconds: float) -> tuple[bytes, bytearray]:
        next_tick = start + TICK
        ended = False
        while True:
            answer = self._reader.take()
            if answer is not None:
                if not self._ahead and not self._reader.empty:
                    raise FrameError("more than one answer to one question")
                return answer
            if ended:
                raise self._died()
            now = time.monotonic()
            if now >= next_tick:
                next_tick = now + TICK
                self._look(now - start, seconds, cpu_seconds)
            ended = self._take_what_comes(next_tick)
            if ended:
                self._receive_rest()

    def _take_what_comes(self, until: float) -> bool:
        """Wait for anything; whether the guest has ended or closed its wire."""
        ended = False
        for fd, event in self._poll.poll(max(0.0, until - time.monotonic()) * 1000 + 1):
            if fd == self._wire:
                if event & select.POLLOUT and self._outgoing is not None:
                    self._send(self._outgoing)
                ended |= bool(event & (select.POLLIN | _GONE)) and not self._receive()
            elif fd == self._end:
                ended = True
            else:
                self._read(self._streams[fd])
        return ended

    def _nothing_waits(self) -> None:
        """Before a question: no answer may lie there already."""
        if not self._reader.empty:
            raise FrameError("something that no question asked for")
        try:
            alive = self._reader.receive(self._ends.wire)
        except BlockingIOError:
            return
        except OSError:
            alive = False
        if alive:
            raise FrameError("something that no question asked for")
        raise self._died()

    def _send(self, outgoing: Outgoing) -> None:
        try:
            outgoing.send(self._ends.wire)
            waits = not outgoing.done
        except BlockingIOError:
            waits = True
        except OSError:
            waits = False  # it has closed its end; what it has sent before is still read
        self._outgoing = outgoing if waits else None
        if waits is not self._sending:
            self._sending = waits
            self._poll.modify(self._wire, select.POLLIN | (select.POLLOUT if waits else 0))

    def _receive(self) -> bool:
        try:
            return self._reader.receive(self._ends.wire)
        except BlockingIOError:
            return True
        except OSError:
            return False

    def _receive_rest(self) -> None:
        """An answer that was sent whole before its sender died is an answer."""
        try:
            while not self._reader.whole and self._reader.receive(self._ends.wire):
                pass
        except OSError:
            return

    def _look(self, elapsed: float, seconds: float, cpu_seconds: float) -> None:
        self._looked = time.monotonic()
        # First, whatever the clock says: where the way to the guest is broken, this raises SandboxBroken.
        used, memory = self._meter.look(self._most_memory)
        self.peak_memory_bytes = max(self.peak_memory_bytes, memory)
        if self.seconds + elapsed > seconds:
            raise self.stop(GuestTimeout("wall", seconds))
        if max(0.0, used - self._cpu_base) + self._lent > cpu_seconds:
            raise self.stop(GuestTimeout("cpu", cpu_seconds))
        if memory > self._most_memory or (self.group is not None and self.group.killed()):
            raise self.stop(GuestMemory(self.memory_cap))

    def look_at_memory(self) -> int:
        """What the guest holds now, in bytes."""
        now = self._meter.memory_bytes(self._most_memory)
        self.peak_memory_bytes = max(self.peak_memory_bytes, now)
        return now

    def peak_memory(self) -> int:
        """The largest memory that was seen, or that the kernel has kept; never more than the limit."""
        if self.group is not None:
            self.peak_memory_bytes = max(
                self.peak_memory_bytes, self.group.peak_above_start(self.peak_memory_bytes)
            )
        return self.peak_memory_bytes

    def cap_memory(self, count: int | None, told: int = 0) -> None:
        """Stop the guest at `count` bytes above what it holds now, saying `told`; None: at its limit."""
        limit = self._limits.memory_bytes
        self.memory_cap = limit if count is None else min(limit, told)
        most = limit + self._ends.extra_bytes
        self._most_memory = most if count is None else min(most, self.look_at_memory() + count)

    def _read(self, stream: Stream) -> None:
        try:
            data = os.read(stream.fd, _CHUNK)
        except BlockingIOError:
            return
        except OSError:
            data = b""
        if not data:
            stream.open = False
            self._poll.unregister(stream.fd)
            return
        self._written += len(data)
        kept = data[: self._room]
        stream.kept += kept
        self._room -= len(kept)
        self.truncated |= len(kept) < len(data)
        if self._written > self._limits.output_flood_bytes:
            raise self.stop(GuestOutput(self._limits.output_flood_bytes))

    def _drain(self) -> None:
        """Take what has been printed, without waiting; a flood is noticed by the next question."""
        for stream in self._streams.values():
            for _ in range(64):
                before = self._written
                try:
                    if stream.open:
                        self._read(stream)
                except GuestGone:
                    return
                if before == self._written:
                    break

    def stop(self, end: GuestGone) -> GuestGone:
        """Kill the guest and all it has started; `end` is why, and is what every later question raises."""
        if self.end is None:
            self.end = end
            self._ends.process.kill()
        return self.end

    def _died(self) -> GuestGone:
        # A process closes its descriptors a moment before its end can be seen.
        if not self._ends.process.ended(_CLOSING_SECONDS):
            return self.stop(GuestCrashed("closed its connection to the grader"))
        # How it ended is known when the zygote has reaped it; until then this stands.
        return self.stop(Died())


class Died(GuestCrashed):
    """It ended by itself; the guest finds out how."""

    def __init__(self) -> None:
        super().__init__("ended before it had answered")


def not_an_answer(what: str) -> GuestCrashed:
    """`what` it was; it may quote the guest, so it becomes one line of a bounded length."""
    line = "".join(char if char.isprintable() else "\ufffd" for char in what[:_MOST_WORDS])
    return GuestCrashed(f"sent something that is not an answer: {line}")


def describe_end(status: int) -> str:
    """The clause for a wait status: why the process is gone."""
    if os.WIFSIGNALED(status):
        number = os.WTERMSIG(status)
        name = signal.Signals(number).name if number in set(signal.Signals) else f"signal {number}"
        if number == signal.SIGKILL:
            return "was killed by the system, most likely because memory ran out"
        if number == signal.SIGXFSZ:  # Python does not die of it
            return "was stopped: it wrote more files than it may"
        return f"crashed ({name}), in code outside Python"
    return f"ended itself with exit status {os.waitstatus_to_exitcode(status)}"
