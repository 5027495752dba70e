"""What was asked of a submission while a check ran: each call, its inputs and its answer.

The record serves the report (the inputs of the last call) and the diagnosis (is there a variant that
answers the same?). It holds the tensors themselves, since copies would cost more than the calls, and
notices when a test writes to one of them later.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import torch

from graders.result import Fact, Picture
from graders.showing import MOST_LINE, line, written

MOST_CALLS = 256
MOST_BYTES = 32 * 2**20
MOST_ANSWER_BYTES = 4 * 2**20


@dataclass
class Call:
    """One call: `name(*args, **kwargs)`, or the same on the module that an earlier call made."""

    name: str  # the student's own name: a function, or the class of the module
    args: tuple[Any, ...]
    kwargs: dict[str, Any]
    made_by: Call | None = None  # the call that built the module, where a module was called
    method: str | None = None
    grad: bool = True
    module: Any = None  # the RemoteModule that was called
    modes: dict[int, bool] = field(default_factory=dict)  # id(RemoteModule) → whether it was in training mode
    # id(RemoteModule) → its state, where the check has set it
    states: dict[int, Mapping[str, torch.Tensor] | None] = field(default_factory=dict)
    seed: int = 0  # of the guest's random numbers
    cotangent_seed: int | None = None  # where gradients were asked for
    gradients: tuple[Any, ...] = ()  # by the positional arguments
    parameter_gradients: Mapping[str, torch.Tensor | None] = field(default_factory=dict)
    after: tuple[Any, ...] | None = None  # the positional arguments after the call, where they were asked for
    output: Any = None
    raised: tuple[str, str] | None = None  # (type, message) of what the student's code raised
    answered: bool = False
    size: int = 0  # bytes of the tensors in it
    _watched: list[tuple[torch.Tensor, int]] = field(default_factory=list)

    def watch(self, value: Any) -> int:
        """Remember the tensors in `value` as they are now; return their bytes."""
        before = self.size
        for tensor in tensors(value):
            self._watched.append((tensor, tensor._version))
            self.size += tensor.numel() * tensor.element_size()
        return self.size - before

    def intact(self) -> bool:
        """Return whether all its tensors are as they were when the call was made and answered."""
        return all(tensor._version == version for tensor, version in self._watched)

    def text(self, signature: str | None = None) -> str:
        """Return the call as one would write it, tensors by their names."""
        head = self.name
        if self.made_by is not None:
            head = self.made_by.text()
        if self.method:
            head += f".{self.method}"
        return line(f"{head}({', '.join(self._arguments(signature))})")

    def inputs(self, signature: str | None = None) -> Iterator[tuple[str, Any]]:
        """Yield (name, value) of every argument."""
        names = parameter_names(signature)
        for index, value in enumerate(self.args):
            yield (names[index] if index < len(names) else f"argument {index + 1}"), value
        yield from self.kwargs.items()

    def _arguments(self, signature: str | None) -> Iterator[str]:
        names = parameter_names(signature)
        for index, value in enumerate(self.args):
            name = names[index] if index < len(names) else None
            yield _argument(value, name)
        for key, value in self.kwargs.items():
            shown = _argument(value, key)
            yield shown if shown == key else f"{key}={shown}"


def _argument(value: Any, name: str | None) -> str:
    if value is None or isinstance(value, bool | int | float | str):
        return written(value)
    if isinstance(value, list | tuple) and all(isinstance(item, bool | int | float | str) for item in value):
        text = written(value)
        if len(text) <= MOST_LINE // 2:
            return text
    return name or "…"


def parameter_names(signature: str | None) -> list[str]:
    """Return the positional parameters' names of a signature such as "(query, key, mask=None)"."""
    if not signature or len(signature) > 2000 or not signature.startswith("("):
        return []
    try:
        function = ast.parse(f"def f{signature}: pass").body[0]
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return []
    if not isinstance(function, ast.FunctionDef):
        return []
    return [argument.arg for argument in (*function.args.posonlyargs, *function.args.args)]


@dataclass
class Record:
    """The calls of one check, in order, the newest within bounds."""

    calls: list[Call] = field(default_factory=list)
    current: list[Call] = field(default_factory=list)  # those of the case that runs now
    answers: int = 0
    pictures: list[Picture] = field(default_factory=list)  # to be shown whatever the verdict
    facts: list[Fact] = field(default_factory=list)
    single: bool = False  # a float32 tensor came although float64 was asked for
    _bytes: int = 0

    def begin_case(self) -> None:
        """Note that a new case begins."""
        self.current = []

    def begin(self, call: Call) -> Call:
        """Note that `call` is about to be made."""
        self.calls.append(call)
        self.current.append(call)
        self._bytes += call.watch((call.args, call.kwargs))
        while len(self.calls) > 1 and (len(self.calls) > MOST_CALLS or self._bytes > MOST_BYTES):
            self._bytes -= self.calls.pop(0).size
        return call

    def end(self, call: Call, output: Any) -> None:
        """Note what the call answered; an answer too large to keep is forgotten."""
        self.answers += 1
        if sum(tensor.numel() * tensor.element_size() for tensor in tensors(output)) > MOST_ANSWER_BYTES:
            return
        call.output, call.answered = output, True
        self._bytes += call.watch(output)

    def note(self, value: Any, asked: torch.dtype) -> None:
        """Note whether the answer is less exact than what was asked for."""
        if asked is torch.float64 and any(tensor.dtype is torch.float32 for tensor in tensors(value)):
            self.single = True


def tensors(value: Any) -> Iterator[torch.Tensor]:
    """Yield every tensor in a nest of tuples, lists and dicts."""
    if isinstance(value, torch.Tensor):
        yield value
    elif isinstance(value, list | tuple):
        for item in value:
            yield from tensors(item)
    elif isinstance(value, Mapping):
        for item in value.values():
            yield from tensors(item)


def copied(value: Any) -> Any:
    """Return `value` with every tensor in it copied."""
    if isinstance(value, torch.Tensor):
        return value.detach().clone()
    if type(value) in (list, tuple):
        return type(value)(copied(item) for item in value)
    if isinstance(value, dict):
        return {key: copied(item) for key, item in value.items()}
    return value
