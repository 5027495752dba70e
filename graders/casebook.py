"""A check's cases: drawn from the secret seed, put in order of size, cast, and shrunk when one fails.

Cases are drawn once per run, check and dtype: every submission of a run meets the same ones. Running a
case is a plain call; Hypothesis draws and shrinks, and is not there in between.
"""

from __future__ import annotations

import copy
import dataclasses
import hashlib
import time
from collections.abc import Callable, Hashable, Iterator, Mapping
from contextlib import contextmanager, suppress
from random import Random
from typing import Any

import hypothesis
import torch
from hypothesis.errors import HypothesisException, NoSuchExample, Unsatisfiable
from hypothesis.internal.conjecture import providers
from hypothesis.strategies import SearchStrategy

from graders.checks import Cases
from graders.fresh import drawn_in

# Enough to reach the smallest input of a usual exercise, little enough to be paid by every failing check.
SHRINK_EVALUATIONS = 40
SHRINK_SECONDS = 0.5
SHRINK_SUBMISSION_SECONDS = 1.0

_SETTINGS: dict[str, Any] = {
    "database": None,
    "deadline": None,
    "derandomize": False,
    "print_blob": False,
    "suppress_health_check": list(hypothesis.HealthCheck),
}


class CaseError(RuntimeError):
    """The author's cases cannot be used. The message says why."""


class CaseBook:
    """The cases of every check of one run."""

    def __init__(self, seed: int) -> None:
        self._seed = seed
        self._drawn: dict[str, tuple[Any, ...]] = {}
        self._cast: dict[tuple[str, torch.dtype], tuple[Any, ...]] = {}
        self._tensors: dict[int, tuple[torch.Tensor, ...]] = {}  # by id, of the cases in `_cast`

    def cases(self, check: str, source: Cases, dtype: torch.dtype) -> tuple[Any, ...]:
        """Return the cases of a check, small ones first, with float64 tensors cast to `dtype`."""
        if (check, dtype) not in self._cast:
            if check not in self._drawn:
                self._drawn[check] = self._draw(check, source)
            found = self._cast[check, dtype] = tuple(cast(case, dtype) for case in self._drawn[check])
            self._tensors |= {id(case): tensors_in(case) for case in found}
        return self._cast[check, dtype]

    def tensors(self, case: Any) -> tuple[torch.Tensor, ...]:
        """Return the tensors of a case: their versions tell whether something has written to them.

        Remembered are those of the cases that every submission meets, not of the smaller ones that shrinking
        tries: each failing submission brings others, and a run over thousands would fill memory with them.
        """
        known = self._tensors.get(id(case))
        return tensors_in(case) if known is None else known

    def forget(self, check: str) -> None:
        """Draw this check's cases afresh next time, because something changed them."""
        self._drawn.pop(check, None)
        for key in [key for key in self._cast if key[0] == check]:
            for case in self._cast.pop(key):
                self._tensors.pop(id(case), None)  # another object may have this id next

    def shrink(
        self,
        check: str,
        source: Cases,
        dtype: torch.dtype,
        index: int,
        *,
        fails: Callable[[Any], bool],
        seconds: float,
    ) -> None:
        """Look for cases smaller than the failing case `index`, and tell `fails` to try each.

        `fails` returns whether a case shows the same fault; at most SHRINK_EVALUATIONS are tried within
        `seconds`. Only ever smaller ones are tried, so the last that failed is the smallest found.
        """
        if isinstance(source.source, tuple):
            return
        search = _Search(
            self._drawn[check][index], dtype, fails, time.monotonic() + min(seconds, SHRINK_SECONDS)
        )
        with suppress(_Enough, HypothesisException):
            self._meet(check, source.source, source.n, search.try_one)

    def _draw(self, check: str, source: Cases) -> tuple[Any, ...]:
        if isinstance(source.source, tuple):
            return source.source
        found: dict[Hashable, Any] = {}

        def keep(case: Any) -> bool:
            found.setdefault(fingerprint(case), case)
            return False

        with suppress(NoSuchExample, Unsatisfiable):
            self._meet(check, source.source, source.n, keep)
        if not found:
            raise CaseError(f"{check}: the strategy of @cases gave no case at all. Loosen its filters.")
        return tuple(sorted(found.values(), key=measure))

    def _meet(self, check: str, strategy: SearchStrategy[Any], n: int, meets: Callable[[Any], bool]) -> None:
        """Show `meets` the cases of a check one by one; the same seed draws the same ones in the same order.

        Once it has returned True for one, it is shown others that are simpler. Raises HypothesisException.
        """
        settings = hypothesis.settings(
            max_examples=n,
            phases=(hypothesis.Phase.generate, hypothesis.Phase.shrink),
            **_SETTINGS,
        )
        # Drawn in float64 whatever the check is repeated in, or the same seed would draw other cases.
        with _same_draws(), drawn_in(torch.float64):
            hypothesis.find(strategy, meets, random=self._random(check), settings=settings)

    def _random(self, check: str) -> Random:
        digest = hashlib.sha256(f"{self._seed}\0{check}".encode()).digest()
        return Random(int.from_bytes(digest[:8], "big"))  # noqa: S311 - repeatable, and the seed is the secret


class _Enough(BaseException):
    """The budget is used up. Not an Exception: Hypothesis must let it through."""


class _Search:
    """What the shrinker asks of: is this smaller case still failing?"""

    def __init__(self, start: Any, dtype: torch.dtype, fails: Callable[[Any], bool], deadline: float) -> None:
        self._dtype = dtype
        self._fails = fails
        self._deadline = deadline
        self._best = measure(start)
        self._found = False
        self._outcomes: dict[Hashable, bool] = {}
        self._start = fingerprint(start)
        self._evaluations = 0

    def try_one(self, case: Any) -> bool:
        key = fingerprint(case)
        if key == self._start:
            self._found = True
            return True
        if not self._found:
            return False
        if key in self._outcomes:
            return self._outcomes[key]
        size = measure(case)
        if size >= self._best:
            return False
        if self._evaluations >= SHRINK_EVALUATIONS or time.monotonic() > self._deadline:
            raise _Enough
        self._evaluations += 1
        with drawn_in(self._dtype):
            failing = self._outcomes[key] = self._fails(cast(case, self._dtype))
        if failing:
            self._best = size
        return failing


@contextmanager
def _same_draws() -> Iterator[None]:
    """Make a seed draw the same cases in every process.

    Hypothesis mixes in numbers that it finds in the source of whatever modules happen to be loaded. There
    is no setting for that; where a version of it has no such function, there is nothing to switch off.
    """
    name = "_get_local_constants"
    original, cache = getattr(providers, name, None), getattr(providers, "CONSTANTS_CACHE", None)
    if original is None or cache is None or not hasattr(providers, "_local_constants"):
        yield
        return
    setattr(providers, name, type(providers._local_constants))
    providers.CONSTANTS_CACHE = type(cache)(1024)
    try:
        yield
    finally:
        setattr(providers, name, original)
        providers.CONSTANTS_CACHE = cache


def parts(value: Any) -> list[tuple[Any, Any]] | None:
    """Return (key, part) of a value that is made of others; None if it is not."""
    if isinstance(value, Mapping):
        return list(value.items())
    if isinstance(value, list | tuple):
        return list(enumerate(value))
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return [(field.name, getattr(value, field.name)) for field in dataclasses.fields(value)]
    if hasattr(value, "__dict__") and not isinstance(value, type | torch.Tensor) and not callable(value):
        return list(vars(value).items())
    return None


def measure(value: Any) -> int:
    """Return how large a case is for a person to read: elements of tensors, sizes, letters."""
    if isinstance(value, torch.Tensor):
        return value.dim() + value.numel()
    if isinstance(value, bool) or value is None:
        return 1
    if isinstance(value, int):
        # Sizes and lengths count as what they are; a seed is one number to its reader, however large.
        return abs(value) if abs(value) < 1024 else 1
    if isinstance(value, str | bytes):
        return 1 + len(value)
    inside = parts(value)
    return 1 if inside is None else 1 + sum(measure(part) for _, part in inside)


def fingerprint(value: Any) -> Hashable:
    """Return what is equal for two cases that are the same, and differs for others."""
    if isinstance(value, torch.Tensor):
        data = value.detach().cpu().contiguous().reshape(-1)
        return ("tensor", str(value.dtype), tuple(value.shape), data.view(torch.uint8).numpy().tobytes())
    inside = parts(value)
    if inside is None:
        return (type(value).__name__, repr(value))
    return (type(value).__name__, tuple((str(key), fingerprint(part)) for key, part in inside))


def cast(value: Any, dtype: torch.dtype) -> Any:
    """Return a case with its float64 tensors in `dtype`; everything else is shared with the original."""
    if isinstance(value, torch.Tensor):
        return value.to(dtype) if value.dtype is torch.float64 else value
    inside = parts(value)
    if inside is None or dtype is torch.float64:
        return value
    changed = {key: new for key, part in inside if (new := cast(part, dtype)) is not part}
    if not changed:
        return value
    if isinstance(value, Mapping):
        return {**value, **changed}
    if isinstance(value, list | tuple):
        items = [changed.get(index, item) for index, item in enumerate(value)]
        make = type(value)
        return make(*items) if hasattr(value, "_fields") else make(items)
    clone = copy.copy(value)
    for name, new in changed.items():
        object.__setattr__(clone, name, new)  # frozen dataclasses too
    return clone


def tensors_in(value: Any) -> tuple[torch.Tensor, ...]:
    """Return the tensors of a case."""
    if isinstance(value, torch.Tensor):
        return (value,)
    inside = parts(value)
    return () if inside is None else tuple(found for _, part in inside for found in tensors_in(part))
