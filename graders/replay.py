"""Asking a variant or the model solution, here in the grader, what a student's code was asked in the guest.

A module of the guest is made again from the implementation's own class, with the parameters that the
student's module had. Where names, order or sizes differ there are several ways to do so, counted by a `way`:
0 is the likeliest. A wrong way answers nothing as the student did.
"""

from __future__ import annotations

import contextlib
import io
import itertools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from types import ModuleType
from typing import Any

import torch

from graders.arrangements import State, layout
from graders.calls import Call, copied
from graders.comparing import TOLERANCES
from graders.deadline import deadline, wall_deadline
from graders.remaking import Remade, Remaker, Sizes
from sandbox import Opaque, weighted_sum

# To load one implementation, or for one call of it; one that takes longer is never tried again.
MOST_SECONDS_OF_ONE = 6.0  # on the clock, for what waits
MOST_CPU_SECONDS_OF_ONE = 1.0  # of the four that a submission's diagnosis has: one that hangs leaves the rest

_numbers = itertools.count(1)


@dataclass(frozen=True, eq=False)
class Kept:
    """A module of the guest as it was when it was asked: enough to make it again elsewhere."""

    made_by: Call
    state: State
    training: bool = True
    trained: frozenset[str] | None = None  # the names of its parameters; None: they are not known


@dataclass(frozen=True)
class Answer:
    """What an implementation answered: a value, gradients and arguments if asked for, or what it raised."""

    value: Any = None
    gradients: tuple[Any, ...] = ()
    after: tuple[Any, ...] | None = None
    raised: tuple[str, str] | None = None
    norms: tuple[float, ...] | None = None  # of the parameters' gradients


class TookTooLong(BaseException):
    """Not an Exception: the author's code must not catch it."""


class CannotReplay(Exception):
    """This implementation cannot be asked this call: no such name, or its module has another shape."""


def load(source: bytes | str, name: str, sizes: Sizes) -> Implementation | None:
    """Run an implementation's source; None where it cannot be loaded."""
    module = ModuleType(f"attest_variant_{next(_numbers)}")
    module.__file__ = name
    try:
        with _undisturbed():
            exec(compile(source, name, "exec"), module.__dict__)  # noqa: S102
    except (Exception, SystemExit, TookTooLong):
        return None  # a variant whose error is that it cannot be loaded
    return Implementation(module, sizes)


@dataclass
class Implementation:
    """A variant or the model solution, ready to be asked what the student's code was asked."""

    names: ModuleType
    sizes: Sizes
    _remakers: dict[object, Remaker | None] = field(default_factory=dict)  # by class, arguments and layout
    _made: dict[tuple[int, int, int], Remade] = field(default_factory=dict)
    _answers: dict[tuple[int, int], Answer | None] = field(default_factory=dict)
    _holds: list[object] = field(default_factory=list)  # what the identities above are of

    def forget(self) -> None:
        """Drop what was made for earlier calls."""
        for known in (self._made, self._answers, self._holds):
            known.clear()

    def fits(self, calls: Sequence[Call], way: int = 0) -> bool:
        """Return whether it answers every call as the student did."""
        try:
            return all(same_answer(self.answer(call, way), answer_of(call)) for call in calls)
        except CannotReplay:
            return False

    def can(self, call: Call, way: int = 0) -> bool:
        """Return whether it can be asked this call in this way."""
        try:
            self.answer(call, way)
        except CannotReplay:
            return False
        return True

    def answer(self, call: Call, way: int = 0) -> Answer:
        """Ask it what the student's code was asked. Raises CannotReplay."""
        key = id(call), way if kept_in(call) else 0
        if key not in self._answers:
            self._answers[key] = None
            self._holds.append(call)
            grad = call.grad or call.cotangent_seed is not None
            with _undisturbed(), torch.set_grad_enabled(grad), contextlib.suppress(CannotReplay):
                self._answers[key] = self._ask(call, way)
        found = self._answers[key]
        if found is None:
            raise CannotReplay
        return found

    def _ask(self, call: Call, way: int) -> Answer:
        target = self._target(call, way)
        args, kwargs = self._local(copied(call.args), way), self._local(copied(call.kwargs), way)
        wants_gradients = call.cotangent_seed is not None
        if wants_gradients:
            args = tuple(_leaf(value) for value in args)
        torch.default_generator.manual_seed(call.seed)  # torch.manual_seed takes milliseconds
        try:
            value = target(*args, **kwargs)
            trained = _trained(target) if wants_gradients else []
            found = _gradients(value, [*args, *trained], call.cotangent_seed or 0) if wants_gradients else ()
            return Answer(
                _detached(value),
                found[: len(args)],
                _values(args) if call.after is not None else None,
                norms=_norms(found[len(args) :]) if trained else None,
            )
        except Exception as error:
            return Answer(raised=(type(error).__name__, str(error)))

    def _target(self, call: Call, way: int) -> Callable[..., Any]:
        if call.made_by is None:
            found = getattr(self.names, call.name, None)
        else:
            subject = self._local(call.module, way)
            if not isinstance(subject, torch.nn.Module):
                raise CannotReplay
            found = getattr(subject, call.method, None) if call.method else subject
        if not callable(found) or (isinstance(found, type) and not call.raised):
            raise CannotReplay
        return found  # type: ignore[no-any-return]

    def _local(self, value: Any, way: int) -> Any:
        """Return `value` with modules of the guest made again from this implementation's classes."""
        if isinstance(value, Kept):
            return self._module(value, way)
        if type(value) in (list, tuple):
            return type(value)(self._local(item, way) for item in value)
        if isinstance(value, dict):
            return {key: self._local(item, way) for key, item in value.items()}
        if value is None or isinstance(value, bool | int | float | str | bytes | torch.Tensor | torch.dtype):
            return value
        raise CannotReplay

    def _module(self, kept: Kept, way: int) -> torch.nn.Module:
        key = id(kept.state), id(kept.made_by), way
        try:
            made = self._made.get(key)
            if made is None:
                self._holds.append(kept)
                made = self._made[key] = self._remaker(kept).make(kept.state, way)
            return made.fresh().train(kept.training)
        except CannotReplay:
            raise
        except Exception:
            raise CannotReplay from None

    def _remaker(self, kept: Kept) -> Remaker:
        """Return what makes modules of this layout; what was found out of one submission holds for all."""
        call = kept.made_by
        key = (call.name, repr((call.args, call.kwargs)), layout(kept.state, kept.trained))
        if key not in self._remakers:
            source = torch.nn if call.name.startswith("nn.") else self.names
            make = getattr(source, call.name.removeprefix("nn."), None)
            known = (call, kept.state, kept.trained, self.sizes)
            self._remakers[key] = Remaker(make, *known) if make else None
            while len(self._remakers) > 64:
                del self._remakers[next(iter(self._remakers))]
        found = self._remakers[key]
        if found is None:
            raise CannotReplay
        return found


def kept_in(call: Call) -> list[Kept]:
    """Return the modules that a call has to do with."""
    return [value for value in (*call.args, *call.kwargs.values(), call.module) if isinstance(value, Kept)]


def answer_of(call: Call) -> Answer:
    """Return what the student's code answered."""
    found = call.parameter_gradients
    norms = _norms(list(found.values())) if call.cotangent_seed is not None and found else None
    after = None if call.after is None else _values(call.after)
    return Answer(call.output, call.gradients, after, call.raised, norms)


def same_answer(one: Answer, other: Answer) -> bool:
    """Return whether two implementations answered the same, as far as both were asked."""
    if one.raised or other.raised:
        return one.raised == other.raised
    return (
        alike(one.value, other.value)
        and alike(one.gradients, other.gradients)
        and (one.after is None or other.after is None or alike(one.after, other.after))
        and (one.norms is None or other.norms is None or _close_norms(one.norms, other.norms))
    )


def alike(one: Any, other: Any) -> bool:  # noqa: PLR0911
    """Return whether two values are the same within the tolerance of their dtype."""
    if isinstance(one, torch.Tensor) and isinstance(other, torch.Tensor):
        if one.shape != other.shape or one.dtype != other.dtype:
            return False
        if not one.is_floating_point():
            return torch.equal(one, other)
        atol, rtol = TOLERANCES.get(one.dtype, (0.0, 0.0))
        return torch.allclose(one.detach(), other.detach(), atol=atol, rtol=rtol, equal_nan=True)
    if isinstance(one, list | tuple) and isinstance(other, list | tuple):
        return len(one) == len(other) and all(map(alike, one, other))
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(alike(one[key], other[key]) for key in one)
    if isinstance(one, bool | int | float | str | bytes | None) and type(one) is type(other):
        return bool(one == other) or (one != one and other != other)  # noqa: PLR0124 - both nan
    return False


def _trained(target: object) -> list[torch.Tensor]:
    return (
        [one for one in target.parameters() if one.requires_grad]
        if isinstance(target, torch.nn.Module)
        else []
    )


def _norms(gradients: Sequence[torch.Tensor | None]) -> tuple[float, ...]:
    """Return what gradients have together, whatever the names and the packing: the sum of squares."""
    return (sum(float(one.double().square().sum()) for one in gradients if one is not None),)


def _close_norms(one: Sequence[float], other: Sequence[float]) -> bool:
    return all(abs(a - b) <= 1e-7 + 1e-6 * abs(b) for a, b in zip(one, other, strict=True))


def _values(arguments: Sequence[Any]) -> tuple[Any, ...]:
    """Return arguments without the modules among them, which are never the same on both sides."""
    return tuple(None if isinstance(one, torch.nn.Module | Opaque) else one for one in arguments)


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


@contextlib.contextmanager
def _undisturbed() -> Iterator[None]:
    """Keep what an author's code prints, draws at random and takes of time to itself."""
    out = io.StringIO()
    with (
        # Elsewhere than in the main thread nothing is stopped: `diagnose = false` must do.
        wall_deadline(MOST_SECONDS_OF_ONE, TookTooLong),
        deadline(MOST_CPU_SECONDS_OF_ONE, TookTooLong),
        torch.random.fork_rng(devices=[]),
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(out),
    ):
        yield
