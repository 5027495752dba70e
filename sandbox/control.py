"""The grader's end of a zygote's socket: requests and their replies in order, and the guest made ahead.

A spare guest is ordered and not waited for. Its reply comes before any later one, so it is read first.
"""

from __future__ import annotations

import os
import socket
from array import array
from dataclasses import dataclass

import msgspec

from .backend import Launched
from .cgroups import GuestGroup
from .errors import SandboxBroken
from .far import process_of
from .inside.entering import Confinement
from .inside.zygote import MAX_PACKET, Attach, Failed, Fork, Forked, Ready, Reap, Reaped, Reply, Request
from .process import Process

_START_SECONDS = 120.0
_REQUEST_SECONDS = 60.0
# A large tensor crosses in few system calls.
_WIRE_BUFFER = 1024 * 1024

_encode = msgspec.msgpack.Encoder().encode
_replies = msgspec.msgpack.Decoder(Reply).decode


@dataclass
class Spare:
    """A guest that has been asked for: the grader's ends of it, and the zygote's reply once read."""

    wire: socket.socket
    out: int
    err: int
    group: GuestGroup | None
    born: tuple[int, Process] | None = None  # its pid for the zygote, and the process

    def close(self) -> None:
        self.wire.close()
        os.close(self.out)
        os.close(self.err)
        if self.born is not None:
            self.born[1].close()


class Control:
    """One zygote's, on `channel`; `launched`, where it was started by us, knows what it said last."""

    def __init__(self, channel: socket.socket, launched: Launched | None = None) -> None:
        self.channel = channel
        self.spare: Spare | None = None
        self._launched = launched
        channel.settimeout(_REQUEST_SECONDS)

    def started(self) -> tuple[dict[str, str], Process]:
        """Wait until the zygote has imported torch: the versions that it has, and its process."""
        self.channel.settimeout(_START_SECONDS)
        reply, fds = self._receive()
        self.channel.settimeout(_REQUEST_SECONDS)
        if isinstance(reply, Failed):
            raise self._broken(_said(reply))
        if not isinstance(reply, Ready) or not fds:
            found = type(reply).__name__
            raise SandboxBroken(f"the zygote began with {found}, not with Ready; run: attest doctor")
        return reply.versions, process_of(fds)

    def sibling(self) -> Control:
        """That of another zygote, forked from this one."""
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with theirs:
            reply, fds = self._request(Attach(), [theirs.fileno()])
        for fd in fds:
            os.close(fd)
        if not isinstance(reply, Forked):
            ours.close()
            raise SandboxBroken(f"the zygote could not fork a sibling: {_said(reply)}; restart the run")
        return Control(ours)

    def order(self, confinement: Confinement, group: GuestGroup | None) -> None:
        """Ask for the spare guest, and do not wait for it."""
        ours, theirs = socket.socketpair()
        ours.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, _WIRE_BUFFER)
        theirs.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, _WIRE_BUFFER)
        (out, out_end), (err, err_end) = os.pipe(), os.pipe()
        doors = group.doors if group else []
        self._send(Fork(confinement), [theirs.fileno(), out_end, err_end, *doors])
        theirs.close()
        os.close(out_end)
        os.close(err_end)
        self.spare = Spare(ours, out, err, group)

    def take(self) -> tuple[Spare, int, Process]:
        """The spare guest, its pid and its process, once the zygote has forked it; there is none then."""
        spare = self.spare
        assert spare is not None
        try:
            self._collect()
        except SandboxBroken:
            spare.close()
            raise
        finally:
            self.spare = None
        assert spare.born is not None
        return spare, *spare.born

    def discard_spare(self) -> GuestGroup | None:
        """Kill the guest that nobody will ask; return the group that it was in."""
        spare = self.spare
        if spare is None:
            return None
        try:
            self._collect()
            if spare.born is not None:
                spare.born[1].kill()
                self._request(Reap(spare.born[0]))
        except SandboxBroken:
            pass  # the zygote is gone, and the guest with it
        self.spare = None
        spare.close()
        return spare.group

    def reap(self, pid: int) -> int:
        """Wait for a guest's end; its status, as `os.wait` gives it."""
        reply, _ = self._request(Reap(pid))
        if not isinstance(reply, Reaped):
            raise SandboxBroken(f"the zygote could not reap a guest: {_said(reply)}; restart the run")
        return reply.status

    def close(self) -> None:
        self.channel.close()

    def _collect(self) -> None:
        """Read the zygote's reply to the order of a spare guest, so that it is not taken for another's."""
        spare = self.spare
        if spare is None or spare.born is not None:
            return
        reply, fds = self._receive()
        if not isinstance(reply, Forked) or not fds:
            raise SandboxBroken(f"the zygote could not fork a guest: {_said(reply)}; run: attest doctor")
        spare.born = reply.pid, process_of(fds)

    def _request(self, request: Request, descriptors: list[int] | None = None) -> tuple[Reply, list[int]]:
        self._collect()
        self._send(request, descriptors or [])
        return self._receive()

    def _send(self, request: Request, descriptors: list[int]) -> None:
        rights = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array("i", descriptors))] if descriptors else []
        try:
            self.channel.sendmsg([_encode(request)], rights)
        except OSError as error:
            raise self._broken(self._last_words() or str(error)) from None

    def _receive(self) -> tuple[Reply, list[int]]:
        try:
            data, fds, _, _ = socket.recv_fds(self.channel, MAX_PACKET, 4)
        except OSError as error:
            raise self._broken(str(error)) from None
        if not data:
            raise self._broken("it has ended")
        try:
            return _replies(data), fds
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
            for fd in fds:
                os.close(fd)
            raise self._broken("it sent what is no reply") from None

    def _last_words(self) -> str:
        """What was said on the socket before it was closed at the other end."""
        try:
            reply = _replies(self.channel.recv(MAX_PACKET, socket.MSG_DONTWAIT))
        except (OSError, msgspec.MsgspecError):
            return ""
        return _said(reply) if isinstance(reply, Failed) else ""

    def _broken(self, found: str) -> SandboxBroken:
        said = self._launched.said() if self._launched else ""
        if found in said:  # a counterpart says it twice
            said = ""
        return SandboxBroken(
            f"the zygote does not answer: {found}{'; it said: ' + said if said else ''}; run: attest doctor"
        )


def _said(reply: Reply) -> str:
    """Why a request failed, in one short line, or what came in place of its reply."""
    if not isinstance(reply, Failed):
        return f"it answers with {type(reply).__name__}"
    return "".join(sign if sign.isprintable() else " " for sign in reply.message[:500])
