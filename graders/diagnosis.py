"""Diagnosis: does a failing submission behave like one of the exercise's variants?

The variants are the author's code and run here, in the grader, on the inputs that the student's code was
given. A name is given only where the variant answers every call as the student did, differs from the model
solution on at least one of them, and no other variant does. A wrong name is worse than none.
"""

from __future__ import annotations

import contextlib
import io
import itertools
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

SECONDS = (
    0.25  # for one check: variants that have not been tried by then are left out, and so no name is given
)
MOST_CALLS = 40

_numbers = itertools.count(1)


@dataclass(frozen=True)
class Kept:
    """A module of the guest as it was when the check ended: enough to make it again elsewhere."""

    made_by: Call
    state: dict[str, torch.Tensor]


@dataclass(frozen=True)
class Answer:
    """What an implementation answered: a value, or what it raised."""

    value: Any = None
    raised: tuple[str, str] | None = None


class CannotReplay(Exception):  # noqa: N818
    """This implementation cannot be asked this call: no such name, or its module has another shape."""


class Diagnoser:
    """The variants of an assignment's exercises, loaded when they are first needed."""

    def __init__(self) -> None:
        self._modules: dict[Path, ModuleType | None] = {}

    def diagnose(
        self, exercise: Exercise, failing: Sequence[Call], others: Sequence[Call]
    ) -> Diagnosis | None:
        """Return the one variant that answers the `failing` check's calls as the student did.

        `others` are calls of the submission's other checks: they decide between variants that both fit.
        """
        variants = [
            variant for variant in exercise.variants if variant.diagnose and variant.path.suffix == ".py"
        ]
        model = self._model(exercise)
        calls = [call for call in reversed(failing) if call.answered or call.raised][:MOST_CALLS]
        if not variants or model is None or not calls:
            return None
        deadline = time.monotonic() + SECONDS
        fitting: list[Variant] = []
        for variant in variants:
            if time.monotonic() > deadline:
                return None
            module = self._load(variant.path)
            if module is not None and _fits(module, calls) and _differs(module, model, calls):
                fitting.append(variant)
        if len(fitting) > 1:
            names = {call.name for call in calls}
            more = [call for call in others if call.name in names and (call.answered or call.raised)][
                :MOST_CALLS
            ]
            fitting = [variant for variant in fitting if _fits(self._load(variant.path), more)]
        if len(fitting) != 1 or time.monotonic() > deadline + SECONDS:
            return None
        return Diagnosis(variant=fitting[0].name, title=fitting[0].title, section=fitting[0].section)

    def _model(self, exercise: Exercise) -> ModuleType | None:
        scripts = [path for path in exercise.solutions if path.suffix == ".py"]
        return self._load(scripts[0]) if scripts else None

    def _load(self, path: Path) -> ModuleType | None:
        if path not in self._modules:
            module = ModuleType(f"attest_variant_{next(_numbers)}")
            module.__file__ = str(path)
            try:
                with _undisturbed():
                    exec(compile(path.read_bytes(), str(path), "exec"), module.__dict__)  # noqa: S102
            except (Exception, SystemExit):
                self._modules[path] = None  # a variant whose error is that it cannot be loaded
            else:
                self._modules[path] = module
        return self._modules[path]


def _fits(module: ModuleType | None, calls: Sequence[Call]) -> bool:
    """Return whether the implementation answers every call as the student did."""
    if module is None:
        return False
    for call in calls:
        try:
            answer = replay(module, call)
        except CannotReplay:
            return False
        if not _same_answer(answer, Answer(call.output, call.raised)):
            return False
    return True


def _differs(module: ModuleType, model: ModuleType, calls: Sequence[Call]) -> bool:
    """Return whether the implementation answers at least one call otherwise than the model solution."""
    for call in calls:
        try:
            wanted = replay(model, call)
        except CannotReplay:
            continue
        if not _same_answer(replay(module, call), wanted):
            return True
    return False


def replay(module: ModuleType, call: Call) -> Answer:
    """Ask an implementation what the student's was asked. Raises CannotReplay."""
    with _undisturbed(), torch.set_grad_enabled(call.grad):
        target = _target(module, call)
        args, kwargs = copied(_local(module, call.args)), copied(_local(module, call.kwargs))
        try:
            return Answer(_detached(target(*args, **kwargs)))
        except Exception as error:
            return Answer(raised=(type(error).__name__, str(error)))


def _target(module: ModuleType, call: Call) -> Callable[..., Any]:
    if call.made_by is None:
        found = getattr(module, call.name, None)
    else:
        subject = _local(module, call.module)
        if not isinstance(subject, torch.nn.Module):
            raise CannotReplay
        subject.train(call.training)
        found = getattr(subject, call.method, None) if call.method else subject
    if not callable(found) or (call.made_by is None and isinstance(found, type)):
        raise CannotReplay
    return found  # type: ignore[no-any-return]


def _local(module: ModuleType, value: Any) -> Any:
    """Return `value` with modules of the guest made again from this implementation's classes."""
    if isinstance(value, Kept):
        made_by = value.made_by
        home: Any = torch.nn if made_by.name.startswith("nn.") else module
        make = getattr(home, made_by.name.removeprefix("nn."), None)
        try:
            made = make(*made_by.args, **made_by.kwargs)  # type: ignore[misc]
            dtypes = {tensor.dtype for tensor in value.state.values() if tensor.is_floating_point()}
            if len(dtypes) == 1:
                made = made.to(dtypes.pop())
            made.load_state_dict(value.state)
        except Exception:
            raise CannotReplay from None
        return made
    if type(value) in (list, tuple):
        return type(value)(_local(module, item) for item in value)
    if isinstance(value, dict):
        return {key: _local(module, item) for key, item in value.items()}
    if value is None or isinstance(value, bool | int | float | str | bytes | torch.Tensor | torch.dtype):
        return value
    raise CannotReplay


def _detached(value: Any) -> Any:
    if isinstance(value, torch.Tensor):
        return value.detach()
    if isinstance(value, list | tuple):
        return [_detached(item) for item in value]
    return value


def _same_answer(one: Answer, other: Answer) -> bool:
    if one.raised or other.raised:
        return one.raised == other.raised
    return _alike(one.value, other.value)


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
    """Keep what an author's code prints, and draws at random, to itself."""
    out = io.StringIO()
    with torch.random.fork_rng(devices=[]), contextlib.redirect_stdout(out), contextlib.redirect_stderr(out):
        yield
