"""Something comes between: a slow answer, a second press, another tab, the end of a session."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import BrowserContext, Page, Route, expect

from tests.attest.conftest import RIGHT
from tests.portal.school import PASSWORD
from tests.portal.test_marking_way import Marking
from tests.portal.test_students_way import DROP
from tests.reports.conftest import browser  # noqa: F401 - a fixture

SCRIPT = {"name": "double.py", "mimeType": "text/x-python", "buffer": RIGHT.encode()}
RTL = "שלום\u200f! ok\u200e."
SILENT_EVENTS = """window.EventSource = class extends EventTarget {
  static OPEN = 1;
  readyState = 1;
  close() {}
};"""
Open = Callable[[str, str], Page]


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory, doubling_folder: Path) -> Iterator[Marking]:
    made = Marking(tmp_path_factory.mktemp("interrupted"), doubling_folder, "4")
    yield made
    made.portal.end()


@pytest.fixture
def sign_in(running: Marking, browser: BrowserContext) -> Iterator[Open]:  # noqa: F811
    """Somebody's own browser, at a page of the assignment or elsewhere."""
    assert browser.browser
    contexts: list[BrowserContext] = []
    heard: list[str] = []
    expect.set_options(timeout=60_000)
    running.portal.rows("delete from people_tried")  # of tries to sign in: these tests have many

    def opened(who: str, path: str) -> Page:
        assert browser.browser
        context = browser.browser.new_context()
        contexts.append(context)
        context.set_default_timeout(60_000)
        page = context.new_page()
        page.on("pageerror", lambda error: heard.append(str(error)))
        page.goto(address(running, path))
        enter(page, who)
        return page

    yield opened
    expect.set_options(timeout=5_000)  # as it is for other tests
    for one in contexts:
        one.close()
    assert heard == []


def address(running: Marking, path: str) -> str:
    """Where a path is; one that begins without a slash is below the assignment's."""
    assignment = running.address.removesuffix("marking/")
    return f"http://localhost:{running.portal.port}{path}" if path.startswith("/") else assignment + path


def enter(page: Page, who: str) -> None:
    """Sign in at the page for that, and wait until it is left."""
    page.get_by_label("Email").fill(f"{who}@example.edu")
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_role("button", name="Sign out")).to_be_visible()


class Held:
    """Requests that have come and are not passed on yet."""

    def __init__(self, page: Page, where: str) -> None:
        self.page, self.where = page, where
        self.routes: list[Route] = []
        page.route(where, self._hold)

    def _hold(self, route: Route) -> None:
        if route.request.method == "POST":
            self.routes.append(route)
        else:
            route.continue_()

    def one_came(self) -> None:
        while not self.routes:
            self.page.wait_for_timeout(50)  # events of the browser are heard meanwhile

    def let_go(self) -> None:
        for one in self.routes:
            one.continue_()
        self.page.unroute(self.where)


def asked_by_itself(page: Page, times: int) -> None:
    """Wait until the page has asked by itself so many times more, and has had all answers but the last."""
    for _ in range(times):
        with page.expect_response(lambda one: "hx-request" in one.request.headers):
            pass


def test_what_is_being_sent_is_neither_sent_twice_nor_exchanged(running: Marking, sign_in: Open) -> None:
    page = sign_in("student", "")
    held = Held(page, "**/hand-in/")
    page.get_by_label("Your files").set_input_files([SCRIPT])  # type: ignore[list-item]
    page.get_by_role("button", name="Hand in").click()
    held.one_came()

    expect(page.get_by_label("Your files")).to_be_disabled()
    page.evaluate(DROP)
    page.evaluate("document.getElementById('upload').requestSubmit()")
    expect(page.locator("#chosen")).not_to_contain_text("notes.txt")
    expect(page.get_by_role("button", name="Hand in")).to_be_disabled()

    held.let_go()
    expect(page.get_by_role("heading", name="Receipt")).to_be_visible()
    assert len(held.routes) == 1
    expect(page.locator("ul.files")).to_contain_text("double.py")


def test_an_upload_is_stopped_and_repeated(running: Marking, sign_in: Open) -> None:
    page = sign_in("student", "")
    held = Held(page, "**/hand-in/")
    page.get_by_label("Your files").set_input_files([SCRIPT])  # type: ignore[list-item]
    page.get_by_role("button", name="Hand in").click()
    held.one_came()

    page.get_by_role("button", name="Stop").press("Enter")

    expect(page.locator("#refused")).to_contain_text("Stopped.")
    expect(page.locator("#sent")).to_be_hidden()
    page.unroute("**/hand-in/")
    page.keyboard.press("Enter")  # the button that sends has the focus
    expect(page.get_by_role("heading", name="Receipt")).to_be_visible()


def test_an_upload_after_the_session_has_ended_keeps_the_files(running: Marking, sign_in: Open) -> None:
    page = sign_in("student", "")
    page.get_by_label("Your files").set_input_files([SCRIPT])  # type: ignore[list-item]
    page.context.clear_cookies()

    page.get_by_role("button", name="Hand in").click()

    expect(page.locator("#refused")).to_contain_text("You are signed out, and nothing was received.")
    other = page.context.new_page()
    other.goto(address(running, "/sign-in/"))
    enter(other, "student")
    page.get_by_role("button", name="Hand in").click()
    expect(page.get_by_role("heading", name="Receipt")).to_be_visible()


def test_files_are_not_handed_in_as_somebody_else_who_signs_in_meanwhile(
    running: Marking, sign_in: Open
) -> None:
    before = running.portal.rows("select count(*) from handing_in_submission")
    page = sign_in("student", "")
    page.get_by_label("Your files").set_input_files([SCRIPT])  # type: ignore[list-item]
    page.context.clear_cookies()
    other = page.context.new_page()
    other.goto(address(running, "/sign-in/"))
    enter(other, "grader")

    page.get_by_role("button", name="Hand in").click()

    expect(page.locator("#refused")).to_contain_text("nothing was received")
    assert running.portal.rows("select count(*) from handing_in_submission") == before


@pytest.mark.parametrize("is_told", [True, False], ids=["told", "not told"])
def test_what_was_written_before_the_session_ended_is_kept(
    running: Marking, sign_in: Open, is_told: bool
) -> None:
    """Told: the answer to the form says so. Not told: somebody has signed in in another tab by then."""
    page = sign_in("grader", "marking/rubric/")
    page.get_by_text("Offer more").first.click()
    words = f"Said twice, {is_told}: it is\nthe same. {RTL}"
    page.get_by_label("Comment", exact=True).first.fill(words)
    page.context.clear_cookies()
    other = page.context.new_page()
    other.goto(address(running, "/sign-in/"))
    if not is_told:
        enter(other, "grader")
    page.get_by_role("button", name="Add the comment").first.click()
    if is_told:
        expect(page.get_by_role("heading", name="You are signed out")).to_be_visible()
        with page.expect_popup() as opened:
            page.get_by_role("link", name="Sign in in another tab").click()
        enter(opened.value, "grader")
        page.get_by_role("button", name="Send it again").click()
    expect(page.get_by_role("heading", name="Send it once more")).to_be_visible()
    expect(page.get_by_label("What you wrote").first).to_have_value(words)

    page.get_by_role("button", name="Send it again").click()

    expect(page.get_by_role("heading", name=re.compile("^Rubric of"))).to_be_visible()
    kept = running.portal.rows("select text from marking_reusablecomment")
    assert (words,) in [(text.replace("\r\n", "\n"),) for (text,) in kept]


def test_signing_in_in_two_tabs_leads_on_in_both(running: Marking, sign_in: Open) -> None:
    page = sign_in("student", "")
    page.context.clear_cookies()
    tabs = [page.context.new_page() for _ in range(2)]
    for one in tabs:
        one.goto(address(running, ""))
        expect(one.get_by_label("Email")).to_be_visible()

    for one in tabs:
        enter(one, "student")

    for one in tabs:
        expect(one.get_by_role("heading", name="Your attempts")).to_be_visible()


def test_a_form_that_is_pressed_twice_is_sent_once(running: Marking, sign_in: Open) -> None:
    page = sign_in("grader", "marking/rubric/")
    page.get_by_text("Offer more").first.click()
    page.get_by_label("Comment", exact=True).first.fill("Pressed twice.")
    button = page.get_by_role("button", name="Add the comment").first
    held = Held(page, "**/comments/new/")
    twice = """(one) => {
      setTimeout(() => one.click());
      setTimeout(() => { one.click(); console.log("pressed twice"); }, 500);
    }"""
    with page.expect_console_message(lambda one: one.text == "pressed twice"):
        button.evaluate(twice)
    held.one_came()

    held.let_go()
    expect(page.get_by_text("The comment is offered to everybody")).to_be_visible()
    assert len(held.routes) == 1
    once = running.portal.rows("select count(*) from marking_reusablecomment where text = 'Pressed twice.'")
    assert once == [(1,)]


def test_a_form_can_be_sent_again_when_its_page_is_gone_back_to(running: Marking, sign_in: Open) -> None:
    page = sign_in("grader", "marking/rubric/")
    page.evaluate("document.querySelector('main form').setAttribute('aria-busy', 'true')")

    page.evaluate("window.dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true }))")

    expect(page.locator("form[aria-busy]")).to_have_count(0)


def test_names_that_are_hidden_in_two_tabs_are_hidden(running: Marking, sign_in: Open) -> None:
    page = sign_in("second", "marking/")
    other = page.context.new_page()
    other.goto(page.url)
    for one in (page, other):
        one.get_by_role("button", name="Hide names").click()
        expect(one.get_by_role("button", name="Show names")).to_be_visible()


def test_words_from_right_to_left_stay_as_they_were_written(running: Marking, sign_in: Open) -> None:
    page = sign_in("instructor", "marking/")
    page.get_by_role("link", name=re.compile("^Mark ")).click()
    words = page.locator("#answer textarea[name=words]").first
    words.fill(RTL)
    page.get_by_role("button", name="1 point").first.click()
    expect(page.locator("#saving")).to_have_text("All saved.")

    page.reload()

    expect(words).to_have_value(RTL)


def waiting_submission(running: Marking) -> int:
    """The student's attempt that waits in the queue: there is no worker."""
    rows = running.portal.rows(
        "select max(handing_in_submission.id) from handing_in_submission"
        " join grading_job on grading_job.submission_id = handing_in_submission.id"
        " join people_person on people_person.id = person_id"
        " where people_person.email = 'student@example.edu' and grading_job.state = 'queued'"
    )
    return int(rows[0][0])


def given_up(running: Marking, where: str) -> None:
    running.portal.rows(f"update grading_job set state = 'poisoned' where {where}")


def test_events_that_something_holds_back_are_asked_for(running: Marking, sign_in: Open) -> None:
    page = sign_in("student", "")
    number = waiting_submission(running)
    page.add_init_script(SILENT_EVENTS)
    page.goto(address(running, f"/submissions/{number}/"))
    expect(page.locator("#sentence")).to_contain_text("In the queue")

    given_up(running, f"submission_id = {number}")

    expect(page.locator("#sentence")).to_contain_text("It could not be graded")
    expect(page.locator("#told")).to_contain_text("It could not be graded")


def test_no_page_for_signing_in_stands_inside_another(running: Marking, sign_in: Open) -> None:
    running.portal.rows("update grading_job set state = 'queued' where state = 'poisoned'")
    page = sign_in("student", "")
    page.add_init_script("delete window.EventSource")
    there = address(running, f"/submissions/{waiting_submission(running)}/")
    page.goto(there)
    expect(page.locator("#sentence")).to_contain_text("In the queue")

    page.context.clear_cookies()

    expect(page.get_by_label("Email")).to_be_visible()
    assert "/sign-in/" in page.url
    assert page.locator("h1").count() == 1
    enter(page, "student")
    expect(page.locator("#sentence")).to_contain_text("In the queue")
    assert page.url == there


def test_a_page_that_asks_by_itself_leaves_what_one_is_at(running: Marking, sign_in: Open) -> None:
    page = sign_in("instructor", "regrade/")
    page.get_by_label("Whose attempts").select_option("all")
    page.get_by_label("Why").fill("The tests were wrong.")
    page.get_by_role("button", name="Grade again").click()
    page.get_by_role("link", name="Show what changes so far").click()
    expect(page).to_have_url(re.compile("so-far"))
    close = page.get_by_role("button", name="Close it")
    close.focus()

    asked_by_itself(page, 3)

    expect(close).to_be_focused()
    given_up(running, "id in (select job_id from regrading_regradedattempt)")
    expect(page.get_by_text("could not be graded; what stands of them stays")).to_be_visible()
    expect(page.locator("#waiting")).to_have_count(0)
    close.click()
    expect(page.get_by_text("What was not accepted came to nothing.")).to_be_visible()
