"""Whole numbers as students write them: ints, and the numpy and torch numbers that stand for the same.

A numpy number stays in the guest and is known by what the guest says of it, which is the student's word as
much as any value is.
"""

from __future__ import annotations

import re
from typing import Any

import torch

from graders.comparing import CheckFailure
from graders.showing import describe, line
from sandbox.inside.values import Opaque

_LISTABLE = (
    "generator",
    "map",
    "zip",
    "filter",
    "range",
    "dict_values",
    "set",
    "frozenset",
    "collections.deque",
)
_NUMPY = re.compile(r"numpy\.u?int\d* with the value (-?\d{1,19})")


def whole(value: Any) -> int | None:
    """Return an int, a numpy integer or an integer tensor without axes as an int; None for all else.

    True is no number here, nor is 64.0.
    """
    if type(value) is int:
        return value
    if isinstance(value, Opaque):
        said = _NUMPY.fullmatch(value.text)
        return int(said[1]) if said else None
    if isinstance(value, torch.Tensor) and value.dim() == 0 and _of_integers(value):
        return int(value)
    return None


def integer(value: Any, what: str = "the output") -> int:
    """Return `value` as an int if it is a whole number; fail the check clearly otherwise."""
    number = whole(value)
    if number is None:
        wanted = "a smaller number" if isinstance(value, Opaque) and value.type_name == "int" else "an int"
        raise CheckFailure(
            f"Wrong type for {what}: {describe(value)} came; {wanted} was expected{_mend(value)}.", got=value
        )
    return number


def integer_lists(value: Any, what: str = "the output", one: str = "item") -> list[list[int]]:
    """Return a list of lists of whole numbers; fail the check clearly where `value` is no such thing.

    Tuples and one-dimensional integer tensors will do for lists. `one` names an inner list.
    """
    return [
        _integers(item, f"{one} {index}") for index, item in enumerate(_items(value, what, "a list of lists"))
    ]


def _integers(value: Any, what: str) -> list[int]:
    if isinstance(value, torch.Tensor) and value.dim() == 1 and _of_integers(value):
        numbers: list[int] = value.tolist()
        return numbers
    return [
        integer(item, f"item {index} of {what}")
        for index, item in enumerate(_items(value, what, "a list of ints"))
    ]


def _items(value: Any, what: str, wanted: str) -> list[Any]:
    if isinstance(value, list | tuple):
        return list(value)
    if isinstance(value, torch.Tensor) and value.dim() == 2 and _of_integers(value):
        return list(value)
    came = describe(value)
    raise CheckFailure(
        f"Wrong type for {what}: {line(came)} came; {wanted} was expected{_mend(value)}.", got=value
    )


def _of_integers(value: torch.Tensor) -> bool:
    return not (value.is_floating_point() or value.is_complex() or value.dtype is torch.bool)


def _mend(value: Any) -> str:
    """Return how the value becomes what was expected, where that is a word or two."""
    if isinstance(value, float) and value.is_integer():
        return f" (write {int(value)}, or divide with // in place of /)" if abs(value) < 1e15 else ""
    if isinstance(value, str) and value.strip().isdecimal():
        return f" (write {value.strip()[:20]} without quotes)"
    if isinstance(value, Opaque):
        if value.type_name == "ellipsis":
            return " (write it in place of the three dots)"
        if value.type_name == "numpy.ndarray":
            return " (use .tolist())"
        if value.type_name in _LISTABLE:
            return " (put list(...) around it)"
    return ""
