"""A student's whole way in a real browser: sign in, read, hand in, wait, read the report."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from playwright.sync_api import BrowserContext, expect

from tests.attest.conftest import WRONG
from tests.portal.running import Portal, new_database, wait_for
from tests.portal.test_serving import (
    PASSWORD,
    course_with_roster,
    first_administrator,
    needs_sandbox,
    student,
)
from tests.reports.conftest import browser  # noqa: F401 - a fixture

DROP = """() => {
  const dropped = new DataTransfer();
  dropped.items.add(new File(["It doubles."], "notes.txt"));
  const init = { dataTransfer: dropped, bubbles: true, cancelable: true };
  document.getElementById("upload").dispatchEvent(new DragEvent("drop", init));
}"""
SHOTS = os.environ.get("ATTEST_SHOTS")  # a folder to put pictures of the pages into


def shoot(page: object, name: str) -> None:
    if not SHOTS:
        return
    for scheme, width in (("light", 1000), ("dark", 1000), ("light", 360)):
        page.emulate_media(color_scheme=scheme)  # type: ignore[attr-defined]
        page.set_viewport_size({"width": width, "height": 800})  # type: ignore[attr-defined]
        page.screenshot(path=Path(SHOTS) / f"{name}-{scheme}-{width}.png", full_page=True)  # type: ignore[attr-defined]


@contextmanager
def nothing_graded(portal: Portal) -> Iterator[None]:
    """Have the workers stand still: a page tells of what changes while it looks, and of nothing before."""
    wait_for(portal.workers, 120, portal.said)
    workers = portal.workers()
    for number in workers:
        os.kill(number, signal.SIGSTOP)
    yield
    for number in workers:
        os.kill(number, signal.SIGCONT)


@needs_sandbox
@pytest.mark.parametrize("events", [True, False], ids=["events", "polling"])
def test_from_signing_in_to_the_report(
    tmp_path: Path,
    doubling_folder: Path,
    browser: BrowserContext,  # noqa: F811
    events: bool,
) -> None:
    portal = Portal(tmp_path / "data", "--workers", "1", env=new_database())
    try:
        assignment, link = course_with_roster(portal, first_administrator(portal), doubling_folder)
        student(portal, link)
        browser.set_offline(False)
        browser.set_default_timeout(60_000)
        expect.set_options(timeout=120_000)
        page = browser.new_page()
        heard: list[str] = []
        page.on("pageerror", lambda error: heard.append(str(error)))
        page.add_init_script(
            "document.addEventListener('securitypolicyviolation', e => { throw new Error(e.blockedURI) })"
        )
        if not events:
            page.add_init_script("delete window.EventSource")
        browser.clear_cookies()
        page.goto(assignment)
        page.get_by_label("Email").fill("lena@example.edu")
        page.get_by_label("Password").fill(PASSWORD)
        page.get_by_role("button", name="Sign in").click()

        expect(page.get_by_role("heading", name="What is asked")).to_be_visible()
        expect(page.locator("#drop-hint")).to_be_visible()  # by its script
        shoot(page, "assignment")
        page.get_by_label("Your files").set_input_files(
            [{"name": "empty.py", "mimeType": "text/x-python", "buffer": b""}]
        )
        page.get_by_role("button", name="Hand in").click()
        expect(page.locator("#refused")).to_contain_text("What came is empty.")
        page.get_by_label("Your files").set_input_files(
            [{"name": "double.py", "mimeType": "text/x-python", "buffer": WRONG.encode()}]
        )
        page.evaluate(DROP)
        expect(page.locator("#chosen")).to_contain_text("double.py")
        expect(page.locator("#chosen")).to_contain_text("notes.txt")
        with nothing_graded(portal):
            page.get_by_role("button", name="Hand in").click()
            expect(page.get_by_role("heading", name="Receipt")).to_be_visible()
            expect(page.locator("#told[data-last]")).to_have_count(1)  # by its script

        expect(page.get_by_text("sha256:")).to_be_visible()
        shoot(page, "receipt")
        expect(page.get_by_role("link", name="Read the report")).to_be_visible()
        expect(page.locator("#told")).to_contain_text("0 of 5 points")
        page.reload()
        shoot(page, "graded")
        page.get_by_role("link", name="Ask a person").click()
        shoot(page, "ask")
        page.go_back()
        page.get_by_role("link", name="Read the report").click()
        expect(page.get_by_text("Every element is doubled.").first).to_be_visible()
        assert heard == []
        page.close()
    finally:
        expect.set_options(timeout=5_000)  # as it is for other tests
        browser.set_offline(True)
        portal.end()


@pytest.mark.parametrize("zone", ["Asia/Tokyo", "UTC"])
def test_the_browsers_time_zone_is_chosen_until_somebody_chooses(
    tmp_path: Path,
    browser: BrowserContext,  # noqa: F811
    zone: str,
) -> None:
    portal = Portal(tmp_path / "data", "--workers", "0", env=new_database())
    assert browser.browser
    elsewhere = browser.browser.new_context(timezone_id=zone)
    try:
        page = elsewhere.new_page()
        page.goto(f"http://localhost:{portal.port}/sign-in/")
        expect(page.get_by_text("This portal has no administrator yet.")).to_be_visible()
        page.goto(f"http://localhost:{portal.port}{portal.first_link()}")
        expect(page.get_by_label("Time zone")).to_have_value(zone)
        page.get_by_label("Time zone").select_option("Europe/Berlin")
        page.get_by_label("Email").fill("ada@example.edu")
        page.get_by_label("Password").fill("short")
        page.get_by_label("The same again").fill("short")
        page.get_by_role("button", name="Begin").click()
        expect(page.get_by_text("This password is too short.")).to_be_visible()
        expect(page.get_by_label("Time zone")).to_have_value("Europe/Berlin")
    finally:
        elsewhere.close()
        portal.end()
