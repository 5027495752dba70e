"""Marks on their way while other tabs are open, other people sign in, and answers go: none is lost."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import BrowserContext, Page, Route, expect

from tests.portal.school import PASSWORD
from tests.portal.test_marking_way import (
    THREE_ANSWERS,
    Marking,
    alike,
    all_saved,
    first_answer,
    marking,  # noqa: F401 - a fixture
    open_group,
    page,  # noqa: F401 - a fixture
    press,
    sign_in,
    wait_in,
)
from tests.reports.conftest import browser  # noqa: F401 - a fixture

MARK = re.compile(r"/marks?/$")  # of one, and of many together


def sign_in_as(page: Page, address: str, email: str) -> None:  # noqa: F811
    page.goto(address)
    page.get_by_label("Email").fill(email)
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_role("heading", name="Marking Doubling")).to_be_visible()


@alike
def test_a_group_goes_on_when_another_tab_has_sent_its_marks(
    marking: Marking,  # noqa: F811
    page: Page,  # noqa: F811
    browser: BrowserContext,  # noqa: F811
) -> None:
    sign_in(page, marking.address)
    open_group(page, marking.address)
    page.route(MARK, lambda route: route.abort())
    page.get_by_role("button", name="Mark the ticked answers").click()
    expect(page.locator("#saving")).to_contain_text("Not saved yet: 6 marks.")

    other = browser.new_page()
    other.goto(marking.address)

    expect(page.get_by_role("heading", name="Answers that say the same")).to_be_visible()
    expect(page.locator("#saving")).to_have_text("3 answers are marked.")
    wait_in(page, lambda: sorted(marking.marks(), key=str) == sorted(THREE_ANSWERS, key=str))
    other.close()


def test_what_another_tab_has_sent_is_saved_here_too_and_can_be_changed(
    marking: Marking,  # noqa: F811
    page: Page,  # noqa: F811
    browser: BrowserContext,  # noqa: F811
) -> None:
    sign_in(page, marking.address)
    first_answer(page)
    page.route(MARK, lambda route: route.abort())
    press(page, "2")
    expect(page.locator("#saving")).to_contain_text("Not saved yet: 1 mark.")

    other = browser.new_page()
    other.goto(marking.address)

    expect(page.locator("#answer .kept").first).to_have_text("saved")
    page.unroute(MARK)
    page.locator("#answer form[data-item]").first.get_by_role("button", name="1 point").click()
    expect(page.locator("#answer output").first).to_have_text("1 of 2")
    wait_in(page, lambda: [one[1] for one in marking.marks()] == [1.0], lambda: str(marking.marks()))
    assert page.get_by_text("has marked this meanwhile").count() == 0
    other.close()


@pytest.mark.parametrize(("status", "said"), [(404, "no longer yours to mark"), (500, "cannot keep it now")])
def test_a_mark_that_is_not_taken_holds_no_other_up(
    marking: Marking,  # noqa: F811
    page: Page,  # noqa: F811
    status: int,
    said: str,
) -> None:
    sign_in(page, marking.address)
    first_answer(page)
    first = page.url
    page.route(f"{first}mark/", lambda route: route.fulfill(status=status, body="no"))
    press(page, "2")
    expect(page.locator("body")).to_contain_text(said)
    press(page, "j")
    expect(page.get_by_role("heading", name="Answer 2 of 4")).to_be_visible()

    press(page, "1")

    wait_in(page, lambda: [one[1] for one in marking.marks()] == [1.0], lambda: str(marking.marks()))
    if status == 404:
        expect(page.locator("#unsent")).to_contain_text(said)
        page.get_by_role("button", name="Throw it away").click()
        all_saved(page)


def test_marks_are_not_sent_as_somebody_else_who_signs_in_meanwhile(
    marking: Marking,  # noqa: F811
    page: Page,  # noqa: F811
    browser: BrowserContext,  # noqa: F811
) -> None:
    sign_in(page, marking.address)
    first_answer(page)
    page.route(MARK, lambda route: route.abort())
    press(page, "2")
    expect(page.locator("#saving")).to_contain_text("Not saved yet: 1 mark.")
    other = browser.new_page()
    other.goto(f"{marking.address.partition('/assignments/')[0]}/me/")
    other.get_by_role("button", name="Sign out").click()
    expect(other.get_by_label("Email")).to_be_visible()
    page.unroute(MARK)
    expect(page.locator("#saving")).to_contain_text("You are signed out.")

    sign_in_as(other, marking.address, "second@example.edu")

    expect(page.locator("#saving")).to_contain_text("Somebody else is signed in here now.")
    assert marking.marks() == []
    other.get_by_role("button", name="Sign out").click()
    sign_in_as(other, marking.address, "grader@example.edu")
    all_saved(page)
    by = marking.portal.rows(
        "select people_person.email from marking_mark join people_person on people_person.id = by_id"
    )
    assert by == [("grader@example.edu",)]
    other.close()


def test_an_answer_that_never_comes_is_asked_for_again(marking: Marking, page: Page) -> None:  # noqa: F811
    page.add_init_script(
        "const real = AbortSignal.timeout.bind(AbortSignal); AbortSignal.timeout = (time) => real(time / 60);"
    )
    held: list[Route] = []
    sign_in(page, marking.address)
    first_answer(page)
    page.route(MARK, lambda route: held.append(route), times=1)  # noqa: PLW0108 - a method of C takes no mark

    press(page, "2")

    all_saved(page)
    assert len(held) == 1
