"""A container that only a byte stream leads to: its stdin and stdout, through the engine's API.

For an engine on another machine or another kernel, from which no descriptor can come. In the container a
relay stands beside the zygote; nothing is bound into it, and it ends when its stdin is closed.
"""

from __future__ import annotations

import os
import select
import socket
import ssl
import threading
from contextlib import suppress
from typing import IO, Any

from .far import start_counterpart

_CHUNK = 256 * 1024


def attached(stream: Any, log: IO[bytes]) -> tuple[socket.socket, Any]:
    """The control socket to a container's zygote, and the counterpart's process.

    `stream` is what the SDK returns for a connection to a container's stdin and stdout.
    """
    incoming, outgoing, ours = _plain(stream)
    try:
        return start_counterpart(incoming, outgoing, "docker", log)
    finally:
        for fd in ours:
            os.close(fd)


def _plain(stream: Any) -> tuple[int, int, list[int]]:
    """Descriptors to read from and write to, and those that are this process's to close when handed on."""
    if isinstance(stream, ssl.SSLSocket):
        ours, theirs = socket.socketpair()
        threading.Thread(target=_carry, args=(stream, ours), name="attest-tls", daemon=True).start()
        fd = theirs.detach()
        return fd, fd, [fd]
    process = getattr(stream, "proc", None)
    if process is not None:  # the SDK's way through an ssh client: its two pipes
        return process.stdout.fileno(), process.stdin.fileno(), []
    return stream.fileno(), stream.fileno(), []


def _carry(secure: ssl.SSLSocket, plain: socket.socket) -> None:
    """Copy both ways between a TLS connection and a socket, holding a bounded amount, until one is closed."""
    waiting = {secure: bytearray(), plain: bytearray()}  # what is to be sent on each
    secure.setblocking(False)
    plain.setblocking(False)
    with secure, plain, suppress(OSError):  # ssl.SSLError is one
        while True:
            moved = _move(secure, waiting[plain]) | _move(plain, waiting[secure])
            moved |= _send(secure, waiting[secure]) | _send(plain, waiting[plain])
            if not moved:
                poll = select.poll()
                for one, other in ((secure, plain), (plain, secure)):
                    reads = select.POLLIN if len(waiting[other]) < _CHUNK else 0
                    poll.register(one, reads | (select.POLLOUT if waiting[one] else 0))
                poll.poll(1000)  # TLS may wait for what no event announces


def _move(source: socket.socket, into: bytearray) -> bool:
    if len(into) >= _CHUNK:
        return False
    try:
        data = source.recv(_CHUNK)
    except (BlockingIOError, ssl.SSLWantReadError, ssl.SSLWantWriteError):
        return False
    if not data:
        raise ConnectionError("closed")
    into += data
    return True


def _send(target: socket.socket, data: bytearray) -> bool:
    if not data:
        return False
    try:
        sent = target.send(bytes(data[:_CHUNK]))
    except (BlockingIOError, ssl.SSLWantReadError, ssl.SSLWantWriteError):
        return False
    del data[:sent]
    return True
