"""Numbers of rows that somebody sends."""

from __future__ import annotations

import pytest

from attest.portal.numbers import row_number


@pytest.mark.parametrize(
    "text", ["", "x", "-1", "+1", "1.0", " 1", "1_0", "0x1", "²", "٣", "9" * 19, "9" * 5000]
)
def test_what_cannot_be_a_number_of_a_row_is_none(text: str) -> None:
    assert row_number(text) == 0


def test_a_number_of_a_row() -> None:
    assert (row_number("7"), row_number("007"), row_number("9" * 18)) == (7, 7, 10**18 - 1)
