"""The relay: beside the zygote, it does the grader's work with descriptors where the grader is far away.

A grader on the same kernel as the zygote passes it sockets, and gets pidfds. Where only one byte stream leads
to the zygote (the stdin and stdout of a container), the relay makes the sockets here, passes them, holds the
pidfds, reads /proc, and carries every byte over that stream (`stream`, `errands`) to its counterpart beside
the grader, which plays the zygote there.

Input: the zygote's socket, and the stream. Output: what `errands` lists under "from the relay".
Death: when the stream ends, breaks its rules or is silent for long, the relay kills every guest and ends; the
zygote ends when its socket closes, and dies with the relay. No code of a student runs here: guests see
neither this process nor its descriptors, and what they send is carried, never looked into.
"""

from __future__ import annotations

import os
import signal
import socket
import sys
import time
from array import array
from collections import deque
from collections.abc import Callable
from typing import NoReturn

import msgspec

from . import errands, system
from .errands import (
    Ask,
    Beat,
    Begin,
    Detach,
    Ended,
    Forget,
    Forward,
    Gone,
    Kill,
    Look,
    Said,
    Status,
    Told,
    Tree,
)
from .meter import Meter, Peak, host_pid, status_bytes
from .stream import Channel, Pump, StreamError, packet_from

_MAX_PACKET = 256 * 1024
_WIRE_BUFFER = 1024 * 1024
_encode = msgspec.msgpack.Encoder().encode
_decode = msgspec.msgpack.Decoder(errands.ToRelay).decode


def main(become_zygote: Callable[[socket.socket], None]) -> NoReturn:
    """On stdin and stdout: fork what `become_zygote` makes of a process and its socket, and relay."""
    incoming, outgoing = os.dup(0), os.dup(1)
    null = os.open(os.devnull, os.O_RDONLY)
    os.dup2(null, 0)
    os.dup2(2, 1)  # whatever prints does not reach the stream
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    me = os.getpid()
    if os.fork() == 0:
        try:
            system.prctl(system.PR_SET_PDEATHSIG, signal.SIGKILL)
            if os.getppid() != me:
                os._exit(1)
            for fd in (incoming, outgoing, null):
                os.close(fd)
            ours.close()
            become_zygote(theirs)
        finally:
            os._exit(1)
    theirs.close()
    relay = Relay(ours, incoming, outgoing)
    try:
        relay.serve()
    finally:
        relay.kill_all()
        os._exit(0)


class _Process:
    """A process that the zygote has introduced."""

    def __init__(self, number: int, pidfd: int) -> None:
        self.number = number
        self.pidfd = pidfd
        self.pid = host_pid(pidfd)
        self.ended = False
        self._meter: Meter | None = None
        self._peak: Peak | None = None

    def kill(self) -> None:
        try:
            signal.pidfd_send_signal(self.pidfd, signal.SIGKILL)
        except ProcessLookupError:
            return

    def close(self) -> None:
        if self._meter is not None:
            self._meter.close()
        os.close(self.pidfd)

    def find(self, errand: errands.Errand) -> errands.Found:
        """What was asked for."""
        if isinstance(errand, Look):
            return errands.Looked(*self.meter.look(errand.limit))
        if isinstance(errand, Tree):
            return errands.Numbers([max(0, pid) for pid in self.meter.tree()])
        if isinstance(errand, Status):
            return errands.Numbers(list(status_bytes(self.pid, *errand.names)))
        if isinstance(errand, Begin) or self._peak is None:
            self._peak = Peak(self.pid)
            return errands.Numbers([self._peak.data_bytes])
        return errands.Numbers([self._peak.bytes()])

    @property
    def meter(self) -> Meter:
        if self._meter is None:
            self._meter = Meter(self.pid)
        return self._meter


class Relay:
    """Between one zygote's socket and one stream."""

    def __init__(self, control: socket.socket, incoming: int, outgoing: int) -> None:
        self._pump = Pump(incoming, outgoing, self._take)
        self._controls: dict[int, socket.socket] = {}
        # For each control, the process that each reply to come will introduce; the first is the zygote's own.
        self._awaited: dict[int, deque[int | None]] = {}
        self._processes: dict[int, _Process] = {}
        self._open_control(0, control)
        self._awaited[0].append(0)

    def serve(self) -> None:
        """Until the stream is at its end."""
        beat = time.monotonic()
        try:
            while True:
                now = time.monotonic()
                if now >= beat:
                    if now - self._pump.heard > errands.SILENCE_SECONDS:
                        raise StreamError(f"it was silent for {errands.SILENCE_SECONDS:g} s")
                    beat = now + errands.BEAT_SECONDS
                    self._say(Beat())
                    _reap_orphans()
                self._pump.step(max(0.0, beat - now))
        except StreamError as error:
            print(f"the relay ends: the stream to the grader has ended: {error}", file=sys.stderr, flush=True)

    def kill_all(self) -> None:
        """Kill all guests, and let the zygote go."""
        for process in self._processes.values():
            process.kill()
        for control in self._controls.values():
            control.close()
        self._pump.close()

    def _say(self, message: errands.FromRelay) -> None:
        self._pump.message(_encode(message))

    # From the counterpart

    def _take(self, data: bytes) -> None:
        try:
            message = _decode(data)
        except (msgspec.MsgspecError, UnicodeDecodeError) as error:
            raise StreamError(f"it carried a message that is none: {error}") from None
        if isinstance(message, Forward):
            self._forward(message)
        elif isinstance(message, Ask):
            process = self._processes.get(message.process)
            if process is None:
                raise StreamError(f"it asked after process {message.process}, which was never there")
            if isinstance(message.errand, Kill):
                process.kill()
            else:
                self._say(Told(message.process, process.find(message.errand)))
        elif isinstance(message, Forget):
            self._forget(message.process)
        elif isinstance(message, Detach):
            self._close_control(message.control)

    def _forward(self, message: Forward) -> None:
        control = self._controls.get(message.control)
        if control is None:
            return  # the zygote has closed it, and Gone is on its way
        descriptors: list[int] = []
        if message.process is not None:
            descriptors = self._open_channels(message.process)
        elif message.opens is not None:
            ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
            descriptors = [theirs.detach()]
            self._open_control(message.opens, ours)
        rights = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array("i", descriptors))] if descriptors else []
        try:
            control.sendmsg([message.packet], rights, socket.MSG_DONTWAIT)
        except BlockingIOError:
            raise StreamError("it asked more of the zygote than it takes") from None
        except OSError:
            self._lose_control(message.control)
            return
        finally:
            for fd in descriptors:
                os.close(fd)
        self._awaited[message.control].append(message.process)

    def _open_channels(self, process: int) -> list[int]:
        """Make a guest's wire, stdout and stderr; return the ends that are the guest's."""
        ours, theirs = socket.socketpair()
        for end in (ours, theirs):
            end.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, _WIRE_BUFFER)
        (out, out_end), (err, err_end) = os.pipe(), os.pipe()
        wire_number, out_number, err_number = errands.channels(process)
        self._pump.add(Channel(wire_number, ours.detach(), errands.WIRE_WINDOW, reads=True, writes=True))
        for number, fd in ((out_number, out), (err_number, err)):
            self._pump.add(Channel(number, fd, errands.OUTPUT_WINDOW, reads=True, writes=False))
        return [theirs.detach(), out_end, err_end]

    def _forget(self, number: int) -> None:
        for channel in errands.channels(number):
            self._pump.drop(channel)
        process = self._processes.pop(number, None)
        if process is not None:
            if not process.ended:
                process.kill()
                self._pump.unwatch(process.pidfd)
            process.close()

    # From the zygote

    def _open_control(self, number: int, control: socket.socket) -> None:
        self._controls[number] = control
        self._awaited[number] = deque()
        self._pump.watch(control.fileno(), lambda: self._reply(number))

    def _close_control(self, number: int) -> None:
        control = self._controls.pop(number, None)
        if control is not None:
            self._pump.unwatch(control.fileno())
            control.close()
            del self._awaited[number]

    def _lose_control(self, number: int) -> None:
        self._close_control(number)
        self._say(Gone(number))

    def _reply(self, number: int) -> None:
        control = self._controls[number]
        arrived = packet_from(control, _MAX_PACKET, 4)
        if arrived is None:
            return
        packet, descriptors = arrived
        if not packet:
            self._lose_control(number)
            return
        awaited = self._awaited[number]
        process = awaited.popleft() if awaited else None
        if process is not None and descriptors:
            pidfd = descriptors.pop(0)
            self._processes[process] = known = _Process(process, pidfd)
            self._pump.watch(pidfd, lambda: self._see_end(known))
        elif process is not None:
            for channel in errands.channels(process):
                self._pump.drop(channel)
            process = None
        for fd in descriptors:
            os.close(fd)
        self._say(Said(number, packet, process))

    def _see_end(self, process: _Process) -> None:
        process.ended = True
        self._pump.unwatch(process.pidfd)
        for channel in errands.channels(process.number):
            self._pump.finish(channel)
        self._say(Ended(process.number))


def _reap_orphans() -> None:
    """As pid 1 of a container, it inherits what others leave."""
    try:
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
    except ChildProcessError:
        return
