"""Addresses that are asked for, and what a platform's headers say of the next page and of waiting."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from attest.lti.answers import wait_asked_for
from attest.lti.service import below, next_page


@pytest.mark.parametrize(
    ("url", "found"),
    [
        ("https://m/li/3?type_id=1", "https://m/li/3/scores?type_id=1"),
        ("https://m/li/3/lineitem?type_id=1&x=a%20b", "https://m/li/3/lineitem/scores?type_id=1&x=a%20b"),
        ("https://m/li/3/", "https://m/li/3/scores"),
        ("https://m/li/3#part", "https://m/li/3/scores"),
    ],
)
def test_an_address_below_a_column_keeps_its_query(url: str, found: str) -> None:
    assert below(url, "scores") == found


def test_what_is_asked_for_is_added_to_a_query() -> None:
    assert below("https://m/li/3?type_id=1", "results", user_id="a&b=c") == (
        "https://m/li/3/results?type_id=1&user_id=a%26b%3Dc"
    )


@pytest.mark.parametrize(
    ("link", "found"),
    [
        ('<https://m/p?page=2>; rel="next"', "https://m/p?page=2"),
        ('<https://m/d?since=1>; rel="differences", <https://m/p?a=1,2>; rel=next', "https://m/p?a=1,2"),
        ('<?page=2>; title="next"; rel="prev next"', "https://m/p?page=2"),
        ('<https://m/p?page=1>; rel="prev"', None),
        ("nonsense", None),
        ("", None),
    ],
)
def test_the_next_page_is_found_in_a_link_header(link: str, found: str | None) -> None:
    assert next_page({"link": link}, "https://m/p") == found


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("120", 120.0),
        ("1e9", 3600.0),
        ("-5", 0.0),
        ("nan", 0.0),
        ("", 0.0),
        ("soon", 0.0),
        ("Mon, 30 Nov 2026 12:02:00 GMT", 120.0),
        ("Mon, 30 Nov 2026 11:00:00 GMT", 0.0),
    ],
)
def test_how_long_a_platform_asks_to_wait(text: str, seconds: float) -> None:
    assert wait_asked_for(text, 1_796_040_000.0) == seconds


@given(st.text())
def test_no_text_of_a_platform_makes_us_wait_longer_than_an_hour(text: str) -> None:
    assert 0.0 <= wait_asked_for(text, 1_796_040_000.0) <= 3600.0
