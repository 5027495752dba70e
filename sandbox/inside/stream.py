"""One byte stream that carries many: what the relay and its counterpart pass each other.

A packet is a kind (1 byte), a channel (4 bytes), a length (4 bytes, little endian), and as many bytes:

    DATA     bytes of a channel
    END      no more bytes of this channel will come
    CREDIT   as many more bytes (4 bytes) may be sent on this channel as its reader has got rid of
    MESSAGE  one message between relay and counterpart (msgpack, `errands`); its channel is 0

Each end of a channel is a pipe or a socket of a process on that side. Nobody sends more than the reader has
room for, so a side always reads the stream, and holds a bounded amount whatever the other side sends. What
breaks these rules is a StreamError, and the end of the stream. This module knows nothing of guests.
"""

from __future__ import annotations

import os
import select
import socket
import struct
import time
from collections import deque
from collections.abc import Callable

_PREFIX = struct.Struct("<BII")
_COUNT = struct.Struct("<I")
_DATA, _END, _CREDIT, _MESSAGE = range(1, 5)

MAX_MESSAGE = 300 * 1024
_CHUNK = 64 * 1024
_READ = 256 * 1024
# More than this waits to be sent: nothing more is read from channels.
_FULL = 512 * 1024
# What a process had written when it ended is sent whatever the credit: no more than kernels hold for it.
_REST = 4 * 2**20
_BAD = select.EPOLLHUP | select.EPOLLERR


class StreamError(Exception):
    """The stream has ended, or what came is not what the other side would send; the message says which."""


def packet_from(
    connection: socket.socket, most_bytes: int, most_descriptors: int = 0
) -> tuple[bytes, list[int]] | None:
    """A packet that has come, with its descriptors; b"" when the other end is closed; None when none has."""
    try:
        packet, descriptors, _, _ = socket.recv_fds(
            connection, most_bytes, most_descriptors, socket.MSG_DONTWAIT
        )
    except BlockingIOError:
        return None
    except OSError:
        return b"", []
    return packet, descriptors


class Channel:
    """One end of a channel: bytes that are read from `fd`, or written to it, or both. It owns `fd`."""

    def __init__(self, number: int, fd: int, window: int, *, reads: bool, writes: bool) -> None:
        self.number = number
        self.fd = fd
        self.window = window
        self.credit = window  # what may be sent
        self.reading = reads
        self.writing = writes
        self.room = window + _REST  # what may still come
        self.owed = 0  # what has been written away, and the other side not told
        self.waiting = bytearray()  # what has come and not been written away
        self.ending = False  # no more will come
        self.mask = 0
        self.open = True


class Pump:
    """Moves bytes between the stream and the channels, and calls `on_message` with each message."""

    def __init__(self, incoming: int, outgoing: int, on_message: Callable[[bytes], None]) -> None:
        self._in = incoming
        # The same socket may be both; each needs a descriptor of its own to be waited for.
        self._out = os.dup(outgoing)
        os.set_blocking(self._in, False)
        os.set_blocking(self._out, False)
        self._on_message = on_message
        self._channels: dict[int, Channel] = {}
        self._watched: dict[int, Callable[[], None]] = {}
        self._by_fd: dict[int, Channel] = {}
        self._queue: deque[memoryview] = deque()
        self._queued = 0
        self._full = False
        self._sending = False
        self._arrived = bytearray()
        self.heard = time.monotonic()  # when something last came
        # What lies around the packets of the stream is taken off here.
        self.unwrap: Callable[[bytes], bytes] = bytes
        self._poll = select.epoll()
        self._poll.register(self._in, select.EPOLLIN)

    def close(self) -> None:
        """Let go of the stream and all channels."""
        for number in list(self._channels):
            self.drop(number)
        self._poll.close()
        os.close(self._out)

    # What is waited for

    def watch(self, fd: int, call: Callable[[], None]) -> None:
        """Call when `fd` can be read or has been closed at its other end, until `unwatch`."""
        self._watched[fd] = call
        self._poll.register(fd, select.EPOLLIN)

    def unwatch(self, fd: int) -> None:
        del self._watched[fd]
        self._poll.unregister(fd)

    def add(self, channel: Channel) -> None:
        """Begin to carry a channel."""
        os.set_blocking(channel.fd, False)
        self._channels[channel.number] = self._by_fd[channel.fd] = channel
        self._set_interest(channel)

    def drop(self, number: int) -> None:
        """Close a channel's descriptor, and forget what was on its way to it."""
        channel = self._channels.pop(number, None)
        if channel is not None:
            self._close(channel)

    def flushed(self, number: int) -> bool:
        """Whether all that came for a channel has been written away."""
        channel = self._channels.get(number)
        return channel is None or not channel.waiting

    def step(self, seconds: float) -> None:
        """Do what can be done, waiting for the first of it. StreamError when the stream is at its end."""
        for fd, event in self._poll.poll(seconds):
            if fd == self._in:
                self._receive()
            elif fd == self._out:
                self._flush()
            elif fd in self._watched:
                self._watched[fd]()
            elif (channel := self._by_fd.get(fd)) is not None:
                if channel.waiting and event & (select.EPOLLOUT | _BAD):
                    self._write(channel)
                if channel.reading and channel.open and event & (select.EPOLLIN | _BAD):
                    self._read(channel)

    # Out

    def message(self, data: bytes) -> None:
        """Send one message."""
        self._send(_MESSAGE, 0, data)

    def finish(self, number: int) -> None:
        """Send what a channel whose writers are gone still holds, and that it has ended."""
        channel = self._channels.get(number)
        if channel is None or not channel.reading:
            return
        left = _REST
        while left > 0 and channel.reading:
            data = self._take(channel, _CHUNK)
            if data is None:
                break
            if data:
                left -= len(data)
                self._send(_DATA, number, data)
            else:
                self._end(channel)
        if channel.reading:
            self._end(channel)

    def _read(self, channel: Channel) -> None:
        if self._full or channel.credit <= 0:
            return
        data = self._take(channel, min(_CHUNK, channel.credit))
        if data is None:
            return
        if not data:
            self._end(channel)
            return
        channel.credit -= len(data)
        self._send(_DATA, channel.number, data)
        if channel.credit <= 0:
            self._set_interest(channel)

    def _take(self, channel: Channel, count: int) -> bytes | None:
        try:
            return os.read(channel.fd, count)
        except BlockingIOError:
            return None
        except OSError:
            return b""

    def _end(self, channel: Channel) -> None:
        channel.reading = False
        self._send(_END, channel.number, b"")
        self._set_interest(channel)
        self._close_when_done(channel)

    def _send(self, kind: int, channel: int, data: bytes) -> None:
        packet = _PREFIX.pack(kind, channel, len(data)) + data
        self._queue.append(memoryview(packet))
        self._queued += len(packet)
        if not self._sending:
            self._flush()

    def _flush(self) -> None:
        while self._queue:
            parts = [self._queue[index] for index in range(min(len(self._queue), 64))]
            try:
                sent = os.writev(self._out, parts)
            except BlockingIOError:
                break
            except OSError as error:
                raise StreamError(f"it does not take what is sent: {error.strerror}") from None
            self._queued -= sent
            while self._queue and sent >= len(self._queue[0]):
                sent -= len(self._queue.popleft())
            if sent:
                self._queue[0] = self._queue[0][sent:]
        waits = bool(self._queue)
        if waits is not self._sending:
            self._sending = waits
            if waits:
                self._poll.register(self._out, select.EPOLLOUT)
            else:
                self._poll.unregister(self._out)
        full = self._queued > _FULL
        if full is not self._full:
            self._full = full
            for channel in self._channels.values():
                self._set_interest(channel)

    # In

    def _receive(self) -> None:
        try:
            data = os.read(self._in, _READ)
        except BlockingIOError:
            return
        except OSError as error:
            raise StreamError(f"it cannot be read: {error.strerror}") from None
        if not data:
            raise StreamError("its other end was closed")
        self.heard = time.monotonic()
        self._arrived += self.unwrap(data)
        start = 0
        while len(self._arrived) - start >= _PREFIX.size:
            kind, number, length = _PREFIX.unpack_from(self._arrived, start)
            if length > MAX_MESSAGE or not _DATA <= kind <= _MESSAGE:
                raise StreamError(f"it carried a packet of kind {kind} and {length} bytes, which is none")
            stop = start + _PREFIX.size + length
            if stop > len(self._arrived):
                break
            content = bytes(memoryview(self._arrived)[start + _PREFIX.size : stop])
            start = stop
            self._take_packet(kind, number, content)
        del self._arrived[:start]

    def _take_packet(self, kind: int, number: int, content: bytes) -> None:
        if kind == _MESSAGE:
            self._on_message(content)
            return
        channel = self._channels.get(number)
        if channel is None:
            return  # dropped here, while this was on its way
        if kind == _DATA:
            if channel.ending or not channel.writing or len(content) > channel.room:
                raise StreamError(f"it carried more for channel {number} than there was room for")
            channel.room -= len(content)
            channel.waiting += content
            self._write(channel)
        elif kind == _END:
            channel.ending = True
            self._write(channel)
        else:
            if len(content) != _COUNT.size:
                raise StreamError("it carried a credit that is none")
            if not channel.reading:
                return  # its rest was sent without any
            channel.credit += _COUNT.unpack(content)[0]
            if channel.credit > channel.window:
                raise StreamError(f"it carried more credit for channel {number} than was used")
            self._set_interest(channel)

    def _write(self, channel: Channel) -> None:
        if not channel.open:
            return
        try:
            while channel.waiting:
                sent = os.write(channel.fd, memoryview(channel.waiting)[:_READ])
                del channel.waiting[:sent]
                channel.owed += sent
        except BlockingIOError:
            pass
        except OSError:  # nobody reads it any more
            channel.owed += len(channel.waiting)
            channel.waiting.clear()
        if channel.owed >= channel.window // 4 and not channel.ending:
            channel.room += channel.owed
            self._send(_CREDIT, channel.number, _COUNT.pack(channel.owed))
            channel.owed = 0
        self._set_interest(channel)
        self._close_when_done(channel)

    def _close_when_done(self, channel: Channel) -> None:
        if not channel.open or not (channel.ending or not channel.writing) or channel.waiting:
            return
        if not channel.reading:
            self._close(channel)
        else:
            _stop_writing(channel.fd)

    def _close(self, channel: Channel) -> None:
        if channel.open:
            channel.open = channel.reading = False
            channel.waiting.clear()
            self._set_interest(channel)
            del self._by_fd[channel.fd]
            os.close(channel.fd)

    def _set_interest(self, channel: Channel) -> None:
        mask = 0
        if channel.open and channel.reading and channel.credit > 0 and not self._full:
            mask |= select.EPOLLIN
        if channel.open and channel.waiting:
            mask |= select.EPOLLOUT
        if mask == channel.mask:
            return
        # One whose other end is closed is always reported, so one that is not waited for is taken out.
        if not mask:
            self._poll.unregister(channel.fd)
        elif not channel.mask:
            self._poll.register(channel.fd, mask)
        else:
            self._poll.modify(channel.fd, mask)
        channel.mask = mask


def _stop_writing(fd: int) -> None:
    """Let the other end of a socket see that no more will come."""
    try:
        with socket.socket(fileno=os.dup(fd)) as connection:
            connection.shutdown(socket.SHUT_WR)
    except OSError:
        return
