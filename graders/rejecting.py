"""A student's own test, asked whether it rejects what it is given."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NoReturn

from graders.showing import line
from sandbox.errors import StudentRaised


@dataclass(frozen=True)
class Rejection:
    """Whether a student's test rejected what it was given, with its message, or else what it returned."""

    rejected: bool
    message: str = ""
    returned: Any = None

    def __bool__(self) -> bool:
        return self.rejected


def rejection(ask: Callable[[], Any]) -> Rejection:
    """Return whether the student's code raised an AssertionError; any other exception of its passes on."""
    try:
        return Rejection(False, returned=ask())
    except StudentRaised as raised:
        if raised.assertion:
            return Rejection(True, line(raised.message))
        raise


def judged(answer: Any, *, errors: bool) -> Rejection | StudentRaised:
    """Return what a test's answer says, where that is what it returned or a StudentRaised.

    One that is no AssertionError is returned as it is with `errors`, and else raised.
    """
    if not isinstance(answer, StudentRaised):
        return Rejection(False, returned=answer)
    if not answer.assertion and errors:
        return answer
    return rejection(lambda: _raise(answer))


def _raise(error: StudentRaised) -> NoReturn:
    raise error
