"""Diagnosis: does a failing submission behave like one of the exercise's variants?

The variants are the author's code and run here, in the grader, on the inputs that the student's code was
given. A name is given only where the variant answers every call of the check as the student did, and every
call of the same form in other checks, differs from the model solution on at least one, and no other variant
does. A wrong name is worse than none.
"""

from __future__ import annotations

import contextlib
import io
import itertools
import signal
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

import torch

from graders.assignment import Exercise, Variant
from graders.calls import Call, copied
from graders.comparing import TOLERANCES
from graders.result import Diagnosis
from sandbox import weighted_sum

# For one check: where a variant has not been tried by then, no name is given.
SECONDS = 2.0  # of CPU, since a busy machine must give the same names
# To load one variant, or for one call of it; one that takes longer is never tried again.
MOST_SECONDS_OF_ONE = 3.0
MOST_CALLS = 40

_numbers = itertools.count(1)


@dataclass(frozen=True, eq=False)
class Kept:
    """A module of the guest as it was when the check ended: enough to make it again elsewhere."""

    made_by: Call
    state: dict[str, torch.Tensor]
    training: bool = True


@dataclass(frozen=True)
class Answer:
    """What an implementation answered: a value, gradients and arguments if asked for, or what it raised."""

    value: Any = None
    gradients: tuple[Any, ...] = ()
    after: tuple[Any, ...] | None = None
    raised: tuple[str, str] | None = None


class _TookTooLong(BaseException):
    """Not an Exception: the author's code must not catch it."""


class CannotReplay(Exception):
    """This implementation cannot be asked this call: no such name, or its module has another shape."""


class Diagnoser:
    """The variants of an assignment's exercises, loaded when they are first needed."""

    def __init__(self) -> None:
        self._loaded: dict[Path, Implementation | None] = {}

    def diagnose(
        self, exercise: Exercise, failing: Sequence[Call], others: Sequence[Call]
    ) -> Diagnosis | None:
        """Return the one variant that answers the `failing` check's calls as the student did.

        `others` are calls of the submission's other checks: those of the same form must fit too, so that a
        chance likeness in one small case names nothing. Other forms may show another error besides.
        """
        variants = [
            variant for variant in exercise.variants if variant.diagnose and variant.path.suffix == ".py"
        ]
        model = self._model(exercise)
        calls = [call for call in reversed(failing) if call.answered or call.raised][:MOST_CALLS]
        if not variants or model is None or not calls:
            return None
        deadline = time.process_time() + SECONDS
        fitting: list[Variant] = []
        for variant in variants:
            if time.process_time() > deadline:
                return None
            try:
                implementation = self._load(variant.path)
                if implementation and implementation.fits(calls) and implementation.differs(model, calls):
                    fitting.append(variant)
            except _TookTooLong:
                self._loaded[variant.path] = None
        if fitting:
            forms = {_form(call) for call in calls}
            more = [call for call in others if _form(call) in forms and (call.answered or call.raised)]
            fitting = [variant for variant in fitting if self._fits(variant, more[:MOST_CALLS])]
        if len(fitting) != 1:
            return None
        found = fitting[0]
        return Diagnosis(variant=found.name, title=found.title, section=found.section, hint=found.hint)

    def forget(self) -> None:
        """Drop what is known of one submission's calls."""
        for implementation in self._loaded.values():
            if implementation is not None:
                implementation.forget()

    def _fits(self, variant: Variant, calls: Sequence[Call]) -> bool:
        implementation = self._load(variant.path)
        try:
            return implementation is not None and implementation.fits(calls)
        except _TookTooLong:
            self._loaded[variant.path] = None
            return False

    def _model(self, exercise: Exercise) -> Implementation | None:
        scripts = [path for path in exercise.solutions if path.suffix == ".py"]
        return self._load(scripts[0]) if scripts else None

    def _load(self, path: Path) -> Implementation | None:
        if path not in self._loaded:
            module = ModuleType(f"attest_variant_{next(_numbers)}")
            module.__file__ = str(path)
            try:
                with _undisturbed():
                    exec(compile(path.read_bytes(), str(path), "exec"), module.__dict__)  # noqa: S102
            except (Exception, SystemExit, _TookTooLong):
                self._loaded[path] = None  # a variant whose error is that it cannot be loaded
            else:
                self._loaded[path] = Implementation(module)
        return self._loaded[path]


class Implementation:
    """A variant or the model solution, ready to be asked what the student's code was asked."""

    def __init__(self, names: ModuleType) -> None:
        self._names = names
        self._made: dict[int, torch.nn.Module] = {}  # by the identity of the state they were made with
        self._answers: dict[int, Answer] = {}

    def forget(self) -> None:
        """Drop what was made for earlier calls."""
        self._made.clear()
        self._answers.clear()

    def fits(self, calls: Sequence[Call]) -> bool:
        """Return whether it answers every call as the student did."""
        try:
            return all(_same_answer(self.answer(call), _answer_of(call)) for call in calls)
        except CannotReplay:
            return False

    def differs(self, model: Implementation, calls: Sequence[Call]) -> bool:
        """Return whether it answers at least one call otherwise than the model solution."""
        for call in calls:
            try:
                wanted = model.answer(call)
            except CannotReplay:
                continue
            if not _same_answer(self.answer(call), wanted):
                return True
        return False

    def answer(self, call: Call) -> Answer:
        """Ask it what the student's code was asked. Raises CannotReplay."""
        if id(call) not in self._answers:
            with _undisturbed(), torch.set_grad_enabled(call.grad or call.cotangent_seed is not None):
                torch.default_generator.manual_seed(call.seed)  # torch.manual_seed takes milliseconds
                self._answers[id(call)] = self._ask(call)
        return self._answers[id(call)]

    def _ask(self, call: Call) -> Answer:
        target = self._target(call)
        args, kwargs = self._local(copied(call.args)), self._local(copied(call.kwargs))
        wants_gradients = call.cotangent_seed is not None
        if wants_gradients:
            args = tuple(_leaf(value) for value in args)
        try:
            value = target(*args, **kwargs)
            return Answer(
                _detached(value),
                _gradients(value, args, call.cotangent_seed or 0) if wants_gradients else (),
                tuple(args) if call.after is not None else None,
            )
        except Exception as error:
            return Answer(raised=(type(error).__name__, str(error)))

    def _target(self, call: Call) -> Callable[..., Any]:
        if call.made_by is None:
            found = getattr(self._names, call.name, None)
        else:
            subject = self._local(call.module)
            if not isinstance(subject, torch.nn.Module):
                raise CannotReplay
            found = getattr(subject, call.method, None) if call.method else subject
        if not callable(found) or (isinstance(found, type) and not call.raised):
            raise CannotReplay
        return found  # type: ignore[no-any-return]

    def _local(self, value: Any) -> Any:
        """Return `value` with modules of the guest made again from this implementation's classes."""
        if isinstance(value, Kept):
            return self._module(value)
        if type(value) in (list, tuple):
            return type(value)(self._local(item) for item in value)
        if isinstance(value, dict):
            return {key: self._local(item) for key, item in value.items()}
        if value is None or isinstance(value, bool | int | float | str | bytes | torch.Tensor | torch.dtype):
            return value
        raise CannotReplay

    def _module(self, kept: Kept) -> torch.nn.Module:
        name = kept.made_by.name
        make = getattr(torch.nn if name.startswith("nn.") else self._names, name.removeprefix("nn."), None)
        try:
            made = self._made.get(id(kept.state))
            if made is None:
                made = make(*kept.made_by.args, **kept.made_by.kwargs)  # type: ignore[misc]
                dtypes = {tensor.dtype for tensor in kept.state.values() if tensor.is_floating_point()}
                made = self._made[id(kept.state)] = made.to(dtypes.pop()) if len(dtypes) == 1 else made
            made.load_state_dict(kept.state)  # afresh each time: the last call may have changed it
        except Exception:
            raise CannotReplay from None
        return made.train(kept.training)


def _form(call: Call) -> tuple[object, ...]:
    """Return what calls of one form share: with and without a mask are two forms."""
    given = tuple(value is not None for value in call.args)
    return call.name, call.method, given, tuple(sorted(call.kwargs))


def _answer_of(call: Call) -> Answer:
    return Answer(call.output, call.gradients, call.after, call.raised)


def _leaf(value: Any) -> Any:
    floating = isinstance(value, torch.Tensor) and value.is_floating_point()
    return value.detach().requires_grad_() if floating else value


def _gradients(value: Any, args: Sequence[Any], seed: int) -> tuple[Any, ...]:
    """Return the gradients of what a guest was asked for the gradients of; None where there is none."""
    leaves = [arg for arg in args if isinstance(arg, torch.Tensor) and arg.requires_grad]
    loss = weighted_sum(value, seed)
    found = iter(
        torch.autograd.grad(loss, leaves, allow_unused=True)
        if loss.requires_grad and leaves
        else [None] * len(leaves)
    )
    return tuple(next(found) if isinstance(arg, torch.Tensor) and arg.requires_grad else None for arg in args)


def _detached(value: Any) -> Any:
    if isinstance(value, torch.Tensor):
        return value.detach()
    if isinstance(value, list | tuple):
        return [_detached(item) for item in value]
    return value


def _same_answer(one: Answer, other: Answer) -> bool:
    if one.raised or other.raised:
        return one.raised == other.raised
    return (
        _alike(one.value, other.value)
        and _alike(one.gradients, other.gradients)
        and (one.after is None or other.after is None or _alike(one.after, other.after))
    )


def _alike(one: Any, other: Any) -> bool:  # noqa: PLR0911
    if isinstance(one, torch.Tensor) and isinstance(other, torch.Tensor):
        if one.shape != other.shape or one.dtype != other.dtype:
            return False
        if not one.is_floating_point():
            return torch.equal(one, other)
        atol, rtol = TOLERANCES.get(one.dtype, (0.0, 0.0))
        return torch.allclose(one.detach(), other.detach(), atol=atol, rtol=rtol, equal_nan=True)
    if isinstance(one, list | tuple) and isinstance(other, list | tuple):
        return len(one) == len(other) and all(map(_alike, one, other))
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(_alike(one[key], other[key]) for key in one)
    if isinstance(one, bool | int | float | str | bytes | None) and type(one) is type(other):
        return bool(one == other) or (one != one and other != other)  # noqa: PLR0124 - both nan
    return False


@contextlib.contextmanager
def _undisturbed() -> Iterator[None]:
    """Keep what an author's code prints, draws at random and takes of time to itself."""
    out = io.StringIO()
    with (
        _limited(),
        torch.random.fork_rng(devices=[]),
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(out),
    ):
        yield


@contextlib.contextmanager
def _limited() -> Iterator[None]:
    """Stop a variant that hangs. Signals reach the main thread only: elsewhere `diagnose = false` must do."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def stop(*_: object) -> None:
        raise _TookTooLong

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, MOST_SECONDS_OF_ONE)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
