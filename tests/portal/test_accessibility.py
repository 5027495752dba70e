"""Everybody can use every page: axe-core finds nothing serious, a keyboard is enough, nothing is cut off."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.urls import get_resolver, reverse
from playwright.sync_api import BrowserContext, Page, expect

from tests.axe import faults
from tests.portal.filling import World, fill_portal
from tests.portal.running import Portal, new_database
from tests.portal.school import PASSWORD
from tests.portal.visits import NO_PAGE, VISITS, WITHOUT_AN_ADMINISTRATOR, Visit
from tests.reports.conftest import browser  # noqa: F401 - a fixture

OPEN_ALL = "document.querySelectorAll('details').forEach((one) => { one.open = true; })"
DOCUMENTS = {"report", "result-report", "validation"}  # of reports, not pages of the portal
PATTERNS = {pattern.name: pattern.pattern for pattern in get_resolver().url_patterns}


class Used:
    """A portal that has been in use, and a browser to look at it with."""

    def __init__(self, portal: Portal, world: World, context: BrowserContext) -> None:
        self.root = f"http://localhost:{portal.port}"
        self.world = world
        self.context = context

    def path(self, name: str, visit: Visit) -> str:
        if name in self.world.paths:
            return self.world.paths[name]
        numbers = {key: self.world.numbers[which] for key, which in visit.numbers.items()}
        return reverse(name, kwargs=numbers) + visit.query

    def open(self, path: str, who: str = "") -> Page:
        """A page as this person sees it."""
        self.context.clear_cookies()
        if who:
            session = {"name": "sessionid", "value": self.world.sessions[who], "url": self.root}
            self.context.add_cookies([session])  # type: ignore[list-item]
        page = self.context.new_page()
        page.emulate_media(reduced_motion="reduce")
        page.goto(self.root + path)
        return page


@pytest.fixture(scope="module")
def used(
    tmp_path_factory: pytest.TempPathFactory,
    doubling_folder: Path,
    browser: BrowserContext,  # noqa: F811
) -> Iterator[Used]:
    data, database = tmp_path_factory.mktemp("used") / "data", new_database()
    portal = Portal(data, "--workers", "0", env=database)
    try:
        browser.set_offline(False)
        browser.set_default_timeout(120_000)
        expect.set_options(timeout=60_000)
        yield Used(portal, fill_portal(data, doubling_folder, database), browser)
    finally:
        expect.set_options(timeout=5_000)  # as it is for other tests
        browser.set_default_timeout(30_000)
        browser.set_offline(True)
        portal.end()


def test_every_page_is_looked_at() -> None:
    assert {*VISITS, *NO_PAGE, *WITHOUT_AN_ADMINISTRATOR} == set(PATTERNS)
    assert not set(VISITS) & NO_PAGE


@pytest.mark.parametrize(
    ("name", "visit"), [(name, one) for name, some in VISITS.items() for one in some], ids=str
)
def test_a_page_keeps_nobody_out(used: Used, name: str, visit: Visit) -> None:
    page = used.open(used.path(name, visit), visit.who)
    try:
        assert page.title().endswith(" · Attest") or name in DOCUMENTS, page.title()
        assert page.locator("h1").count() == 1
        assert "no such page" not in page.locator("h1").inner_text()
        page.evaluate(OPEN_ALL)
        if visit.press:
            press(page, visit)
            page.evaluate(OPEN_ALL)
        assert faults(page) == []
    finally:
        page.close()


def press(page: Page, visit: Visit) -> None:
    """Fill a form and send it, with nothing of the browser's own in the way; wait for the answer."""
    page.eval_on_selector_all("form", "all => all.forEach((one) => { one.noValidate = true; })")
    for name, text in visit.fill.items():
        field = page.locator(f"#{name}")
        if field.evaluate("(one) => one.tagName") == "SELECT":
            field.select_option(text)
        else:
            field.fill(text)
    button = page.get_by_role("button", name=visit.press, exact=True).first
    if page.locator("#upload").count():  # its script sends it
        button.click()
        expect(page.locator("#refused")).to_be_visible()
        return
    with page.expect_navigation():
        button.click()


@pytest.mark.parametrize("path", ["/nothing/", "/submissions/999999/"])
def test_what_is_not_there_keeps_nobody_out_either(used: Used, path: str) -> None:
    page = used.open(path, "student")
    expect(page.get_by_role("heading", name="There is no such page")).to_be_visible()

    assert faults(page) == []
    page.close()


def test_the_page_that_needs_no_database_keeps_nobody_out(used: Used) -> None:
    page = used.open("/sign-in/")
    page.locator("#password").evaluate("(field) => { field.value = 'x'.repeat(1200000); }")
    page.locator("form").evaluate("(form) => { form.noValidate = true; form.requestSubmit(); }")
    expect(page.get_by_role("heading", name="You are not signed in")).to_be_visible()

    assert faults(page) == []
    page.close()


def test_what_was_written_too_late_keeps_nobody_out(used: Used) -> None:
    page = used.open(used.path("ask-for-regrade", Visit("student", {"submission_id": "may-ask"})), "student")
    page.get_by_label("What is to be looked at").fill("It is right. " + "x" * 200)
    used.context.clear_cookies()
    page.get_by_role("button", name="Ask", exact=True).click()
    expect(page.get_by_role("heading", name="You are signed out")).to_be_visible()

    assert faults(page) == []
    page.close()


def test_the_first_page_of_all_keeps_nobody_out(
    tmp_path: Path,
    browser: BrowserContext,  # noqa: F811
    used: Used,
) -> None:
    portal = Portal(tmp_path / "data", "--workers", "0", env=new_database())
    try:
        browser.clear_cookies()
        page = browser.new_page()
        page.goto(f"http://localhost:{portal.port}{portal.first_link()}")
        assert faults(page) == []
        press(page, Visit("", fill={"email": "no address", "password": "short"}, press="Begin"))
        expect(page.locator(".mistake").first).to_be_visible()
        assert faults(page) == []
        page.close()
    finally:
        portal.end()


def test_axe_finds_what_is_wrong(used: Used) -> None:
    page = used.open("/sign-in/")
    page.locator("main").evaluate(
        "(main) => { main.innerHTML = '<img src=x><input><p id=pale>pale</p><pre>' + 'x'.repeat(900);"
        "const s = document.getElementById('pale').style; s.color = '#999'; s.background = '#fff'; "
        "main.querySelector('pre').style.whiteSpace = 'pre'; }"
    )

    found = faults(page)

    rules = {one.split(": ")[1] for one in found}
    assert rules >= {"image-alt", "label", "color-contrast", "scrolls sideways"}
    page.close()


FOCUS = """() => {
  const one = document.activeElement;
  const box = one.getBoundingClientRect();
  const style = getComputedStyle(one);
  return {
    name: (one.labels?.[0]?.innerText || one.innerText || one.value || "").trim().split("\\n")[0],
    top: box.top + scrollY,
    seen: style.outlineStyle !== "none" && parseFloat(style.outlineWidth) >= 2
      && box.width > 1 && box.height > 1
      && box.top >= 0 && box.bottom <= innerHeight && box.left >= 0 && box.right <= innerWidth,
    body: one === document.body,
  };
}"""


def tab_to(page: Page, name: str) -> list[str]:
    """Press Tab until what is called so has the focus; return what had it, all of it visible and in order."""
    passed: list[str] = []
    top = -1.0
    for _ in range(60):
        page.keyboard.press("Tab")
        found = page.evaluate(FOCUS)
        assert not found["body"], f"{name} is not reached after {passed}"
        assert found["seen"], f"the focus on {found['name']!r} is not seen"
        if len(passed) > 1:  # after the link that skips, which lies above the page
            assert found["top"] >= top - 40, f"{found['name']!r} comes after what is below it"
        top = found["top"]
        passed.append(found["name"])
        if found["name"].startswith(name):
            return passed
    raise AssertionError(f"{name} is not reached after {passed}")


def enter(page: Page) -> None:
    """Press Enter on what leads to another page."""
    with page.expect_navigation():
        page.keyboard.press("Enter")


@pytest.mark.parametrize("width", [1280, 320])
def test_a_students_whole_way_needs_a_keyboard_only(used: Used, width: int) -> None:
    page = used.open("/")
    page.set_viewport_size({"width": width, "height": 800})
    tab_to(page, "Email")
    page.keyboard.type("newcomer@example.edu")
    tab_to(page, "Password")
    page.keyboard.type(PASSWORD)
    enter(page)
    expect(page.get_by_text("You are in no course yet.")).to_be_visible()
    assert tab_to(page, "Newcomer")[0] == "Skip to the content"
    page.close()

    page = used.open("/", "classmate")
    page.on("filechooser", lambda _: None)  # a dialog is told of from now on, and not only once it is awaited
    page.set_viewport_size({"width": width, "height": 800})
    for heading, link in (
        ("Courses", "Attention"),
        ("Attention", "To begin with"),
        ("To begin with", "Your files"),
    ):
        expect(page.locator("h1")).to_have_text(heading)
        page.keyboard.press("Tab")
        assert page.evaluate(FOCUS)["name"] == "Skip to the content"
        page.keyboard.press("Enter")
        expect(page).to_have_url(re.compile("#main$"))
        passed = tab_to(page, link)
        assert "Courses" not in passed  # it is skipped
        if link != "Your files":
            enter(page)
    with page.expect_file_chooser() as chooser:
        page.keyboard.press("Enter")
    text = f"def double(x):\n    return 2 * x  # {width}\n".encode()
    chooser.value.set_files([{"name": "double.py", "mimeType": "text/x-python", "buffer": text}])
    tab_to(page, "Hand in")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Receipt")).to_be_visible()
    tab_to(page, "double.py")
    page.close()

    submission = f"/submissions/{used.world.numbers['may-ask']}/"
    page = used.open(submission, "student")
    page.set_viewport_size({"width": width, "height": 800})
    tab_to(page, "Ask a person to look")
    enter(page)
    tab_to(page, "Check")
    page.keyboard.press("ArrowDown")
    tab_to(page, "What is to be looked at")
    page.keyboard.type("It is right.")
    tab_to(page, "Ask")
    page.goto(used.root + submission)
    tab_to(page, "Read the report")
    enter(page)
    expect(page.get_by_text("Every element is doubled.").first).to_be_visible()
    page.close()


@pytest.mark.parametrize("width", [1280, 390])
def test_every_page_of_an_assignment_is_reached_by_keyboard_and_leaves_a_phone_room(
    used: Used, width: int
) -> None:
    page = used.open(f"/assignments/{used.world.numbers['assignment']}/dashboard/", "instructor")
    page.set_viewport_size({"width": width, "height": 844})
    pages = page.get_by_role("navigation", name="To begin with").get_by_role("link")
    folded = width == 390
    expect(pages).to_have_count(0 if folded else 13)
    assert (page.locator("main").bounding_box() or {"y": 844})["y"] < 844 / 4

    if folded:
        tab_to(page, "Dashboard")
        page.keyboard.press("Enter")
        expect(pages).to_have_count(13)
    tab_to(page, "Checks found wrong")
    enter(page)

    expect(page.locator("h1")).to_have_text("Checks found wrong")
    page.close()
