"""A file name that no student can steer."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reports import report_name


@pytest.mark.parametrize("plain", ["ada", "s12345", "ada.lovelace", "ada_l-2"])
def test_a_plain_id_is_its_own_name(plain: str) -> None:
    assert report_name(plain) == plain


@pytest.mark.parametrize(
    "odd",
    [
        "../../etc/passwd",
        "a/b",
        "a\\b",
        ".hidden",
        "..",
        "",
        " ",
        "con",
        "NUL.txt",
        "index",
        "a" * 5000,
        "C:\\x",
        "a\x00b",
        "\u202eabc",
        "\ud800",
        "ö",
        "x.",
        "-rf",
    ],
)
def test_an_odd_id_gets_a_safe_name_with_a_hash(odd: str) -> None:
    name = report_name(odd)
    assert name != odd
    assert len(name.encode()) <= 80
    assert not set(name) & set('/\\:*?"<>|\x00 ')
    assert not name.startswith((".", "-"))
    assert name.split(".")[0] not in {"con", "nul", "index"}


@given(st.text(st.characters()))
def test_any_id_gives_a_name_that_is_safe_and_its_own_normal_form(identity: str) -> None:
    name = report_name(identity)
    assert name == unicodedata.normalize("NFC", name)
    assert all(c.isalnum() or c in "-_." for c in name)
    assert name[0] not in ".-"
    assert 0 < len(name.encode()) <= 80


@given(st.lists(st.text(alphabet="aAbBéÉß.-/ 0", max_size=6), unique=True, max_size=8))
def test_two_students_never_share_a_file_even_where_case_is_ignored(identities: list[str]) -> None:
    names = {unicodedata.normalize("NFC", report_name(i)).casefold() for i in identities}
    assert len(names) == len(identities)


def test_an_id_cannot_pass_for_the_name_made_for_another() -> None:
    assert report_name(report_name("Ada")) != report_name("Ada")
