"""Addresses, as every program reads them."""

from __future__ import annotations

import pytest

from attest.lti.members import origin


@pytest.mark.parametrize(
    ("url", "written"),
    [
        ("https://moodle.example/mod/lti/auth.php?a=b", "https://moodle.example"),
        ("https://MOODLE.example:443", "https://moodle.example"),
        ("http://moodle.example:80/", "http://moodle.example"),
        ("http://moodle.example:443/", "http://moodle.example:443"),
        ("https://moodle.example:8443/", "https://moodle.example:8443"),
        ("https://[2001:db8::1]:8443/", "https://[2001:db8::1]:8443"),
    ],
)
def test_an_origin_is_written_as_a_browser_writes_it(url: str, written: str) -> None:
    assert origin(url) == written


@pytest.mark.parametrize(
    "url", ["", "/lti", "//moodle.example", "ftp://moodle.example", "https://", "https://a:b"]
)
def test_what_has_no_origin_is_said(url: str) -> None:
    with pytest.raises(ValueError, match="not an absolute http or https address"):
        origin(url)
