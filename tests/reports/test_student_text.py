"""The Markdown twin says the same, and nothing in it does anything."""

from __future__ import annotations

import re
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markdown_it.token import Token

from graders.result import StudentError, Verdict
from reports import student_html, student_markdown
from reports.check_view import CaseView
from reports.shown_values import shown_value
from reports.student_text import code, fence, hint_markdown, plain, prose
from reports.visible_text import one_line, visible_text
from tests.reports.hostile_results import HOSTILE, hostile
from tests.reports.made_results import ALL, EVERY_VERDICT, NOT_GRADED, TYPICAL, WITHHELD
from tests.reports.result_maker import tensor

STRANGERS_TEXT = st.text(st.characters(), max_size=60)
PARSER = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])


def tokens(markdown: str) -> list[Token]:
    found = []
    for token in PARSER.parse(markdown):
        found.append(token)
        found += token.children or []
    return found


def shape(markdown: str) -> list[str]:
    return [t.type for t in tokens(markdown) if t.type not in {"text", "code_inline", "softbreak"}]


@settings(max_examples=150, deadline=None)
@given(STRANGERS_TEXT)
def test_no_text_of_a_stranger_makes_html_a_link_or_a_heading(text: str) -> None:
    found = tokens(student_markdown(hostile(text)))
    assert not [
        t for t in found if t.type in {"html_block", "html_inline", "image", "table_open", "hr", "code_block"}
    ]
    assert not [t for t in found if t.type == "link_open" and not str(t.attrs["href"]).startswith("https://")]


@settings(max_examples=150, deadline=None)
@given(STRANGERS_TEXT)
def test_escaped_text_is_read_back_as_one_paragraph_with_this_text(text: str) -> None:
    line = one_line(text, 1500)
    paragraph = tokens(plain(text))
    if not line:
        assert not paragraph
        return
    assert [t.type for t in paragraph if t.type not in {"text", "softbreak"}] == [
        "paragraph_open",
        "inline",
        "paragraph_close",
    ]
    said = "".join(t.content for t in paragraph if t.type == "text").replace("\u2060", "")
    assert re.sub(r"\s", "", said) == re.sub(
        r"\s", "", re.sub(r"^: :|##(?=(vso)?\[)", lambda m: m.group(), line)
    )


@settings(max_examples=80, deadline=None)
@given(STRANGERS_TEXT)
def test_nothing_unseen_is_in_the_text_but_our_own_joiner(text: str) -> None:
    markdown = student_markdown(hostile(text)).replace("\u2060", "")
    assert visible_text(markdown) == markdown


@given(STRANGERS_TEXT)
def test_a_fence_holds_whatever_is_in_it(text: str) -> None:
    blocks = PARSER.parse(fence(text))
    assert [t.type for t in blocks] == ["fence"]


@given(STRANGERS_TEXT)
def test_a_code_span_holds_whatever_is_in_it(text: str) -> None:
    if one_line(text):
        inline = PARSER.parseInline("a " + code(text) + " b")[0].children or []
        assert [t.type for t in inline if t.content] == ["text", "code_inline", "text"]


@pytest.mark.parametrize(
    "text",
    [
        *HOSTILE,
        "::set-output name=x::1",
        "  ::error::x",
        "x ##[command]y",
        "##vso[task]z",
        "a\n::stop-commands::t",
    ],
)
def test_no_line_is_a_command_to_a_ci_log(text: str) -> None:
    for line in student_markdown(hostile(text)).splitlines():
        assert not line.lstrip().startswith("::")
        assert "##[" not in line
        assert "##vso[" not in line


def test_nobody_is_mentioned_and_no_address_becomes_a_link() -> None:
    assert plain("@ada #12 http://x.example www.x.example") == (
        "@\u2060ada #\u206012 http\\://x.example www\\.x.example"
    )


def test_a_matrix_product_keeps_its_sign() -> None:
    assert plain("q @ k.T") == "q @ k.T"


def test_names_in_ticks_are_code() -> None:
    assert prose("`causal_mask` is *not* defined") == "`causal_mask` is \\*not\\* defined"


def test_a_hint_keeps_its_markdown_but_no_html_and_no_picture() -> None:
    assert hint_markdown("Use `a*b` **now**, <b>not</b> ![x](https://x.example/i.png)").startswith(
        "Use `a*b` **now**, &lt;b&gt;not"
    )
    assert hint_markdown("[docs](https://pytorch.org) [x](javascript:y)").startswith(
        "[docs](https://pytorch.org)"
    )


def test_the_text_says_what_the_page_says() -> None:
    text = student_markdown(TYPICAL)
    parts = [
        "# Attention: the three examples",
        "**Score: 9 of 20 points**",
        "## Start here: The pooled vector is the mean over real tokens only.",
        "6 of 10 checks pass.",
        "## Scaled dot-product attention",
        "### ✗ Failed: The numbers of the lesson come out. (0 of 2 points)",
        "**Hint.** Divide the scores by `math.sqrt(d_k)` **before** the softmax.",
        "  ≠ 0.7311  ≠ 0.2689",
        "```text\nRuntimeError: The size of tensor a (3)",
        "## About this run",
    ]
    places = [text.index(part) for part in parts]
    assert all(a < b for a, b in pairwise(places))


def test_withheld_checks_and_internal_notes_stay_out() -> None:
    assert "secret" not in student_markdown(WITHHELD)
    assert "KeyError" not in student_markdown(EVERY_VERDICT)
    assert "KeyError" in student_markdown(EVERY_VERDICT, audience="instructor")
    assert "Score" not in student_markdown(NOT_GRADED)


@pytest.mark.parametrize("name", ALL)
def test_every_report_has_one_title_and_no_html(name: str) -> None:
    found = tokens(student_markdown(ALL[name]))
    assert [t.tag for t in found if t.type == "heading_open"].count("h1") == 1
    assert not [t for t in found if t.type.startswith("html")]


def test_only_a_small_input_is_called_the_smallest() -> None:
    small, large = ((shown_value("x", tensor([0.5] * count)),) for count in (2, 400))
    assert CaseView("", small, None, None, "").heading == "The smallest input that shows it"
    assert CaseView("", large, None, None, "").heading == "An input that shows it"
    assert CaseView("", (), None, None, "").heading == "What came and what was expected"


def test_code_that_raised_is_told_what_the_check_is_about() -> None:
    checks = {check.verdict: check for check in EVERY_VERDICT.checks}
    for verdict, label in ((Verdict.FAILED, "Hint"), (Verdict.ERROR, "About this check")):
        alone = checks[verdict].model_copy(update={"hint": "Add them.", "diagnosis": None})
        text = student_markdown(EVERY_VERDICT.model_copy(update={"checks": (alone,)}))
        assert f"**{label}.** Add them." in text


@pytest.mark.parametrize(
    ("message", "shown"),
    [
        ("ValueError: the sum is odd", "Your code raised an error."),
        ("ValueError: the su…", "Your code raised an error."),
        ("Not written yet: ValueError: the sum is odd", "Not written yet."),
        (
            "`double` could not be defined, because line 3 of a.py raised ValueError: the sum is odd.",
            "`double` could not be defined, because line 3 of a.py raised ValueError.",
        ),
        ("Your code raised ValueError", "Your code raised ValueError"),
        ("ValueError is no word for this.", "ValueError is no word for this."),
    ],
)
def test_the_words_of_an_exception_are_said_once_in_a_check(message: str, shown: str) -> None:
    error = StudentError(type="ValueError", message="the sum is odd", traceback=("a.py, line 3", "    f()"))
    check = next(one for one in EVERY_VERDICT.checks if one.verdict is Verdict.ERROR)
    raised = check.model_copy(update={"message": message, "error": error, "diagnosis": None})
    result = EVERY_VERDICT.model_copy(update={"checks": (raised,)})

    markdown, html = student_markdown(result), student_html(result)

    card = markdown.partition("### ")[2].partition("## About this run")[0]
    assert card.count("the sum is odd") == 1
    assert code_free(shown) in code_free(card)
    card = html.partition("<article")[2].partition("</article>")[0]
    assert card.count("the sum is odd") == 1
    start = markdown.partition("### ")[0]
    assert "the sum is odd" in start
    assert "ValueError: the sum is odd ValueError" not in start


def code_free(text: str) -> str:
    """Words without what Markdown puts around or before them."""
    return text.replace("`", "").replace("\\", "")
