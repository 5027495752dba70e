"""Frames and their bodies, without a guest: whatever arrives, it is a frame or a FrameError."""

from __future__ import annotations

import json
import os
import socket
from contextlib import suppress
from pathlib import Path

import msgspec
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from safetensors.torch import load, save

from sandbox.inside.questions import Answer, OpaqueNode
from sandbox.inside.values import Decoder, Encoder, tensors_of
from sandbox.inside.wire import MAX_ANSWER_HEADER, MAX_BODY, PREFIX, FrameError, FrameReader, Outgoing


def encoder() -> Encoder:
    return Encoder(lambda _: OpaqueNode(0, "", False, ""))


def body_of(*tensors: torch.Tensor) -> bytearray:
    made = encoder()
    for tensor in tensors:
        made.encode(tensor)
    return bytearray(b"".join(made.body()))


SAMPLE = (
    torch.arange(6.0).reshape(2, 3),
    torch.tensor([True, False, True]),
    torch.zeros(0, 4),
    torch.tensor(7),
)


def test_the_body_is_what_safetensors_reads() -> None:
    read = load(bytes(body_of(*SAMPLE)))
    assert sorted(read) == ["0", "1", "2", "3"]
    assert all(torch.equal(read[str(index)], tensor) for index, tensor in enumerate(SAMPLE))


def test_what_safetensors_writes_can_be_read() -> None:
    found = tensors_of(bytearray(save({"0": SAMPLE[0]})))
    assert torch.equal(found[0], SAMPLE[0])


@settings(max_examples=300, deadline=None)
@given(st.data())
def test_a_damaged_body_is_an_error_or_plain_tensors(data: st.DataObject) -> None:
    body = body_of(*SAMPLE)
    for _ in range(data.draw(st.integers(1, 4))):
        body[data.draw(st.integers(0, len(body) - 1))] = data.draw(st.integers(0, 255))
    body = body[: data.draw(st.integers(0, len(body)))] if data.draw(st.booleans()) else body
    try:
        found = tensors_of(body)
    except FrameError:
        return
    assert sum(tensor.numel() * tensor.element_size() for tensor in found) <= len(body)


@settings(max_examples=300, deadline=None)
@given(
    st.dictionaries(st.sampled_from("01x"), st.recursive(st.integers(-(2**70), 2**70) | st.text(), st.lists))
)
def test_any_table_is_an_error_or_plain_tensors(table: dict[str, object]) -> None:
    entry = {"dtype": "F32", "shape": [1], "data_offsets": [0, 4]}
    text = json.dumps({name: entry | {"shape": value} for name, value in table.items()}).encode()
    body = bytearray(len(text).to_bytes(8, "little") + text + bytes(4))
    try:
        tensors_of(body)
    except FrameError:
        return


@settings(max_examples=300, deadline=None)
@given(st.binary(max_size=300))
def test_any_header_is_an_answer_or_an_error(header: bytes) -> None:
    try:
        answer = msgspec.msgpack.decode(header, type=Answer)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError, OverflowError):
        return
    assert isinstance(answer.id, int)


@pytest.mark.parametrize("step", [1, 7, 64, 100_000])
def test_a_frame_is_put_together_from_any_pieces(step: int) -> None:
    ours, theirs = socket.socketpair()
    with ours, theirs:
        body = body_of(torch.arange(1000.0))
        sent = PREFIX.pack(5, len(body)) + b"hello" + bytes(body)
        reader, found = FrameReader(), None
        for place in range(0, len(sent), step):
            assert reader.take() is None
            theirs.sendall(sent[place : place + step])
            reader.receive(ours)
        found = reader.take()
    assert found == (b"hello", body)


def test_a_long_frame_claims_no_memory_before_it_comes() -> None:
    ours, theirs = socket.socketpair()
    with ours, theirs:
        theirs.sendall(PREFIX.pack(MAX_ANSWER_HEADER + 1, 0))
        with pytest.raises(FrameError, match="a header of"):
            FrameReader().receive(ours)
        theirs.sendall(PREFIX.pack(0, 2**40))
        with pytest.raises(FrameError, match="a body of"):
            FrameReader().receive(ours)


def test_a_prefix_claims_no_memory_for_what_has_not_come() -> None:
    ours, theirs = socket.socketpair()
    with ours, theirs:
        reader, before = FrameReader(), resident_bytes()
        theirs.sendall(PREFIX.pack(10, MAX_BODY) + bytes(1000))
        for _ in range(2):
            reader.receive(ours)
            theirs.sendall(bytes(1000))
        assert resident_bytes() - before < 4 * 2**20


def resident_bytes() -> int:
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def test_a_frame_takes_nothing_of_the_one_behind_it() -> None:
    ours, theirs = socket.socketpair()
    with ours, theirs:
        reader, large = FrameReader(), bytes(100_000)
        theirs.sendall(PREFIX.pack(1, len(large)) + b"a" + large + PREFIX.pack(1, 2) + b"bcd")
        found = []
        while len(found) < 2:
            reader.receive(ours)
            while (frame := reader.take()) is not None:
                found.append(frame)
        assert found == [(b"a", large), (b"b", b"cd")]
        assert reader.empty


def test_a_large_frame_is_sent_in_parts() -> None:
    ours, theirs = socket.socketpair()
    with ours, theirs:
        theirs.setblocking(False)
        outgoing, reader = Outgoing(b"head", [bytes(2**20), b"tail"]), FrameReader()
        while (found := reader.take()) is None:
            if not outgoing.done:
                with suppress(BlockingIOError):
                    outgoing.send(theirs)
            reader.receive(ours)
    assert found == (b"head", bytes(2**20) + b"tail")


def test_a_value_that_is_too_deep_is_refused() -> None:
    node: object = None
    from sandbox.inside.questions import ListNode

    for _ in range(100):
        node = ListNode([node])  # type: ignore[list-item]
    with pytest.raises(FrameError, match="too deep"):
        Decoder([], lambda _: None).decode(node)  # type: ignore[arg-type]
