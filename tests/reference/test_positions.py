"""The reference's table of positions: the paper's numbers, and what its sines and cosines are for."""

import math

import pytest
import torch

from reference import sinusoidal_positions


def test_the_first_rows_of_a_small_table():
    table = sinusoidal_positions(3, 4).tolist()
    assert table[0] == [0, 1, 0, 1]
    assert table[1] == pytest.approx([math.sin(1), math.cos(1), math.sin(0.01), math.cos(0.01)], abs=1e-6)
    assert table[2] == pytest.approx([math.sin(2), math.cos(2), math.sin(0.02), math.cos(0.02)], abs=1e-6)


def test_each_number_follows_the_formula():
    table = sinusoidal_positions(60, 12)
    for position, i in ((7, 0), (59, 3), (31, 5)):
        angle = position / 10000 ** (2 * i / 12)
        assert table[position, 2 * i].item() == pytest.approx(math.sin(angle), abs=1e-6)
        assert table[position, 2 * i + 1].item() == pytest.approx(math.cos(angle), abs=1e-6)


def test_it_has_the_default_dtype():
    assert sinusoidal_positions(2, 6).dtype == torch.float32


def test_positions_as_far_apart_are_as_alike():
    table = sinusoidal_positions(40, 16).double()
    products = table @ table.T
    torch.testing.assert_close(products.diagonal(5), products[0, 5].expand(35), atol=1e-5, rtol=0)


def test_an_odd_width_is_refused():
    with pytest.raises(ValueError, match="odd"):
        sinusoidal_positions(4, 5)
