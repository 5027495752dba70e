"""What somebody reads whose launch is refused: why, what they can do, and what whoever runs it can do."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client

from attest.lti.claims import DEEP_LINKING, LTI
from tests.lti.platform import Link, faults
from tests.portal.lms import FRAMED, LMS, field, press, text_of
from tests.portal.school import School

AGAIN = "load its page again, and click once more"
NOT_AGAIN = "Clicking again does not help. Show this page to your instructor"
FOR_ADMINISTRATORS = "For who runs the LMS or Attest"
Claims = dict[str, Any]


def without(name: str) -> Callable[[Claims], Claims]:
    return lambda told: {key: value for key, value in told.items() if key != name}


def with_(**changed: object) -> Callable[[Claims], Claims]:
    return lambda told: {**told, **changed}


def later(seconds: int) -> Callable[[Claims], Claims]:
    return lambda told: {**told, "iat": told["iat"] + seconds, "exp": told["exp"] + seconds}


def refused(lms: LMS, link: Link) -> str:
    answer = lms.click(Client(), "s1", link, framed=True)
    assert answer.status_code == 400
    return text_of(answer)


@pytest.mark.parametrize(
    ("change", "why", "helps"),
    [
        (
            with_(**{f"{LTI}roles": []}),
            "no role in this course",
            ("who is enrolled in the course", "the role"),
        ),
        (later(-4000), "too old: it ended 66 minutes ago", (AGAIN, "Set the clocks")),
        (later(900), "made 15 minutes ahead", (AGAIN, "Set the clocks")),
        (without("sub"), "sub is missing", (NOT_AGAIN, "let it tell the tool who comes")),
        (with_(aud="another", azp="another"), "'another'", (NOT_AGAIN, "compare the client ID")),
        (with_(**{f"{LTI}version": "1.1"}), "'1.1'", (NOT_AGAIN, "as a tool of LTI 1.3")),
        (with_(**{f"{LTI}resource_link": {}}), "resource_link.id is missing", (NOT_AGAIN, "does not allow")),
    ],
)
def test_a_refusal_says_what_helps(
    lms: LMS, link: Link, change: Callable[[Claims], Claims], why: str, helps: tuple[str, str]
) -> None:
    lms.platform.launches.change = change

    said = refused(lms, link)

    assert why in said
    yours, _, theirs = said.partition(FOR_ADMINISTRATORS)
    assert helps[0] in yours
    assert helps[1] in theirs


def test_another_deployment_is_added_by_an_administrator(lms: LMS, link: Link) -> None:
    lms.row.accepts_new_deployments = False
    lms.row.save()

    said = refused(lms, link)

    assert "deployment '1' is not registered here" in said
    assert "add it on the LMS's page in Attest" in said


def test_an_issuer_that_differs_is_shown_beside_the_one_that_came(lms: LMS, link: Link) -> None:
    issuer = lms.row.issuer
    lms.row.issuer = f"{issuer}/"
    lms.row.save()

    answer = lms.asked(Client(), "s1", link)

    assert answer.status_code == 400
    said = text_of(answer)
    assert f"no platform '{issuer}'" in said.lower()
    assert f"registered here with the issuer {issuer}/. On the LMS's page in Attest, write it" in said


def test_a_portal_that_does_not_know_its_own_address_is_a_reason(lms: LMS, link: Link) -> None:
    told = lms.platform.launches.begin(lms.tool, "s1", link)
    told["target_link_uri"] = told["target_link_uri"].replace("http://", "https://")

    said = text_of(Client().post("/lti/login", told))  # type: ignore[arg-type]

    assert "is not an address under http://testserver" in said
    assert "start the portal with --url" in said


def test_where_no_link_is_taken_another_place_is_named(lms: LMS, link: Link) -> None:
    def images_alone(told: Claims) -> Claims:
        return {**told, DEEP_LINKING: {**told[DEEP_LINKING], "accept_types": ["image"]}}

    lms.platform.launches.change = images_alone
    browser = Client()
    ticket = field(lms.click(browser, "t1", None), "ticket")

    said = text_of(press(browser, "/lti/choose", ticket=ticket, assignment="installed:basics"))

    assert "takes image here" in said
    assert "where an assignment or an external tool is added" in said


def test_an_unknown_client_is_told_nothing_of_others(lms: LMS, link: Link) -> None:
    told = {
        **lms.platform.launches.begin(lms.tool, "s1", link),
        "client_id": "nobody",
        "iss": "https://a.example",
    }

    answer = Client().post("/lti/login", told)

    assert answer.status_code == 400
    assert lms.row.issuer not in text_of(answer)  # type: ignore[arg-type]


def test_a_browser_without_cookies_is_told_which_to_allow(lms: LMS, link: Link) -> None:
    form = lms.form(Client(), "s1", link)

    said = text_of(Client().post("/lti/launch", form))  # type: ignore[arg-type]

    assert "sent no cookie" in said
    assert "Allow cookies for testserver" in said
    assert "new window" in said.partition(FOR_ADMINISTRATORS)[2]


def test_keys_that_cannot_be_had_are_for_the_connections_test(lms: LMS, link: Link) -> None:
    lms.platform.broken["jwks"] = faults.answer(b"out of order", 500)

    assert "test the connection" in refused(lms, link).partition(FOR_ADMINISTRATORS)[2]


def test_who_is_not_signed_in_there_signs_in_there(lms: LMS, link: Link) -> None:
    lms.platform.launches.login_required = True

    said = refused(lms, link)

    assert "Sign in to your LMS" in said
    assert FOR_ADMINISTRATORS not in said


def test_who_comes_to_the_sign_in_page_from_an_lms_reads_where_to_go(lms: LMS, school: School) -> None:
    there = "open the course there, and click the assignment"

    assert there in text_of(Client().get(f"/assignments/{school.assignment.pk}/", follow=True))  # type: ignore[arg-type]
    lms.row.is_active = False
    lms.row.save()
    assert there not in text_of(Client().get("/sign-in/"))  # type: ignore[arg-type]


def test_the_roster_of_a_linked_course_leads_to_that_of_the_lms(lms: LMS, link: Link, school: School) -> None:
    page = school.browser(school.instructor).get(f"/courses/{school.course.pk}/roster/").content.decode()

    assert re.search(rf'the page <a href="/courses/{school.course.pk}/lms/">LMS</a> reads the roster', page)


def test_who_comes_from_an_lms_that_is_unknown_or_out_of_use_reads_so_in_its_frame(
    lms: LMS, link: Link
) -> None:
    told = lms.platform.launches.begin(lms.tool, "s1", link)
    lms.row.is_active = False
    lms.row.save()

    answer = Client().post("/lti/login", told, headers=FRAMED)

    assert answer.status_code == 400
    assert f"the client ID {lms.row.client_id} is out of use" in text_of(answer)  # type: ignore[arg-type]
    assert "frame-ancestors *" in answer["Content-Security-Policy"]
    assert "X-Frame-Options" not in answer
    assert not re.search(r"<(form|button|a |script)", answer.content.decode())
