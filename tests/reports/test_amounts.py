"""Numbers are written as people write them."""

from __future__ import annotations

import pytest

from reports.amounts import passing_text


@pytest.mark.parametrize(
    ("passed", "checks", "text"),
    [(0, 1, "0 of 1 check passes"), (1, 1, "1 of 1 check passes"), (6, 10, "6 of 10 checks pass")],
)
def test_what_passes_is_said_in_the_right_number(passed: int, checks: int, text: str) -> None:
    assert passing_text(passed, checks) == text
