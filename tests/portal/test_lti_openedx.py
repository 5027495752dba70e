"""Open edX's own platform and a portal that really runs: registered with each other, linked and opened."""

from __future__ import annotations

import re
from collections.abc import Iterator
from urllib.parse import parse_qsl, urlencode, urlsplit

import pytest

from tests.lti.openedx.running import OpenEdx
from tests.portal.launching import Visitor, hidden
from tests.portal.running import Answer, Browser, Portal


@pytest.fixture(scope="module")
def openedx(
    portal: Portal, administrator: Browser, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[OpenEdx]:
    """The peer, with the addresses that the portal's page says are to be pasted there."""
    page = administrator.get("/platforms/new/?family=other").text
    said = {name: f"{administrator.root}/lti/{name}" for name in ("login", "launch", "jwks.json")}
    assert all(address in page for address in said.values())
    folder = tmp_path_factory.mktemp("openedx")
    with OpenEdx(folder, login=said["login"], launch=said["launch"], jwks=said["jwks.json"]) as peer:
        at = peer.registration()
        fields = {"family": "other", "name": "Open edX", "issuer": at.issuer, "client_id": at.client_id}
        for name in ("auth_login_url", "auth_token_url", "jwks_url"):
            fields[name] = getattr(at, name)
        made = administrator.post("/platforms/new/?family=other", fields)
        assert re.search(r"/platforms/\d+/$", made.url), made.text
        yield peer


def form(openedx: OpenEdx, visitor: Visitor, user: str, role: str, **more: str) -> dict[str, str]:
    """Click there, and go as far as the form that is posted to the portal."""
    onward = visitor.send(f"/lti/login?{urlencode(openedx.begin(user, role, **more))}")
    assert onward.status == 302, onward.text
    return openedx.authenticate(onward.headers["Location"])


def click(openedx: OpenEdx, visitor: Visitor, user: str, role: str, **more: str) -> Answer:
    return visitor.send("/lti/launch", form(openedx, visitor, user, role, **more))


def test_its_people_link_and_open_an_assignment(openedx: OpenEdx, portal: Portal) -> None:
    teacher = Visitor(portal)
    page = click(openedx, teacher, "teacher", "staff", name="Tove Berg")
    assert "Which course is this?" in page.text
    assert "Attention" in page.text
    ticket = hidden(page, "ticket")
    teacher.own_page("/lti/choose", {"ticket": ticket, "course": "new", "zone": "UTC"})
    done = teacher.own_page("/lti/choose", {"ticket": ticket, "assignment": "installed:basics"})
    assert done.status == 302, done.text
    assert teacher.get(f"{done.headers['Location']}submissions/").status == 200

    student = Visitor(portal)
    opened = click(openedx, student, "learner", "student", name="Ada Stone")
    assert opened.headers["Location"] == done.headers["Location"]
    assert "Ada Stone" in student.get(opened.headers["Location"]).text
    assert student.get(f"{opened.headers['Location']}submissions/").status == 404


def test_its_launch_is_taken_once_and_from_one_browser(openedx: OpenEdx, portal: Portal) -> None:
    visitor = Visitor(portal)
    told = form(openedx, visitor, "learner-2", "student")
    assert Visitor(portal).send("/lti/launch", told).status == 400
    assert visitor.send("/lti/launch", told).status in (200, 302)
    assert visitor.send("/lti/launch", told).status == 400


def test_the_connection_is_tested_with_its_own_keys_and_tokens(
    openedx: OpenEdx, portal: Portal, administrator: Browser
) -> None:
    number = portal.rows("select max(id) from lms_platform")[0][0]
    page = administrator.post(f"/platforms/{number}/", {"what": "test"})
    assert "1 key of use at" in page.text
    assert "The LMS has read our keys, and gives one." in page.text


def test_what_is_chosen_in_it_is_signed_so_that_it_understands(openedx: OpenEdx, portal: Portal) -> None:
    teacher = Visitor(portal)
    page = click(openedx, teacher, "teacher", "staff", message="LtiDeepLinkingRequest")
    ticket = hidden(page, "ticket")
    if "Which course is this?" in page.text:
        teacher.own_page("/lti/choose", {"ticket": ticket, "course": "new", "zone": "UTC"})
    sent = teacher.own_page("/lti/choose", {"ticket": ticket, "assignment": "installed:basics"})
    answer = hidden(sent, "JWT")
    told = teacher.send(f"{openedx.url}/chosen", {"JWT": answer})
    assert told.status == 200, told.text
    assert '"attest_assignment"' in told.text
    assert '"scoreMaximum"' in told.text
    address = re.search(r'<form id="send" method="post" action="([^"]+)"', sent.text)
    assert address
    assert address[1].startswith(f"{openedx.url}/api/lti_consumer/v1/lti/")


def test_the_state_of_a_launch_stays_what_the_portal_made_it(openedx: OpenEdx, portal: Portal) -> None:
    visitor = Visitor(portal)
    onward = visitor.send(f"/lti/login?{urlencode(openedx.begin('learner', 'student'))}")
    asked = dict(parse_qsl(urlsplit(onward.headers["Location"]).query))
    told = openedx.authenticate(onward.headers["Location"])
    assert told["state"] == asked["state"]
    other = form(openedx, visitor, "learner", "student")
    assert visitor.send("/lti/launch", {**told, "state": other["state"]}).status == 400
