"""Tensors are drawn so that the difference can be seen."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graders.result import ShownTensor
from reports.shown_values import MAX_COLUMNS, MAX_ROWS, MAX_SLICES, number_text, shown_pair, shown_value
from tests.reports.result_maker import tensor


def test_a_vector_is_one_row_without_an_index() -> None:
    (grid,) = shown_value("x", tensor([1.0, 2.5])).grids
    assert grid.rows[0][0] is None
    assert [cell.text for cell in grid.rows[0][1]] == ["1.0000", "2.5000"]


def test_a_scalar_is_no_grid() -> None:
    value = shown_value("x", tensor(2.5))
    assert value.scalar is not None
    assert (value.shape, value.grids, value.scalar.text) == ("()", (), "2.5000")


def test_an_empty_tensor_says_so() -> None:
    assert (
        shown_value("x", ShownTensor(shape=(0, 3), dtype="float32", values=())).note == "It has no elements."
    )


def test_the_window_holds_the_first_fault_and_says_that_it_is_a_part() -> None:
    value = shown_value(
        "x", tensor([[float(100 * i + j) for j in range(20)] for i in range(20)], marked=(19 * 20 + 18,))
    )
    (grid,) = value.grids
    assert any(cell.marked and cell.text == "1918.0" for _, cells in grid.rows for cell in cells)
    assert value.note == "Only a part is shown."
    assert grid.rows[-1][0] == 19


def test_got_and_expected_are_written_with_decimals_that_tell_them_apart() -> None:
    got, expected = shown_pair(tensor([0.12345678], marked=(0,)), tensor([0.12345648]))
    assert got is not None
    assert expected is not None
    assert got.grids[0].rows[0][1][0].text == "0.123456780"
    assert expected.grids[0].rows[0][1][0].text == "0.123456480"
    assert expected.grids[0].rows[0][1][0].marked


def test_words_for_what_json_cannot_say_are_kept() -> None:
    (grid,) = shown_value("x", tensor([float("nan"), float("inf"), 1.0])).grids
    assert [cell.text for cell in grid.rows[0][1]] == ["nan", "inf", "1.0"]


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (True, "True"),
        (7, "7"),
        (0.0, "0.0000"),
        (-0.0, "0.0000"),
        (1e-9, "1.0000e-09"),
        (2e7, "2.0000e+07"),
        (10**40, "about 10^39"),
    ],
)
def test_numbers_are_written_as_people_read_them(value: bool | int | float, text: str) -> None:
    assert number_text(value, (4, False)) == text


@given(
    shape=st.lists(st.integers(-2, 40), max_size=5),
    values=st.lists(st.one_of(st.floats(), st.integers(), st.booleans(), st.text(max_size=5)), max_size=60),
    marked=st.lists(st.integers(-5, 2000), max_size=5),
)
def test_any_shape_with_any_number_of_values_can_be_drawn(
    shape: list[int], values: list[float], marked: list[int]
) -> None:
    one = ShownTensor(shape=tuple(shape), dtype="float64", values=tuple(values), marked=tuple(marked))
    value = shown_value("x", one)
    assert len(value.grids) <= MAX_SLICES
    for grid in value.grids:
        assert len(grid.rows) <= MAX_ROWS
        assert all(len(cells) == len(grid.columns) <= MAX_COLUMNS for _, cells in grid.rows)
    shown_pair(one, one)
