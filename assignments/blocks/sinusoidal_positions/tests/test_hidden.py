"""Other lengths and widths, in either layout: sines beside their cosines, or all sines first."""

import torch
from hypothesis import strategies as st
from torch import Tensor

import reference
from graders import cases, close, fail, points, tensor

# Computed in float32, correct tables differ by 1e-5 at position 100, and by 1e-4 at position 1000.
NEAR, FAR = 1e-4, 1e-3
WITH_THE_SHAPE = ("test_shape",)


def layouts(max_len: int, d_model: int) -> tuple[Tensor, Tensor]:
    """The table with each sine beside its cosine, and with all sines first."""
    beside = reference.sinusoidal_positions(max_len, d_model).double()
    return beside, torch.cat([beside[:, 0::2], beside[:, 1::2]], dim=1)


def table_of(student, max_len: int, d_model: int) -> Tensor:
    answer = student.sinusoidal_positions(max_len, d_model)
    return tensor(answer, shape=(max_len, d_model), what="the table").double()


def compare(table: Tensor, atol: float) -> None:
    """Fail unless the table is right in one layout; what is shown is compared with the nearer one."""
    expected = min(layouts(*table.shape), key=lambda layout: float((~((table - layout).abs() < atol)).sum()))
    close(table, expected, what="the table", atol=atol)


@st.composite
def sizes(draw):
    """Lengths and even widths that differ, small enough to be looked at when they fail."""
    max_len = draw(st.integers(3, 40))
    d_model = 2 * draw(st.integers(2, 12))
    return (max_len, d_model) if max_len != d_model else (max_len + 1, d_model)


@points(
    4,
    requires=WITH_THE_SHAPE,
    section="Positions",
    hint="The angle of pair i is pos / 10000^(2i / d_model): i counts pairs, from 0 to d_model / 2 - 1.",
)
@cases(sizes(), n=4)
def test_values(student, case):
    """The table follows the formula, whatever the length and the width."""
    compare(table_of(student, *case), NEAR)


@points(1, requires=WITH_THE_SHAPE, hint="The angles do not depend on max_len: only the number of rows does.")
def test_longer_table_begins_alike(student):
    """A longer table begins with the shorter one, and goes on with other rows."""
    short, long = table_of(student, 9, 6), table_of(student, 16, 6)
    close(long[:9], short, what="the first rows of the longer table", atol=NEAR)
    if len(long.round(decimals=6).unique(dim=0)) < len(long):
        fail("Two positions have the same row, so they could not be told apart.", got=long)


@points(
    1, requires=WITH_THE_SHAPE, hint="Make the table from max_len and d_model each time, in float32 at least."
)
def test_far_positions(student):
    """A table of a thousand positions is right up to its last row."""
    compare(table_of(student, 1003, 26), FAR)


@points(
    1,
    requires=WITH_THE_SHAPE,
    hint="One position gives one row, and two features are one sine and one cosine.",
)
def test_smallest(student):
    """Tables of one position, and of two features, are right."""
    for max_len, d_model in ((1, 2), (1, 6), (5, 2)):
        compare(table_of(student, max_len, d_model), NEAR)
