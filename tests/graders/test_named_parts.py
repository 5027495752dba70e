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
    "value",
    [["I", "L"], ("l", "i"), "I, L", "I and L", "lines I/L", "I & L", ["x9", "line L"], "I\nL", "IL", "I L"],
)
def test_two_lines(value):
    assert lines_named(value, LINES) == {"I", "L"}


@pytest.mark.parametrize(
    "value",
    [
        *(
            "`D`",
            "**D**",
            "Ｄ",
            "'D'",
            "row D",
            "letter D.",
            "the line D",
            "D = x4",
            "D (x4)",
            "x4 (D)",
            "D - f4",
        ),
        *(
            "D: x4 = self.f4(x1)",
            "D because it is the left factor",
            "self.f4(x1)",
            "D: left in E, so a target",
        ),
    ],
)
def test_one_line_and_what_it_does(value):
    assert lines_named(value, LINES) == {"D"}


@pytest.mark.parametrize(
    "value",
    [
        "I (x9) and L",
        "both I and L",
        "I und L",
        "['I', 'L']",
        "I: x0 + x9, L: x9 + x11",
        "`I`, `L`",
        ["I: x9", "L)"],
    ],
)
def test_two_lines_and_what_they_do(value):
    assert lines_named(value, LINES) == {"I", "L"}


@pytest.mark.parametrize(
    "value",
    [
        "",
        "?",
        None,
        [],
        4,
        "Z",
        ["D", "?"],
        "DD",
        "AI?",
        "not D, A",
        "AD or so",
        "a dial",
        {"D": 1},
        "query",
        [None],
        ",",
    ],
)
def test_what_names_no_line(value):
    assert lines_named(value, LINES) is None


@pytest.mark.parametrize(
    "key",
    ["feed_forward", "Feed-Forward", "feed forward", "FFN", "feed_forward (K)", "FFN (two linear layers)"],
)
def test_a_part_however_it_is_spelt(key):
    assert named_part({"query": "D", key: "K"}, "feed_forward", ["ffn"]) == (True, "K")


def test_a_part_that_is_not_there():
    assert named_part({"query": "D"}, "key") == (False, None)
