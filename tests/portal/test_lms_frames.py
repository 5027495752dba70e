"""The portal in an LMS's frame on another site, in a real Chromium, with third-party cookies and without."""

from __future__ import annotations

import json
import os
import shutil
import time
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlencode

import pytest
from playwright.sync_api import BrowserContext, Frame, Page, Route, expect, sync_playwright

from tests.axe import faults
from tests.lti.platform import Link, Platform, Tool
from tests.portal.cookie_site import CookieSite
from tests.portal.launching import in_a_school, register
from tests.portal.running import Browser, Portal
from tests.portal.test_serving import first_administrator
from tests.portal.test_students_way import shoot
from tests.reports.conftest import FLAGS

SECONDS = 60_000
# An answer that a test gives in the portal's place counts as one from the internet, which asks nothing here.
FLAGS_HERE = [*FLAGS, "--disable-features=LocalNetworkAccessChecks"]
ALLOWED, BLOCKED = 0, 1  # Chromium's cookie_controls_mode


@dataclass
class Registered:
    """A portal at localhost, and an LMS at 127.0.0.1 that is registered with it: two sites."""

    portal: Portal
    platform: Platform
    tool: Tool
    administrator: Browser
    link: Link  # that opens an assignment

    @property
    def root(self) -> str:
        return f"http://localhost:{self.portal.port}"


@pytest.fixture(scope="module")
def registered(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Registered]:
    with in_a_school(tmp_path_factory.mktemp("framed")) as portal, Platform("moodle") as platform:
        administrator = first_administrator(portal)
        tool = register(portal, administrator, platform, family="moodle", name="Moodle").tool
        link = platform.add_assignment(tool, "Exercises")
        yield Registered(portal, platform, tool, administrator, link)


@pytest.fixture(scope="module", params=[ALLOWED, BLOCKED], ids=["cookies allowed", "cookies blocked"])
def chromium(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[BrowserContext]:
    """Chromium with a new profile, that lets pages of other sites have cookies or does not."""
    program = shutil.which("chromium") or shutil.which("google-chrome")
    if program is None:
        if os.environ.get("ATTEST_REQUIRE") == "all":
            pytest.fail("Chromium is not installed, and ATTEST_REQUIRE=all asks for it.")
        pytest.skip("Chromium is not installed.")
    profile = tmp_path_factory.mktemp("profile")
    (profile / "Default").mkdir()
    wanted = {
        "profile": {"cookie_controls_mode": request.param, "block_third_party_cookies": bool(request.param)}
    }
    (profile / "Default" / "Preferences").write_text(json.dumps(wanted))
    with sync_playwright() as playwright:
        context = playwright.chromium.launch_persistent_context(
            profile, executable_path=program, args=FLAGS_HERE, viewport={"width": 1280, "height": 900}
        )
        context.set_default_timeout(SECONDS)
        expect.set_options(timeout=SECONDS)
        context.blocks = bool(request.param)  # type: ignore[attr-defined]
        yield context
        expect.set_options(timeout=5_000)
        context.close()


def opened(
    context: BrowserContext, registered: Registered, subject: str, link: Link | None
) -> tuple[Page, Frame]:
    """The LMS's page with the portal in its frame, which fills it."""
    page = context.new_page()
    page.goto(registered.platform.page_url(registered.tool, subject, link))
    page.eval_on_selector("iframe[name=tool]", "one => { one.width = '100%'; one.height = 800; }")
    page.eval_on_selector("body", "one => { one.style.margin = 0; }")
    frame = page.frame("tool")
    assert frame is not None
    return page, frame


def test_the_browser_is_what_it_says(chromium: BrowserContext) -> None:
    """A control: a cookie in a frame of another site is kept or not, and a partitioned one always is."""
    with CookieSite() as site:
        page = chromium.new_page()
        page.goto(f"http://127.0.0.1:{site.port}/outer?frame=http://localhost:{site.port}/set")
        page.frame_locator("iframe").get_by_role("link").click()
        expect(page.frame_locator("iframe").locator("#again")).to_be_visible()
        page.close()

    expected = {"apart"} if chromium.blocks else {"apart", "none"}  # type: ignore[attr-defined]
    assert site.seen == expected


def test_an_instructor_links_in_the_frame_and_a_student_comes_in(
    chromium: BrowserContext, registered: Registered
) -> None:
    link = registered.platform.add_assignment(registered.tool, "Exercises of the week")
    is_first = not registered.portal.rows("select 1 from lms_linkedcontext")
    page, frame = opened(chromium, registered, "t1", link)
    if is_first:
        expect(frame.get_by_role("heading", name="Which course is this?")).to_be_visible()
        shoot(page, "lms-choose-course")
        assert faults(page, frame) == []
        frame.get_by_role("button", name="Go on").click()
    expect(frame.get_by_role("heading", name="Choose an assignment")).to_be_visible()
    shoot(page, "lms-choose-assignment")
    assert faults(page, frame) == []
    frame.get_by_role("radio").first.check()
    frame.get_by_role("button", name="Link it").click()
    expect(frame.get_by_role("button", name="Open it")).to_be_visible()
    page.close()

    page, frame = opened(chromium, registered, "s1", link)
    button = frame.get_by_role("button", name="Open it and hand in")
    expect(button).to_be_visible()
    shoot(page, "lms-status")
    assert faults(page, frame) == []
    button.focus()
    with chromium.expect_page() as window:
        page.keyboard.press("Enter")
    opened_page = window.value
    expect(opened_page.locator("#hand-in")).to_be_visible()
    expect(opened_page.get_by_role("link", name="Ada Stone")).to_be_visible()
    assert opened_page.url.startswith(f"{registered.root}/assignments/")
    opened_page.close()
    expect(button).to_be_hidden()
    expect(frame.get_by_text("Load this page again to open it")).to_be_visible()
    assert faults(page, frame) == []
    page.close()
    chromium.clear_cookies()


def test_in_deep_linking_the_choice_goes_back_to_the_lms(
    chromium: BrowserContext, registered: Registered
) -> None:
    page, frame = opened(chromium, registered, "t1", None)
    which = frame.get_by_role("heading", name="Which course is this?")
    expect(which.or_(frame.get_by_role("heading", name="Choose assignments"))).to_be_visible()
    if which.count():
        frame.get_by_role("button", name="Go on").click()
    expect(frame.get_by_role("heading", name="Choose assignments")).to_be_visible()
    expect(frame.get_by_role("button", name="Send to the LMS")).to_be_visible()  # it is below the boxes
    before = len(registered.platform.course.links)
    for box in frame.get_by_role("checkbox").all()[:2]:
        box.check()
    frame.get_by_role("button", name="Send to the LMS").click()

    expect(frame.get_by_text("Added: 2")).to_be_visible()
    assert len(registered.platform.course.links) == before + 2
    page.close()


@pytest.mark.parametrize("target", ["_parent", "storage"])
def test_where_no_cookie_is_kept_at_all_the_lms_keeps_the_state(
    chromium: BrowserContext, registered: Registered, target: str
) -> None:
    registered.platform.launches.storage_target = target
    chromium.route("**/lti/login", without_cookies)
    try:
        page, frame = opened(chromium, registered, "s3", registered.link)
        expect(frame.get_by_role("heading", level=1)).to_be_visible()
        expect(frame.get_by_text("Opening")).to_have_count(0)
        said = frame.locator("main").inner_text()
        assert "did not open" not in said, said
        page.close()
    finally:
        chromium.unroute("**/lti/login")
        registered.platform.launches.storage_target = None


def test_where_nothing_keeps_it_the_launch_goes_on_in_a_window_of_its_own(
    chromium: BrowserContext, registered: Registered
) -> None:
    chromium.route("**/lti/login", without_cookies)
    page, frame = opened(chromium, registered, "s1", registered.link)
    button = frame.get_by_role("link", name="Open in a new window")
    expect(button).to_be_visible()
    shoot(page, "lms-one-click-more")
    assert faults(page, frame) == []
    chromium.unroute("**/lti/login")
    button.focus()
    with chromium.expect_page() as window:
        page.keyboard.press("Enter")
    expect(window.value.get_by_role("heading", level=1)).to_be_visible()
    assert window.value.url.startswith(registered.root)
    assert "did not open" not in window.value.locator("main").inner_text()
    window.value.close()
    page.close()
    chromium.clear_cookies()


def without_cookies(route: Route) -> None:
    """Answer what a frame asks of the login address without the cookie, as to a browser that keeps none."""
    asked = urllib.request.Request(
        route.request.url,
        (route.request.post_data or "").encode(),
        {"Sec-Fetch-Dest": "iframe", "Content-Type": "application/x-www-form-urlencoded"},
    )
    with urllib.request.urlopen(asked, timeout=60) as answer:
        headers = {name: value for name, value in answer.headers.items() if name != "Set-Cookie"}
        route.fulfill(status=answer.status, headers=headers, body=answer.read())


def is_kept_out(page: Page, frame: Frame) -> None:
    """Wait until the browser shows its own page in place of one that nobody may frame here."""
    until = time.monotonic() + SECONDS / 1000
    while not frame.url.startswith("chrome-error:"):
        assert time.monotonic() < until, frame.url
        page.wait_for_timeout(100)  # what the browser tells is heard meanwhile


def stranger_with(registered: Registered, stranger: Platform) -> str:
    """A page of an LMS that nobody has registered, with the portal in a frame."""
    held = stranger.add_tool(f"{registered.root}/lti/login", f"{registered.root}/lti/launch", {"keys": []})
    return stranger.page_url(held, "s1", stranger.add_assignment(held))


def test_an_lms_that_is_not_known_shows_in_its_frame_that_it_is_not(
    chromium: BrowserContext, registered: Registered
) -> None:
    with Platform("moodle") as stranger:
        page = chromium.new_page()
        page.goto(stranger_with(registered, stranger))
        refused = page.frame_locator("iframe[name=tool]")
        expect(refused.get_by_role("heading", name="This did not open")).to_be_visible()
        page.close()


def test_no_other_site_frames_a_launch(chromium: BrowserContext, registered: Registered) -> None:
    with Platform("moodle") as stranger:
        page = chromium.new_page()
        page.goto(stranger_with(registered, stranger))
        told = registered.platform.launches.begin(registered.tool, "s1", registered.link)
        login = f"{registered.root}/lti/login?{urlencode(told)}"
        page.eval_on_selector("iframe[name=tool]", "(one, login) => { one.src = login; }", login)
        frame = page.frame("tool")
        assert frame is not None
        is_kept_out(page, frame)
        page.close()


def test_other_pages_are_framed_by_nobody(chromium: BrowserContext, registered: Registered) -> None:
    page, frame = opened(chromium, registered, "s1", registered.link)
    expect(frame.get_by_role("heading", level=1)).to_be_visible()
    page.eval_on_selector("iframe[name=tool]", f"one => {{ one.src = '{registered.root}/sign-in/'; }}")
    is_kept_out(page, frame)
    page.close()


def test_a_window_of_its_own_asks_nothing_in_between(
    chromium: BrowserContext, registered: Registered
) -> None:
    page = chromium.new_page()
    course = registered.platform.course.id
    page.goto(
        f"{registered.platform.url}/course/{course}/go/{registered.link.id}?as=t1&tool={registered.tool.client_id}"
    )
    expect(page.get_by_role("heading", level=1)).to_be_visible()
    assert page.url.startswith(registered.root)
    page.close()
    chromium.clear_cookies()


def test_a_refusal_can_be_read_by_everybody(chromium: BrowserContext, registered: Registered) -> None:
    page = chromium.new_page()
    page.goto(f"{registered.root}/lti/launch")
    expect(page.get_by_role("heading", name="This did not open")).to_be_visible()
    shoot(page, "lms-refused")
    assert faults(page) == []
    page.close()
    assert Path(registered.portal.log).read_text().count("launch refused") >= 1
