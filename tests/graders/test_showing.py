"""What is shown is bounded plain text, whatever the value."""

from __future__ import annotations

import json
from typing import Any

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from graders.result import ShownTensor, ShownText
from graders.showing import MOST_ELEMENTS, describe, line, plain, show
from tests.graders.values import GARBAGE


@given(st.text(), st.integers(1, 300))
def test_plain_text_is_bounded_and_has_no_control_characters(text: str, limit: int) -> None:
    shown = plain(text, limit)
    assert len(shown) <= limit
    assert all(
        character in "\n\t" or character.isprintable() or not character.isascii() for character in shown
    )
    assert "\n" not in line(text)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("\x1b[31mred\x1b[0m", "red"),
        ("\x1b]0;title\x07after", "after"),
        ("\x1b]8;;http://x\x1b\\link", "link"),
        ("one\r\ntwo\tthree", "one\ntwo\tthree"),
        ("a\u202eb\u2066c\x00d\x9b31m", "abcd31m"),
        ("\ud800x", "x"),
    ],
)
def test_escapes_and_marks_that_reorder_text_are_left_out(text: str, shown: str) -> None:
    assert plain(text) == shown


@given(GARBAGE)
def test_anything_can_be_shown_and_described(value: Any) -> None:
    shown = show(value)
    assert len(shown.model_dump_json()) < 20_000
    assert 0 < len(describe(value)) <= 200
    json.loads(shown.model_dump_json())


def test_a_tensor_is_cut_and_its_odd_numbers_spelled() -> None:
    value = torch.full((2, 200), float("nan"))
    value[0, 0], value[0, 1] = 1.5, -float("inf")
    shown = show(value, marked=[0, 399, 5])
    assert isinstance(shown, ShownTensor)
    assert shown.shape == (2, 200)
    assert shown.values[:3] == (1.5, "-inf", "nan")
    assert (len(shown.values), shown.truncated, shown.marked) == (MOST_ELEMENTS, True, (0, 5))


def test_nested_values_are_written_out_within_bounds() -> None:
    deep: Any = 1
    for _ in range(50):
        deep = [deep]
    shown = show({"a": (torch.ones(2), [1, 2.5, "x"]), "b": deep})
    assert isinstance(shown, ShownText)
    assert shown.text == ("{'a': (a float32 tensor of shape (2,), [1, 2.5, 'x']), 'b': [[a list of 1 item]]}")


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (None, "None"),
        (True, "the bool True"),
        ([1], "a list of 1 item"),
        ((1, 2), "a tuple of 2 items"),
        (b"ab", "a bytes of 2 bytes"),
        (torch.ones(2, 3, dtype=torch.float64), "a float64 tensor of shape (2, 3)"),
    ],
)
def test_descriptions(value: Any, words: str) -> None:
    assert describe(value) == words


def test_an_integer_too_long_for_python_to_write_out() -> None:
    assert describe(-(10**5000)) == "the int -2**16609 or more"
