"""Comparing: shape, then dtype, then values; NaN never equal; whatever comes, nothing but CheckFailure."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from graders import CheckFailure, close, fail, raises, same, tensor, unpack
from graders.comparing import TOLERANCES
from sandbox import StudentRaised
from tests.graders.values import GARBAGE, float_tensors


@given(float_tensors())
def test_a_tensor_is_close_to_itself(value: torch.Tensor) -> None:
    close(value.clone(), value)
    same(value.clone(), value)


@given(float_tensors(), st.floats(0.0, 0.9), st.sampled_from([-1, 1]))
def test_within_tolerance_passes(value: torch.Tensor, part: float, sign: int) -> None:
    atol, rtol = TOLERANCES[value.dtype]
    moved = value.double() + sign * part * (atol + rtol * value.double().abs())
    close(moved.to(value.dtype), value) if value.dtype == torch.float64 else close(
        moved, value.double(), atol=atol, rtol=rtol
    )


@given(float_tensors(torch.float64), st.data())
def test_one_element_beyond_tolerance_fails_and_is_named(value: torch.Tensor, data: st.DataObject) -> None:
    if value.numel() == 0:
        return
    index = data.draw(st.integers(0, value.numel() - 1))
    wrong = value.clone()
    wrong.view(-1)[index] += 0.5
    with pytest.raises(CheckFailure) as caught:
        close(wrong, value)
    assert caught.value.marked == (index,)
    assert caught.value.largest_difference == pytest.approx(0.5)
    position = [int(i) for i in torch.unravel_index(torch.tensor(index), value.shape)]
    assert f"0.5 at {position};" in caught.value.message if position else "0.5;" in caught.value.message


@given(GARBAGE, st.one_of(float_tensors(), GARBAGE))
def test_whatever_comes_nothing_but_a_check_failure_is_raised(got: Any, expected: Any) -> None:
    for compare in (close, same):
        try:
            compare(got, expected)
        except CheckFailure as failure:
            assert failure.message  # noqa: PT017
        except ValueError as error:
            assert "no answer could be right" in str(error)  # noqa: PT017 - the expected value holds nan


@given(GARBAGE)
def test_tensor_and_unpack_fail_clearly_on_anything_else(got: Any) -> None:
    try:
        found = tensor(got, shape=(2, 3), dtype=torch.float64)
    except CheckFailure:
        pass
    else:
        assert found.shape == (2, 3)
    try:
        assert len(unpack(got, "context", "weights")) == 2
    except CheckFailure as failure:
        assert "(context, weights)" in failure.message  # noqa: PT017


def test_nan_is_never_equal() -> None:
    nan = torch.tensor([1.0, float("nan")])
    with pytest.raises(CheckFailure, match=r"nan came at \[1\]; 2 was expected \(1 of 2"):
        close(nan, torch.tensor([1.0, 2.0]))
    with pytest.raises(CheckFailure):
        close(float("nan"), 1.0)
    with pytest.raises(ValueError, match="no answer could be right"):
        close(nan, nan)


def test_infinities_are_equal_only_to_themselves() -> None:
    infinite = torch.tensor([float("inf"), -float("inf")])
    close(infinite, infinite.clone())
    for wrong in (-infinite, torch.tensor([float("inf"), 1e30])):
        with pytest.raises(CheckFailure):
            close(wrong, infinite)
    with pytest.raises(CheckFailure):
        close(1e300, float("inf"))


def test_nothing_broadcasts() -> None:
    with pytest.raises(CheckFailure) as caught:
        close(torch.ones(()), torch.ones(2, 3), what="the weights")
    assert caught.value.message == "Wrong shape for the weights: () came; (2, 3) was expected."


def test_shape_is_compared_before_dtype_and_dtype_before_values() -> None:
    with pytest.raises(CheckFailure, match="Wrong shape"):
        close(torch.zeros(2, dtype=torch.int64), torch.ones(3))
    with pytest.raises(CheckFailure, match="Wrong dtype for the output: int64 came; float32 was expected"):
        close(torch.zeros(3, dtype=torch.int64), torch.ones(3))


def test_bool_and_integer_tensors_must_be_equal() -> None:
    with pytest.raises(CheckFailure, match=r"False came at \[0, 1\]; True was expected \(1 of 4"):
        close(torch.zeros(2, 2, dtype=torch.bool), torch.tensor([[False, True], [False, False]]))


def test_same_tells_a_bool_from_a_number() -> None:
    same((1, [2, "a"]), [1, (2, "a")])
    with pytest.raises(CheckFailure, match="the bool True came; the int 1 was expected"):
        same(True, 1)


def test_tuples_lists_and_dicts_are_compared_item_by_item() -> None:
    one = torch.ones(2, dtype=torch.float64)
    close([one, {"a": 1.0}], (one, {"a": 1.0}))
    with pytest.raises(CheckFailure, match="a list of 1 item came; a tuple of 2 was expected"):
        close([one], (one, one))
    with pytest.raises(CheckFailure, match="Wrong values in item 1 of the output"):
        close((one, one + 1), (one, one))


def test_two_numbers_that_look_alike_are_told_apart() -> None:
    with pytest.raises(CheckFailure, match=r"1\.00001 came, 1\.0 was expected"):
        close(1.00001, 1.0)


@pytest.mark.parametrize(
    ("got", "expected", "precision"),
    [
        (torch.ones(2), torch.ones(2, dtype=torch.float64), True),
        (torch.ones(2, dtype=torch.float64) + 1e-7, torch.ones(2, dtype=torch.float64), True),
        (torch.ones(2, dtype=torch.float64) + 1e-3, torch.ones(2, dtype=torch.float64), False),
        (torch.ones(2, dtype=torch.float16), torch.ones(2, dtype=torch.float64), False),
        (torch.ones(2, dtype=torch.float64), torch.ones(2), False),
    ],
)
def test_an_answer_as_exact_as_float32_is_marked_so(got: Any, expected: Any, precision: bool) -> None:
    with pytest.raises(CheckFailure) as caught:
        close(got, expected)
    assert caught.value.precision is precision


def test_raises_wants_the_exception_and_the_words() -> None:
    def student() -> None:
        raise StudentRaised("builtins.ValueError", "d_model must be divisible by HEADS")

    raises(student, "ValueError", mentions=["heads"])
    raises(student, ["TypeError", "ValueError"])
    with pytest.raises(CheckFailure, match="does not mention 7"):
        raises(student, "ValueError", mentions=["7"])
    with pytest.raises(CheckFailure, match=r"ValueError was raised .*; IndexError was expected"):
        raises(student, "IndexError")
    with pytest.raises(
        CheckFailure, match=r"No exception was raised; ValueError was expected. The int 3 came."
    ):
        raises(lambda: 3, "ValueError")


def test_raises_takes_an_exception_made_from_the_one_that_is_asked_for() -> None:
    def student() -> None:
        raise StudentRaised("HeadsError", "10 and 4", bases=("ValueError", "Exception"))

    raises(student, "ValueError", mentions=["10", "4"])
    with pytest.raises(CheckFailure, match=r"HeadsError was raised .*; IndexError was expected"):
        raises(student, "IndexError")


def test_fail_keeps_what_it_was_given() -> None:
    with pytest.raises(CheckFailure) as caught:
        fail("Row 1 moved.", got=1, expected=0, inputs={"row 0 alone": torch.ones(1)})
    assert (caught.value.got, caught.value.expected, list(caught.value.inputs)) == (1, 0, ["row 0 alone"])


@pytest.mark.parametrize("odd", [float("nan"), float("inf"), float("-inf")])
def test_what_is_to_be_compared_with_another_answer_must_be_finite(odd: float) -> None:
    got = torch.tensor([[1.0, 2.0], [odd, 4.0]])
    assert tensor(got) is got
    with pytest.raises(CheckFailure) as failure:
        tensor(got, what="the logits", finite=True)
    assert failure.value.message == (
        f"Wrong values in the logits: {odd:g} came at [1, 0]; a finite number was expected "
        "(1 of 4 elements are wrong)."
    )
    assert failure.value.marked == (2,)


def test_integers_and_nothing_at_all_are_finite() -> None:
    for got in (torch.arange(3), torch.empty(0, 2), torch.tensor([True])):
        assert tensor(got, finite=True) is got
