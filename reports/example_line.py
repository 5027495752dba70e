"""A counterexample in one line, as one of many in a list: the call, one element, the one expected."""

from __future__ import annotations

import math

from graders.result import CheckResult, Shown, ShownTensor, ShownText
from reports.shown_values import digits_that_tell_apart, number_text, shape_text, unravel
from reports.visible_text import one_line

MOST_CALL = 120
MOST_VALUE = 80
MOST_MESSAGE = 240


def counterexample_size(check: CheckResult) -> float:
    """Return how many elements went in and came out; infinite where there is nothing to compare."""
    case = check.counterexample
    if case is None or case.got is None or case.expected is None:
        return math.inf
    return sum(_size(value) for value in (*(named.value for named in case.inputs), case.got))


def example_line(check: CheckResult) -> str:
    """Return what a failing check shows at its smallest input: `causal_mask(1)` gives True, not False.

    The call stands between ticks. Where there are no two values to compare, it is the check's message.
    """
    case = check.counterexample
    if case is None or case.got is None or case.expected is None:
        return one_line(check.message, MOST_MESSAGE)
    call = one_line(case.call or "", MOST_CALL).replace("`", "'")
    return f"{f'`{call}`' if call else 'The answer'} {_difference(case.got, case.expected)}"


def _size(value: Shown) -> int:
    if isinstance(value, ShownText):
        return 1
    return max(1, math.prod(value.shape))


def _difference(got: Shown, expected: Shown) -> str:
    if isinstance(got, ShownTensor) and isinstance(expected, ShownTensor):
        if got.shape != expected.shape:
            return f"has shape {shape_text(got.shape)}, not {shape_text(expected.shape)}"
        if got.dtype != expected.dtype:
            return f"is {one_line(got.dtype, 40)}, not {one_line(expected.dtype, 40)}"
        known = min(len(got.values), len(expected.values), math.prod(got.shape))
        places = [at for at in got.marked or expected.marked if 0 <= at < known]
        if places:
            at = places[0]
            digits = digits_that_tell_apart(got, expected)
            came, wanted = (number_text(value.values[at], digits) for value in (got, expected))
            where = f" at {unravel(at, got.shape)}" if math.prod(got.shape) > 1 else ""
            return f"gives {came}{where}, not {wanted}"
    return f"gives {_brief(got)}, not {_brief(expected)}"


def _brief(value: Shown) -> str:
    if isinstance(value, ShownText):
        return one_line(value.text, MOST_VALUE)
    return f"a tensor of shape {shape_text(value.shape)}"
