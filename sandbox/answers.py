"""What a guest's answers become in the grader: frozen data."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import torch


@dataclass(frozen=True)
class CellError:
    """What a cell or statement raised."""

    type_name: str
    message: str
    traceback: tuple[str, ...]
    memory: bool


@dataclass(frozen=True)
class CellReport:
    """What became of one cell of a notebook (by number) or statement of a script (by line)."""

    number: int
    status: Literal["ok", "raised", "stopped", "skipped"]
    note: str = ""
    error: CellError | None = None


@dataclass(frozen=True)
class LoadReport:
    """How a submission loaded."""

    cells: tuple[CellReport, ...]
    notes: tuple[str, ...]
    seconds: float
    level: Literal["all", "definitions", "constants"]
    kind: Literal["script", "notebook"] = "script"


@dataclass(frozen=True)
class NameInfo:
    """A public name that the submission defines."""

    name: str
    kind: Literal["function", "class", "module", "value"]
    signature: str | None


@dataclass(frozen=True)
class Kept:
    """A value, and the arguments as they are after the call."""

    value: Any
    args: tuple[Any, ...]
    kwargs: dict[str, Any]


@dataclass(frozen=True)
class ParameterInfo:
    name: str
    shape: tuple[int, ...]
    dtype: torch.dtype
    requires_grad: bool


@dataclass(frozen=True)
class SubmoduleInfo:
    """A submodule's qualified name and the name of its class."""

    name: str
    type_name: str


@dataclass(frozen=True)
class Gradients:
    """The output, and the gradients of `weighted_sum` by each parameter and each positional argument."""

    output: Any
    parameters: dict[str, torch.Tensor | None]
    inputs: tuple[torch.Tensor | None, ...]


@dataclass(frozen=True)
class RecordedCall:
    """A call of attention that the guest says was made while it loaded. All of it is the guest's word.

    `kind` is "multi_head", "dot_product" or "softmax"; `number` counts all the calls that were made, and
    not all of them are kept.
    """

    number: int
    kind: str
    tensors: dict[str, torch.Tensor]
    values: dict[str, bool | int | float | None]


@dataclass(frozen=True)
class Recorded:
    """The calls of attention while a program was loaded: those that were kept, and how many there were."""

    calls: tuple[RecordedCall, ...]
    seen: int


@dataclass(frozen=True)
class Output:
    """What was printed since the last time it was asked."""

    stdout: str
    stderr: str
    truncated: bool


@dataclass(frozen=True)
class Usage:
    """Of the present check."""

    seconds: float
    cpu_seconds: float
    peak_memory_bytes: int
