"""Hints and pictures are ours or an author's, and are looked at all the same."""

from __future__ import annotations

import base64

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reports.authors_markup import hint_html, picture_source, ticks_html
from tests.reports.page_tags import read_page
from tests.reports.result_maker import PIXELS

SVG = '<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink">{}</svg>'


@given(st.text())
def test_a_hint_makes_only_inline_elements(hint: str) -> None:
    page = read_page(str(hint_html(hint)))
    assert {e.tag for e in page.elements} <= {"code", "em", "strong", "a", "br"}


@pytest.mark.parametrize(
    "hint",
    [
        "[x](javascript:alert(1))",
        "[x](http://x.example)",
        "[x](data:text/html,x)",
        "<b onclick=x>",
        "![x](https://x.example/i.png)",
    ],
)
def test_a_hint_links_to_https_alone_and_has_no_html(hint: str) -> None:
    page = read_page(str(hint_html(hint)))
    assert not [e for e in page.elements if e.tag != "a"]
    assert not [e for e in page.all("a") if e.attributes.get("href", "https://").split(":")[0] != "https"]


def test_a_link_to_the_documentation_stays() -> None:
    link = read_page(str(hint_html("See [tril](https://pytorch.org/docs)."))).one("a")
    assert link.attributes == {"href": "https://pytorch.org/docs", "rel": "noopener noreferrer"}


def test_a_drawing_becomes_an_image_of_itself() -> None:
    source = picture_source(PIXELS)
    assert source is not None
    assert base64.b64decode(source.partition(",")[2]).decode() == PIXELS


@pytest.mark.parametrize(
    "inside",
    [
        "<script>alert(1)</script>",
        "<foreignObject><p xmlns='http://www.w3.org/1999/xhtml'>x</p></foreignObject>",
        '<rect onload="alert(1)"/>',
        '<image href="https://x.example/i.png"/>',
        '<use xlink:href="other.svg#a"/>',
        '<rect fill="url(https://x.example/#a)"/>',
        "<style>@import 'https://x.example/a.css';</style>",
        '<a href="javascript:alert(1)"><rect/></a>',
        "<rect>",
    ],
)
def test_a_drawing_that_runs_or_loads_something_is_not_shown(inside: str) -> None:
    assert picture_source(SVG.format(inside)) is None


def test_a_document_type_is_refused_before_it_is_parsed() -> None:
    bomb = '<!DOCTYPE svg [<!ENTITY a "' + "x" * 1000 + '">]>' + SVG.format("&a;" * 100)
    assert picture_source(bomb) is None


def test_ticks_in_our_messages_are_code_and_odd_ones_stay() -> None:
    assert str(ticks_html("`f` is <not> defined")) == "<code>f</code> is &lt;not&gt; defined"
    assert str(ticks_html("one ` tick")) == "one ` tick"
