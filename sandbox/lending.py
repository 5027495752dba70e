"""What a check lends to a guest for one call: models and functions that live in the grader.

    guest.call("check_causal", held(model, attributes={"vocab_size": 11}))

The student's function gets a proxy (`inside.held`). What the guest asks of it while the call lasts is
answered here, in the grader, so every request is taken for hostile: what no honest proxy sends ends the
guest, sizes are bounded before anything is computed, and what is computed changes nothing that is held.
"""

from __future__ import annotations

import copy
import inspect
import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, NoReturn

import msgspec
import torch
from torch import nn

from .errors import GuestAsksTooMuch, GuestCrashed, GuestGone, HeldMisused
from .exchange import Exchange, not_an_answer
from .inside.held import check_size, leaves
from .inside.questions import (
    Answer,
    Backward,
    Callback,
    Failed,
    HeldNode,
    Node,
    OpaqueNode,
    Replied,
    Reply,
    Request,
)
from .inside.values import Decoder, Encoder, Value, tensors_of
from .inside.wire import FrameError
from .telling import failure, misfit, signature_of, words

MOST_CALLBACKS = 2000  # of one held thing, while one question waits
MOST_BYTES = 4 * 2**20  # of one callback's tensors
# What a function makes of its arguments may grow with their square: a quarter of a GiB at these.
MOST_ELEMENTS = 16_384
LONGEST = 512
MOST_RESULT = 2**20  # numbers that come of one call
# Graphs are kept for gradients that may be asked for, all together no more than a few of the largest calls.
MOST_GRAPHS = 256
MOST_GRAPH_ELEMENTS = 2**24

_FLOATS = {str(kind).removeprefix("torch."): kind for kind in (torch.float64, torch.float32)} | {
    "float16": torch.float16,
    "bfloat16": torch.bfloat16,
}

_encode = msgspec.msgpack.Encoder().encode
_decode = msgspec.msgpack.Decoder(Answer | Request).decode

Frame = tuple[bytes, bytearray]
Outward = tuple[bytes, list[bytes | memoryview]]


@dataclass(frozen=True, eq=False)
class Held:
    """A function or an nn.Module of the grader's, as an argument of a call. Made by `held`."""

    target: Callable[..., Any]
    attributes: Mapping[str, Any]
    methods: tuple[str, ...]
    text: str  # for the report; the guest is not told
    elements: int
    longest: int
    says_what_it_is: bool = True  # whether `text` says more than that it was lent


def held(
    target: Callable[..., Any],
    *,
    attributes: Mapping[str, Any] | None = None,
    methods: Iterable[str] = (),
    text: str = "",
    elements: int = MOST_ELEMENTS,
    longest: int = LONGEST,
) -> Held:
    """Lend `target` to the student's function: it arrives there as something that can be called.

    `attributes` are plain values that the proxy has, `methods` the names of methods that can be called on it.
    `text` says in a report what it is. A call may bring at most `elements` numbers together, and no dimension
    beyond `longest`: together they bound what the guest can make the grader compute. What goes wrong in it
    arrives in the guest without a word of its own, except for what its own code says with `raise`.
    """
    is_module = isinstance(target, nn.Module)
    word = text or ("a model of this check" if is_module else "a function of this check")
    plain = dict(sorted((attributes or {}).items()))  # the order in which they were written says nothing
    methods = tuple(sorted(methods))
    names = (*plain, *methods)
    module = nn.Module() if is_module else object()
    taken = [name for name in names if name.startswith("_") or hasattr(module, name)]
    if taken:
        raise TypeError(f"held(): {taken[0]!r} cannot be the name of an attribute or a method")
    encoder = Encoder(_cannot_be_lent)
    encoder.encode(plain)
    if encoder.body():
        raise TypeError("held(): attributes are numbers, texts, and lists of them; no tensors")
    return Held(target, plain, methods, word, elements, longest, bool(text))


@dataclass(frozen=True, eq=False)
class _Graph:
    """What a gradient needs: the inputs that it is wanted for, and every tensor that came out."""

    number: int  # of the held thing
    inputs: tuple[torch.Tensor, ...]
    outputs: tuple[torch.Tensor, ...]
    elements: int


class Lent:
    """What one question lends, and what has been asked of it."""

    def __init__(self) -> None:
        self._things: list[Held] = []
        self._modes: dict[int, list[tuple[nn.Module, bool]]] = {}  # by thing: as they were
        self._buffers: dict[int, list[tuple[torch.Tensor, torch.Tensor]]] = {}
        self._casts: dict[tuple[int, torch.dtype], nn.Module] = {}
        self._graphs: dict[int, _Graph] = {}
        self._graph_elements = 0
        self._callbacks = 0
        self._calls: Counter[int] = Counter()  # by thing
        self._signatures: dict[tuple[int, str | None], inspect.Signature | None] = {}
        self._draws: torch.Tensor | None = None  # the grader's own stream, as it was

    def __bool__(self) -> bool:
        return bool(self._things)

    def keep(self, value: object) -> Node:
        """The node of a held thing, for the encoder. Raises TypeError for anything else."""
        if not isinstance(value, Held):
            raise TypeError(f"a {type(value).__name__} cannot be sent to a guest")
        if value not in self._things:
            self._things.append(value)
        module = value.target if isinstance(value.target, nn.Module) else None
        return HeldNode(
            self._things.index(value),
            module is not None,
            module is not None and any(parameter.requires_grad for parameter in module.parameters()),
            module is not None and module.training,
            Encoder(_cannot_be_lent).encode(dict(value.attributes)),
            list(value.methods),
            value.elements,
            value.longest,
        )

    def serve(
        self,
        question: int,
        frame: Frame,
        exchange: Exchange,
        ask: Callable[[Outward], Frame],
        budget: tuple[float, float],
    ) -> Frame:
        """Answer what the guest asks, beginning with `frame`; return the frame that is no such request.

        `ask` sends a reply and waits for what comes next. The processor time that is used here counts as the
        guest's own, within `budget`: seconds and processor seconds.
        """
        try:
            while (request := _request(frame[0])) is not None:
                began = time.thread_time()
                reply = self._answer(request, question, frame[1])
                exchange.lend(time.thread_time() - began, *budget)
                frame = ask(reply)
            return frame
        except FrameError as error:
            raise exchange.stop(not_an_answer(str(error))) from None
        except GuestGone as gone:
            raise exchange.stop(gone) from None
        except BaseException:
            exchange.stop(GuestCrashed("was stopped while it waited for the grader"))
            raise
        finally:
            self._restore()

    def _answer(self, request: Request, question: int, body: bytearray) -> Outward:
        if request.id != question:
            raise FrameError("a callback for another question")
        self._callbacks += 1
        number = self._number(request)
        self._calls[number] += 1
        if self._calls[number] > MOST_CALLBACKS:
            raise GuestAsksTooMuch(MOST_CALLBACKS)
        if len(body) > MOST_BYTES:
            raise FrameError(f"a callback with {len(body)} bytes")
        encoder = Encoder(_cannot_be_lent)
        try:
            reply = self._reply(request, tensors_of(body), encoder)
            return _encode(reply), encoder.body()
        except FrameError:
            raise
        except RecursionError:
            raise FrameError("a callback that is too deep") from None
        except ValueError as error:  # too large, before or after
            return _encode(Failed(request.id, "ValueError", words(error))), []

    def _number(self, request: Request) -> int:
        """Return which thing is asked; -1 for none."""
        if isinstance(request, Callback):
            return request.number if 0 <= request.number < len(self._things) else -1
        graph = self._graphs.get(request.graph)
        return -1 if graph is None else graph.number

    def _reply(self, request: Request, tensors: list[torch.Tensor], encoder: Encoder) -> Reply:
        decoder = Decoder(tensors, _no_handles)
        if isinstance(request, Backward):
            return self._backward(request, decoder.decode(request.args), encoder)
        thing = self._thing(request)
        args, kwargs = decoder.decode(request.args), decoder.decode(request.kwargs)
        if type(args) is not tuple or type(kwargs) is not dict:
            raise FrameError("a callback without arguments")
        work = check_size((args, kwargs), thing.elements, thing.longest)
        inputs = _wanted(request, tensors)
        target = self._target(request, thing)
        function = target if request.method is None else getattr(target, request.method)
        key = request.number, request.method
        if key not in self._signatures:
            self._signatures[key] = signature_of(function)
        if (wrong := misfit(self._signatures[key], args, kwargs)) is not None:
            return Failed(request.id, "TypeError", wrong)
        self._draw_from(request.seed)
        try:
            with torch.set_grad_enabled(bool(inputs)):
                value = function(*args, **kwargs)
        except (HeldMisused, GuestGone):
            raise
        except Exception as error:
            return Failed(request.id, *failure(error, args, kwargs))
        made = sum(leaf.numel() for leaf in leaves(value) if isinstance(leaf, torch.Tensor))
        if made > MOST_RESULT:
            raise ValueError(f"its answer of {made:,} numbers is too large to be sent")
        node = encoder.encode(value)
        graph = self._keep_graph(request.number, inputs, value, work + made) if inputs else 0
        return Replied(request.id, node, graph)

    def _thing(self, request: Callback) -> Held:
        if not 0 <= request.number < len(self._things):
            raise FrameError("a callback to what was not handed over")
        thing = self._things[request.number]
        if request.method is not None and request.method not in thing.methods:
            raise FrameError("a callback to a method that was not handed over")
        if request.dtype is not None and request.dtype not in _FLOATS:
            raise FrameError("a callback in an unknown dtype")
        return thing

    def _target(self, request: Callback, thing: Held) -> Callable[..., Any]:
        """What is called: a module in the mode, and cast to the dtype, that the guest has asked for."""
        module = thing.target
        if not isinstance(module, nn.Module):
            return module
        number = request.number
        if request.dtype is not None:
            key = number, _FLOATS[request.dtype]
            if key not in self._casts:
                self._casts[key] = copy.deepcopy(module).to(key[1])
            module = self._casts[key]
        elif request.training and number not in self._buffers:
            # Statistics of batches, above all: they move in training mode.
            found = [buffer for buffer in module.buffers() if buffer is not None]
            self._buffers[number] = [(buffer, buffer.clone()) for buffer in found]
        if request.training is not None and module.training is not request.training:
            if request.dtype is None and number not in self._modes:
                self._modes[number] = [(part, part.training) for part in module.modules()]
            module.train(request.training)
        return module

    def _restore(self) -> None:
        """Leave everything that is held as it was."""
        for parts in self._modes.values():
            for part, training in parts:
                part.training = training
        for buffers in self._buffers.values():
            for buffer, before in buffers:
                buffer.copy_(before)  # always: batch_norm writes without counting up the version
        self._graphs.clear()
        self._graph_elements = 0
        if self._draws is not None:
            torch.default_generator.set_state(self._draws)
            self._draws = None

    def _draw_from(self, seed: int | None) -> None:
        """Let the guest's seed decide what is drawn at random; the grader's own stream is put back later."""
        if self._draws is None:
            self._draws = torch.default_generator.get_state()
        torch.default_generator.manual_seed((seed or 0) % 2**63)

    def _keep_graph(self, number: int, inputs: tuple[torch.Tensor, ...], value: Value, elements: int) -> int:
        """Keep what a gradient needs, `elements` numbers, until there are too many."""
        outputs = tuple(leaf for leaf in leaves(value) if isinstance(leaf, torch.Tensor))
        if not any(output.requires_grad for output in outputs):
            return 0
        graph = _Graph(number, inputs, outputs, elements)
        self._graphs[self._callbacks] = graph
        self._graph_elements += graph.elements
        while len(self._graphs) > MOST_GRAPHS or (
            self._graph_elements > MOST_GRAPH_ELEMENTS and len(self._graphs) > 1
        ):
            oldest = self._graphs.pop(next(iter(self._graphs)))
            self._graph_elements -= oldest.elements
        return self._callbacks

    def _backward(self, request: Backward, grads: Value, encoder: Encoder) -> Reply:
        graph = self._graphs.get(request.graph)
        if graph is None:
            return Failed(request.id, "RuntimeError", "this gradient is asked for too late")
        if type(grads) is not tuple or len(grads) != len(graph.outputs):
            raise FrameError("a gradient of something else")
        pairs = [
            (output, grad.to(output.dtype))
            for output, grad in zip(graph.outputs, grads, strict=True)
            if isinstance(grad, torch.Tensor) and output.requires_grad and grad.is_floating_point()
        ]
        if any(output.shape != grad.shape for output, grad in pairs):
            raise FrameError("a gradient of another shape")
        found: list[torch.Tensor | None] = [None] * len(graph.inputs)
        if pairs:
            outputs, given = zip(*pairs, strict=True)
            try:
                found = list(
                    torch.autograd.grad(outputs, graph.inputs, given, retain_graph=True, allow_unused=True)
                )
            except RuntimeError:
                return Failed(request.id, "RuntimeError", "this gradient cannot be had")
        return Replied(request.id, encoder.encode(found))


def _request(header: bytes) -> Request | None:
    """The request in a frame; None for an answer, and for what can be neither: who reads it next says so."""
    try:
        found = _decode(header)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError, OverflowError):
        return None
    return found if isinstance(found, Callback | Backward) else None


def _wanted(request: Callback, tensors: list[torch.Tensor]) -> tuple[torch.Tensor, ...]:
    indices = request.wanted
    if len(set(indices)) != len(indices) or not all(0 <= index < len(tensors) for index in indices):
        raise FrameError("a callback that wants the gradient of nothing")
    found = tuple(tensors[index] for index in indices)
    if not all(tensor.is_floating_point() for tensor in found):
        raise FrameError("a callback that wants the gradient of integers")
    return tuple(tensor.requires_grad_() for tensor in found)


def _no_handles(_: OpaqueNode) -> NoReturn:
    raise FrameError("a callback with a handle in it")


def _cannot_be_lent(value: object) -> NoReturn:
    raise HeldMisused(f"what is held gave a {type(value).__name__}, which cannot be sent to a guest")
