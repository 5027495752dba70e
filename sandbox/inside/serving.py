"""The guest's loop: a question comes in, an answer goes out, one at a time.

Everything here runs in the same process as the student's code, so nothing here is trusted by the
grader; it only has to be right for students who are honest.
"""

from __future__ import annotations

import contextlib
import difflib
import gc
import os
import random
import socket
import sys
from collections.abc import Callable
from typing import Any

import msgspec
import numpy as np
import torch

from . import gpu, held, loading, modules, notebook
from .folder import work
from .questions import (
    Answer,
    Answered,
    Call,
    Load,
    Loaded,
    Missing,
    OpaqueNode,
    Operate,
    Question,
    RefusalKind,
    Refused,
)
from .tracebacks import describe
from .values import Decoder, Encoder, TooLarge, Value, tensors_of, without_sets
from .wire import MAX_ANSWER_HEADER, MAX_QUESTION_HEADER, FrameReader, Outgoing, read_frame

_decode = msgspec.msgpack.Decoder(Question).decode
_encode = msgspec.msgpack.Encoder().encode


# What torch.set_default_device leaves behind; to ask torch for the default device takes longer than a call.
_DEVICE_CONTEXT = getattr(torch, "_GLOBAL_DEVICE_CONTEXT", None)


class NameNotFound(LookupError):
    """The submission defines no such name."""


class HandleNotFound(LookupError):
    """No object is kept under this handle."""


def warm_up() -> None:
    """In the zygote: make the notebook shell, and take each path once, so that guests find it warm."""
    notebook.make_shell()
    _reseed(bytes(8))
    _restore_defaults()
    encoder = Encoder(lambda _: OpaqueNode(0, "", False, ""))
    encoder.encode((torch.zeros(2, dtype=torch.float64), None))
    tensors_of(bytearray(b"".join(encoder.body())))
    with torch.enable_grad():
        weight = torch.zeros(2, 2, requires_grad=True)
        torch.autograd.grad((weight @ weight).softmax(-1).sum(), weight, allow_unused=True)
    _warm_up_attention()
    torch.testing.assert_close(torch.zeros(1), torch.zeros(1))  # its first call imports 300 ms of modules
    held.warm_up()


def _warm_up_attention() -> None:
    """Take attention's paths once: the first masked call imports hundreds of modules (280 ms of CPU)."""
    layer = torch.nn.TransformerEncoderLayer(4, 2, dim_feedforward=4, batch_first=True)
    x = torch.zeros(2, 2, 4)
    padding = torch.tensor([[False, False], [False, True]])
    causal = torch.ones(2, 2, dtype=torch.bool).triu(1)
    for training in (True, False):
        layer.train(training)
        for grad in (True, False):
            with torch.set_grad_enabled(grad):
                layer(x, src_mask=causal, src_key_padding_mask=padding)
                layer.self_attn(x, x, x, attn_mask=causal, key_padding_mask=padding)


def serve(wire: socket.socket) -> None:
    """Answer questions until the grader closes the wire."""
    gc.enable()
    reader = FrameReader(MAX_QUESTION_HEADER)
    server = _Server(held.Link(wire, reader))
    _send(wire, _encode(Answered(0, None)), [])
    while True:
        arrived = read_frame(wire, reader)
        if arrived is None:
            return
        header, body = arrived
        question: Question = _decode(header)
        answer, tensors = server.answer(question, body)
        _flush()
        _send(wire, _bounded(answer), tensors)


def _send(wire: socket.socket, header: bytes, body: list[bytes | memoryview]) -> None:
    outgoing = Outgoing(header, body)
    while not outgoing.done:
        outgoing.send(wire)


def _bounded(answer: Answer) -> bytes:
    header = _encode(answer)
    if len(header) > MAX_ANSWER_HEADER:
        return _encode(
            Refused(answer.id, "too_large", f"more than {MAX_ANSWER_HEADER // 2**20} MiB of plain values")
        )
    return header


def _flush() -> None:
    for stream in (sys.stdout, sys.stderr):
        # A student may have closed it, or put anything in its place.
        with contextlib.suppress(Exception):
            stream.flush()


def _restore_defaults() -> None:
    """Undo what student code may have set for the whole process."""
    if torch.get_default_dtype() is not torch.float32:
        torch.set_default_dtype(torch.float32)
    if _DEVICE_CONTEXT is None or hasattr(_DEVICE_CONTEXT, "device_context"):
        torch.set_default_device(gpu.default_device())
    if torch.get_num_threads() != 1:
        torch.set_num_threads(1)
    if torch.are_deterministic_algorithms_enabled():
        torch.use_deterministic_algorithms(False)
    if torch.is_anomaly_enabled():
        torch.autograd.set_detect_anomaly(False)


def _reseed_for(question: Call | Operate) -> None:
    if question.seed is not None:
        _reseed(question.seed.to_bytes(8, "little", signed=question.seed < 0))


def _reseed(seed: bytes) -> None:
    number = int.from_bytes(seed[:8], "little")
    random.seed(number)
    np.random.seed(number % 2**32)
    # torch.manual_seed would also note a stack trace for each kind of accelerator: slower than a call.
    torch.default_generator.manual_seed(number % 2**63)
    if torch.cuda.is_initialized():  # type: ignore[no-untyped-call]
        torch.cuda.manual_seed_all(number % 2**63)


_REFUSALS: tuple[tuple[type[BaseException], RefusalKind], ...] = (
    (HandleNotFound, "no_handle"),
    (modules.NoHidden, "no_hidden"),
    (gpu.NoDevice, "no_device"),
    (TooLarge, "too_large"),
)


class _Server:
    def __init__(self, link: held.Link) -> None:
        self._link = link
        self._loaded: loading.Loading | None = None
        self._objects: dict[int, object] = {}
        self._ids: dict[int, int] = {}  # id() of a kept object -> its handle
        self._next = 1

    def answer(self, question: Question, body: bytearray) -> tuple[Answer, list[bytes | memoryview]]:
        try:
            if isinstance(question, Load):
                return self._load(question), []
            _restore_defaults()
            for number, training in question.modes.items():
                modules.set_mode(self._find(number), training)
            value = (
                self._call(question, body) if isinstance(question, Call) else self._operate(question, body)
            )
            encoder = Encoder(self._keep)
            node = encoder.encode(value)
            return Answered(question.id, node), encoder.body()
        except BaseException as error:
            return self._failed(question.id, error), []

    def _failed(self, number: int, error: BaseException) -> Answer:
        if isinstance(error, NameNotFound):
            return Missing(number, str(error), self._nearest(str(error)))
        for kind, said in _REFUSALS:
            if isinstance(error, kind):
                return Refused(number, said, str(error))
        return describe(number, error, self._loaded.files if self._loaded else {})

    def _load(self, question: Load) -> Loaded:
        if question.gpu:
            gpu.begin(question.gpu)
        _reseed(question.seed)
        for name, content in question.files.items():
            os.makedirs(os.path.dirname(os.path.join(work(), name)), exist_ok=True)
            with open(os.path.join(work(), name), "wb") as file:
                file.write(content)
        self._loaded = loading.load(question.program, question.seconds)
        return self._loaded.answer(question.id)

    def _call(self, question: Call, body: bytearray) -> Value:
        args, kwargs = self._arguments(question, body)
        function = self._target(question.target)
        if question.method is not None:
            function = getattr(function, question.method)
        _reseed_for(question)
        try:
            with torch.set_grad_enabled(question.grad):
                value = function(*args, **kwargs)  # type: ignore[operator]
                if question.cast is not None and isinstance(value, torch.nn.Module):
                    modules.cast(value, getattr(torch, question.cast))
        finally:
            self._link.end()
        return (value, args, kwargs) if question.keep_inputs else value

    def _operate(self, question: Operate, body: bytearray) -> Value:
        args, kwargs = self._arguments(question, body)
        if question.operation == "names":
            return self._program().names()
        if question.operation == "recorded":
            return self._program().recorded
        if question.operation == "value":
            return without_sets(self._value(args[0]))
        if question.operation == "release":
            for value in args:
                self._release(value)
            return None
        if question.operation == "gradients" and type(args[0]) is str:
            args = (self._target(args[0]), *args[1:])
        _reseed_for(question)
        return modules.OPERATIONS[question.operation](*args, **kwargs)

    def _arguments(self, question: Call | Operate, body: bytearray) -> tuple[tuple[Any, ...], dict[str, Any]]:
        decoder = Decoder(
            gpu.placed(tensors_of(body)),
            lambda node: gpu.moved(self._find(node.id)),
            lambda node: self._link.lend(node, question.id),
        )
        return decoder.decode(question.args), decoder.decode(question.kwargs)

    def _target(self, target: str | int) -> object:
        if isinstance(target, int):
            return gpu.moved(self._find(target))
        first, *rest = target.split(".")
        try:
            found = self._program().namespace[first]
            for name in rest:
                found = getattr(found, name)
        except (KeyError, AttributeError):
            raise NameNotFound(target) from None
        return found

    def _value(self, name: str) -> object:
        try:
            return self._program().value(name)
        except KeyError:
            raise NameNotFound(name) from None

    def _program(self) -> loading.Loading:
        if self._loaded is None:
            raise HandleNotFound("nothing has been loaded")
        return self._loaded

    def _nearest(self, name: str) -> list[str]:
        own = [row[0] for row in self._program().names() if row[1] != "module"]
        plain = {candidate.lower().replace("_", ""): candidate for candidate in own}
        found = difflib.get_close_matches(name.lower().replace("_", ""), plain, n=3, cutoff=0.6)
        return [plain[key] for key in found]

    def _keep(self, value: object) -> OpaqueNode:
        number = self._ids.get(id(value))
        if number is None:
            number, self._next = self._next, self._next + 1
            self._objects[number] = value
            self._ids[id(value)] = number
        return OpaqueNode(number, type_name(value), isinstance(value, torch.nn.Module), text_of(value))

    def _find(self, number: int) -> object:
        try:
            return self._objects[number]
        except KeyError:
            raise HandleNotFound(f"no object is kept under the handle {number}") from None

    def _release(self, value: object) -> None:
        number = self._ids.pop(id(value), None)
        if number is not None:
            del self._objects[number]


def type_name(value: object) -> str:
    """The name of a value's type, qualified unless the student wrote it."""
    kind = type(value)
    module = str(getattr(kind, "__module__", ""))
    name = str(getattr(kind, "__qualname__", kind.__name__))
    root = module.partition(".")[0]
    return f"{root}.{name}"[:200] if root in ("numpy", "torch", "collections") else name[:200]


_DESCRIPTIONS: tuple[tuple[type, Callable[[Any], str]], ...] = (
    (torch.Tensor, lambda value: f"tensor of shape {tuple(value.shape)}, {value.dtype}, {value.layout}"),
    (np.ndarray, lambda value: f"numpy.ndarray of shape {value.shape}, {value.dtype}"),
    (np.generic, lambda value: f"numpy.{type(value).__name__} with the value {value.item()!r}"),
    (int, lambda value: f"int of {int.bit_length(value)} bits"),
    (str, lambda value: f"str of {str.__len__(value)} characters"),
    (bytes, lambda value: f"bytes, {bytes.__len__(value)} of them"),
    (dict, lambda value: f"dict of {dict.__len__(value)} items"),
    (list, lambda value: f"list of {list.__len__(value)} items"),
    (tuple, lambda value: f"tuple of {tuple.__len__(value)} items"),
)


def text_of(value: object) -> str:
    """What a value is, without its repr."""
    for kind, text in _DESCRIPTIONS:
        if issubclass(type(value), kind):
            try:
                with torch._C.DisableTorchFunctionSubclass():
                    return text(value)[:300]
            except Exception:
                break
    if type(value) is type:
        return f"the class {value.__name__}"[:300]
    return f"an object of type {type_name(value)}"
