"""Hints are an author's, and are looked at all the same."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reports.authors_markup import handout_html, hint_html, ticks_html
from tests.reports.page_tags import read_page


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


def test_ticks_in_our_messages_are_code_and_odd_ones_stay() -> None:
    assert str(ticks_html("`f` is <not> defined")) == "<code>f</code> is &lt;not&gt; defined"
    assert str(ticks_html("one ` tick")) == "one ` tick"


@given(st.text())
def test_a_handout_makes_only_elements_without_behaviour(text: str) -> None:
    page = read_page(str(handout_html(text)))
    assert not {e.tag for e in page.elements} & {"script", "style", "img", "iframe", "form", "input", "svg"}
    kept = {"href", "rel", "start", "tabindex"}
    assert not [name for e in page.elements for name in e.attributes if name not in kept]


@pytest.mark.parametrize(
    "text",
    [
        "[x](javascript:alert(1))",
        "[x](//x.example)",
        "[x](../../admin)",
        "[x]: data:text/html,x\n\n[x]",
        "![x](javascript:alert(1))",
    ],
)
def test_a_handout_links_to_https_alone(text: str) -> None:
    page = read_page(str(handout_html(text)))
    assert not [e for e in page.all("a") if not e.attributes.get("href", "https://").startswith("https://")]


def test_a_handout_has_headings_below_the_pages_own_code_and_tables() -> None:
    page = read_page(
        str(handout_html("# A\n\n## B\n\n| a |\n| --- |\n| `b` |\n\n```python\nx\n```\n", top=3))
    )
    assert [e.tag for e in page.elements if e.tag in ("h3", "h4", "table", "pre")] == [
        "h3",
        "h4",
        "table",
        "pre",
    ]
