"""The `student` fixture: a proxy whose calls travel to the guest that holds the submission.

It moves values and keeps a record; it decides no verdict. What the student's code raises, and what
ends a guest, passes through the test as the sandbox's own exceptions.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Self
from weakref import WeakKeyDictionary

import torch

from graders.calls import Call, Record, copied
from graders.capping import MemoryCap
from graders.comparing import CheckFailure
from graders.rejecting import Rejection, rejection
from graders.result import Fact, Picture
from graders.showing import describe, line
from sandbox.errors import NameMissing, NoHidden, StudentRaised
from sandbox.inside.values import Opaque

if TYPE_CHECKING:
    from graders.recording import Ran, Recording
    from sandbox import Gradients, Guest, LoadReport, ParameterInfo, SubmoduleInfo

FindGuest = Callable[[str | None], "Guest"]  # the guest in which this name (None: the main program) is found
FindRun = Callable[[bool], "Ran"]  # the run of the exercise's program, or a second one (True)

# By guest and handle: the names of a module's parameters when they were last asked for; None: not to be had.
trained_names: WeakKeyDictionary[Guest, dict[int, frozenset[str] | None]] = WeakKeyDictionary()


class Student:
    """One submission, as a check sees it: `student.causal_mask(3)` calls the student's function."""

    def __init__(
        self,
        find_guest: FindGuest,
        dtype: torch.dtype,
        seed: int,
        record: Record,
        *,
        written: str = "",
        ran: FindRun | None = None,
        asked: str | None = None,
        second: FindGuest | None = None,
    ) -> None:
        self._find_guest = find_guest
        self._find_second = second or find_guest
        self._seed = seed
        self._same_draws = False
        self._record = record
        self._cap: MemoryCap | None = None
        self._ran = ran
        self._asked = asked  # a name that the exercise asks for: torch's modules are made beside it
        self.written = written  # the student's words for this exercise; "" where there are none
        self.dtype = dtype  # the grading dtype: float64, or float32 in a repetition

    @property
    def elsewhere(self) -> Student:
        """The same submission in a second guest, which knows nothing of what the first has been asked.

        All checks of a submission share this guest, so ask it little: what it has been asked it may remember.
        In it hash() of a text is another. What takes long to load, or runs on a GPU, has no second guest: the
        first is asked.
        """
        return Student(self._find_second, self.dtype, self._seed, self._record, asked=self._asked)

    @property
    def load(self) -> LoadReport:
        """What happened when the main program was loaded; the exercise's own, where it records."""
        return self._find_guest(None).report if self._ran is None else self._run().report

    @property
    def recording(self) -> Recording:
        """The calls of attention that the program made while it was loaded, computed again.

        The program is the one that the exercise asks for by its file name, else the main one.
        """
        return self._run().recording

    @property
    def printed(self) -> str:
        """What this program printed while it was loaded."""
        return self._run().printed

    @property
    def printed_again(self) -> str:
        """What it prints when it is loaded a second time, in a guest of its own; asked only here."""
        return self._run(again=True).printed

    def _run(self, *, again: bool = False) -> Ran:
        if self._ran is None:
            raise RuntimeError("set record = true in the assignment.toml of this exercise")
        return self._ran(again)

    def has(self, name: str) -> bool:
        """Return whether the submission defines `name`; one without a program defines nothing."""
        try:
            return any(info.name == name for info in self._find_guest(name).names())
        except NameMissing:
            return False

    def value(self, name: str) -> Any:
        """Return the value that the submission gives to `name`, as it stands when it has been loaded."""
        guest = self._find_guest(name)
        answer = guest.value(name)
        self._record.note(answer, self.dtype)
        return answer

    def show(self, picture: Picture) -> None:
        """Have a picture shown beside this check, whatever its verdict."""
        self._record.pictures.append(picture)

    def fact(self, name: str, text: str) -> None:
        """Have something that was measured shown beside this check: fact("parameters", "66,048")."""
        self._record.facts.append(Fact(name=line(name, 100), text=line(text, 300)))

    @contextmanager
    def memory_cap(self, count: int) -> Iterator[MemoryCap]:
        """Within it, a call may allocate `count` bytes beyond what the guest holds when it is made.

        A call that needs more ends the check with the verdict `memory`. What is given says, after the
        calls, what the largest of them needed: `.peak_bytes`, and `.peak` in words.
        """
        self._cap = MemoryCap(count)
        try:
            yield self._cap
        finally:
            self._cap = None

    def __getattr__(self, name: str) -> RemoteFunction:
        if name.startswith("_"):
            raise AttributeError(name)
        return RemoteFunction(self, name)

    def call(self, name: str, /, *args: Any, **kwargs: Any) -> Any:
        """Call a name that this proxy has a method for itself, such as `build`."""
        return self._call(Call(name, args, kwargs))

    def build(self, name: str, /, *args: Any, **kwargs: Any) -> RemoteModule:
        """Make a module of the student's class `name` and cast it to the grading dtype.

        Fails the check unless the answer is an nn.Module.
        """
        call = Call(name, args, kwargs)
        guest = self._find_guest(name)
        guest.collect()
        answer = self._ask(guest, call, lambda a, k: guest.ask(name, a, k, seed=call.seed, cast=self.dtype))
        if not isinstance(answer, RemoteModule):
            raise CheckFailure(
                f"{call.text()} gave {describe(answer)}; an nn.Module was expected.", got=answer
            )
        return answer

    def torch(self, name: str, /, *args: Any, **kwargs: Any) -> RemoteModule:
        """Make torch's own `torch.nn.<name>` in the guest, cast to the grading dtype."""
        guest = self._find_guest(self._asked)
        guest.collect()
        handle = guest.torch(name, *args, **kwargs)
        return RemoteModule(self, guest, handle, Call(f"nn.{name}", args, kwargs)).double()

    def with_inputs(self, name: str, /, *args: Any, **kwargs: Any) -> tuple[Any, tuple[Any, ...]]:
        """Call `name`; return the answer, and the positional arguments as they are after the call."""
        return _with_inputs(self, self._find_guest(name), name, Call(name, args, kwargs))

    def rejects(self, name: str, /, *args: Any, **kwargs: Any) -> Rejection:
        """Call the student's own test `name`; return whether it raised an AssertionError.

        What else it raises is the student's error, as ever.
        """
        return rejection(lambda: self.call(name, *args, **kwargs))

    def rejects_each(self, name: str, /, *groups: tuple[Any, ...], errors: bool = False) -> list[Any]:
        """Call the student's own test with one group of arguments after another; as `rejects` for each.

        Each is a question of its own, answered before the next is asked: things that are lent at one time
        could be compared with each other. With `errors`, the StudentRaised of a call that raised something
        else stands in its place; else the first of them is raised.
        """
        return [self._rejects(name, group, errors) for group in groups]

    def _rejects(self, name: str, group: tuple[Any, ...], errors: bool) -> Rejection | StudentRaised:
        try:
            return self.rejects(name, *group)
        except StudentRaised as raised:
            if errors:
                return raised
            raise

    def _call(self, call: Call) -> Any:
        guest = self._find_guest(call.name)
        return self._ask(guest, call, lambda a, k: guest.ask(call.name, a, k, grad=call.grad, seed=call.seed))

    def _ask(self, guest: Guest, call: Call, ask: Callable[[tuple[Any, ...], dict[str, Any]], Any]) -> Any:
        """Make a call, record it, and return its answer with handles of modules wrapped."""
        args, kwargs = _sent(call.args), _sent(call.kwargs)
        call.seed = self._next_seed()
        call.modes = {id(module): module._training for module in modules(call)}
        call.states = {id(module): module._loaded for module in modules(call)}
        self._record.begin(call)
        if len(self._record.current) > 1:
            # An earlier answer to the same case may be in it, and no submission meets another's answers.
            guest.asks_by_answers()
        try:
            cap = self._cap
            answer = ask(args, kwargs) if cap is None else cap.hold(guest, lambda: ask(args, kwargs))
        except StudentRaised as raised:
            call.raised = (raised.type_name, raised.message)
            self._record.answers += 1
            raise
        for module in modules(call):
            if module is not call.module:
                module._loaded = None  # the student's function may have changed it
        # A check may have cast the module to float32 itself: then such an answer is what was asked for.
        cast = call.module._cast if isinstance(call.module, RemoteModule) else None
        self._record.note(answer, cast or self.dtype)
        # Not the module itself: the call that made it and the module would keep each other alive.
        self._record.end(call, answer)
        return self._wrapped(answer, guest, call)

    def _wrapped(self, value: Any, guest: Guest, made_by: Call) -> Any:
        if isinstance(value, Opaque) and value.is_module:
            return RemoteModule(self, guest, value, made_by)
        if type(value) in (list, tuple):
            return type(value)(self._wrapped(item, guest, made_by) for item in value)
        return value

    def repeat_draws(self) -> None:
        """Let the next call draw the same random numbers as the last one: dropout then drops the same."""
        self._same_draws = True

    def _next_seed(self) -> int:
        if self._same_draws:
            self._same_draws = False
            return self._seed
        # Each call has its own stream, or dropout would draw the same mask in every call.
        self._seed = (self._seed * 6364136223846793005 + 1442695040888963407) % 2**63
        return self._seed


class RemoteFunction:
    """One name of the submission, ready to be called."""

    def __init__(self, student: Student, name: str) -> None:
        self._student = student
        self._name = name

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self._student._call(Call(self._name, args, kwargs))

    def no_grad(self, *args: Any, **kwargs: Any) -> Any:
        """Call under torch.no_grad()."""
        return self._student._call(Call(self._name, args, kwargs, grad=False))

    def gradients(self, *args: Any, cotangent_seed: int = 0, **kwargs: Any) -> Gradients:
        """Call, and return the gradients of sum(output · N(cotangent_seed)) for every input."""
        guest = self._student._find_guest(self._name)
        return _gradients(self._student, guest, self._name, Call(self._name, args, kwargs), cotangent_seed)

    def __repr__(self) -> str:
        return f"student.{self._name}"


class RemoteModule:
    """A module that lives in the guest."""

    def __init__(self, student: Student, guest: Guest, handle: Opaque, made_by: Call) -> None:
        self._student = student
        self._guest = guest
        self._handle = handle
        self._made_by = made_by
        self._training = True
        self._loaded: Mapping[str, torch.Tensor] | None = None  # its state, where the check has set it
        self._cast: torch.dtype | None = None  # the dtype that a check has cast it to itself
        guest.handles.hold(handle)

    def __del__(self) -> None:
        self._guest.handles.drop(self._handle)

    def asked_by(self, student: Student) -> RemoteModule | None:
        """Return this module as another check of the same submission asks it; None if it is gone.

        So checks may share what takes long to build: in a fixture of their file with scope="module".
        """
        name = self._made_by.name
        guest = student._find_guest(student._asked if name.startswith("nn.") else name)
        if guest is not self._guest:
            return None  # a new guest has replaced its own, or it is another submission's
        shared = RemoteModule(student, guest, self._handle, self._made_by)
        shared._training, shared._loaded, shared._cast = self._training, self._loaded, self._cast
        return shared

    def made_again(self, student: Student) -> RemoteModule:
        """Return what the same call makes, drawing the same random numbers, where `student` asks it."""
        made_by = self._made_by
        student._seed, student._same_draws = made_by.seed, True
        return student.build(made_by.name, *made_by.args, **made_by.kwargs)

    @property
    def text(self) -> str:
        """A few words for what it is."""
        return self._handle.text

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self._call(True, None, args, kwargs)

    def no_grad(self, *args: Any, **kwargs: Any) -> Any:
        """Call under torch.no_grad()."""
        return self._call(False, None, args, kwargs)

    def method(self, name: str, /, *args: Any, **kwargs: Any) -> Any:
        """Call one of its methods."""
        return self._call(True, name, args, kwargs)

    def with_inputs(self, *args: Any, **kwargs: Any) -> tuple[Any, tuple[Any, ...]]:
        """Call it; return the answer, and the positional arguments as they are after the call."""
        call = Call(self._made_by.name, args, kwargs, **self._context())
        return _with_inputs(self._student, self._guest, self._handle, call)

    def eval(self) -> Self:
        """Put it into evaluation mode."""
        return self._mode(False)

    def train(self) -> Self:
        """Put it into training mode."""
        return self._mode(True)

    def double(self) -> Self:
        """Cast its floating-point parameters and buffers to the grading dtype."""
        self._guest.cast(self._handle, self._student.dtype)
        self._loaded = self._cast = None
        return self

    def to(self, dtype: torch.dtype) -> Self:
        """Cast its floating-point parameters and buffers to `dtype`."""
        self._guest.cast(self._handle, dtype)
        self._loaded, self._cast = None, dtype
        return self

    def state_dict(self) -> dict[str, torch.Tensor]:
        """Return copies of its parameters and buffers."""
        return self._guest.state_dict(self._handle)

    def load_state_dict(self, state: Mapping[str, torch.Tensor]) -> None:
        """Set its parameters and buffers; keys and shapes must match."""
        self._guest.load_state_dict(self._handle, state)
        self._loaded = state

    def parameters(self) -> tuple[ParameterInfo, ...]:
        """Return name, shape, dtype and requires_grad of every parameter."""
        found = self._guest.parameters(self._handle)
        known = trained_names.setdefault(self._guest, {})
        known[self._handle.id] = frozenset(parameter.name for parameter in found)
        return found

    def parameter_count(self) -> int:
        """Return the number of elements of all its parameters."""
        return sum(torch.Size(parameter.shape).numel() for parameter in self.parameters())

    def submodules(self) -> tuple[SubmoduleInfo, ...]:
        """Return the qualified name and type name of everything it is built of."""
        return self._guest.submodules(self._handle)

    def gradients(self, *args: Any, cotangent_seed: int = 0, **kwargs: Any) -> Gradients:
        """Call, and return the gradients of sum(output · N(cotangent_seed)) for parameters and inputs."""
        call = Call(self._made_by.name, args, kwargs, **self._context())
        return _gradients(self._student, self._guest, self._handle, call, cotangent_seed)

    def hidden(self, *args: Any) -> torch.Tensor | None:
        """Return the last (batch, tokens, width) output inside it; None if there is none."""
        answer = self._guest.hidden(self._handle, *_sent(args), seed=self._student._next_seed())
        self._student._record.note(answer, self._student.dtype)
        return answer

    def call_with_hidden(self, *args: Any, hidden: torch.Tensor, grad: bool = False) -> Any:
        """Call it with the last (batch, tokens, width) output inside it replaced by `hidden`.

        Fails the check where nothing inside it has such an output.
        """
        try:
            seed = self._student._next_seed()
            answer = self._guest.call_with_hidden(
                self._handle, *_sent(args), hidden=hidden, grad=grad, seed=seed
            )
        except NoHidden:
            raise CheckFailure(
                f"Nothing inside {self._made_by.name} has an output of shape (batch, tokens, width), "
                "so what happens after the attention could not be looked at."
            ) from None
        self._student._record.note(answer, self._student.dtype)
        self._student._record.answers += 1
        return answer

    def _call(self, grad: bool, method: str | None, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        call = Call(self._made_by.name, args, kwargs, method=method, grad=grad, **self._context())
        return self._student._ask(
            self._guest,
            call,
            lambda a, k: self._guest.ask(self._handle, a, k, method=method, grad=grad, seed=call.seed),
        )

    def _mode(self, training: bool) -> Self:
        self._guest.set_mode(self._handle, training)
        self._training = training
        return self

    def _context(self) -> dict[str, Any]:
        return {"made_by": self._made_by, "module": self}

    def __repr__(self) -> str:
        return f"<{self._made_by.name} in the guest>"


def _with_inputs(
    student: Student, guest: Guest, target: str | Opaque, call: Call
) -> tuple[Any, tuple[Any, ...]]:
    after: list[tuple[Any, ...]] = []

    def ask(args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        kept = guest.ask(target, args, kwargs, seed=call.seed, keep_inputs=True)
        after.append(tuple(kept.args))
        call.after = copied(after[0])
        return kept.value

    answer = student._ask(guest, call, ask)
    return answer, after[0]


def _gradients(
    student: Student, guest: Guest, target: str | Opaque, call: Call, cotangent_seed: int
) -> Gradients:
    found: list[Gradients] = []

    def ask(args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        found.append(guest.gradients(target, args, kwargs, cotangent_seed, seed=call.seed))
        call.cotangent_seed, call.gradients = cotangent_seed, found[0].inputs
        call.parameter_gradients = found[0].parameters
        return found[0].output

    student._ask(guest, call, ask)
    return found[0]


def modules(call: Call) -> list[RemoteModule]:
    """Return the modules of the guest that a call has to do with."""
    values = (*call.args, *call.kwargs.values(), call.module)
    return [value for value in values if isinstance(value, RemoteModule)]


def _sent(value: Any) -> Any:
    """Return `value` as it is sent: modules in the guest as their handles."""
    if isinstance(value, RemoteModule):
        return value._handle
    if type(value) in (list, tuple):
        return type(value)(_sent(item) for item in value)
    if isinstance(value, dict):
        return {key: _sent(item) for key, item in value.items()}
    return value
