"""An instructor's whole way in a real browser: from the roster to what a student reads after the release."""

from __future__ import annotations

import re
from pathlib import Path

from playwright.sync_api import BrowserContext, Page, expect

from tests.attest.conftest import WRONG
from tests.portal.running import Portal, new_database, wait_for
from tests.portal.test_serving import (
    PASSWORD,
    ROSTER,
    first_administrator,
    hand_in,
    needs_sandbox,
    student,
)
from tests.portal.test_students_way import shoot
from tests.reports.conftest import browser  # noqa: F401 - a fixture

CANVAS = (
    "Student,ID,SIS User ID,SIS Login ID,Section,Doubling (99)\n"
    "    Points Possible,,,,,5\n"
    '"Ito, Lena",1,s1,lena@example.edu,A,\n'
    '"Somebody, Else",3,else,else@example.edu,A,\n'
)


def sign_in(page: Page, root: str, email: str) -> None:
    page.context.clear_cookies()
    page.goto(f"{root}/sign-in/")
    page.get_by_label("Email").fill(email)
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_role("heading", name="Courses")).to_be_visible()


def make_course(page: Page) -> str:
    """Make a course with a roster; return the link by which a student sets a password."""
    page.get_by_role("link", name="New course").click()
    page.get_by_label("Title").fill("Attention")
    page.get_by_label("Time zone").select_option("Europe/Berlin")
    page.get_by_role("button", name="Make the course").click()
    page.get_by_role("link", name="Roster").click()
    page.get_by_label("A CSV table").set_input_files(
        [{"name": "roster.csv", "mimeType": "text/csv", "buffer": ROSTER}]
    )
    page.get_by_role("button", name="Read the roster").click()
    expect(page.get_by_text("2 new, 0 brought up to date.")).to_be_visible()
    page.get_by_role("button", name="Make a link for Lena Ito").click()
    link = page.locator("pre.copy").text_content()
    assert link
    return link


def add_assignment(page: Page, folder: Path) -> str:
    """Add an assignment whose reports wait for their release; return its address."""
    page.get_by_role("link", name="Attention").click()
    page.get_by_role("link", name="Add an assignment").click()
    page.get_by_label("Assignment", exact=True).fill(str(folder))
    page.get_by_label("Due", exact=True).fill("2099-01-01 12:00")
    page.get_by_label("What coming late costs").fill("10% per day")
    page.get_by_label("Students see reports and points").select_option("on_release")
    page.get_by_role("button", name="Add it").click()
    expect(page.get_by_role("heading", name="What is asked")).to_be_visible()
    return page.url


def look_at_the_class(page: Page) -> None:
    page.get_by_role("link", name="Dashboard").click()
    expect(page.get_by_text("1 of 2 students handed in")).to_be_visible()
    expect(page.get_by_role("img", name="Score distribution.")).to_be_visible()
    expect(page.get_by_text("Nothing waits to be graded.")).to_be_visible()
    shoot(page, "dashboard")
    page.get_by_role("link", name="Submissions", exact=True).click()
    page.get_by_label("State").select_option("graded")
    page.get_by_role("button", name="Show", exact=True).click()
    expect(page.get_by_text("1 of 2 students")).to_be_visible()
    shoot(page, "class")
    page.get_by_role("link", name="Lena Ito").click()
    expect(page.get_by_role("heading", name="Lena Ito")).to_be_visible()
    shoot(page, "member")


def give_points_and_time(page: Page) -> None:
    page.get_by_role("link", name=re.compile("Give points for .*, attempt 1")).click()
    page.get_by_label("For", exact=True).select_option(index=1)
    page.get_by_label("Points", exact=True).fill("7")
    page.get_by_label("Why", exact=True).fill("The idea is right.")
    page.get_by_role("button", name="Give these points").click()
    expect(page.get_by_text("a number from 0 to 2 is expected")).to_be_visible()
    shoot(page, "override")
    page.get_by_label("Points", exact=True).fill("1,5")
    page.get_by_role("button", name="Give these points").click()
    expect(page.get_by_text("Given; it counts at once.")).to_be_visible()
    expect(page.get_by_text("1.5 of 5 points")).to_be_visible()
    page.get_by_role("link", name="Extensions").click()
    page.get_by_label("Student", exact=True).select_option("Lena Ito (s1)")
    page.get_by_label("How much longer").fill("2 days")
    page.locator("#reason-one").fill("ill")
    page.get_by_role("button", name="Give it").click()
    expect(page.get_by_text("Lena Ito has longer now.")).to_be_visible()
    shoot(page, "extensions")


def take_away(page: Page) -> None:
    page.get_by_role("link", name="Downloads").click()
    shoot(page, "downloads")
    with page.expect_download() as grades:
        page.get_by_role("link", name="grades.csv", exact=True).click()
    assert "s1,Lena Ito,graded,1.5,5.0" in grades.value.path().read_text()
    with page.expect_download() as reports:
        page.get_by_role("link", name="All reports with every check").click()
    assert reports.value.path().read_bytes().startswith(b"PK")
    page.get_by_label("Its file").set_input_files(
        [{"name": "canvas.csv", "mimeType": "text/csv", "buffer": CANVAS.encode()}]
    )
    page.get_by_role("button", name="Fill it in").click()
    expect(page.get_by_text("1 grade written")).to_be_visible()
    shoot(page, "gradebook")
    with page.expect_download() as filled:
        page.get_by_role("link", name="Save canvas.graded.csv").click()
    assert "lena@example.edu,A,1.5" in filled.value.path().read_text()


def release(page: Page) -> None:
    page.get_by_role("link", name="Release", exact=True).click()
    expect(page.get_by_text("Omar Diaz: has handed in nothing, and still has time")).to_be_visible()
    shoot(page, "release")
    page.get_by_role("button", name="Release 1 report").click()
    expect(page.get_by_text("Released: students see their reports and points.")).to_be_visible()


@needs_sandbox
def test_from_the_roster_to_what_the_student_reads(
    tmp_path: Path,
    doubling_folder: Path,
    browser: BrowserContext,  # noqa: F811
) -> None:
    portal = Portal(tmp_path / "data", "--workers", "1", env=new_database())
    root = f"http://localhost:{portal.port}"
    try:
        first_administrator(portal)
        browser.set_offline(False)
        browser.set_default_timeout(60_000)
        expect.set_options(timeout=120_000)
        page = browser.new_page()
        heard: list[str] = []
        page.on("pageerror", lambda error: heard.append(str(error)))
        page.add_init_script(
            "document.addEventListener('securitypolicyviolation', e => { throw new Error(e.blockedURI) })"
        )
        sign_in(page, root, "ada@example.edu")
        link = make_course(page)
        assignment = add_assignment(page, doubling_folder)

        lena = student(portal, link)
        receipt = hand_in(lena, assignment, WRONG)
        wait_for(lambda: "It is graded." in lena.get(receipt).text, 120, portal.said)
        assert lena.get(f"{receipt}report/").status == 404

        look_at_the_class(page)
        give_points_and_time(page)
        take_away(page)
        release(page)
        page.get_by_role("link", name="Rules").click()
        page.get_by_label("Attempts", exact=True).fill("3")
        page.get_by_role("button", name="Change the rules").click()
        expect(page.get_by_text("Changed; it counts at once.")).to_be_visible()
        shoot(page, "rules")

        sign_in(page, root, "lena@example.edu")
        page.goto(assignment)
        expect(page.get_by_text("extended for you")).to_be_visible()
        expect(page.get_by_text("1.5 of 5")).to_be_visible()
        page.get_by_role("link", name="Attempt 1").click()
        page.get_by_role("link", name="Read the report").click()
        expect(
            page.get_by_text(re.compile(r"Your instructor gave 1\.5 points in place of 0\."))
        ).to_be_visible()
        expect(page.get_by_text("The reason: The idea is right.")).to_be_visible()
        assert heard == []
        page.close()
    finally:
        expect.set_options(timeout=5_000)  # as it is for other tests
        browser.set_offline(True)
        portal.end()
