"""A student's way from a click in the LMS to a grade there; and a platform that names another's column."""

from __future__ import annotations

import html
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.attest.conftest import RIGHT
from tests.lti.platform import Link, Platform, faults
from tests.lti.platform.launches import AGS_CLAIM
from tests.portal.launching import Registered, Visitor, code_of, hidden, in_a_school, register
from tests.portal.running import Browser, Portal, wait_for
from tests.portal.test_serving import (
    course_with_roster,
    hand_in,
    is_graded,
    needs_sandbox,
)

pytestmark = needs_sandbox
MARKUP = "<script>alert(1)</script>"


@pytest.fixture(scope="module")
def portal(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Portal]:
    with in_a_school(tmp_path_factory.mktemp("portal"), workers=1) as running:
        yield running


@pytest.fixture(scope="module")
def assignment(portal: Portal, administrator: Browser, doubling_folder: Path) -> str:
    """The path of a small assignment, in a course of the administrator's."""
    url, _ = course_with_roster(portal, administrator, doubling_folder)
    return url.removeprefix(administrator.root)


def linked(school: Registered, administrator: Browser, assignment: str) -> Link:
    """Link the platform's course with the portal's, by its code, and what was clicked with the assignment."""
    course = school.portal.rows("select id from courses_course order by id limit 1")[0][0]
    code = code_of(f"/courses/{course}/", administrator)
    link = school.platform.add_assignment(school.tool)
    teacher = Visitor(school.portal)
    ticket = hidden(school.click(teacher, "t1", link), "ticket")
    teacher.own_page("/lti/choose", {"ticket": ticket, "code": code})
    own = f"own:{assignment.strip('/').split('/')[-1]}"
    done = teacher.own_page("/lti/choose", {"ticket": ticket, "assignment": own})
    assert done.headers.get("Location") == assignment, done.text
    return link


def grade(platform: Platform, link: Link, subject: str) -> float | None:
    found = platform.course.line_items[str(link.line_item)].grades.get(subject)
    return found.score if found else None


def hands_in(school: Registered, link: Link, subject: str) -> str:
    """A student clicks, hands in, and waits for the result; return the path of the receipt."""
    student = Visitor(school.portal)
    opened = school.click(student, subject, link).headers["Location"]
    student.follow()
    receipt = hand_in(student, opened, RIGHT)
    wait_for(lambda: is_graded(student, receipt), 120, school.portal.said)
    return receipt


def test_from_a_click_in_the_lms_to_the_grade_there(
    portal: Portal, administrator: Browser, assignment: str
) -> None:
    with Platform() as platform:
        school = register(portal, administrator, platform)
        link = linked(school, administrator, assignment)
        hands_in(school, link, "s1")
        wait_for(lambda: grade(platform, link, "s1") == 20, 60, portal.said)
        [sent] = platform.services.received
        assert (sent.status, sent.score["scoreGiven"], sent.score["scoreMaximum"]) == (200, 5, 5)
        assert "<" not in sent.score["comment"]
        assert sent.score["submission"]["submittedAt"] < sent.score["timestamp"]
        assert grade(platform, link, "s2") is None
        assert {name for name, _ in platform.asked} >= {"jwks", "token", "scores"}


def test_a_platform_that_names_anothers_column_changes_nothing_there(
    portal: Portal, administrator: Browser, assignment: str
) -> None:
    with Platform() as honest, Platform() as thief:
        school = register(portal, administrator, honest)
        other = register(portal, administrator, thief, name=f"Thief {MARKUP}")
        target = honest.add_assignment(school.tool)
        column = honest.course.line_items[str(target.line_item)]
        url = honest.services.item_url(honest.course, column)
        thief.launches.change = lambda claims: {
            **claims,
            AGS_CLAIM: {**claims[AGS_CLAIM], "lineitem": url},
        }
        link = linked(other, administrator, assignment)
        hands_in(other, link, "s1")
        page = f"{assignment}lms-scores/"
        wait_for(lambda: "was answered with 401" in administrator.get(page).text, 60, portal.said)
        assert {name for name, _ in honest.asked} & {"results", "scores"}
        assert grade(honest, target, "s1") is None
        assert honest.services.received == []
        assert honest.tokens.asked == []
        assert MARKUP not in administrator.get(page).text


def test_what_a_platform_answers_is_shown_as_text(
    portal: Portal, administrator: Browser, assignment: str
) -> None:
    with Platform() as platform:
        school = register(portal, administrator, platform)
        platform.course.title = MARKUP
        said = f"{MARKUP}\x1b[2J\0 no".encode()
        platform.broken["scores"] = faults.answer(said, 400, "text/html")
        link = linked(school, administrator, assignment)
        hands_in(school, link, "s2")
        page = f"{assignment}lms-scores/"
        wait_for(lambda: "was answered with 400" in administrator.get(page).text, 60, portal.said)
        text = administrator.get(page).text
        assert MARKUP not in text
        assert html.escape(MARKUP) in text
        assert "\x1b" not in text
        assert "\0" not in text
        assert [name for name, _ in platform.asked].count("scores") == 1
