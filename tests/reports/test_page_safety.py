"""Whatever a stranger writes stays text, and a page asks nobody for anything."""

from __future__ import annotations

import base64
import hashlib
import re
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from graders.result import Result
from reports import index_html, student_html
from reports.visible_text import visible_text
from tests.reports.hostile_results import HOSTILE, hostile
from tests.reports.made_results import ALL, TYPICAL
from tests.reports.page_tags import Page, read_page

STRANGERS_TEXT = st.text(st.characters(), max_size=40).filter(
    lambda text: sum(c in "\r\n" for c in text) <= 3
)
PAGES = {
    **{name: student_html(result) for name, result in ALL.items()},
    **{
        f"{name}, for the instructor": student_html(result, audience="instructor")
        for name, result in ALL.items()
    },
    **{f"hostile {number}": student_html(hostile(text)) for number, text in enumerate(HOSTILE)},
    "cohort": index_html(
        [*ALL.values(), *map(hostile, HOSTILE)], {r.student.id: "reports/x.html" for r in ALL.values()}
    ),
}


def without_hint(result: Result) -> Result:
    """A hint is its author's Markdown: it may make elements, and has tests of its own."""
    return result.model_copy(
        update={"checks": tuple(c.model_copy(update={"hint": "x"}) for c in result.checks)}
    )


@settings(max_examples=150, deadline=None)
@given(STRANGERS_TEXT)
def test_no_text_of_a_stranger_makes_or_changes_an_element(text: str) -> None:
    for audience in ("student", "instructor"):
        page = read_page(student_html(without_hint(hostile("x" + text)), audience=audience))
        plain = read_page(student_html(without_hint(hostile("x")), audience=audience))
        assert page.shape == plain.shape


@settings(max_examples=80, deadline=None)
@given(STRANGERS_TEXT)
def test_no_text_of_a_stranger_makes_an_element_in_the_cohorts_page(text: str) -> None:
    def page(word: str) -> Page:
        result = hostile(word)
        rows = [result, result.model_copy(update={"status": "not_graded"})]
        return read_page(index_html(rows, {word: "reports/a.html"}))

    assert page("x" + text).shape == page("x").shape


@settings(max_examples=80, deadline=None)
@given(STRANGERS_TEXT)
def test_nothing_unseen_and_nothing_that_reorders_a_line_is_on_a_page(text: str) -> None:
    for page in (student_html(hostile(text)), index_html([hostile(text)], {text: "reports/x.html"})):
        assert visible_text(page) == page
        page.encode("utf-8")


@pytest.mark.parametrize("text", HOSTILE)
def test_what_was_printed_is_what_the_page_shows(text: str) -> None:
    page = read_page(student_html(hostile(text)))
    assert visible_text("out " + text) in [pre.text for pre in page.all("pre")]


@pytest.mark.parametrize("name", PAGES)
def test_the_policy_allows_this_style_and_this_script_and_nothing_else(name: str) -> None:
    page = read_page(PAGES[name])
    policy = page.one("meta", **{"http-equiv": "Content-Security-Policy"}).attributes["content"]
    rules = dict(rule.split(" ", 1) for rule in policy.split("; "))
    assert rules.pop("style-src") == digest(page.one("style").text)
    scripts = page.all("script")
    if name == "cohort":
        assert rules.pop("script-src") == digest(scripts[0].text)
    else:
        assert not scripts
    assert rules == {
        "default-src": "'none'",
        "img-src": "data:",
        "base-uri": "'none'",
        "form-action": "'none'",
    }


def digest(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


@pytest.mark.parametrize("name", PAGES)
def test_a_page_loads_nothing_and_runs_nothing_inline(name: str) -> None:
    page = read_page(PAGES[name])
    for element in page.elements:
        for attribute, value in element.attributes.items():
            assert not attribute.startswith("on")
            assert attribute != "style"
            if attribute in {"src", "href", "action", "srcset", "data", "poster", "background", "formaction"}:
                assert value.startswith(("#", "reports/", "data:image/svg+xml;base64,")), (element.tag, value)
        assert element.tag not in {"link", "base", "iframe", "object", "embed", "foreignobject"}
    assert not re.search(r"url\(|@import|expression\(", page.one("style").text)


@pytest.mark.parametrize("name", PAGES)
def test_a_page_has_its_landmarks_and_its_headings_in_order(name: str) -> None:
    page = read_page(PAGES[name])
    assert page.one("html").attributes["lang"] == "en"
    assert page.one("title").text
    for landmark in ("header", "main", "h1"):
        page.one(landmark)
    levels = [int(e.tag[1]) for e in page.elements if re.fullmatch("h[1-6]", e.tag)]
    assert all(after - before <= 1 for before, after in pairwise(levels))
    identities = [e.attributes["id"] for e in page.elements if "id" in e.attributes]
    assert len(identities) == len(set(identities))
    skip = page.all("a", class_="skip")[0].attributes["href"].lstrip("#")
    linked = {e.attributes["href"][1:] for e in page.all("a") if e.attributes.get("href", "").startswith("#")}
    named = {e.attributes[a] for e in page.elements for a in ("aria-labelledby",) if a in e.attributes}
    assert {skip} | linked | named <= set(identities)


@pytest.mark.parametrize("name", PAGES)
def test_every_header_cell_has_a_scope_and_every_picture_a_text(name: str) -> None:
    page = read_page(PAGES[name])
    assert all(th.attributes.get("scope") in {"row", "col"} for th in page.all("th"))
    assert all("alt" in img.attributes for img in page.all("img"))
    for svg in page.all("svg"):
        assert svg.attributes.get("aria-hidden") == "true" or svg.attributes.get("aria-label")


def test_a_page_is_the_same_every_time() -> None:
    assert student_html(TYPICAL) == student_html(TYPICAL)
