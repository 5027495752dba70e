"""The counterpart of a relay: a process beside the grader that plays the zygote, which is far away.

The grader's requests come on a control socket, with the descriptors that a zygote would get. They go to the
relay (`inside.relay`) over one byte stream; so does every byte of the wires and of the output, in both
directions. In place of a pidfd the grader gets two descriptors: one that can be read when the process has
ended, and a socket on which it asks after the process (`far`).

Input: the descriptors of the control socket and of the stream (in, out), and how the stream is wrapped.
Output: what it says last on stderr is why the stream has ended.
Death: with the grader, the control socket or the stream. What the grader holds then reads as closed.
"""

from __future__ import annotations

import os
import signal
import socket
import struct
import sys
import time
from array import array
from collections import deque
from collections.abc import Callable

import msgspec

from .inside import errands, system
from .inside.errands import Ask, Beat, Detach, Ended, Forget, Forward, Kill, Said, Told
from .inside.stream import Channel, Pump, StreamError, packet_from
from .inside.zygote import Attach, Failed, Fork, Reap

_MAX_PACKET = 256 * 1024
_FLUSH_SECONDS = 0.2
_MOST_SAID = 64 * 1024  # bytes of what the container writes to stderr
_encode = msgspec.msgpack.Encoder().encode
_requests = msgspec.msgpack.Decoder(Fork | Reap | Attach).decode
_errands = msgspec.msgpack.Decoder(errands.Errand).decode
_decode = msgspec.msgpack.Decoder(errands.FromRelay).decode


def main() -> None:
    """Serve until something is at its end."""
    control, incoming, outgoing = (int(text) for text in sys.argv[1:4])
    system.prctl(system.PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != int(sys.argv[5]):
        return  # the grader has died meanwhile
    counterpart = Counterpart(socket.socket(fileno=control), incoming, outgoing, sys.argv[4] == "docker")
    counterpart.serve()


class Stdcopy:
    """Takes apart what an engine sends of a container without a terminal: stdout, and stderr for the log."""

    _HEADER = struct.Struct(">BxxxI")

    def __init__(self, log: Callable[[memoryview], object]) -> None:
        self._log = log
        self._kind = self._left = self._said = 0
        self._header = b""

    def __call__(self, data: bytes) -> bytes:
        out = bytearray()
        rest = memoryview(data)
        while rest:
            if self._left:
                part, rest = rest[: self._left], rest[self._left :]
                self._left -= len(part)
                if self._kind == 1:
                    out += part
                elif self._said < _MOST_SAID:
                    self._said += len(part)
                    self._log(part)
                continue
            lacking = self._HEADER.size - len(self._header)
            self._header += bytes(rest[:lacking])
            rest = rest[lacking:]
            if len(self._header) == self._HEADER.size:
                self._kind, self._left = self._HEADER.unpack(self._header)
                self._header = b""
                if self._kind not in (1, 2):
                    raise StreamError(f"it carried output of kind {self._kind}, which no engine sends")
        return bytes(out)


class _Process:
    """A process far away: the grader's line to it, and the pipe whose closing tells its end."""

    def __init__(self, number: int, line: socket.socket, end: int) -> None:
        self.number = number
        self.line = line
        self.end: int | None = end
        self.asked = 0  # questions without an answer
        self.flush_until: float | None = None  # it has ended, and what it wrote is on its way

    def tell_end(self) -> None:
        if self.end is not None:
            os.close(self.end)
            self.end, self.flush_until = None, None


class Counterpart:
    """Between a grader's control sockets and one stream."""

    def __init__(self, control: socket.socket, incoming: int, outgoing: int, docker: bool) -> None:
        self._pump = Pump(incoming, outgoing, self._take)
        if docker:
            self._pump.unwrap = Stdcopy(lambda part: os.write(2, part))
        self._controls: dict[int, socket.socket] = {}
        self._owed: dict[int, deque[int | None]] = {}  # for each reply to come, the process that was ordered
        self._processes: dict[int, _Process] = {}
        self._ending: set[int] = set()
        self._next_process = self._next_control = 1
        self._open = True
        self._open_control(0, control)
        self._owed[0].append(0)

    def serve(self) -> None:
        """Until the grader has closed the first control, or the stream is at its end."""
        beat = time.monotonic()
        try:
            while self._open:
                now = time.monotonic()
                if now >= beat:
                    if now - self._pump.heard > errands.SILENCE_SECONDS:
                        raise StreamError(f"nothing came for {errands.SILENCE_SECONDS:g} s")
                    beat = now + errands.BEAT_SECONDS
                    self._say(Beat())
                self._tell_ends(now)
                self._pump.step(0.01 if self._ending else beat - now)
        except StreamError as error:
            self._give_up(
                f"the connection to the container was cut: {error}; look at the network and at the engine"
            )

    def _give_up(self, why: str) -> None:
        """Tell every grader why nothing works any more."""
        print(why, file=sys.stderr, flush=True)
        last = _encode(Failed(why[:500]))
        for control in self._controls.values():
            try:
                control.send(last, socket.MSG_DONTWAIT)
            except OSError:
                continue

    def _say(self, message: errands.ToRelay) -> None:
        self._pump.message(_encode(message))

    # From the grader

    def _open_control(self, number: int, control: socket.socket) -> None:
        self._controls[number] = control
        self._owed[number] = deque()
        self._pump.watch(control.fileno(), lambda: self._request(number))

    def _close_control(self, number: int) -> None:
        control = self._controls.pop(number)
        self._pump.unwatch(control.fileno())
        control.close()
        del self._owed[number]

    def _request(self, number: int) -> None:
        control = self._controls[number]
        arrived = packet_from(control, _MAX_PACKET, 8)
        if arrived is None:
            return
        packet, descriptors = arrived
        if not packet:
            self._close_control(number)
            self._say(Detach(number))
            self._open = number != 0
            return
        request = _requests(packet)
        process = opens = None
        if isinstance(request, Fork):
            process, self._next_process = self._next_process, self._next_process + 1
            wire, out, err = descriptors
            wire_number, out_number, err_number = errands.channels(process)
            self._pump.add(Channel(wire_number, wire, errands.WIRE_WINDOW, reads=True, writes=True))
            for channel, fd in ((out_number, out), (err_number, err)):
                self._pump.add(Channel(channel, fd, errands.OUTPUT_WINDOW, reads=False, writes=True))
        elif isinstance(request, Attach):
            opens, self._next_control = self._next_control, self._next_control + 1
            self._open_control(opens, socket.socket(fileno=descriptors[0]))
        self._owed[number].append(process)
        self._say(Forward(number, packet, process, opens))

    def _asked(self, process: _Process) -> None:
        arrived = packet_from(process.line, _MAX_PACKET)
        if arrived is None:
            return
        data, _ = arrived
        if not data:
            self._forget(process)
            return
        errand = _errands(data)
        if not isinstance(errand, Kill):
            process.asked += 1
        self._say(Ask(process.number, errand))

    def _forget(self, process: _Process) -> None:
        """The grader has let go of it."""
        self._pump.unwatch(process.line.fileno())
        process.line.close()
        process.tell_end()
        del self._processes[process.number]
        self._ending.discard(process.number)
        self._drop_channels(process.number)
        self._say(Forget(process.number))

    def _drop_channels(self, process: int) -> None:
        for channel in errands.channels(process):
            self._pump.drop(channel)

    # From the relay

    def _take(self, data: bytes) -> None:
        try:
            message = _decode(data)
        except (msgspec.MsgspecError, UnicodeDecodeError) as error:
            raise StreamError(f"it carried a message that is none: {error}") from None
        if isinstance(message, Said):
            self._reply(message)
        elif isinstance(message, Told):
            self._tell(message)
        elif isinstance(message, Ended):
            process = self._processes.get(message.process)
            if process is not None and process.end is not None:
                process.flush_until = time.monotonic() + _FLUSH_SECONDS
                self._ending.add(process.number)
                self._tell_ends(time.monotonic())
        elif isinstance(message, errands.Gone) and message.control in self._controls:
            self._close_control(message.control)

    def _reply(self, said: Said) -> None:
        control = self._controls.get(said.control)
        if control is None:
            if said.process is not None:
                self._say(Forget(said.process))
            return  # the grader has closed it meanwhile
        if not self._owed[said.control]:
            raise StreamError("it carried a reply of the zygote that nobody has asked for")
        ordered = self._owed[said.control].popleft()
        if said.process not in {None, ordered} or len(said.packet) > _MAX_PACKET or not said.packet:
            raise StreamError("it carried a reply of the zygote that answers another request")
        handed: list[int] = []
        if said.process is not None:
            handed = self._introduce(said.process)
        elif ordered is not None:
            self._drop_channels(ordered)
        rights = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array("i", handed))] if handed else []
        try:
            control.sendmsg([said.packet], rights, socket.MSG_DONTWAIT)
        except OSError:
            pass  # it has been closed, which is seen next
        finally:
            for fd in handed:
                os.close(fd)

    def _introduce(self, number: int) -> list[int]:
        """The grader's descriptors of a process."""
        end_seen, end = os.pipe()
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        process = self._processes[number] = _Process(number, ours, end)
        self._pump.watch(ours.fileno(), lambda: self._asked(process))
        return [end_seen, theirs.detach()]

    def _tell(self, told: Told) -> None:
        process = self._processes.get(told.process)
        if process is None:
            return  # let go of meanwhile
        if not process.asked:
            raise StreamError("it carried an answer that nobody has asked for")
        process.asked -= 1
        try:
            process.line.send(_encode(told.found), socket.MSG_DONTWAIT)
        except OSError:
            return

    def _tell_ends(self, now: float) -> None:
        """An end is seen after all that was written before it, unless nobody reads that."""
        for number in list(self._ending):
            process = self._processes[number]
            assert process.flush_until is not None
            if now >= process.flush_until or all(map(self._pump.flushed, errands.channels(number))):
                process.tell_end()
                self._ending.discard(number)
