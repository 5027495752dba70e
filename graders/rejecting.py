"""A student's own test, asked whether it rejects what it is given."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from graders.comparing import fail
from graders.showing import describe, line
from sandbox import held
from sandbox.errors import StudentRaised
from sandbox.lending import LONGEST, MOST_ELEMENTS

if TYPE_CHECKING:
    from graders.student import Student

Things = Mapping[str, Any]  # what is lent, a callable or a tuple of them, by what it is in words


@dataclass(frozen=True)
class Rejection:
    """Whether a student's test rejected what it was given, with its message, or else what it returned."""

    rejected: bool
    message: str = ""
    returned: Any = None

    def __bool__(self) -> bool:
        return self.rejected

    @property
    def instead(self) -> str:
        """What a test did that says in another way what it thinks: a sentence, after a blank, or nothing."""
        if self.rejected or self.returned is None:
            return ""
        return f" It returned {describe(self.returned)}: it must raise an AssertionError, as `assert` does."


def rejection(ask: Callable[[], Any]) -> Rejection:
    """Return whether the student's code raised an AssertionError; any other exception of its passes on."""
    try:
        return Rejection(False, returned=ask())
    except StudentRaised as raised:
        if raised.assertion:
            return Rejection(True, line(raised.message))
        raise


def judge_test(
    student: Student,
    name: str,
    right: Things,
    wrong: Things,
    *,
    seed: int,
    must_reject: str | None = None,
    elements: int = MOST_ELEMENTS,
    longest: int = LONGEST,
) -> None:
    """Fail unless the student's test `name` accepts everything `right` and rejects everything `wrong`.

    They are asked about in an order that `seed` decides and that is secret: only what a thing answers tells
    what it is. Where nothing right is rejected, half of the points is for the wrong ones that are, unless
    `must_reject` is not among them. `elements` and `longest` bound what the test may hand over, as in `held`.
    """
    things = {**right, **wrong}
    names = random.Random(seed).sample(sorted(things), len(things))  # noqa: S311 - the seed is the secret
    lent = [things[one] if isinstance(things[one], tuple) else (things[one],) for one in names]
    lend = partial(held, elements=elements, longest=longest)
    answers = student.rejects_each(name, *(tuple(map(lend, some)) for some in lent))
    rejected = dict(zip(names, answers, strict=True))
    refused = [one for one in right if rejected[one]]
    passed = [one for one in wrong if not rejected[one]]
    said = []
    if passed:
        said.append(f"Your test let pass: {'; '.join(passed)}.{rejected[passed[0]].instead}")
    if refused:
        said.append(f"Your test rejected: {'; '.join(refused)}.")
    if said:
        nothing = refused or must_reject in passed
        fail(" ".join(said), earned=0.0 if nothing else (1 - len(passed) / len(wrong)) / 2)
