"""Decorators that turn a pytest test into a check, and what they leave on the function.

Knows nothing of pytest, submissions or guests.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeVar

from hypothesis.strategies import SearchStrategy

from graders.result import Visibility

Test = TypeVar("Test", bound=Callable[..., Any])

_POINTS = "attest_points"
_CASES = "attest_cases"


@dataclass(frozen=True)
class Points:
    """What `@points` says of a check."""

    points: float
    hint: str | None
    requires: tuple[str, ...]
    visibility: Visibility
    section: str | None


@dataclass(frozen=True)
class Cases:
    """Where a check's cases come from: a strategy drawn from `n` times, or a sequence used whole."""

    source: SearchStrategy[Any] | tuple[Any, ...]
    n: int
    test: Callable[..., Any]
    parameter: str  # the test's last parameter, which receives the case


@dataclass(frozen=True)
class Check:
    """One graded test, as it was collected."""

    id: str  # "masks/test_causal_mask_values"
    exercise: str
    name: str  # the test function's name
    title: str
    points: float
    hint: str | None = None
    requires: tuple[str, ...] = ()  # ids
    visibility: Visibility = Visibility.ALWAYS
    section: str | None = None
    public: bool = False


def points(
    n: float,
    *,
    hint: str | None = None,
    requires: Iterable[str] = (),
    visibility: Literal["always", "after_due", "hidden"] = "always",
    section: str | None = None,
) -> Callable[[Test], Test]:
    """Make a test a check worth `n` points; the first paragraph of its docstring is its title.

    `hint` is shown when the check does not pass. `requires` names tests of the same exercise, defined
    above this one, without which it cannot pass: it is skipped unless all of them passed.
    `section` names the part of the lesson to read again.
    """
    if isinstance(n, bool) or not isinstance(n, int | float) or not 0 <= n < float("inf"):
        raise TypeError(f"@points({n!r}): a number of points, zero or more, was expected.")
    if isinstance(requires, str):
        requires = (requires,)
    given = Points(n, hint, tuple(requires), Visibility(visibility), section)

    def decorate(test: Test) -> Test:
        setattr(test, _POINTS, given)
        return test

    return decorate


def cases(source: SearchStrategy[Any] | Sequence[Any], n: int = 25) -> Callable[[Test], Test]:
    """Run a test for many cases; each arrives as the test's last parameter.

    `source` is a Hypothesis strategy, drawn from `n` times with the run's secret seed and shrunk when a
    case fails, or a sequence, used whole. Cases run from small to large. Float tensors in a case are
    made in float64; where a check is repeated in float32 they arrive in float32.
    """
    if not isinstance(source, SearchStrategy):
        source = tuple(source)
        if not source:
            raise ValueError("@cases: the sequence of cases is empty, so the test would check nothing.")
    if isinstance(n, bool) or not isinstance(n, int) or n < 1:
        raise TypeError(f"@cases(n={n!r}): a number of cases, one or more, was expected.")

    def decorate(test: Test) -> Test:
        signature = inspect.signature(test)
        parameters = list(signature.parameters.values())
        if not parameters:
            raise TypeError(f"@cases: {test.__name__} takes no parameter that could receive a case.")

        @functools.wraps(test)
        def run(*_: Any, **__: Any) -> None:
            raise RuntimeError(f"{test.__name__} has cases and runs only in a grading session.")

        # pytest must not look for a fixture with the case's name.
        run.__signature__ = signature.replace(parameters=parameters[:-1])  # type: ignore[attr-defined]
        setattr(run, _CASES, Cases(source, n, test, parameters[-1].name))
        return run  # type: ignore[return-value]

    return decorate


def points_of(test: object) -> Points | None:
    """Return what `@points` said of this test, if it is a check."""
    found = getattr(test, _POINTS, None)
    return found if isinstance(found, Points) else None


def cases_of(test: object) -> Cases | None:
    """Return where this test's cases come from, if it has any."""
    found = getattr(test, _CASES, None)
    return found if isinstance(found, Cases) else None


def title_of(test: object) -> str | None:
    """Return the first paragraph of a test's docstring on one line, if it has one."""
    text = inspect.getdoc(test)
    if not text or not text.strip():
        return None
    return " ".join(text.strip().split("\n\n")[0].split())
