"""Letters and parts are read as students write them."""

import pytest

from graders.named_parts import lines_named, named_part

LINES = {"A": (), "D": ("x4", "f4", "x4 = self.f4(x1)"), "I": ("x9",), "L": ()}


@pytest.mark.parametrize(
    "value",
    ["D", "d", " D ", "line D", "Line d:", "D)", "(D)", "D.", ["D"], ("d",), "x4", "f4", "x4=self.f4(x1)"],
)
def test_one_line(value):
    assert lines_named(value, LINES) == {"D"}


@pytest.mark.parametrize(
    "value", [["I", "L"], ("l", "i"), "I, L", "I and L", "lines I/L", "I & L", ["x9", "line L"], "I\nL"]
)
def test_two_lines(value):
    assert lines_named(value, LINES) == {"I", "L"}


@pytest.mark.parametrize(
    "value", ["", "?", None, [], 4, "Z", ["D", "?"], "IL", {"D": 1}, "query", [None], ","]
)
def test_what_names_no_line(value):
    assert lines_named(value, LINES) is None


@pytest.mark.parametrize("key", ["feed_forward", "Feed-Forward", "feed forward", "FFN"])
def test_a_part_however_it_is_spelt(key):
    assert named_part({"query": "D", key: "K"}, "feed_forward", ["ffn"]) == (True, "K")


def test_a_part_that_is_not_there():
    assert named_part({"query": "D"}, "key") == (False, None)
