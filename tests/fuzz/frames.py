"""Frames on a guest's wire and packets on the zygote's socket, as either end reads them, without a guest."""

from __future__ import annotations

import random
import socket
from collections.abc import Sequence
from typing import Any

import msgspec
import torch

from sandbox import GuestGone, HeldMisused, Limits, Sandbox, SandboxBroken, held
from sandbox.backend import BackendOptions
from sandbox.backends import BACKENDS
from sandbox.exchange import not_an_answer
from sandbox.inside.entering import Confinement
from sandbox.inside.questions import (
    Answer,
    Answered,
    Backward,
    Call,
    Callback,
    CellOutcome,
    HeldNode,
    Load,
    Loaded,
    Missing,
    OpaqueNode,
    Operate,
    Program,
    Question,
    Raised,
    Refused,
)
from sandbox.inside.values import Decoder, Encoder, tensors_of
from sandbox.inside.wire import MAX_QUESTION_HEADER, PREFIX, FrameError, FrameReader
from sandbox.inside.zygote import (
    MAX_PACKET,
    Attach,
    Failed,
    Fork,
    Forked,
    Ready,
    Reap,
    Reaped,
    Reply,
    Request,
)
from sandbox.lending import Lent
from tests.fuzz.mutation import ODD, of_bytes, packed, tree
from tests.fuzz.properties import Violated, sentence

_encode = msgspec.msgpack.Encoder().encode
_questions = msgspec.msgpack.Decoder(Question).decode
_answers = msgspec.msgpack.Decoder(Answer).decode
_DOCUMENTED = (msgspec.MsgspecError, UnicodeDecodeError, RecursionError, OverflowError)

VALUES: tuple[Any, ...] = (
    *(
        None,
        True,
        -7,
        2.5,
        "text",
        b"bytes",
        [1, [2.0, None]],
        ("a", {"b": [torch.arange(6.0).reshape(2, 3)]}),
    ),
    (torch.ones(2, 3, 4), torch.tensor([True, False])),
    {"weight": torch.zeros(4, 4, dtype=torch.bfloat16), "bias": torch.zeros(0, 4)},
    [torch.float32, ValueError("as a value"), torch.tensor(7)],
)


def frame(message: msgspec.Struct, encoder: Encoder | None = None) -> bytes:
    header, body = _encode(message), b"".join(encoder.body()) if encoder else b""
    return PREFIX.pack(len(header), len(body)) + header + body


def answers() -> list[bytes]:
    """One frame of every kind that an honest guest sends."""
    found = []
    for value in VALUES:
        encoder = Encoder(lambda _: OpaqueNode(3, "Linear", True, "a Linear"))
        found.append(frame(Answered(2, encoder.encode(value)), encoder))
    raised = Raised(2, "ValueError", "no such size", ["answer.py:3, in f", "    x.view(7)"], False)
    return [
        *found,
        frame(raised),
        frame(Loaded(2, [CellOutcome(1, "ok"), CellOutcome(2, "raised", "a note", raised)], ["a note"], 0.1)),
        frame(Missing(2, "mask", ["mask_", "masks"])),
        frame(Refused(2, "too_large", "tensors of more than 255 MiB together")),
        frame(Answered(2, OpaqueNode(3, "Linear", True, "a Linear"))),
    ]


def questions() -> list[bytes]:
    """One frame of every kind that the grader sends."""
    encoder = Encoder(lambda _: HeldNode(0, True, True, True, None, ["encode"], 1000, 64))
    args = encoder.encode((torch.ones(2, 3), [1, 2], object()))
    program = Program("notebook", "a.ipynb", ("x = 1", "def f(): pass"), (1, 2))
    return [
        frame(Load(1, {"a.ipynb": b"{}"}, program, 15.0, b"seedseed")),
        frame(Call(2, "f", None, args, encoder.encode({"mask": None}), True, 7, False), encoder),
        frame(Call(3, 5, "forward", args, encoder.encode({}), False, None, True), encoder),
        frame(Operate(4, "gradients", args, encoder.encode({})), encoder),
    ]


def callbacks() -> list[bytes]:
    """What a guest asks of a model that was lent to it."""
    encoder = Encoder(lambda _: OpaqueNode(3, "Linear", True, "a Linear"))
    args, none = encoder.encode((torch.ones(2, 3),)), encoder.encode({})
    return [
        frame(Callback(2, 0, None, args, none, True, None, 7, [0]), encoder),
        frame(Callback(2, 0, None, args, none, False, "float32"), encoder),
        frame(Callback(2, 1, None, args, none), encoder),
        frame(Backward(2, 1, encoder.encode((torch.ones(2, 2),))), encoder),
        frame(Answered(2, True)),
    ]


def packets() -> list[bytes]:
    """What the grader and the zygote say to each other."""
    confinement = Confinement(2**30, 2**40, 64, 256, 2**20, 2**20, 1000, 300, b"\6\0\0\0\0\0\0\0")
    said = (Fork(confinement), Reap(7), Attach(), Ready({"torch": "2"}), Forked(7), Reaped(9, 0.1, 2**20))
    return [_encode(message) for message in (*said, Failed("OSError: no"))]


def damaged(rng: random.Random, corpus: Sequence[bytes]) -> bytes:
    """A frame whose header, table, prefix or bytes are damaged."""
    data = rng.choice(corpus)
    header_size, _ = PREFIX.unpack_from(data)
    header, body = data[PREFIX.size : PREFIX.size + header_size], data[PREFIX.size + header_size :]
    kind = rng.random()
    if kind < 0.5:
        header = packed(rng, header)
    elif kind < 0.75 and body:
        body = _damaged_body(rng, body)
    elif kind < 0.85:
        return (
            PREFIX.pack(rng.choice((0, 1, 2**22, 2**32 - 1)), rng.choice((0, 8, 2**28, 2**63)))
            + header
            + body
        )
    else:
        return of_bytes(rng, corpus)
    return PREFIX.pack(len(header), len(body)) + header + body


def _damaged_body(rng: random.Random, body: bytes) -> bytes:
    size = int.from_bytes(body[:8], "little")
    if rng.random() < 0.3:
        return of_bytes(rng, [body])
    text = msgspec.json.encode(tree(rng, msgspec.json.decode(body[8 : 8 + size])))
    return len(text).to_bytes(8, "little") + text + body[8 + size :]


def _frames(data: bytes, most: int) -> list[tuple[bytes, bytearray]]:
    """The frames in a stream of bytes. Raises FrameError."""
    ours, theirs = socket.socketpair()
    found, reader = [], FrameReader(most)
    with ours, theirs:
        theirs.sendall(data[:100_000])
        theirs.shutdown(socket.SHUT_WR)
        while reader.receive(ours):
            while (arrived := reader.take()) is not None:
                found.append(arrived)
            if reader.whole:
                raise Violated("a whole frame is not taken")
    return found


def _plain(value: Any) -> None:
    """Raise Violated where anything but plain values and plain tensors was built."""
    kinds = {type(None), bool, int, float, str, bytes, list, tuple, dict, torch.Tensor, torch.dtype}
    if type(value) not in kinds and type(value).__module__ != "sandbox.inside.values":
        raise Violated(f"a {type(value)} was built")
    for item in (
        value.values() if isinstance(value, dict) else value if isinstance(value, list | tuple) else ()
    ):
        _plain(item)


def check_answer(data: bytes) -> None:
    """A guest's frame is a message of plain values, or a crash of the guest with a reason."""
    try:
        for header, body in _frames(data, 4 * 2**20):
            try:
                answer = _answers(header)
            except _DOCUMENTED as error:
                raise FrameError(str(error)) from None
            tensors = tensors_of(body)
            if sum(tensor.numel() * tensor.element_size() for tensor in tensors) > len(body):
                raise Violated("tensors larger than what came")
            if isinstance(answer, Answered):
                _plain(Decoder(tensors, lambda node: node.text).decode(answer.value))
    except FrameError as error:
        sentence(not_an_answer(str(error)).sentence)


def check_question(data: bytes) -> None:
    """A frame to the guest is a message or one of the documented errors."""
    try:
        for header, body in _frames(data, MAX_QUESTION_HEADER):
            question = _questions(header)
            decoder = Decoder(tensors_of(body), lambda node: node, lambda node: node)
            if not isinstance(question, Load):
                decoder.decode(question.args)
                decoder.decode(question.kwargs)
    except (FrameError, *_DOCUMENTED):
        return


class _Exchange:
    """In place of a guest's: notes how it ended."""

    def lend(self, taken: float, seconds: float, cpu_seconds: float) -> None:
        return None

    def stop(self, end: GuestGone) -> GuestGone:
        return end


_MODEL = torch.nn.Linear(3, 2)


def check_callback(data: bytes) -> None:
    """What is asked of a lent thing is answered, or ends the guest; the thing stays as it was."""
    before = [parameter.clone() for parameter in _MODEL.parameters()]
    lent = Lent()
    for thing in (held(_MODEL), held(lambda x: x + 1)):
        lent.keep(thing)
    try:
        waiting = _frames(data, 4 * 2**20)
    except FrameError:
        return
    last: tuple[bytes, bytearray] = (_encode(Answered(2, None)), bytearray())
    frames = iter([*waiting, last])
    try:
        lent.serve(2, next(frames), _Exchange(), lambda _: next(frames), (1.0, 1.0))  # type: ignore[arg-type]
    except GuestGone as gone:
        sentence(gone.sentence)
    except StopIteration:
        raise Violated("more is asked for than was sent") from None
    except HeldMisused as error:
        raise Violated(f"a guest's frame is taken for a mistake of the check's author: {error}") from error
    if not _MODEL.training or not all(map(torch.equal, before, _MODEL.parameters())):
        raise Violated("what was lent has changed")


def check_packet(data: bytes) -> None:
    """A packet is a request or a reply, or msgspec says that it is none."""
    for kind in (Request, Reply):
        try:
            msgspec.msgpack.decode(data, type=kind)
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
            continue


class _Launched:
    """A zygote of which one packet has come, and no more."""

    siblings = None

    def __init__(self, packet: bytes) -> None:
        self.control, zygote = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with zygote:
            zygote.sendmsg([packet])

    def said(self) -> str:
        return ""

    def close(self) -> None:
        self.control.close()


class _Backend:
    name = "of-packets"
    packet = b""

    def __init__(self, options: BackendOptions) -> None:
        pass

    def launch(self, limits: Limits) -> _Launched:
        return _Launched(self.packet or b"\0")


def check_reply(data: bytes) -> None:
    """A zygote that says anything but what it must: the sandbox is broken, in one sentence."""
    _Backend.packet = data[: MAX_PACKET // 2]
    BACKENDS[_Backend.name] = _Backend
    try:
        sandbox = Sandbox(_Backend.name)
    finally:
        del BACKENDS[_Backend.name]  # for the tests that go over every backend
    try:
        sandbox.start()
    except SandboxBroken as error:
        sentence(f"{error}.")
    else:
        raise Violated("a zygote without a descriptor is taken for one that is ready")
    finally:
        sandbox.close()


def built(draw: Any) -> bytes:
    """An answer of nodes that may be anything, in a frame that is well made (for Hypothesis)."""
    from hypothesis import strategies as st

    words = st.text(max_size=9)
    leaves = st.one_of(st.none(), st.booleans(), st.integers(-(2**63), 2**63 - 1), st.floats(), words)
    odd = st.sampled_from([value for value in ODD if value != 2**64 - 1])
    nodes = st.recursive(
        leaves | odd | st.tuples(st.sampled_from("xyhob"), st.integers(-2, 3) | st.text(max_size=3)),
        lambda inner: (
            st.tuples(st.sampled_from("tl"), st.lists(inner, max_size=4))
            | st.tuples(st.just("d"), st.lists(st.text(max_size=3), max_size=3), st.lists(inner, max_size=3))
        ),
        max_leaves=10,
    )
    kind = draw(st.sampled_from(["answered", "loaded", "raised", "missing", "refused", "callback", "x"]))
    header = msgspec.msgpack.encode(
        {"type": kind, "id": 2, "value": draw(nodes), "args": draw(nodes), "kwargs": ["d", [], []]}
        | {"name": "n", "nearest": [], "kind": "too_large", "reason": draw(words), "number": 0}
        | {
            "method": None,
            "type_name": draw(words),
            "message": "m",
            "traceback": [],
            "memory": False,
        }
    )
    entry = st.fixed_dictionaries(
        {
            "dtype": st.sampled_from(["F32", "BOOL", "BF16", "I64", "F31", ""]),
            "shape": st.lists(st.integers(-1, 3) | st.sampled_from([2**31, 2**62, 2**63]), max_size=3),
            "data_offsets": st.tuples(st.integers(0, 16), st.integers(0, 64)),
        }
    )
    table = draw(st.dictionaries(st.sampled_from(["0", "1", "00", "x", "__metadata__"]), entry, max_size=2))
    text = msgspec.json.encode(table)
    body = draw(st.sampled_from([b"", len(text).to_bytes(8, "little") + text + draw(st.binary(max_size=64))]))
    return PREFIX.pack(len(header), len(body)) + header + body
