"""Comparing a student's answer with what was expected, and saying exactly how they differ.

Every value that arrives as `got` may be anything at all; nothing here may raise on it but CheckFailure.
Shape and dtype are compared before values, nothing broadcasts, and NaN is never equal.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NoReturn

import torch

from graders.result import Picture
from graders.showing import describe, dtype_name, line, number, shape, written
from sandbox.errors import StudentRaised

# (atol, rtol): |got - expected| <= atol + rtol · |expected|.
TOLERANCES: dict[torch.dtype, tuple[float, float]] = {
    # Two correct orders of arithmetic differ by up to 1e-14 after a few layers, mistakes by far more.
    torch.float64: (1e-9, 1e-9),
    # Two correct orders of arithmetic differ by up to 1e-5 after a few layers (2.4e-7 seen on attention).
    torch.float32: (1e-5, 1e-4),
    # float16 keeps 11 bits (eps 9.8e-4), bfloat16 keeps 8 (eps 7.8e-3): two of those, since sums round.
    torch.float16: (2e-3, 2e-3),
    torch.bfloat16: (1.6e-2, 1.6e-2),
}
# A float64 answer that is this near was most likely computed in float32 in between (2.4e-7 seen), or with a
# small eps. A float32 tolerance would let real mistakes, such as a mask that leaks 1e-5, pass too easily.
_NEAR_ATOL, _NEAR_RTOL = 1e-6, 1e-5

ABSENT: Any = type("Absent", (), {"__repr__": lambda _: "ABSENT"})()  # None is a value that may have come


class CheckFailure(AssertionError):
    """The student's answer is not what the check asks for. `message` is written for the student."""

    def __init__(
        self,
        message: str,
        *,
        got: Any = ABSENT,
        expected: Any = ABSENT,
        marked: Sequence[int] = (),
        largest_difference: float | None = None,
        inputs: Mapping[str, Any] | None = None,
        precision: bool = False,
        earned: float = 0.0,
        pictures: Sequence[Picture] = (),
    ) -> None:
        super().__init__(message)
        self.message = message
        self.got = got
        self.expected = expected
        self.marked = tuple(marked)
        self.largest_difference = largest_difference
        self.inputs = dict(inputs or {})
        # A float32 answer, or one as exact as float32: worth asking again in float32.
        self.precision = precision
        self.earned = earned  # the part of the check's points that is earned all the same, 0 to 1
        self.pictures = tuple(pictures)


def fail(
    message: str,
    *,
    got: Any = ABSENT,
    expected: Any = ABSENT,
    inputs: Mapping[str, Any] | None = None,
    earned: float = 0.0,
    pictures: Sequence[Picture] = (),
) -> NoReturn:
    """Fail the check. `message` says what came and what was expected; `inputs` are shown with their names.

    `earned` is the part of the check's points that is earned all the same, from 0 to below 1.
    """
    raise CheckFailure(message, got=got, expected=expected, inputs=inputs, earned=earned, pictures=pictures)


def close(
    got: Any, expected: Any, *, what: str = "the output", atol: float | None = None, rtol: float | None = None
) -> None:
    """Fail unless `got` has the type, shape and dtype of `expected` and its values within tolerance.

    `expected` is a tensor, a number, or a tuple, list or dict of these. Tolerances follow the dtype of
    `expected` (see TOLERANCES) unless given; bool and integer tensors must be equal. Raises ValueError
    where `expected` itself holds NaN: then no answer could be right, and the check is at fault.
    """
    if isinstance(expected, torch.Tensor):
        _close_tensors(got, expected, what, atol, rtol)
    elif isinstance(expected, tuple | list):
        items = _items(got, len(expected), what)
        for index, (item, wanted) in enumerate(zip(items, expected, strict=True)):
            close(item, wanted, what=f"item {index} of {what}", atol=atol, rtol=rtol)
    elif isinstance(expected, Mapping):
        same(
            sorted(map(str, got)) if isinstance(got, dict) else got,
            sorted(expected),
            what=f"the keys of {what}",
        )
        for key, wanted in expected.items():
            close(got[key], wanted, what=f"{key!r} in {what}", atol=atol, rtol=rtol)
    elif isinstance(expected, float):
        _close_numbers(got, expected, what, atol, rtol)
    else:
        same(got, expected, what=what)


def same(got: Any, expected: Any, *, what: str = "the output") -> None:
    """Fail unless `got` equals `expected` exactly: type, shape, dtype and every element.

    For bools, integers, strings, shapes, dtypes, and tuples, lists, dicts and tensors of these.
    A tuple and a list with equal items are the same; True and 1 are not.
    """
    if isinstance(expected, torch.Tensor):
        _close_tensors(got, expected, what, 0.0, 0.0)
        return
    if not _equal(got, expected):
        if type(got) is not type(expected) and not _both_sequences(got, expected):
            message = f"Wrong type for {what}: {describe(got)} came; {describe(expected)} was expected."
        else:
            message = f"Wrong value for {what}: {_brief(got)} came; {_brief(expected)} was expected."
        raise CheckFailure(message, got=got, expected=expected)


def tensor(
    got: Any,
    *,
    shape: Sequence[int] | None = None,
    dtype: torch.dtype | None = None,
    what: str = "the output",
    finite: bool = False,
) -> torch.Tensor:
    """Return `got` if it is a tensor (of this shape and dtype, of finite numbers); fail clearly otherwise.

    Ask for `finite` before two answers are compared: nan and infinities differ from all, themselves too.
    """
    if not isinstance(got, torch.Tensor):
        raise CheckFailure(f"Wrong type for {what}: {describe(got)} came; a tensor was expected.", got=got)
    if shape is not None and tuple(got.shape) != tuple(shape):
        _wrong_shape(got, tuple(shape), what)
    if dtype is not None and got.dtype != dtype:
        _wrong_dtype(got, dtype, what)
    if finite and not bool(torch.isfinite(got).all()):
        _not_finite(got, what)
    return got


def unpack(got: Any, *names: str) -> tuple[Any, ...]:
    """Return the items of `got` if it is a tuple or list of exactly `names`; fail clearly otherwise."""
    if isinstance(got, tuple | list) and len(got) == len(names):
        return tuple(got)
    wanted = f"a tuple ({', '.join(names)})"
    raise CheckFailure(f"Wrong type for the output: {describe(got)} came; {wanted} was expected.", got=got)


def raises(
    call: Callable[[], Any], exception_name: str | Sequence[str], mentions: Sequence[str] = ()
) -> None:
    """Fail unless `call()` makes the student's code raise (one of) these, or what is made from it.

    `mentions` are words that its message must contain, whatever their case.
    """
    names = [exception_name] if isinstance(exception_name, str) else list(exception_name)
    words = [mentions] if isinstance(mentions, str) else mentions
    wanted = " or ".join(names)
    try:
        got = call()
    except StudentRaised as raised:
        name = raised.type_name.rpartition(".")[2]
        if not {name, *raised.bases} & set(names):
            raise CheckFailure(
                f"{line(name, 60)} was raised ({line(raised.message)}); {wanted} was expected."
            ) from raised
        absent = [word for word in words if word.lower() not in raised.message.lower()]
        if absent:
            raise CheckFailure(
                f"{name} was raised as expected, but its message does not mention {', '.join(absent)}: "
                f"{line(raised.message)}"
            ) from raised
        return
    raise CheckFailure(
        f"No exception was raised; {wanted} was expected. {_capital(describe(got))} came.", got=got
    )


def _close_tensors(
    got: Any, expected: torch.Tensor, what: str, atol: float | None, rtol: float | None
) -> None:
    got = tensor(got, what=what)
    if got.shape != expected.shape:
        _wrong_shape(got, tuple(expected.shape), what, expected)
    if got.dtype != expected.dtype:
        _wrong_dtype(got, expected.dtype, what, expected)
    got, expected = got.detach(), expected.detach()
    if not expected.is_floating_point() and not expected.is_complex():
        if not torch.equal(got, expected):
            _wrong_exact_values(got, expected, what)
        return
    default_atol, default_rtol = TOLERANCES.get(expected.dtype, TOLERANCES[torch.float64])
    atol = default_atol if atol is None else atol
    rtol = default_rtol if rtol is None else rtol
    # Nearly every answer is finite and right, and this takes a third of the time of allclose. Strictly less:
    # the tolerance of an infinity is infinite.
    if bool(((got - expected).abs() < expected.abs().mul_(rtol).add_(atol)).all()):
        return
    if bool(torch.isnan(expected).any()):
        raise ValueError(f"the expected value of {what} holds nan, so no answer could be right")
    # allclose takes equal infinities for equal, and NaN for unequal to everything.
    if not torch.allclose(got, expected, rtol=rtol, atol=atol):
        _wrong_values(got, expected, what, atol, rtol)


def _wrong_shape(got: torch.Tensor, wanted: tuple[int, ...], what: str, expected: Any = ABSENT) -> NoReturn:
    message = f"Wrong shape for {what}: {shape(got)} came; {wanted} was expected."
    raise CheckFailure(message, got=got, expected=expected)


def _wrong_dtype(got: torch.Tensor, wanted: torch.dtype, what: str, expected: Any = ABSENT) -> NoReturn:
    message = f"Wrong dtype for {what}: {dtype_name(got.dtype)} came; {dtype_name(wanted)} was expected."
    precision = got.dtype == torch.float32 and wanted == torch.float64
    raise CheckFailure(message, got=got, expected=expected, precision=precision)


def _wrong_exact_values(got: torch.Tensor, expected: torch.Tensor, what: str) -> NoReturn:
    wrong = (got != expected).reshape(-1).nonzero().reshape(-1)
    first = int(wrong[0])
    message = (
        f"Wrong values in {what}: {number(got.reshape(-1)[first].item())} came{_at(first, got)}; "
        f"{number(expected.reshape(-1)[first].item())} was expected{_count(len(wrong), got)}."
    )
    raise CheckFailure(message, got=got, expected=expected, marked=wrong.tolist())


def _wrong_values(got: torch.Tensor, expected: torch.Tensor, what: str, atol: float, rtol: float) -> NoReturn:
    difference = (got - expected).abs()
    equal = got == expected  # infinities of one sign, whose difference is NaN
    within = torch.isfinite(difference) & (difference <= atol + rtol * expected.abs())
    wrong = ~(within | equal).reshape(-1)
    marked = wrong.nonzero().reshape(-1).tolist()
    flat_got, flat_expected = got.reshape(-1), expected.reshape(-1)
    odd = (wrong & ~torch.isfinite(flat_got)).nonzero().reshape(-1)
    if len(odd):
        first = int(odd[0])
        message = (
            f"Wrong values in {what}: {number(flat_got[first].item())} came{_at(first, got)}; "
            f"{number(flat_expected[first].item())} was expected{_count(len(marked), got)}."
        )
        raise CheckFailure(message, got=got, expected=expected, marked=marked)
    worst = int(torch.where(wrong, difference.reshape(-1), -torch.ones_like(difference.reshape(-1))).argmax())
    largest = float(difference.reshape(-1)[worst])
    message = (
        f"Wrong values in {what}: the largest difference is {number(largest)}{_at(worst, got)}; "
        f"{_told_apart(flat_got[worst].item(), flat_expected[worst].item())}{_count(len(marked), got)}."
    )
    raise CheckFailure(
        message,
        got=got,
        expected=expected,
        marked=marked,
        largest_difference=largest if math.isfinite(largest) else None,
        precision=expected.dtype == torch.float64
        and bool(((difference <= _NEAR_ATOL + _NEAR_RTOL * expected.abs()) | equal).all()),
    )


def _close_numbers(got: Any, expected: float, what: str, atol: float | None, rtol: float | None) -> None:
    if math.isnan(expected):
        raise ValueError(f"the expected value of {what} is nan, so no answer could be right")
    value = got
    if isinstance(got, torch.Tensor) and got.dim() == 0 and got.dtype != torch.bool and not got.is_complex():
        value = got.item()
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise CheckFailure(
            f"Wrong type for {what}: {describe(got)} came; the number {number(expected)} was expected.",
            got=got,
            expected=expected,
        )
    default_atol, default_rtol = TOLERANCES[torch.float64]
    atol = default_atol if atol is None else atol
    rtol = default_rtol if rtol is None else rtol
    if value == expected:
        return
    difference = _difference(value, expected)
    if not (math.isfinite(difference) and difference <= atol + rtol * abs(expected)):
        raise CheckFailure(
            f"Wrong value for {what}: {_told_apart(value, expected)}.",
            got=got,
            expected=expected,
            largest_difference=difference if math.isfinite(difference) else None,
            precision=difference <= _NEAR_ATOL + _NEAR_RTOL * abs(expected),
        )


def _difference(value: float, expected: float) -> float:
    try:
        return abs(float(value) - expected)
    except OverflowError:  # an integer beyond every float
        return math.inf


def _items(got: Any, length: int, what: str) -> Sequence[Any]:
    if isinstance(got, tuple | list) and len(got) == length:
        return got
    raise CheckFailure(
        f"Wrong type for {what}: {describe(got)} came; a tuple of {length} was expected.", got=got
    )


def _both_sequences(got: Any, expected: Any) -> bool:
    return isinstance(got, tuple | list) and isinstance(expected, tuple | list)


def _equal(got: Any, expected: Any) -> bool:
    if isinstance(expected, torch.Tensor):
        return (
            isinstance(got, torch.Tensor)
            and got.shape == expected.shape
            and got.dtype == expected.dtype
            and torch.equal(got, expected)
        )
    if _both_sequences(got, expected):
        return len(got) == len(expected) and all(map(_equal, got, expected))
    if isinstance(expected, dict):
        return (
            isinstance(got, dict)
            and got.keys() == expected.keys()
            and all(_equal(got[key], expected[key]) for key in expected)
        )
    return type(got) is type(expected) and bool(got == expected)


def _brief(value: Any) -> str:
    return line(written(value))


def _told_apart(got: Any, expected: Any) -> str:
    """Write two numbers with as many digits as it takes to see that they differ."""
    left, right = number(got), number(expected)
    if left == right:
        left, right = f"{got!r}", f"{expected!r}"
    return f"{left} came, {right} was expected"


def _not_finite(got: torch.Tensor, what: str) -> NoReturn:
    marked = (~torch.isfinite(got.detach())).reshape(-1).nonzero()[:, 0].tolist()
    came = number(got.detach().reshape(-1)[marked[0]].item())
    raise CheckFailure(
        f"Wrong values in {what}: {came} came{_at(marked[0], got)}; "
        f"a finite number was expected{_count(len(marked), got)}.",
        got=got,
        marked=marked,
        precision=True,  # what only float64 goes wrong with is no mistake of the student's
    )


def _at(flat: int, value: torch.Tensor) -> str:
    if value.dim() == 0:
        return ""
    index: list[int] = []
    for size in reversed(value.shape):
        flat, inside = divmod(flat, size)
        index.insert(0, inside)
    return f" at {index}"


def _count(wrong: int, value: torch.Tensor) -> str:
    total = value.numel()
    return f" ({wrong} of {total} elements are wrong)" if total > 1 else ""


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
