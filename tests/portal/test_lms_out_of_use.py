"""An LMS, a place where it is installed, or somebody from there is put out of use: nobody comes in by it."""

from __future__ import annotations

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from attest.portal.courses.models import Role
from attest.portal.lms.models import ContextPerson, Deployment, LinkedContext, PlatformPerson
from attest.portal.people.models import PersonalToken
from tests.lti.platform import Link
from tests.portal.lms import LMS, field, press
from tests.portal.school import School

WHAT = ["platform", "deployment", "person"]


def put_out(school: School, lms: LMS, what: str, subject: str, *, deployment: str = "1") -> None:
    """As administrators do it."""
    administrator, page = school.browser(school.administrator), f"/platforms/{lms.row.pk}/"
    if what == "platform":
        administrator.post(page, {"what": "out-of-use"})
    elif what == "deployment":
        row, _ = Deployment.objects.get_or_create(platform=lms.row, deployment_id=deployment)
        administrator.post(page, {"what": "deployment", "deployment": str(row.pk), "to": "out-of-use"})
    else:
        person = PlatformPerson.objects.get(subject=subject).person
        administrator.post(f"/people/{person.pk}/", {"what": "keep-out", "why": "They left."})


def test_a_deployment_out_of_use_lets_nobody_in(lms: LMS, link: Link) -> None:
    lms.click(Client(), "s1", link)
    Deployment.objects.update(is_active=False)

    assert lms.click(Client(), "s1", link).status_code == 400

    lms.row.accepts_new_deployments = False
    lms.row.save()
    assert lms.click(Client(), "s1", link).status_code == 400


def test_a_platform_out_of_use_lets_nobody_in(lms: LMS, link: Link) -> None:
    browser = Client()
    form = dict(lms.form(browser, "s1", link))
    lms.row.is_active = False
    lms.row.save()

    assert browser.post("/lti/launch", form).status_code == 400
    assert browser.post("/lti/login", lms.platform.launches.begin(lms.tool, "s1", link)).status_code == 400


@pytest.mark.parametrize("what", WHAT)
def test_a_button_of_before_opens_nothing(school: School, lms: LMS, link: Link, what: str) -> None:
    ticket = field(lms.click(Client(), "s1", link, framed=True), "ticket")
    put_out(school, lms, what, "s1")
    window = Client()

    assert press(window, "/lti/open", framed=False, ticket=ticket).status_code == 400
    assert "sessionid" not in window.cookies


@pytest.mark.parametrize("what", WHAT)
def test_a_choice_of_before_links_nothing(school: School, lms: LMS, what: str) -> None:
    ticket = field(lms.click(Client(), "t1", None, framed=True), "ticket")
    put_out(school, lms, what, "t1")

    answer = press(Client(), "/lti/choose", ticket=ticket, course="new", zone="UTC")

    assert answer.status_code == 400
    assert not LinkedContext.objects.exists()


def test_who_came_from_another_deployment_chooses_as_before(school: School, lms: LMS) -> None:
    ticket = field(lms.click(Client(), "t1", None, framed=True), "ticket")
    put_out(school, lms, "deployment", "t1", deployment="2")

    answer = press(Client(), "/lti/choose", ticket=ticket, course="new", zone="UTC")

    assert answer.status_code == 200
    assert LinkedContext.objects.get().platform == lms.row


def path_of(school: School) -> str:
    return f"/assignments/{school.assignment.pk}/"


@pytest.mark.parametrize("framed", [False, True])
@pytest.mark.parametrize("what", WHAT)
def test_a_session_of_before_ends(school: School, lms: LMS, link: Link, what: str, framed: bool) -> None:
    browser = Client()
    answer = lms.click(browser, "s1", link, framed=framed)
    if framed:
        press(browser, "/lti/open", framed=False, ticket=field(answer, "ticket"))
    assert browser.get(path_of(school)).status_code == 200

    put_out(school, lms, what, "s1")

    assert browser.get(path_of(school))["Location"].startswith("/sign-in/")
    assert browser.get("/sign-in/").status_code == 200


def test_a_session_of_who_chose_in_a_window_ends(school: School, lms: LMS) -> None:
    browser = Client()
    link = lms.platform.add_assignment(lms.tool)
    ticket = field(lms.click(browser, "t1", link), "ticket")
    press(browser, "/lti/choose", framed=False, ticket=ticket, course="new", zone="UTC")
    answer = press(browser, "/lti/choose", framed=False, ticket=ticket, assignment="installed:basics")
    assert browser.get(answer["Location"]).status_code == 200

    put_out(school, lms, "deployment", "t1")

    assert browser.get(answer["Location"])["Location"].startswith("/sign-in/")


def test_a_session_that_has_ended_does_not_come_back(school: School, lms: LMS, link: Link) -> None:
    browser = Client()
    lms.click(browser, "s1", link)
    put_out(school, lms, "platform", "s1")
    browser.get("/")
    school.browser(school.administrator).post(f"/platforms/{lms.row.pk}/", {"what": "use"})

    assert browser.get(path_of(school)).status_code == 302
    assert lms.click(browser, "s1", link).status_code == 302
    assert browser.get(path_of(school)).status_code == 200


def by_token(subject: str) -> Client:
    """The command line of somebody from there."""
    token = PersonalToken.issue(PlatformPerson.objects.get(subject=subject).person, "laptop")
    return Client(headers={"Authorization": f"Bearer {token}"})


def hand_in(school: School, client: Client) -> int:
    files = {"files": SimpleUploadedFile("double.py", b"x = 1\n")}
    answer = client.post(f"/api/assignments/{school.assignment.pk}/submissions/", files)
    return answer.status_code


@pytest.mark.parametrize("what", WHAT)
def test_a_token_of_before_hands_nothing_in(school: School, lms: LMS, link: Link, what: str) -> None:
    lms.click(Client(), "s1", link)
    client = by_token("s1")
    assert hand_in(school, client) == 201

    put_out(school, lms, what, "s1")

    assert hand_in(school, client) == 401


def test_a_token_is_good_again_when_the_lms_is(school: School, lms: LMS, link: Link) -> None:
    lms.click(Client(), "s1", link)
    client = by_token("s1")
    put_out(school, lms, "platform", "s1")
    assert hand_in(school, client) == 401

    school.browser(school.administrator).post(f"/platforms/{lms.row.pk}/", {"what": "use"})

    assert hand_in(school, client) == 201


def test_a_token_is_good_while_one_place_is_in_use(school: School, lms: LMS, link: Link) -> None:
    lms.click(Client(), "s1", link)
    client, told = by_token("s1"), PlatformPerson.objects.get(subject="s1")
    other = LinkedContext.objects.create(
        platform=lms.row, deployment_id="2", context_id="another", course=school.course
    )
    seen = ContextPerson.objects.create(context=other, told=told, role=Role.STUDENT)
    put_out(school, lms, "deployment", "s1")
    assert hand_in(school, client) == 201

    seen.delete()

    assert hand_in(school, client) == 401


def test_a_token_of_whose_lms_is_gone_hands_nothing_in(school: School, lms: LMS, link: Link) -> None:
    browser = Client()
    lms.click(browser, "s1", link)
    client = by_token("s1")

    PlatformPerson.objects.all().delete()
    lms.row.delete()

    assert hand_in(school, client) == 401
    assert browser.get(path_of(school)).status_code == 302


def test_a_token_of_who_has_a_password_stays_good(school: School, lms: LMS, link: Link) -> None:
    token = PersonalToken.issue(school.student, "laptop")
    lms.click(Client(), "s1", link)

    put_out(school, lms, "platform", "s1")

    assert hand_in(school, Client(headers={"Authorization": f"Bearer {token}"})) == 201


def test_sessions_that_are_not_from_there_go_on(school: School, lms: LMS, link: Link) -> None:
    from_there, own = Client(), school.browser(school.student)
    lms.click(from_there, "s1", link)
    put_out(school, lms, "deployment", "s1", deployment="2")
    assert from_there.get(path_of(school)).status_code == 200

    put_out(school, lms, "platform", "s1")

    assert own.get(path_of(school)).status_code == 200
