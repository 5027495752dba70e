"""The messages that cross the wire: questions from the grader, answers from the guest.

Each answer repeats the id of its question. Values travel as a tree of nodes (`Node`); a tensor in the
tree is an index into the frame's body. This module must stay free of torch: it only says what is said.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, Union

import msgspec

Level = Literal["all", "definitions", "constants"]
RefusalKind = Literal["no_hidden", "no_handle", "too_large", "no_device"]


@dataclass(frozen=True)
class Program:
    """What is run of a submission.

    `path` is the file as the student named it and appears in tracebacks. A script has one cell: its
    whole source. `numbers` are the cells' numbers as a student counts code cells; they default to 1..n.
    `level` says how much runs: "definitions" leaves out all statements but imports, def, class and
    assignments, "constants" also the assignments that call something. `record` keeps what is asked of
    attention meanwhile (see `recording`), and prints what a notebook's cells show. `names` are those of
    functions and classes that stay callable, even where a later cell uses one of them for a value. `draws`
    seeds what is drawn at random meanwhile; without it nobody knows the seed. With `salted` hash() of a text
    is another than in guests without, as it is in every new process of Python.
    """

    kind: Literal["script", "notebook"]
    path: str
    cells: tuple[str, ...]
    numbers: tuple[int, ...] = ()
    run_as: Literal["module", "__main__"] = "module"
    level: Level = "all"
    record: bool = False
    names: tuple[str, ...] = ()
    draws: bytes = b""
    salted: bool = False


class Part(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """Base of the nodes that are not plain msgpack values."""


class TupleNode(Part, frozen=True, tag="t"):
    items: list[Node]


class ListNode(Part, frozen=True, tag="l"):
    items: list[Node]


class DictNode(Part, frozen=True, tag="d"):
    keys: list[str]
    items: list[Node]


class BytesNode(Part, frozen=True, tag="b"):
    data: bytes


class TensorNode(Part, frozen=True, tag="x"):
    index: int


class DtypeNode(Part, frozen=True, tag="y"):
    name: str


class ExceptionNode(Part, frozen=True, tag="e"):
    type_name: str
    message: str


class OpaqueNode(Part, frozen=True, tag="o"):
    id: int
    type_name: str
    is_module: bool
    text: str


class HeldNode(Part, frozen=True, tag="h"):
    """Something of the grader's that the guest may call as long as its question waits (see `held`).

    It says nothing of what it is: a student's test must find that out.
    """

    number: int
    is_module: bool
    trained: bool  # it has parameters, so what it puts out would carry a gradient
    training: bool
    attributes: Node
    methods: list[str]
    elements: int
    longest: int


Node = Union[  # noqa: UP007  msgspec resolves the forward references of a Union
    None,
    bool,
    int,
    float,
    str,
    TupleNode,
    ListNode,
    DictNode,
    BytesNode,
    TensorNode,
    DtypeNode,
    ExceptionNode,
    OpaqueNode,
    HeldNode,
]


class Message(msgspec.Struct, frozen=True):
    """Base of every message."""

    id: int


class Load(Message, frozen=True, tag="load"):
    """Write the files into the working directory, run the program, and answer `Loaded`."""

    files: dict[str, bytes]
    program: Program
    seconds: float
    seed: bytes
    gpu: str = ""  # what CUDA_VISIBLE_DEVICES is to be; "": the CPU


class Call(Message, frozen=True, tag="call"):
    """Call a name of the submission, or an object behind a handle; answer `Answered`.

    `cast` is a dtype for the module that comes of it. `modes` are those of modules, by handle, that are set
    before anything else: what is said of a module takes no question of its own.
    """

    target: str | int
    method: str | None
    args: Node
    kwargs: Node
    grad: bool
    seed: int | None
    keep_inputs: bool
    cast: str | None = None
    modes: dict[int, bool] = {}


class Operate(Message, frozen=True, tag="operate"):
    """Do one of the operations of `modules`, after `seed` has seeded what draws; answer `Answered`."""

    operation: str
    args: Node
    kwargs: Node
    modes: dict[int, bool] = {}
    seed: int | None = None


Question = Load | Call | Operate


class Raised(Message, frozen=True, tag="raised"):
    """The student's code raised."""

    type_name: str
    message: str
    traceback: list[str]
    memory: bool
    assertion: bool = False  # it is an AssertionError, or of a class made from it
    bases: list[str] = []  # the exceptions of Python that its class is or is made from


class CellOutcome(msgspec.Struct, frozen=True):
    number: int
    status: Literal["ok", "raised", "stopped", "skipped"]
    note: str = ""
    error: Raised | None = None


class Loaded(Message, frozen=True, tag="loaded"):
    cells: list[CellOutcome]
    notes: list[str]
    seconds: float


class Answered(Message, frozen=True, tag="answered"):
    value: Node


class Missing(Message, frozen=True, tag="missing"):
    """The submission defines no such name; `nearest` are those that come near."""

    name: str
    nearest: list[str]


class Refused(Message, frozen=True, tag="refused"):
    """The question cannot be answered, and nothing was raised; `kind` says how the grader takes it."""

    kind: RefusalKind
    reason: str


Answer = Loaded | Answered | Raised | Missing | Refused


class Callback(Message, frozen=True, tag="callback"):
    """From the guest, before its answer: call the held thing `number`, or its `method`.

    `wanted` are the tensors of the arguments, by their place in the frame, whose gradients may be asked for.
    """

    number: int
    method: str | None
    args: Node
    kwargs: Node
    training: bool | None = None
    dtype: str | None = None  # what the guest has cast a held module to
    seed: int | None = None  # drawn in the guest, so that its torch.manual_seed counts
    wanted: list[int] = []


class Backward(Message, frozen=True, tag="backward"):
    """From the guest, before its answer: the gradients of an earlier callback's `wanted` tensors."""

    graph: int
    args: Node  # by each tensor that the callback gave: a gradient or None


class Replied(Message, frozen=True, tag="replied"):
    """What a callback gave; `graph` is what `Backward` calls it, 0 where nothing is kept."""

    value: Node
    graph: int = 0


class Failed(Message, frozen=True, tag="failed"):
    """A callback raised."""

    type_name: str
    message: str


Request = Callback | Backward
Reply = Replied | Failed
