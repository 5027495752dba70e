"""One byte stream that carries many: order, credit, and nothing but StreamError whatever arrives."""

from __future__ import annotations

import contextlib
import os
import socket
import struct
from collections.abc import Callable, Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sandbox.counterpart import Stdcopy
from sandbox.inside.stream import MAX_MESSAGE, Channel, Pump, StreamError

WINDOW = 64 * 1024


@contextlib.contextmanager
def pair() -> Iterator[tuple[Pump, Pump, list[bytes]]]:
    """Two pumps at the ends of one stream, and the messages that the second gets."""
    one, two = socket.socketpair()
    got: list[bytes] = []
    with one, two:
        pumps = (
            Pump(one.fileno(), one.fileno(), lambda data: None),
            Pump(two.fileno(), two.fileno(), got.append),
        )
        try:
            yield *pumps, got
        finally:
            for pump in pumps:
                pump.close()


def turn(*pumps: Pump, until: Callable[[], bool] = lambda: False) -> None:
    for _ in range(200):
        for pump in pumps:
            pump.step(0)
        if until():
            return


def test_bytes_pass_both_ways_and_then_the_end() -> None:
    with pair() as (near, far, _):
        here, near_end = socket.socketpair()
        there, far_end = socket.socketpair()
        near.add(Channel(4, near_end.detach(), WINDOW, reads=True, writes=True))
        far.add(Channel(4, far_end.detach(), WINDOW, reads=True, writes=True))
        with here, there:
            here.sendall(b"question")
            here.shutdown(socket.SHUT_WR)
            there.sendall(b"answer")
            turn(near, far)
            assert there.recv(100) == b"question"
            assert there.recv(100) == b""
            assert here.recv(100) == b"answer"
            there.close()
            turn(near, far)
            assert here.recv(100) == b""


def test_what_nobody_reads_stops_at_the_window() -> None:
    with pair() as (near, far, _):
        seen, out = os.pipe()
        written, source = os.pipe()
        os.set_blocking(source, False)
        near.add(Channel(5, out, WINDOW, reads=False, writes=True))
        far.add(Channel(5, written, WINDOW, reads=True, writes=False))
        taken = 0
        for _ in range(100):
            with contextlib.suppress(BlockingIOError):
                taken += os.write(source, bytes(65536))
            turn(near, far, until=lambda: True)
        assert taken <= 5 * WINDOW  # in two pipes, and one window on its way
        total = 0
        os.close(source)
        os.set_blocking(seen, False)
        while total < taken:
            turn(near, far, until=lambda: True)
            with contextlib.suppress(BlockingIOError):
                total += len(os.read(seen, 65536))
        assert total == taken
        os.close(seen)


def test_the_rest_of_an_ended_process_needs_no_credit() -> None:
    with pair() as (near, far, _):
        seen, out = os.pipe()
        written, source = os.pipe()
        near.add(Channel(5, out, 1024, reads=False, writes=True))
        far.add(Channel(5, written, 1024, reads=True, writes=False))
        os.write(source, b"x" * 50_000)
        os.close(source)
        turn(far, near, until=lambda: True)
        far.finish(5)
        turn(near, far)
        with open(seen, "rb") as file:
            assert file.read() == b"x" * 50_000


def test_messages_keep_their_order_among_bytes() -> None:
    with pair() as (near, far, got):
        for index in range(300):
            near.message(b"%d" % index)
        turn(far, near, until=lambda: len(got) == 300)
        assert got == [b"%d" % index for index in range(300)]


PACKET = struct.Struct("<BII")


@pytest.mark.parametrize(
    "sent",
    [
        PACKET.pack(0, 0, 0),
        PACKET.pack(5, 0, 0),
        PACKET.pack(4, 0, MAX_MESSAGE + 1),
        PACKET.pack(3, 4, 3) + b"abc",
        PACKET.pack(3, 4, 4) + struct.pack("<I", 1),
        PACKET.pack(2, 4, 0) + PACKET.pack(1, 4, 1) + b"x",
        PACKET.pack(1, 5, 1) + b"x",
        (PACKET.pack(1, 4, MAX_MESSAGE) + bytes(MAX_MESSAGE)) * 20,
    ],
    ids=["kind 0", "kind 5", "long", "odd credit", "much credit", "after the end", "to a reader", "no room"],
)
def test_what_breaks_the_rules_ends_the_stream(sent: bytes) -> None:
    ours, theirs = socket.socketpair()
    pump = Pump(ours.fileno(), ours.fileno(), lambda data: None)
    unread, wire = socket.socketpair()
    quiet, source = os.pipe()
    pump.add(Channel(4, wire.detach(), WINDOW, reads=True, writes=True))
    pump.add(Channel(5, quiet, WINDOW, reads=True, writes=False))
    theirs.setblocking(False)
    with ours, theirs, unread:
        with pytest.raises(StreamError):
            _deliver(sent, theirs, pump)
        pump.close()
        os.close(source)


def _deliver(sent: bytes, connection: socket.socket, pump: Pump) -> None:
    rest = memoryview(sent)
    for _ in range(1000):
        with contextlib.suppress(BlockingIOError):
            rest = rest[connection.send(rest) :] if rest else rest
        pump.step(0)


@settings(max_examples=200, deadline=None)
@given(
    st.lists(st.binary(max_size=80) | st.tuples(st.integers(1, 4), st.integers(0, 8), st.binary(max_size=40)))
)
def test_any_bytes_are_taken_or_refused(pieces: list[bytes | tuple[int, int, bytes]]) -> None:
    ours, theirs = socket.socketpair()
    pump = Pump(ours.fileno(), ours.fileno(), lambda data: None)
    unread, wire = socket.socketpair()
    pump.add(Channel(4, wire.detach(), WINDOW, reads=True, writes=True))
    with ours, theirs, unread, contextlib.suppress(StreamError):
        for piece in pieces:
            data = piece if isinstance(piece, bytes) else PACKET.pack(*piece[:2], len(piece[2])) + piece[2]
            theirs.sendall(data)
            pump.step(0)
    pump.close()


@given(st.lists(st.tuples(st.sampled_from([1, 2]), st.binary(max_size=30)), max_size=8), st.integers(1, 20))
@settings(max_examples=100, deadline=None)
def test_an_engines_frames_are_taken_apart_wherever_they_are_cut(
    frames: list[tuple[int, bytes]], size: int
) -> None:
    wrapped = b"".join(struct.pack(">BxxxI", kind, len(data)) + data for kind, data in frames)
    out = Stdcopy(lambda data: said.append(bytes(data)))
    said: list[bytes] = []
    got = b"".join(out(wrapped[at : at + size]) for at in range(0, len(wrapped), size))
    assert got == b"".join(data for kind, data in frames if kind == 1)
    assert b"".join(said) == b"".join(data for kind, data in frames if kind == 2)


def test_what_no_engine_sends_is_refused() -> None:
    with pytest.raises(StreamError, match="kind 72"):
        Stdcopy(lambda data: None)(b"HTTP/1.1 ")
