"""The wire: length-prefixed frames between one grader and one guest.

A frame is 4 bytes header length, 8 bytes body length (little endian), the header (one message of
`questions`, msgpack) and the body (the tensors, safetensors; may be empty). Whoever receives a frame
bounds it before it reads it. This module moves bytes and knows nothing of what they mean.
"""

from __future__ import annotations

import socket
import struct
from collections.abc import Iterable, Sequence

PREFIX = struct.Struct("<IQ")

# From the grader: a question carries a whole submission, so its header may be large.
MAX_QUESTION_HEADER = 128 * 2**20
# From a guest: room for some 100,000 plain values, and for the output of any exercise.
MAX_ANSWER_HEADER = 4 * 2**20
MAX_BODY = 256 * 2**20

# One system call takes a whole small frame; below the size at which malloc asks the kernel each time.
CHUNK = 64 * 1024
_LARGE_CHUNK = 512 * 1024  # of a frame that is larger


class FrameError(ValueError):
    """What arrived is not a frame; the message says why, as the end of the sentence "it sent ..."."""


class Outgoing:
    """A frame on its way out. Large parts are sent from where they lie, without a copy."""

    def __init__(self, header: bytes, body: Sequence[bytes | memoryview] = ()) -> None:
        size = sum(len(part) for part in body)
        parts = (PREFIX.pack(len(header), size), header, *body)
        if size <= CHUNK:
            parts = (b"".join(parts),)
        self._parts = [memoryview(part) for part in parts if len(part)]

    @classmethod
    def together(cls, frames: Iterable[tuple[bytes, Sequence[bytes | memoryview]]]) -> Outgoing:
        """Several small frames, which go out one right behind the other."""
        every = cls(b"")
        every._parts = [memoryview(b"".join(part for frame in frames for part in cls(*frame)._parts))]
        return every

    @property
    def done(self) -> bool:
        """Whether all of it has been sent."""
        return not self._parts

    def send(self, connection: socket.socket) -> None:
        """Send as much as fits now; BlockingIOError when nothing does."""
        sent = connection.sendmsg(self._parts[:64])
        while self._parts and sent >= len(self._parts[0]):
            sent -= len(self._parts.pop(0))
        if sent:
            self._parts[0] = self._parts[0][sent:]


def read_frame(connection: socket.socket, reader: FrameReader) -> tuple[bytes, bytearray] | None:
    """The next question's header and body, waiting for it; None when the grader has closed the wire."""
    while (arrived := reader.take()) is None:
        if not reader.receive(connection):
            return None
    return arrived


class FrameReader:
    """Puts frames together as their bytes arrive. Every length is checked first."""

    def __init__(self, max_header: int = MAX_ANSWER_HEADER) -> None:
        self._max_header = max_header
        self._buffer = bytearray()  # what has arrived and has not been taken
        self._sizes: tuple[int, int] | None = None

    def receive(self, connection: socket.socket) -> bool:
        """Take what has arrived, once; False when the other end has closed. May raise BlockingIOError."""
        if self.whole:
            return True
        # Appended as it comes: memory is claimed by what has arrived, not by what a prefix says will.
        chunk = CHUNK if self._sizes is None else min(_LARGE_CHUNK, self._whole_size - len(self._buffer))
        data = connection.recv(chunk)
        self._buffer += data
        if self._sizes is None:
            self._measure()
        return bool(data)

    def take(self) -> tuple[bytes, bytearray] | None:
        """The header and body of a frame that has arrived whole, else None."""
        if self._sizes is None or not self.whole:
            return None
        header_end, whole = PREFIX.size + self._sizes[0], self._whole_size
        header = bytes(memoryview(self._buffer)[PREFIX.size : header_end])
        body = self._buffer[header_end:whole]
        # What has arrived of the frame after it.
        self._buffer = self._buffer[whole:]
        self._sizes = None
        self._measure()
        return header, body

    @property
    def whole(self) -> bool:
        """Whether a frame has arrived whole."""
        return self._sizes is not None and len(self._buffer) >= self._whole_size

    @property
    def empty(self) -> bool:
        """Whether nothing has arrived that has not been taken."""
        return not self._buffer

    @property
    def _whole_size(self) -> int:
        assert self._sizes is not None
        return PREFIX.size + sum(self._sizes)

    def _measure(self) -> None:
        if len(self._buffer) < PREFIX.size:
            return
        header_size, body_size = PREFIX.unpack_from(self._buffer)
        if header_size > self._max_header:
            raise FrameError(f"a header of {header_size} bytes, more than {self._max_header}")
        if body_size > MAX_BODY:
            raise FrameError(f"a body of {body_size} bytes, more than {MAX_BODY}")
        self._sizes = header_size, body_size
