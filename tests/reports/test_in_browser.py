"""The pages in a real browser: nothing breaks, nothing leaves, everyone can read."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import BrowserContext, Dialog, Page, Request, expect

from graders.result import Student
from reports import index_html
from tests.reports.hostile_results import HOSTILE
from tests.reports.made_cohorts import cohort
from tests.reports.made_results import ALL, FULL

NAMES = [*ALL, *(f"hostile {number}" for number in range(len(HOSTILE))), "cohort", "hostile cohort"]
LOOK = (Path(__file__).parent / "in_browser.js").read_text("utf-8").rstrip().rstrip(";")


@pytest.fixture
def watched(browser: BrowserContext) -> Iterator[tuple[Page, list[str]]]:
    """A page, and what it complains of: console messages, errors, dialogs, requests for anything else."""
    page = browser.new_page()
    heard: list[str] = []

    def on_dialog(dialog: Dialog) -> None:
        heard.append("dialog")
        dialog.dismiss()

    def on_request(request: Request) -> None:
        if not request.url.startswith("data:image/svg+xml") and not request.is_navigation_request():
            heard.append(f"request: {request.url}")

    page.on("console", lambda message: heard.append(f"console: {message.text}"))
    page.on("pageerror", lambda error: heard.append(f"error: {error}"))
    page.on("dialog", on_dialog)
    page.on("request", on_request)
    page.add_init_script(
        "document.addEventListener('securitypolicyviolation', e => console.error('policy ' + e.blockedURI))"
    )
    yield page, heard
    page.close()


def look(page: Page) -> dict[str, Any]:
    return dict(page.evaluate(LOOK))


@pytest.mark.parametrize("name", NAMES)
def test_a_page_is_quiet_and_readable_in_light_and_dark_and_on_a_phone(
    name: str, pages: dict[str, Path], watched: tuple[Page, list[str]]
) -> None:
    page, heard = watched
    page.goto(pages[name].as_uri())
    page.evaluate("document.querySelectorAll('details').forEach(d => d.open = true)")
    for scheme, width in (("light", 1000), ("dark", 1000), ("light", 360)):
        page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
        page.set_viewport_size({"width": width, "height": 800})
        seen = look(page)
        assert seen["problems"] == []
        assert seen["overflow"] <= 0
        assert seen["texts"] > 10
    assert heard == []


def test_the_checks_of_looks_can_fail(watched: tuple[Page, list[str]]) -> None:
    page, _ = watched
    page.set_content(
        "<body style='width:3000px'><p style='color:#999;background:#fff'>pale</p>"
        "<input><a href='#'></a><main><div style='overflow:auto'>x</div></main>"
    )
    seen = look(page)
    assert [problem.split(":")[0] for problem in seen["problems"]] == [
        "contrast 2.85",
        "no label",
        "no name",
        "a box scrolls without keys",
    ]
    assert seen["overflow"] > 0


def test_the_policy_stops_what_is_not_ours(
    pages: dict[str, Path], watched: tuple[Page, list[str]], tmp_path: Path
) -> None:
    page, heard = watched
    bad = (
        pages["cohort"]
        .read_text("utf-8")
        .replace("</main>", "<script>document.title = 'ran'</script></main>")
    )
    (tmp_path / "bad.html").write_text(bad, "utf-8")
    with page.expect_console_message(lambda one: "policy" in one.text):
        page.goto((tmp_path / "bad.html").as_uri())
    assert page.title() != "ran"
    assert any("policy" in line for line in heard)


def test_folded_parts_are_printed(pages: dict[str, Path], watched: tuple[Page, list[str]]) -> None:
    page, _ = watched
    page.goto(pages["verdicts"].as_uri())
    printed = page.locator("details pre").first
    assert not printed.is_visible()
    page.emulate_media(media="print", color_scheme="dark")
    assert printed.is_visible()
    assert look(page)["problems"] == []
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"


def test_the_first_tab_is_the_skip_link_and_it_is_seen(
    pages: dict[str, Path], watched: tuple[Page, list[str]]
) -> None:
    page, _ = watched
    page.goto(pages["typical"].as_uri())
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "skip"
    assert page.evaluate("document.activeElement.getBoundingClientRect().top") >= 0
    assert page.evaluate("getComputedStyle(document.activeElement).outlineStyle") == "solid"
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile("#main$"))


def shown_names(page: Page) -> list[str]:
    return list(
        page.eval_on_selector_all(
            "#students tbody tr:not([hidden]) th a bdi", "all => all.map(e => e.textContent)"
        )
    )


def test_the_table_sorts_by_any_column_with_the_keyboard(
    pages: dict[str, Path], watched: tuple[Page, list[str]]
) -> None:
    page, heard = watched
    page.goto(pages["cohort"].as_uri())
    score = page.get_by_role("button", name="Score")
    score.focus()
    page.keyboard.press("Enter")
    scores = page.eval_on_selector_all(
        "#students tbody tr", "all => all.map(r => parseFloat(r.cells[1].textContent))"
    )
    numbers = [value for value in scores if not math.isnan(value)]
    assert numbers == sorted(numbers, reverse=True)
    assert math.isnan(scores[-1])  # the one without a score is last, either way
    assert score.locator("xpath=..").get_attribute("aria-sort") == "descending"
    page.keyboard.press("Enter")
    assert score.locator("xpath=..").get_attribute("aria-sort") == "ascending"
    page.get_by_role("button", name="Student").click()
    assert shown_names(page)[0] == "Ada Lovelace"
    assert page.locator("#students [aria-sort]").count() == 1
    assert heard == []


def test_the_table_is_filtered_by_name_status_and_verdict(
    pages: dict[str, Path], watched: tuple[Page, list[str]]
) -> None:
    page, _ = watched
    page.goto(pages["cohort"].as_uri())
    shown = page.locator("#shown")
    page.get_by_label("Find").fill("kovács")
    expect(shown).to_have_text(f"1 of {len(ALL)} shown")
    assert shown_names(page) == ["Béla Kovács"]
    page.get_by_label("Find").fill("")
    expect(shown).to_have_text(f"{len(ALL)} of {len(ALL)} shown")
    page.get_by_label("Status").select_option("not graded")
    assert shown_names(page) == ["Grace"]
    page.get_by_label("Status").select_option("all")
    page.get_by_label("Verdict").select_option("crashed")
    assert shown_names(page) == ["Chidi Okafor"]
    assert shown.text_content() == f"1 of {len(ALL)} shown"


def test_a_count_of_those_who_do_not_pass_shows_them_alone(
    watched: tuple[Page, list[str]], tmp_path: Path
) -> None:
    page, heard = watched
    shares = {f"c{n}": [float(student % (n + 2) > 0) for student in range(30)] for n in range(9)}
    results = cohort(shares)
    (tmp_path / "class.html").write_text(
        index_html(results, {r.student.id: f"reports/{r.student.id}.html" for r in results}), "utf-8"
    )
    page.goto((tmp_path / "class.html").as_uri())
    for number in (0, 4, 8):  # in the first, second and third digit
        failing = [f"Student {s}" for s in range(30) if s % (number + 2) == 0]
        link = page.locator(f"table.rates a[data-filter=failing][data-value='{number}']")
        link.focus()
        page.keyboard.press("Enter")
        assert shown_names(page) == failing
        assert page.locator("#shown").text_content() == f"{len(failing)} of 30 shown"
        assert page.evaluate("document.activeElement.id") == "failing"
        assert page.locator("#failing option:checked").text_content() == f"The check c{number}."
    page.get_by_role("button", name="Clear").click()
    expect(page.locator("#shown")).to_have_text("30 of 30 shown")
    expect(page.get_by_role("button", name="Clear")).to_be_hidden()
    assert heard == []


def test_who_behaves_like_an_error_is_one_press_away(
    pages: dict[str, Path], watched: tuple[Page, list[str]]
) -> None:
    page, _ = watched
    page.goto(pages["cohort"].as_uri())
    first = page.locator(".wrong li").first
    first.get_by_role("link", name="who").click()
    names = shown_names(page)
    assert len(names) == int(first.locator("b").text_content() or 0) > 0
    example = first.get_by_role("link", name="example").get_attribute("href") or ""
    assert example.split("#")[0] in page.eval_on_selector_all(
        "#students tbody a", "all => all.map(a => a.getAttribute('href'))"
    )


def test_sections_are_a_column_and_a_filter_where_there_are_several(
    watched: tuple[Page, list[str]], tmp_path: Path
) -> None:
    page, _ = watched
    some = [
        FULL.model_copy(update={"student": Student(id=f"s{n}", section=section)})
        for n, section in enumerate(["B", "A", "<i>", "A"])
    ]
    (tmp_path / "sections.html").write_text(index_html(some, {}), "utf-8")
    page.goto((tmp_path / "sections.html").as_uri())
    rows = page.locator("#students tbody tr")
    page.get_by_label("Section").select_option("A")
    assert [text[:2] for text in rows.all_inner_texts()] == ["s1", "s3"]
    page.get_by_label("Section").select_option("<i>")
    assert [text[:2] for text in rows.all_inner_texts()] == ["s2"]
    (tmp_path / "one.html").write_text(index_html(some[:1], {}), "utf-8")
    page.goto((tmp_path / "one.html").as_uri())
    assert page.locator("#section").count() == 0


def test_the_cohorts_page_is_whole_without_its_script(
    pages: dict[str, Path], watched: tuple[Page, list[str]], tmp_path: Path
) -> None:
    page, _ = watched
    html = pages["cohort"].read_text("utf-8")
    start = html.index("<script>")
    (tmp_path / "still.html").write_text(html[:start] + html[html.index("</script>") + 9 :], "utf-8")
    page.goto((tmp_path / "still.html").as_uri())
    assert len(shown_names(page)) == len(ALL)
    assert not page.locator("#controls").is_visible()
    assert page.get_by_role("button").count() == 0


def test_a_long_table_shows_its_beginning_until_asked_for_all(
    watched: tuple[Page, list[str]], tmp_path: Path
) -> None:
    page, heard = watched
    many = [FULL.model_copy(update={"student": Student(id=f"s{n:04}")}) for n in range(1200)]
    (tmp_path / "many.html").write_text(index_html(many, {}), "utf-8")
    page.goto((tmp_path / "many.html").as_uri())
    rows = page.locator("#students tbody tr")
    expect(page.locator("#shown")).to_have_text("the first 250 of 1200 shown")
    assert rows.count() == 250
    page.get_by_role("button", name="Student").click()
    page.get_by_role("button", name="Student").click()
    assert rows.first.inner_text().startswith("s1199")
    page.get_by_role("button", name="Show all").click()
    assert rows.count() == 1200
    expect(page.locator("#shown")).to_have_text("1200 of 1200 shown")
    assert heard == []
