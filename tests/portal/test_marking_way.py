"""A grader's whole way by keyboard alone in a real browser, while the portal is stopped and started again."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import BrowserContext, Page, Route, expect

from attest.portal import configuration
from tests.portal.running import SETTINGS, Browser, Portal, new_database, wait_for
from tests.portal.school import PASSWORD
from tests.portal.test_students_way import shoot
from tests.reports.conftest import browser  # noqa: F401 - a fixture

ROOT = Path(__file__).parents[2]


class Marking:
    """A portal with answers that wait, which is stopped and started again at the same address."""

    def __init__(self, folder: Path, assignment: Path, *seeds: str) -> None:
        self.data, self.database = folder / "data", new_database()
        self.portal = Portal(self.data, "--workers", "0", env=self.database)
        kept = {name: value for name, value in os.environ.items() if name not in (*SETTINGS, "DATABASE_URL")}
        run = subprocess.run(
            [sys.executable, "-m", "tests.portal.seeded", str(assignment), *seeds],
            cwd=ROOT,
            env={
                **kept,
                **self.database,
                "DJANGO_SETTINGS_MODULE": "attest.portal.settings",
                configuration.DATA: str(self.data),
            },
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=600,
            check=False,
        )
        assert run.returncode == 0, run.stderr
        self.address = f"http://localhost:{self.portal.port}{run.stdout.strip()}"

    def stop(self) -> None:
        self.portal.kill()

    def start(self) -> None:
        self.portal = Portal(self.data, "--workers", "0", env=self.database, port=self.portal.port)

    def marks(self) -> list[tuple[object, ...]]:
        """Item, points, words and version of each mark, in the order in which they came."""
        return self.portal.rows("select item, points, words, version from marking_mark order by id")

    def somebody_else(self) -> Browser:
        other = Browser(self.portal)
        other.post("/sign-in/", {"email": "second@example.edu", "password": PASSWORD})
        return other


@pytest.fixture
def marking(request: pytest.FixtureRequest, tmp_path: Path, doubling_folder: Path) -> Iterator[Marking]:
    made = Marking(tmp_path, doubling_folder, *getattr(request, "param", ("4",)))
    yield made
    made.portal.end()


@pytest.fixture
def page(marking: Marking, browser: BrowserContext) -> Iterator[Page]:  # noqa: F811
    """A tab in which nothing but keys is used, and that hears of every error."""
    browser.set_offline(False)
    browser.set_default_timeout(60_000)
    expect.set_options(timeout=60_000)
    browser.clear_cookies()
    page = browser.new_page()
    heard: list[str] = []
    page.on("pageerror", lambda error: heard.append(str(error)))
    page.add_init_script(
        "document.addEventListener('securitypolicyviolation', e => { throw new Error(e.blockedURI) })"
    )
    yield page
    assert heard == []
    page.close()
    expect.set_options(timeout=5_000)  # as it is for other tests
    browser.set_offline(True)


def tab_to(page: Page, name: str) -> None:
    """Press Tab until what has the focus is called so."""
    for _ in range(80):
        page.keyboard.press("Tab")
        if re.search(name, page.evaluate("document.activeElement.textContent || ''")):
            return
    raise AssertionError(f"no key leads to {name}")


def sign_in(page: Page, address: str) -> None:
    page.goto(address)
    page.get_by_label("Email").focus()
    page.keyboard.type("grader@example.edu")
    page.keyboard.press("Tab")
    page.keyboard.type(PASSWORD)
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Marking Doubling")).to_be_visible()


def first_answer(page: Page) -> None:
    tab_to(page, r"^Mark\b")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Answer 1 of 4")).to_be_visible()
    takes_keys(page)


def takes_keys(page: Page) -> None:
    """Wait for the script of an answer's page that was loaded anew: it frames an item."""
    expect(page.locator("#answer .item.current")).to_have_count(1)


def press(page: Page, *keys: str) -> None:
    for key in keys:
        page.keyboard.press(key)


def wait_in(page: Page, true: Callable[[], object], why: Callable[[], str] = str) -> None:
    """Wait until something is true, and answer what the page asks that is routed to here."""

    def is_so() -> object:
        page.wait_for_timeout(50)
        return true()

    wait_for(is_so, 120, why)


def all_saved(page: Page) -> None:
    expect(page.locator("#saving")).to_have_text("All saved.")


def kept(marking: Marking, points: float, comment: str) -> None:
    """Wait for a mark; how often it was sent is no matter: a press may come before the last one has been."""
    wait_for(lambda: ("doubling/why", points, comment) in [one[:3] for one in marking.marks()], 120)


def shown(page: Page, number: int) -> str:
    return str(page.locator("#answer output").nth(number).text_content())


def test_marking_by_keyboard_alone(marking: Marking, page: Page) -> None:
    sign_in(page, marking.address)
    first_answer(page)
    expect(page.locator("pre")).to_contain_text("\n\n    x + x\n\nfor <every> element")

    press(page, "2", "1")
    all_saved(page)
    assert (shown(page, 0), shown(page, 1)) == ("2 of 2", "1 of 1")
    press(page, "i", "c")  # the first item again
    page.keyboard.type("1 jk? Well said, no?")
    press(page, "Escape")
    all_saved(page)
    assert page.get_by_role("heading", name="Answer 1 of 4").is_visible()
    kept(marking, 2.0, "1 jk? Well said, no?")

    press(page, "0")
    expect(page.locator("#answer output").first).to_have_text("0 of 2")
    all_saved(page)
    kept(marking, 0.0, "1 jk? Well said, no?")
    press(page, "u")
    expect(page.locator("#answer output").first).to_have_text("2 of 2")
    all_saved(page)
    kept(marking, 2.0, "1 jk? Well said, no?")

    press(page, "j")
    expect(page.get_by_role("heading", name="Answer 2 of 4")).to_be_visible()
    press(page, "ArrowRight")
    expect(page.get_by_role("heading", name="Answer 3 of 4")).to_be_visible()
    press(page, "k")
    expect(page.get_by_role("heading", name="Answer 2 of 4")).to_be_visible()
    press(page, "ArrowLeft", "n")
    expect(page).to_have_title(re.compile("^Answer 1,"))
    expect(page).to_have_title(re.compile("^Answer 2,"))

    expect(page.locator("#answer bdi", has_text="Person").first).to_be_visible()
    press(page, "b")
    expect(page.get_by_text("names hidden")).to_be_visible()
    assert "Person" not in page.content()
    press(page, "?")
    expect(page.get_by_role("dialog", name="Keys")).to_be_visible()
    press(page, "2")  # not while the keys are shown
    press(page, "Escape")
    expect(page.get_by_role("dialog")).to_be_hidden()
    assert shown(page, 0) == "not marked"
    page.go_back()
    expect(page.get_by_role("heading", name=re.compile("Answer"))).to_be_visible()


SLOWLY = """() => {
    const quick = window.fetch;
    window.fetch = async (address, asked) => {
        if (asked.method !== "POST") await new Promise((go) => setTimeout(go, 700));
        return quick(address, asked);
    };
}"""


def test_keys_pressed_while_the_next_answer_comes_are_for_that_answer(marking: Marking, page: Page) -> None:
    sign_in(page, marking.address)
    first_answer(page)
    page.evaluate(SLOWLY)

    press(page, "2", "1", "j", "1", "0", "j", "i", "c")
    page.keyboard.type("see 1 j")
    press(page, "Escape", "ArrowRight", "0")
    page.get_by_role("link", name="Previous").click()
    press(page, "2")

    expect(page.get_by_role("heading", name="Answer 3 of 4")).to_be_visible()
    expect(page.locator("#answer output").first).to_have_text("2 of 2")
    all_saved(page)
    marks = marking.portal.rows("select answer_id, item, points, words from marking_mark order by id")
    names = dict(zip(dict.fromkeys(row[0] for row in marks), "1234", strict=False))  # as they were come to
    assert [(names[answer], *rest) for answer, *rest in marks] == [
        ("1", "doubling/why", 2.0, ""),
        ("1", "doubling/when", 1.0, ""),
        ("2", "doubling/why", 1.0, ""),
        ("2", "doubling/when", 0.0, ""),
        ("3", "doubling/when", None, "see 1 j"),
        ("4", "doubling/why", 0.0, ""),
        ("3", "doubling/why", 2.0, ""),
    ]


def is_reading(route: Route) -> bool:
    return bool(route.request.method == "GET")


def test_keys_for_an_answer_that_never_comes_do_not_count(marking: Marking, page: Page) -> None:
    sign_in(page, marking.address)
    first_answer(page)
    page.evaluate(SLOWLY)
    page.route("**/answers/**", lambda route: route.abort() if is_reading(route) else route.continue_())

    press(page, "2", "j", "1", "0")

    expect(page.locator("#saving")).to_contain_text("The keys you pressed meanwhile did not count.")
    expect(page.locator("#answer output").first).to_have_text("2 of 2")
    wait_in(page, lambda: [row[:2] for row in marking.marks()] == [("doubling/why", 2.0)])
    press(page, "1")
    all_saved(page)
    assert [row[:2] for row in marking.marks()][1:] == [("doubling/when", 1.0)]


def test_a_new_comment_is_used_by_its_key(marking: Marking, page: Page) -> None:
    sign_in(page, marking.address)
    first_answer(page)
    tab_to(page, "^A new comment")
    press(page, "Enter")
    page.get_by_label("Comment", exact=True).focus()
    page.keyboard.type("Say why, 1 2 3.")
    press(page, "Tab", "ControlOrMeta+a")
    page.keyboard.type("-1")
    press(page, "Enter")
    expect(page.locator(".offered").first).to_contain_text("Say why, 1 2 3.")
    takes_keys(page)

    press(page, "2", "i", "Shift+1")

    expect(page.locator("#answer output").first).to_have_text("1 of 2")
    all_saved(page)
    kept(marking, 1.0, "")
    shoot(page, "marking-answer")
    page.goto(marking.address)
    shoot(page, "marking")
    page.set_viewport_size({"width": 390, "height": 800})
    for path in ("", "of/doubling/", "of/doubling/next/", "of/doubling/alike/", "rubric/", "agreement/"):
        page.goto(f"{marking.address}{path}")
        assert page.evaluate("document.documentElement.scrollWidth") <= 390, path
    page.set_viewport_size({"width": 1000, "height": 800})


def test_while_the_portal_is_stopped_nothing_is_lost(marking: Marking, page: Page) -> None:
    sign_in(page, marking.address)
    first_answer(page)
    marking.stop()

    press(page, "1", "0", "c")
    page.keyboard.type("Written without a connection.")
    press(page, "Escape")
    expect(page.locator("#saving")).to_contain_text("Not saved yet: 2 marks. No connection to the portal.")
    press(page, "j")
    expect(page.locator("#saving")).to_contain_text(re.compile("stays here|Not saved yet"))
    expect(page.get_by_role("heading", name="Answer 1 of 4")).to_be_visible()
    marking.start()

    all_saved(page)
    assert [row[:3] for row in marking.marks()] == [
        ("doubling/why", 1.0, ""),
        ("doubling/when", 0.0, "Written without a connection."),
    ]


def test_a_page_that_is_closed_before_it_could_send_sends_when_marking_is_opened(
    marking: Marking,
    page: Page,
    browser: BrowserContext,  # noqa: F811
) -> None:
    sign_in(page, marking.address)
    first_answer(page)
    marking.stop()
    press(page, "2")
    expect(page.locator("#saving")).to_contain_text("Not saved yet: 1 mark.")
    page.goto("about:blank")
    marking.start()

    page.goto(marking.address)

    all_saved(page)
    assert marking.marks() == [("doubling/why", 2.0, "", 1)]


def open_group(page: Page, address: str) -> None:
    """Open a group of answers, choose points and write a comment, and take the last answer out."""
    page.goto(f"{address}of/doubling/alike/")
    page.locator(".cards a").first.click()
    expect(page.get_by_role("heading", name="4 answers that may say the same")).to_be_visible()
    page.get_by_role("checkbox", name="Answer 4").uncheck()
    page.get_by_role("group", name="Says why").get_by_role("radio", name="2 points").check()
    page.get_by_role("group", name="Says why").get_by_label("Comment to the students").fill("So it is.")
    page.get_by_role("group", name="Says when").get_by_role("radio", name="0 points").check()


alike = pytest.mark.parametrize("marking", [("4", "alike")], indirect=True, ids=["alike"])
THREE_ANSWERS = [("doubling/why", 2.0, "So it is.", 1), ("doubling/when", 0.0, "", 1)] * 3


@alike
def test_a_group_is_marked_while_the_network_is_cut_and_sent_when_it_is_back(
    marking: Marking,
    page: Page,
    browser: BrowserContext,  # noqa: F811
) -> None:
    sign_in(page, marking.address)
    open_group(page, marking.address)
    browser.set_offline(True)

    page.get_by_role("button", name="Mark the ticked answers").click()

    expect(page.locator("#saving")).to_contain_text("Not saved yet: 6 marks. No connection to the portal.")
    shoot(page, "marking-group-offline")
    assert marking.marks() == []
    browser.set_offline(False)
    expect(page.get_by_role("heading", name="Answers that say the same")).to_be_visible()
    expect(page.locator("#saving")).to_have_text("3 answers are marked.")
    assert marking.marks() == THREE_ANSWERS


@alike
def test_a_group_whose_page_is_closed_without_a_connection_is_sent_when_marking_is_opened(
    marking: Marking,
    page: Page,
) -> None:
    sign_in(page, marking.address)
    open_group(page, marking.address)
    marking.stop()
    page.get_by_role("button", name="Mark the ticked answers").click()
    expect(page.locator("#saving")).to_contain_text("Not saved yet: 6 marks.")
    page.goto("about:blank")
    marking.start()

    page.goto(marking.address)

    all_saved(page)
    assert marking.marks() == THREE_ANSWERS


@alike
def test_a_connection_that_drops_answers_marks_a_group_once(marking: Marking, page: Page) -> None:
    sign_in(page, marking.address)
    open_group(page, marking.address)
    asked: list[str] = []

    def drop_every_other(route: Route) -> None:
        asked.append(route.request.url)
        if len(asked) % 2:
            route.fetch()  # the portal keeps it, and the browser never hears of that
            route.abort()
        else:
            route.continue_()

    page.route("**/marks/", drop_every_other)
    page.get_by_role("button", name="Mark the ticked answers").click()

    expect(page.locator("#saving")).to_have_text("3 answers are marked.")
    assert len(asked) == 2  # all of it again, since nothing is known of the first time
    assert marking.marks() == THREE_ANSWERS


@alike
def test_where_marks_are_not_taken_together_each_is_sent_alone(marking: Marking, page: Page) -> None:
    sign_in(page, marking.address)
    open_group(page, marking.address)
    page.route("**/marks/", lambda route: route.fulfill(status=413, body="too large"))
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url) if request.method == "POST" else None)

    page.get_by_role("button", name="Mark the ticked answers").click()

    expect(page.locator("#saving")).to_have_text("3 answers are marked.")
    assert [address.endswith("/mark/") for address in asked] == [False, *[True] * 6]
    assert marking.marks() == THREE_ANSWERS


@pytest.mark.parametrize("marking", [("120", "alike")], indirect=True, ids=["many"])
def test_a_large_group_goes_in_few_requests(marking: Marking, page: Page) -> None:
    sign_in(page, marking.address)
    page.goto(f"{marking.address}of/doubling/alike/")
    page.locator(".cards a").first.click()
    expect(page.get_by_role("heading", name="120 answers that may say the same")).to_be_visible()
    page.get_by_role("group", name="Says why").get_by_role("radio", name="2 points").check()
    page.get_by_role("group", name="Says when").get_by_role("radio", name="0 points").check()
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url) if request.method == "POST" else None)

    page.get_by_role("button", name="Mark the ticked answers").click()

    expect(page.locator("#saving")).to_have_text("120 answers are marked.")
    assert len(asked) == 5  # fifty marks each
    assert len(marking.marks()) == 240


@alike
def test_what_somebody_else_marked_of_a_group_meanwhile_is_left_and_led_to(
    marking: Marking, page: Page
) -> None:
    sign_in(page, marking.address)
    open_group(page, marking.address)
    answer = page.locator('input[name="answers"]').first.get_attribute("data-page")
    assert answer
    other = marking.somebody_else()
    half = re.search(r'value="(\d+)" data-points="1.0"', other.get(answer).text)
    assert half
    fields = {"item": "doubling/why", "level": half[1], "version": "0", "words": "Half of it."}
    other.post(f"{answer}mark/", fields, page=answer)

    page.get_by_role("button", name="Mark the ticked answers").click()

    expect(page.get_by_role("heading", name="Answers that say the same")).to_be_visible()
    expect(page.locator("#unsent")).to_contain_text("Somebody else has marked this meanwhile")
    shoot(page, "marking-group-meanwhile")
    assert marking.marks()[0] == ("doubling/why", 1.0, "Half of it.", 1)
    assert len(marking.marks()) == 6
    page.get_by_role("link", name="Look at it").click()
    expect(page.get_by_role("alert").filter(has_text="has marked this meanwhile")).to_be_visible()


@alike
def test_a_group_without_a_tick_or_without_points_is_not_sent(marking: Marking, page: Page) -> None:
    sign_in(page, marking.address)
    open_group(page, marking.address)
    trouble = page.locator("#group-trouble")
    for number in (1, 2, 3):
        page.get_by_role("checkbox", name=f"Answer {number}").uncheck()
    page.get_by_role("button", name="Mark the ticked answers").click()
    expect(trouble).to_have_text("No answer is ticked; nothing is marked.")
    page.reload()
    page.get_by_role("button", name="Mark the ticked answers").click()
    expect(trouble).to_have_text("No points are chosen; nothing is marked.")
    assert marking.marks() == []


def test_what_somebody_else_gave_meanwhile_is_shown_and_decided_on(marking: Marking, page: Page) -> None:
    sign_in(page, marking.address)
    first_answer(page)
    answer = page.url.removeprefix(f"http://localhost:{marking.portal.port}")
    other = marking.somebody_else()
    half = re.search(r'value="(\d+)" data-points="1.0"', other.get(answer).text)
    assert half
    fields = {"item": "doubling/why", "level": half[1], "version": "0", "words": "Half of it."}
    other.post(f"{answer}mark/", fields, page=answer)

    press(page, "2")

    told = page.get_by_role("alert").filter(has_text="has marked this meanwhile")
    expect(told).to_contain_text(
        "Second has marked this meanwhile: 1 of 2, “Half of it.”. Yours is not saved."
    )
    shoot(page, "marking-meanwhile")
    assert marking.marks() == [("doubling/why", 1.0, "Half of it.", 1)]
    tab_to(page, "^Put mine in its place")
    press(page, "Enter")
    all_saved(page)
    assert marking.marks() == [("doubling/why", 2.0, "", 2)]
