"""What a check has lent to the guest: callables whose calls travel to the grader and back.

While the question that brought them waits for its answer, each call goes over the wire as a `Callback` and
blocks until its reply has come; a gradient goes as a `Backward`. The proxy of a module is an `nn.Module`
with one parameter of no meaning, so that what people do with a model's parameters works.

`check_size` is also asked in the grader, where nothing that a guest says is trusted.
"""

from __future__ import annotations

import builtins
import functools
import math
import os
import socket
import threading
from collections.abc import Callable, Iterator
from typing import Any, NoReturn

import msgspec
import torch
from torch import nn

from .gpu import placed
from .questions import Backward, Callback, DictNode, Failed, HeldNode, ListNode, Replied, Reply, Request
from .values import Decoder, Encoder, tensors_of
from .wire import FrameReader, Outgoing, read_frame

MOST_DIMENSIONS = 5  # (batch, heads, target, source), and one to broadcast over
MOST_INTEGER = 4096  # a number may be a size: a mask of that many squared is still small

_encode = msgspec.msgpack.Encoder().encode
_decode = msgspec.msgpack.Decoder(Reply).decode


def leaves(value: object) -> Iterator[Any]:
    """What a nest of tuples, lists and dicts is made of, in the order of the wire."""
    if isinstance(value, (tuple, list)):
        for item in value:
            yield from leaves(item)
    elif isinstance(value, dict):
        for item in value.values():
            yield from leaves(item)
    else:
        yield value


def check_size(values: object, elements: int, longest: int) -> int:
    """ValueError unless all of `values` together are few enough to be handed to a model.

    Returns what may be made of them: broadcasting multiplies sizes, and a table of scores has one number
    for each pair of tokens.
    """
    shapes: list[tuple[int, ...]] = []
    count = _count(values, longest, shapes)
    if count > elements:
        raise ValueError(f"more than {elements:,} numbers are too many to hand over in one call")
    most = [1] * MOST_DIMENSIONS  # the broadcast shape, its last dimension first
    for sizes in shapes:
        for place, size in enumerate(reversed(sizes)):
            most[place] = max(most[place], size)
    work = math.prod(most) * max(most)
    if work > elements * longest:
        raise ValueError(
            f"tensors of shapes {str(shapes[:4])[1:-1]} are too large here for one call together"
        )
    return work


def _count(value: object, longest: int, shapes: list[tuple[int, ...]]) -> int:
    """How many numbers a nest of values is. Asked in each call: it makes no generators, as `leaves` does."""
    if isinstance(value, torch.Tensor):
        sizes = tuple(value.shape)
        if len(sizes) > MOST_DIMENSIONS:
            raise ValueError(
                f"a tensor of {len(sizes)} dimensions is too large here: no more than {MOST_DIMENSIONS}"
            )
        if max(sizes, default=0) > longest:
            raise ValueError(
                f"a tensor of shape {sizes} is too large here: no dimension may be beyond {longest}"
            )
        shapes.append(sizes)
        return math.prod(max(1, size) for size in sizes)
    if isinstance(value, (tuple, list)):
        return sum([_count(item, longest, shapes) for item in value])
    if isinstance(value, dict):
        return sum([_count(item, longest, shapes) for item in value.values()])
    if isinstance(value, int) and value > MOST_INTEGER:
        raise ValueError(f"the number {value} is too large here: {MOST_INTEGER} is the largest")
    return 1


class Link:
    """The guest's end of the wire as held things use it: one conversation at a time, one question long."""

    def __init__(self, wire: socket.socket, reader: FrameReader) -> None:
        self._wire, self._reader = wire, reader
        self._question: int | None = None
        # Reentrant, or a signal's handler that calls while its thread has just locked would wait for itself.
        self._lock = threading.RLock()
        self._busy = False

    def lend(self, node: HeldNode, question: int) -> object:
        """The proxy of what the grader holds, for as long as this question waits."""
        self._question = question
        line = _Line(self, question, node)
        attributes = Decoder([], _no_handle).decode(node.attributes)
        return HeldModule(line, attributes) if node.is_module else HeldFunction(line, attributes)

    def end(self) -> None:
        """The answer comes next: wait for a call that another thread makes, and allow no more."""
        if self._question is not None:
            with self._lock:
                self._question = None

    def ask(self, request: Request, body: list[bytes | memoryview]) -> tuple[Replied, list[torch.Tensor]]:
        """Send a request and wait for its reply; raise what the held thing raised."""
        if os.getpid() != _process():
            raise RuntimeError("the check's own: it can be called only in the process that was given it")
        with self._lock:
            if self._question != request.id:
                raise RuntimeError("the check's own: it can be called only until your function returns")
            if self._busy:
                raise RuntimeError("the check's own: it cannot be called while another call of it runs")
            self._busy = True
            try:
                header, arrived = self._exchange(Outgoing(_encode(request), body))
            finally:
                self._busy = False
        reply = _decode(header)
        if isinstance(reply, Failed):
            raise _exception(reply) from None
        return reply, placed(tensors_of(arrived))

    def _exchange(self, outgoing: Outgoing) -> tuple[bytes, bytearray]:
        """Send and receive to the end: what interrupts it (a signal's handler) is raised afterwards."""
        interrupted: BaseException | None = None
        while True:
            try:
                while not outgoing.done:
                    outgoing.send(self._wire)
                arrived = read_frame(self._wire, self._reader)
                break
            except ConnectionError:
                os._exit(1)  # the grader has gone
            except BaseException as error:
                interrupted = error
        if arrived is None:
            os._exit(0)
        if interrupted is not None:
            raise interrupted
        return arrived


@functools.cache
def _process() -> int:
    """The process that is the guest: asked first when a question is answered there."""
    return os.getpid()


class _Line:
    """What one held thing knows of its own. A copy of a proxy shares it."""

    def __init__(self, link: Link, question: int, node: HeldNode) -> None:
        _process()
        self._link, self._question, self.node = link, question, node

    def __deepcopy__(self, _memo: object) -> _Line:
        return self

    def ask(
        self,
        method: str | None,
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
        *,
        anchor: torch.Tensor | None = None,
        **mode: Any,
    ) -> Any:
        """Call it; `anchor` is what every output hangs on where gradients are on."""
        check_size((args, kwargs), self.node.elements, self.node.longest)
        tensors: list[torch.Tensor] = []
        if torch.is_grad_enabled():
            tensors = [leaf for leaf in leaves((args, kwargs)) if isinstance(leaf, torch.Tensor)]
        wanted = [
            index
            for index, tensor in enumerate(tensors)
            if tensor.requires_grad and tensor.is_floating_point()
        ]
        encoder = Encoder(_refuse)
        nodes = encoder.encode(args), encoder.encode(kwargs)
        request = Callback(self._question, self.node.number, method, *nodes, wanted=wanted, **mode)
        reply, got = self._link.ask(request, encoder.body())
        hangs = [tensors[index] for index in wanted]
        if anchor is not None and anchor.requires_grad and torch.is_grad_enabled():
            hangs.append(anchor)
        if hangs and any(tensor.is_floating_point() for tensor in got):
            hung = _Hung.apply(self, reply.graph, len(wanted), got, *hangs)  # type: ignore[no-untyped-call]
            got = list(hung)
        return Decoder(got, _no_handle).decode(reply.value)

    def gradients(self, graph: int, grads: tuple[torch.Tensor | None, ...]) -> list[torch.Tensor | None]:
        """The gradients of the inputs of an earlier call by those of its outputs."""
        encoder = Encoder(_refuse)
        request = Backward(self._question, graph, encoder.encode(grads))
        reply, got = self._link.ask(request, encoder.body())
        found: list[torch.Tensor | None] = Decoder(got, _no_handle).decode(reply.value)
        return found


class _Hung(torch.autograd.Function):
    """The outputs of a call, hung on its inputs: their gradients are asked of the grader."""

    @staticmethod
    def forward(
        ctx: Any, line: _Line, graph: int, asked: int, got: list[torch.Tensor], *hangs: torch.Tensor
    ) -> tuple[torch.Tensor, ...]:
        ctx.line, ctx.graph, ctx.asked = line, graph, asked
        ctx.others = [torch.zeros_like(tensor) for tensor in hangs[asked:]]
        ctx.set_materialize_grads(False)
        ctx.mark_non_differentiable(*(tensor for tensor in got if not tensor.is_floating_point()))
        return tuple(got)

    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(ctx: Any, *grads: torch.Tensor | None) -> tuple[Any, ...]:
        found: list[torch.Tensor | None] = [None] * ctx.asked
        if ctx.graph and any(grad is not None for grad in grads):
            found = ctx.line.gradients(ctx.graph, grads)
        return None, None, None, None, *found, *ctx.others


class HeldFunction:
    """A function that lives in the grader."""

    __name__ = "function"

    def __init__(self, line: _Line, attributes: dict[str, Any]) -> None:
        self._line = line
        vars(self).update(attributes)

    def __repr__(self) -> str:
        return "<function>"

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self._line.ask(None, args, kwargs)

    def __getattr__(self, name: str) -> Callable[..., Any]:
        if name.startswith("_") or name not in self._line.node.methods:
            raise AttributeError(f"the function has no attribute {name!r}")
        return lambda *args, **kwargs: self._line.ask(name, args, kwargs)


class HeldModule(nn.Module):
    """A model that lives in the grader."""

    def __init__(self, line: _Line, attributes: dict[str, Any]) -> None:
        super().__init__()
        self._line = line
        for name, value in attributes.items():
            setattr(self, name, value)
        if line.node.trained:
            self.parameter = nn.Parameter(torch.zeros(()))
        self.train(line.node.training)

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        return self._ask(None, *args, **kwargs)

    def _ask(self, method: str | None, /, *args: Any, **kwargs: Any) -> Any:
        mode: dict[str, Any] = {"training": self.training}
        if self.training:
            mode["seed"] = int(torch.randint(2**62, ()))
        anchor = self.parameter if self._line.node.trained else None
        if anchor is not None and anchor.dtype is not torch.float32:
            mode["dtype"] = str(anchor.dtype).removeprefix("torch.")
        return self._line.ask(method, args, kwargs, anchor=anchor, **mode)

    def __getattr__(self, name: str) -> Any:
        line = self.__dict__.get("_line")
        if line is not None and name in line.node.methods:
            return functools.partial(self._ask, name)
        try:
            return super().__getattr__(name)
        except AttributeError:
            raise AttributeError(
                f"the model has no attribute {name!r} here: its inside is out of reach"
            ) from None


def warm_up() -> None:
    """In the zygote: take the paths of a call and its gradient once, against a grader of its own."""
    mine, other = socket.socketpair()
    link = Link(mine, FrameReader())
    module = link.lend(HeldNode(0, True, True, False, DictNode([], []), [], 9, 9), 1)
    assert isinstance(module, HeldModule)
    encoder = Encoder(_refuse)
    node = encoder.encode(torch.zeros(2))
    for reply in (Replied(1, node, 1), Replied(1, ListNode([node]))):
        frame = Outgoing(_encode(reply), encoder.body())
        while not frame.done:
            frame.send(other)
    module(torch.zeros(2, requires_grad=True)).sum().backward()
    link.end()
    mine.close()
    other.close()
    _process.cache_clear()


def _refuse(value: object) -> NoReturn:
    raise TypeError(f"a {type(value).__name__} cannot be handed over here; a tensor can")


def _no_handle(_: object) -> NoReturn:
    raise TypeError("no object of the guest's can come back from the grader")


def _exception(failed: Failed) -> Exception:
    kind = getattr(builtins, failed.type_name, None)
    if isinstance(kind, type) and issubclass(kind, Exception):
        try:
            return kind(failed.message)
        except TypeError:  # one that takes more than a message
            pass
    return RuntimeError(failed.message)
