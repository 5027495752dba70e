"""The `student` fixture: a proxy whose calls travel to the guest that holds the submission.

It moves values and keeps a record; it decides no verdict. What the student's code raises, and what
ends a guest, passes through the test as the sandbox's own exceptions.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import torch

from graders.asking import Asker, FindGuest
from graders.calls import Call, Record
from graders.capping import MemoryCap
from graders.comparing import CheckFailure
from graders.rejecting import Rejection, rejection
from graders.remote_module import RemoteModule
from graders.result import Fact, Picture
from graders.showing import describe, line
from sandbox.errors import NameMissing, StudentRaised

if TYPE_CHECKING:
    from graders.recording import Ran, Recording
    from sandbox import Gradients, LoadReport

FindRun = Callable[[bool], "Ran"]  # the run of the exercise's program, or a second one (True)


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
        """`asked` is a name that the exercise asks for: torch's modules are made beside it."""
        self._asker = Asker(find_guest, dtype, seed, record, asked)
        self._find_second = second or find_guest
        self._ran = ran
        self.written = written  # the student's words for this exercise; "" where there are none
        self.dtype = dtype  # the grading dtype: float64, or float32 in a repetition

    @property
    def elsewhere(self) -> Student:
        """The same submission in a second guest, which knows nothing of what the first has been asked.

        All checks of a submission share this guest, so ask it little: what it has been asked it may remember.
        In it hash() of a text is another. What takes long to load, or runs on a GPU, has no second guest: the
        first is asked.
        """
        first = self._asker
        return Student(self._find_second, first.dtype, first.seed, first.record, asked=first.asked)

    @property
    def load(self) -> LoadReport:
        """What happened when the main program was loaded; the exercise's own, where it records."""
        return self._asker.find_guest(None).report if self._ran is None else self._run().report

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
            return any(info.name == name for info in self._asker.find_guest(name).names())
        except NameMissing:
            return False

    def value(self, name: str) -> Any:
        """Return the value that the submission gives to `name`, as it stands when it has been loaded."""
        answer = self._asker.find_guest(name).value(name)
        self._asker.note(answer)
        return answer

    def show(self, picture: Picture) -> None:
        """Have a picture shown beside this check, whatever its verdict."""
        self._asker.record.pictures.append(picture)

    def fact(self, name: str, text: str) -> None:
        """Have something that was measured shown beside this check: fact("parameters", "66,048")."""
        self._asker.record.facts.append(Fact(name=line(name, 100), text=line(text, 300)))

    @contextmanager
    def memory_cap(self, count: int) -> Iterator[MemoryCap]:
        """Within it, a call may allocate `count` bytes beyond what the guest holds when it is made.

        A call that needs more ends the check with the verdict `memory`. What is given says, after the
        calls, what the largest of them needed: `.peak_bytes`, and `.peak` in words.
        """
        cap = self._asker.cap = MemoryCap(count)
        try:
            yield cap
        finally:
            self._asker.cap = None

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
        guest = self._asker.find_guest(name)
        guest.collect()
        answer = self._asker.ask(
            guest, call, lambda a, k: guest.ask(name, a, k, seed=call.seed, cast=self.dtype)
        )
        if not isinstance(answer, RemoteModule):
            raise CheckFailure(
                f"{call.text()} gave {describe(answer)}; an nn.Module was expected.", got=answer
            )
        return answer

    def torch(self, name: str, /, *args: Any, **kwargs: Any) -> RemoteModule:
        """Make torch's own `torch.nn.<name>` in the guest, cast to the grading dtype."""
        call = Call(f"nn.{name}", args, kwargs)
        guest = self._asker.guest_of(call.name)
        guest.collect()
        handle = guest.torch(name, *args, **kwargs)
        return RemoteModule(self._asker, guest, handle, call).double()

    def with_inputs(self, name: str, /, *args: Any, **kwargs: Any) -> tuple[Any, tuple[Any, ...]]:
        """Call `name`; return the answer, and the positional arguments as they are after the call."""
        return self._asker.with_inputs(self._asker.find_guest(name), name, Call(name, args, kwargs))

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
        guest = self._asker.find_guest(call.name)
        return self._asker.ask(
            guest, call, lambda a, k: guest.ask(call.name, a, k, grad=call.grad, seed=call.seed)
        )

    def repeat_draws(self) -> None:
        """Let the next call draw the same random numbers as the last one: dropout then drops the same."""
        self._asker.repeat_draws()


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
        asker, call = self._student._asker, Call(self._name, args, kwargs)
        return asker.gradients(asker.find_guest(self._name), self._name, call, cotangent_seed)

    def __repr__(self) -> str:
        return f"student.{self._name}"
