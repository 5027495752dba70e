"""A guest as the grader holds it: questions to the process that has one submission loaded."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from types import TracebackType
from typing import Any, Literal, Self

from torch import Tensor
from torch import dtype as Dtype  # noqa: N812  `torch` is a method here

from .ahead import Foreseen
from .answers import (
    CellError,
    CellReport,
    Gradients,
    Kept,
    LoadReport,
    NameInfo,
    Output,
    ParameterInfo,
    Recorded,
    RecordedCall,
    SubmoduleInfo,
    Usage,
)
from .asking import Asking, error_fields
from .capping import MemoryUse, capped
from .device import Slot
from .errors import GuestGone, SandboxBroken
from .exchange import Descriptors
from .inside.notes import honest_cell_note, honest_notes
from .inside.questions import Call, Load, Loaded, Program
from .inside.values import Encoder, Opaque, Value
from .lending import Lent
from .limits import Limits

# Beyond the soft alarm: for the moments that later cells get, and for writing the report.
_LOAD_GRACE = 1.0
_CUDA_SECONDS = 30.0  # to begin with CUDA, on a machine with many GPUs
_MOST_RECORDED = 1000


class Guest:
    """One submission in one process. Made by `Sandbox.guest`; a context manager.

    Every question may raise `StudentRaised` or `NameMissing` (the guest lives on) or a `GuestGone` (it is
    dead: `alive` is False, and each later question raises the same again).
    """

    report: LoadReport
    on_close: Callable[[Guest], None] | None = None

    def __init__(
        self, ends: Descriptors, limits: Limits, reap: Callable[[], int], greet: float = 20.0
    ) -> None:
        self._ends = ends
        self._limits = limits
        self._closed = False
        self._asking = Asking(ends, limits, reap)
        self._exchange = self._asking.exchange
        self.handles = self._asking.handles
        self.group = ends.group
        self.slot: Slot | None = None  # its place on a GPU
        try:
            self._asking.greet(greet)
        except GuestGone as error:
            said = self._exchange.take_output()[1].decode("utf-8", "replace")
            self.close()
            raise SandboxBroken(
                f"a guest could not be started: {said or error}; run: attest doctor"
            ) from None

    # Loading

    def load(self, files: Mapping[str, bytes], program: Program, slot: Slot | None = None) -> LoadReport:
        """Run a submission in this guest, once, on the GPU of `slot` if any; `Sandbox.guest` does it."""
        number = self._asking.number()
        question = Load(
            number,
            dict(files),
            program,
            self._limits.load_seconds,
            program.draws or os.urandom(8),
            slot.gpu.name if slot else "",
        )
        seconds = self._limits.load_seconds * 1.5 + _LOAD_GRACE + (_CUDA_SECONDS if slot else 0)
        answer = self._asking.ask(question, [], seconds, seconds * 4)[0]
        taken = self._exchange.seconds
        self._exchange.set_clocks()
        if not isinstance(answer, Loaded):
            self._asking.refuse("a wrong kind of answer")
        self.report = LoadReport(
            tuple(_cell(cell) for cell in answer.cells[:10_000]),
            tuple(honest_notes((note[:300] for note in answer.notes[:50]), program.path)),
            taken,
            program.level,
            program.kind,
        )
        return self.report

    # Questions

    def names(self) -> tuple[NameInfo, ...]:
        """The public names that the submission defines, in the order of their definition."""
        rows = self._asking.operate(
            "names", list[tuple[str, Literal["function", "class", "module", "value"], str | None]]
        )
        return tuple(NameInfo(*row) for row in rows)

    def call(
        self,
        target: str | Opaque,
        /,
        *args: Value,
        method: str | None = None,
        grad: bool = True,
        seed: int | None = None,
        keep_inputs: bool = False,
        **kwargs: Value,
    ) -> Value:
        """`ask`, for keyword arguments that have none of its own names."""
        return self.ask(target, args, kwargs, method=method, grad=grad, seed=seed, keep_inputs=keep_inputs)

    def ask(
        self,
        target: str | Opaque,
        args: Sequence[Value],
        kwargs: Mapping[str, Value],
        *,
        method: str | None = None,
        grad: bool = True,
        seed: int | None = None,
        keep_inputs: bool = False,
        cast: Dtype | None = None,
    ) -> Value:
        """Call a name of the submission ("f", "Model.build"), or an object in the guest or its method.

        `seed` seeds torch, numpy and random just before. With `keep_inputs` the answer is `Kept`: the
        value, and the arguments as they are after the call. `cast` is for the module that comes of it, if
        one does. Raises StudentRaised, NameMissing or GuestGone.
        """
        lent = Lent()
        encoder = Encoder(lent.keep)
        where = target if isinstance(target, str) else target.id
        nodes = encoder.encode(tuple(args)), encoder.encode(dict(kwargs))
        self.handles.check(encoder.handles if isinstance(where, str) else [where, *encoder.handles])
        wanted = None if cast is None else str(cast).removeprefix("torch.")
        question = Call(self._asking.number(), where, method, *nodes, grad, seed, keep_inputs, wanted)
        repeatable = isinstance(target, str) and not encoder.handles and not lent
        value = self._asking.value(question, encoder.body(), repeatable, lent)
        if not keep_inputs:
            return value
        after, positional, named = self._asking.shaped(value, tuple[Any, tuple[Any, ...], dict[str, Any]])
        return Kept(after, positional, named)

    def recorded(self) -> Recorded:
        """What was asked of attention while a program with `record` was loaded; nothing for any other."""
        kind = tuple[
            int, list[Tensor], list[tuple[int, str, dict[str, int], dict[str, bool | int | float | None]]]
        ]
        seen, tensors, calls = self._asking.operate("recorded", kind)
        if any(not 0 <= index < len(tensors) for call in calls for index in call[2].values()):
            self._asking.refuse("a recording of tensors that are not in it")
        return Recorded(
            tuple(
                RecordedCall(number, kind, {name: tensors[index] for name, index in own.items()}, values)
                for number, kind, own, values in calls[:_MOST_RECORDED]
            ),
            seen,
        )

    def value(self, name: str) -> Value:
        """The value of a name of the submission. Raises NameMissing."""
        return self._asking.operate("value", Any, name)

    def torch(self, name: str, /, *args: Value, **kwargs: Value) -> Opaque:
        """A module of torch.nn itself, made in the guest: `guest.torch("TransformerEncoderLayer", 8, 2)`."""
        made: Opaque = self._asking.operate("torch", Opaque, name, *args, **kwargs)
        return made

    def set_mode(self, handle: Opaque, training: bool) -> None:
        """`module.train(training)`, done when the next question comes."""
        self._asking.set_mode(handle.id, training)

    def cast(self, handle: Opaque, dtype: Dtype) -> None:
        """`module.to(dtype=dtype)`."""
        self._asking.operate("cast", type(None), handle, dtype)

    def state_dict(self, handle: Opaque) -> dict[str, Tensor]:
        """The module's state, as plain tensors."""
        state: dict[str, Tensor] = self._asking.operate("state_dict", dict[str, Tensor], handle)
        return state

    def load_state_dict(self, handle: Opaque, state: Mapping[str, Tensor]) -> None:
        """`module.load_state_dict(state)`; StudentRaised when the names or shapes differ."""
        self._asking.operate("load_state_dict", type(None), handle, dict(state))

    def parameters(self, handle: Opaque) -> tuple[ParameterInfo, ...]:
        """Name, shape, dtype and requires_grad of each parameter."""
        rows = self._asking.operate("parameters", list[tuple[str, tuple[int, ...], Dtype, bool]], handle)
        return tuple(ParameterInfo(*row) for row in rows)

    def submodules(self, handle: Opaque) -> tuple[SubmoduleInfo, ...]:
        """Every submodule's qualified name and class name."""
        return tuple(
            SubmoduleInfo(*row) for row in self._asking.operate("submodules", list[tuple[str, str]], handle)
        )

    def gradients(
        self,
        handle: str | Opaque,
        args: Sequence[Value],
        kwargs: Mapping[str, Value],
        cotangent_seed: int,
        method: str | None = None,
        *,
        seed: int | None = None,
    ) -> Gradients:
        """Gradients of sum(output * N(cotangent_seed)), see `weighted_sum`; None where there is none.

        `seed` seeds torch, numpy and random just before.
        """
        found = self._asking.operate(
            "gradients",
            tuple[Any, dict[str, Tensor | None], tuple[Tensor | None, ...]],
            handle,
            tuple(args),
            dict(kwargs),
            cotangent_seed,
            method,
            draws=seed,
        )
        return Gradients(*found)

    def hidden(self, handle: Opaque, *args: Value, seed: int | None = None) -> Tensor | None:
        """The last hidden state (B, T, d) that a submodule puts out; B, T are those of args[0]."""
        state: Tensor | None = self._asking.operate("hidden", Tensor | None, handle, *args, draws=seed)
        return state

    def call_with_hidden(
        self, handle: Opaque, *args: Value, hidden: Tensor, grad: bool = False, seed: int | None = None
    ) -> Value:
        """The output when the last hidden state (B, T, d) of a submodule is replaced. Raises NoHidden."""
        return self._asking.operate(
            "call_with_hidden", Any, handle, *args, hidden=hidden, grad=grad, draws=seed
        )

    def memory_cap(self, count: int) -> AbstractContextManager[MemoryUse]:
        """Within it, what is asked may allocate `count` bytes beyond what the guest holds when it begins."""
        return capped(self, self._exchange, self._ends.process, count)

    def operate(self, operation: str, *args: Value) -> None:
        """Have an operation done that answers nothing."""
        self._asking.operate(operation, type(None), *args)

    def collect(self) -> None:
        """Release what the grader's objects no longer need, so that the guest's memory is free again."""
        dropped = self.handles.dropped()
        if dropped and self.alive:
            self._asking.operate("release", type(None), *dropped)
            self.handles.released(*dropped)

    def release(self, handle: Opaque) -> None:
        """Let the guest forget an object."""
        self._asking.operate("release", type(None), handle)
        self.handles.released(handle)

    # Meters

    def start_check(self, ahead: tuple[Foreseen, ...] = ()) -> None:
        """Begin a check: clocks at zero, output empty.

        `ahead` are calls that the check will begin with, as `asked` returned them for another submission:
        the guest works on them while the grader is busy with the answers. A call that turns out otherwise
        is made as ever.
        """
        self.settle()
        self._exchange.start_check()
        self._asking.send_ahead(ahead)

    def asked(self) -> tuple[Foreseen, ...]:
        """The calls that this check began with, as far as any submission can be asked the same."""
        return self._asking.asked()

    def asks_by_answers(self) -> None:
        """Note that what is asked from here on may depend on this submission's answers: it is its own."""
        self._asking.asks_by_answers()

    def settle(self) -> None:
        """Take the answers that nobody asked for; a guest that does not give them soon is ended."""
        self._asking.settle()

    def take_output(self) -> Output:
        """What was printed since the last take."""
        out, err, truncated = self._exchange.take_output()
        return Output(out.decode("utf-8", "replace"), err.decode("utf-8", "replace"), truncated)

    def usage(self) -> Usage:
        """Time and memory of the present check. Memory is sampled, and counted above the zygote's."""
        if self.alive:
            self._exchange.look_at_memory()
        return Usage(self._exchange.seconds, self._exchange.cpu_seconds(), self._exchange.peak_memory())

    def leave_group(self) -> None:
        """Do without a control group: this guest is not in it."""
        group, self.group, self._exchange.group = self.group, None, None
        if group is not None:
            group.remove()

    def processes(self) -> tuple[int, ...]:
        """The pids of all that runs in this guest now, its first process first, as its /proc numbers them."""
        return tuple(self._exchange.processes()) if not self._closed else ()

    @property
    def alive(self) -> bool:
        """Whether it can be asked."""
        return not self._closed and self._exchange.end is None

    def kill(self) -> None:
        """Kill the guest and everything in its pid namespace, and do not wait for the end; `close` does."""
        if not self._closed:
            self._ends.process.kill()

    def close(self) -> None:
        """Kill the guest and everything in its pid namespace; returns when all of it is gone. Idempotent."""
        if self._closed:
            return
        self._closed = True
        self._ends.process.kill()
        try:
            self._asking.find_end()
        finally:
            if self.on_close is not None:
                self.on_close(self)
            self._exchange.close()
            self._ends.wire.close()
            os.close(self._ends.out)
            os.close(self._ends.err)
            self._ends.process.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None
    ) -> None:
        self.close()


def _cell(cell: Any) -> CellReport:
    error = None if cell.error is None else CellError(*error_fields(cell.error))
    return CellReport(cell.number, cell.status, honest_cell_note(cell.note), error)
