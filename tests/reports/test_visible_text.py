"""Nothing invisible reaches a reader, and no line is put in another order."""

from __future__ import annotations

import unicodedata

from hypothesis import given
from hypothesis import strategies as st

from reports.visible_text import excerpt, one_line, visible_text

JOINERS_AND_EMOJI = {"\u200c", "\u200d"}


@given(st.text(st.characters()))
def test_no_control_and_no_format_character_is_left(text: str) -> None:
    left = {c for c in visible_text(text) if unicodedata.category(c) in {"Cc", "Cf", "Cs", "Zl", "Zp"}}
    odd = {
        c
        for c in left - {"\n", "\t"} - JOINERS_AND_EMOJI
        if unicodedata.bidirectional(c) in _REORDERS or ord(c) < 0x2100
    }
    assert {
        c for c in odd if unicodedata.category(c) != "Cf" or unicodedata.bidirectional(c) in _REORDERS
    } == set()
    visible_text(text).encode("utf-8")


_REORDERS = {"LRE", "RLE", "PDF", "LRO", "RLO", "LRI", "RLI", "FSI", "PDI"}


def test_terminal_colours_are_dropped_and_other_escapes_shown() -> None:
    assert visible_text("\x1b[1;31mred\x1b[0m \x1b]0;title\x07\x1b") == "red ␛"


def test_bidi_controls_are_named() -> None:
    assert visible_text("a\u202egnp.exe") == "a[U+202E]gnp.exe"


def test_a_progress_bar_is_its_lines() -> None:
    assert visible_text("10%\r20%\r\n") == "10%\n20%\n"


def test_right_to_left_text_and_joined_emoji_stay() -> None:
    for text in ("ליאת כהן", "منى عبد", "👩\u200d🏫", "naïve"):
        assert visible_text(text) == text


def test_accents_are_not_piled_up() -> None:
    assert len(visible_text("Z" + "\u0337" * 500)) <= 6


@given(st.text(), st.integers(2, 50))
def test_one_line_is_one_line_within_its_limit(text: str, limit: int) -> None:
    line = one_line(text, limit)
    assert len(line) <= limit
    assert "\n" not in line


def test_a_cut_says_how_much_is_missing() -> None:
    cut = excerpt("x" * 5000, limit=100, max_lines=5)
    assert (len(cut.text), cut.note) == (100, "Cut: the first 100 of 5,000 characters are shown.")
    assert excerpt("short\n", limit=100, max_lines=5).note == ""
