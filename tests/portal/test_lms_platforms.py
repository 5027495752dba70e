"""The administrators' pages of LMSs: by hand, by dynamic registration, and the test of the connection."""

from __future__ import annotations

import pytest
from django.db import IntegrityError, transaction
from django.test import Client

from attest.portal.audit.models import Entry
from attest.portal.lms.connection import own_trouble
from attest.portal.lms.models import (
    Deployment,
    LinkedContext,
    LinkedResource,
    Platform,
    RegistrationInvitation,
)
from tests.lti.platform import faults
from tests.portal.linked import make_platform
from tests.portal.lms import FRAMED, LMS, OURS, text_of
from tests.portal.school import School

BY_HAND = {
    "family": "moodle",
    "name": "Moodle",
    "issuer": "https://moodle.example.edu",
    "client_id": "abc",
    "auth_login_url": "https://moodle.example.edu/mod/lti/auth.php",
    "auth_token_url": "https://moodle.example.edu/mod/lti/token.php",
    "jwks_url": "https://moodle.example.edu/mod/lti/certs.php",
}


def test_an_lms_is_registered_by_hand(school: School) -> None:
    browser = school.browser(school.administrator)

    page = browser.get("/platforms/new/?family=moodle").content.decode()
    first = browser.post("/platforms/new/", BY_HAND)
    second = browser.post("/platforms/new/", BY_HAND)

    for path in ("login", "launch", "jwks.json"):
        assert f"{OURS}/lti/{path}" in page
    made = Platform.objects.get()
    assert first["Location"] == f"/platforms/{made.pk}/"
    assert (made.family, made.made_by) == ("moodle", school.administrator)
    assert second.status_code == 400
    assert "registered already" in text_of(second)  # type: ignore[arg-type]
    assert Entry.objects.get(action="LMS registered").who == school.administrator.pk


def test_the_database_keeps_a_client_id_once(lms: LMS) -> None:
    with pytest.raises(IntegrityError), transaction.atomic():
        make_platform("https://elsewhere.example", client_id=lms.row.client_id)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("issuer", "moodle"),
        ("jwks_url", "javascript:alert(1)"),
        ("auth_login_url", "https://a.example/ b"),
        ("auth_token_url", "file:///etc/passwd"),
        ("frame_origins", "https://a.example/; script-src *"),
        ("frame_origins", "https://a.example; https://b.example"),
        ("frame_origins", "*"),
        ("client_id", ""),
        ("client_id", "a\tb"),
        ("token_audience", "a b"),
        ("auth_login_url", "https://user:word@moodle.example.edu/auth.php"),
        ("auth_login_url", 'https://moodle.example.edu/"auth.php'),
        ("auth_login_url", "https://moodle.example.edu/prüfung/auth.php"),
        ("auth_login_url", "https://moodle.example.edu/auth.php#there"),
    ],
)
def test_what_is_no_address_is_not_taken(school: School, name: str, value: str) -> None:
    answer = school.browser(school.administrator).post("/platforms/new/", {**BY_HAND, name: value})

    assert answer.status_code == 400
    assert f'id="{name}-mistake"' in answer.content.decode()
    assert not Platform.objects.exists()


@pytest.mark.parametrize("issuer", ["https://a.example;script-src *", "https://a.example, b"])
def test_an_issuer_adds_nothing_to_a_policy(school: School, issuer: str) -> None:
    platform = Platform(**{**BY_HAND, "issuer": issuer, "auth_login_url": issuer})

    assert platform.origins == []


def test_launches_from_another_deployment_than_the_one_named_are_refused(school: School) -> None:
    browser = school.browser(school.administrator)

    browser.post("/platforms/new/", {**BY_HAND, "deployment_id": "d-1"})
    made = Platform.objects.get()
    browser.post(f"/platforms/{made.pk}/", {"what": "add-deployment", "deployment_id": "d-2"})

    assert made.registration().deployment_ids == {"d-1", "d-2"}
    without = browser.post("/platforms/new/", {**BY_HAND, "client_id": "x", "family": "blackboard"})
    assert without.status_code == 400
    assert 'id="deployment_id-mistake"' in without.content.decode()


def invitation(school: School) -> str:
    page = school.browser(school.administrator).post("/platforms/", {"name": "Ours", "family": "moodle"})
    text = page.content.decode()
    start = text.index(f"{OURS}/lti/register/")
    return text[start : text.index("<", start)].removeprefix(OURS)


def test_an_lms_registers_by_itself_once(school: School, lms: LMS) -> None:
    address = invitation(school)
    asked = lms.platform.registering.parameters()
    browser = Client()

    page = browser.get(address, asked, headers=FRAMED)
    done = browser.post(address, asked, headers={"Origin": OURS, **FRAMED})
    again = browser.post(address, lms.platform.registering.parameters(), headers={"Origin": OURS})

    assert (
        "frame-ancestors *" in page["Content-Security-Policy"]
    )  # Canvas's page is at another host than this
    assert "X-Frame-Options" not in page
    assert "Registered" in text_of(done)  # type: ignore[arg-type]
    made = Platform.objects.get(name="Ours")
    assert made.client_id in lms.platform.tools
    assert made.issuer == lms.platform.issuer
    assert Deployment.objects.filter(platform=made).exists()
    assert again.status_code == 404


def test_a_registration_needs_a_button_of_ours_to_be_pressed(school: School, lms: LMS) -> None:
    address = invitation(school)
    asked = lms.platform.registering.parameters()

    Client().get(address, asked)
    Client().post(address, asked)
    Client().post(address, asked, headers={"Origin": "https://a.example"})

    assert Platform.objects.count() == 1
    assert RegistrationInvitation.objects.count() == 1


def test_a_registration_that_fails_says_why_and_can_be_repeated(school: School, lms: LMS) -> None:
    address = invitation(school)
    asked = lms.platform.registering.parameters()
    lms.platform.broken["openid"] = faults.answer(b"no", 500)

    answer = Client().post(address, asked, headers={"Origin": OURS})

    assert answer.status_code == 400
    assert "500" in text_of(answer)  # type: ignore[arg-type]
    lms.platform.broken.clear()
    assert Client().post(address, asked, headers={"Origin": OURS}).status_code == 200


def test_an_address_that_was_used_says_so_in_the_lms(school: School, lms: LMS) -> None:
    address = invitation(school)
    Client().post(address, lms.platform.registering.parameters(), headers={"Origin": OURS})

    again = Client().get(address, lms.platform.registering.parameters(), headers=FRAMED)

    assert again.status_code == 404
    assert "This address is used up" in text_of(again)  # type: ignore[arg-type]
    assert "frame-ancestors *" in again["Content-Security-Policy"]
    assert "<button" not in again.content.decode()


def test_the_page_says_where_each_lms_takes_its_address(school: School) -> None:
    browser = school.browser(school.administrator)

    made = text_of(browser.post("/platforms/", {"family": "moodle"}))  # type: ignore[arg-type]

    assert "paste it as Tool URL" in made
    offered = browser.get("/platforms/").content.decode()
    assert '<option value="moodle"' in offered
    assert '<option value="blackboard"' not in offered  # it has no dynamic registration


@pytest.mark.parametrize(
    ("family", "name", "called"),
    [
        ("moodle", "issuer", "Platform ID"),
        ("blackboard", "auth_login_url", "OIDC auth request endpoint"),
        ("brightspace", "token_audience", "Brightspace OAuth2 Audience"),
        ("sakai", "jwks_url", "LTI 1.3 Platform OAuth2 Well-Known/KeySet URL"),
        ("canvas", "deployment_id", "under the gear"),
    ],
)
def test_each_field_says_what_its_lms_calls_it(school: School, family: str, name: str, called: str) -> None:
    page = school.browser(school.administrator).get(f"/platforms/new/?family={family}").content.decode()

    hint = page.partition(f'id="{name}-hint">')[2].partition("</p>")[0]
    assert hint.startswith("Called there: ")
    assert called in hint


def test_a_form_with_a_mistake_is_shown_at_the_first_one(school: School) -> None:
    wrong = {**BY_HAND, "jwks_url": "nowhere", "frame_origins": "nowhere"}
    answer = school.browser(school.administrator).post("/platforms/new/", wrong)

    first = answer.content.decode().partition(" autofocus")[0]
    assert first.rpartition('<input id="')[2].startswith('jwks_url"')


@pytest.mark.parametrize("number", ["1 2", "a\tb", ""])
def test_no_lms_has_such_a_deployment(school: School, lms: LMS, number: str) -> None:
    browser, path = school.browser(school.administrator), f"/platforms/{lms.row.pk}/"

    answer = browser.post(path, {"what": "add-deployment", "deployment_id": number})

    assert answer.status_code == 400
    assert 'id="deployment_id-mistake"' in answer.content.decode()
    assert not Deployment.objects.exists()
    by_hand = browser.post("/platforms/new/", {**BY_HAND, "deployment_id": "1 2"})
    assert by_hand.status_code == 400


def test_what_was_registered_by_mistake_is_removed_and_registered_again(school: School) -> None:
    browser = school.browser(school.administrator)
    browser.post("/platforms/new/", {**BY_HAND, "family": "sakai", "deployment_id": "1"})
    made = Platform.objects.get()

    assert "Nobody has come from it yet" in text_of(browser.get(f"/platforms/{made.pk}/"))  # type: ignore[arg-type]
    browser.post(f"/platforms/{made.pk}/", {"what": "remove"})
    assert not Platform.objects.exists()
    assert Entry.objects.get(action="LMS removed").before["client_id"] == BY_HAND["client_id"]

    browser.post("/platforms/new/", BY_HAND)
    assert Platform.objects.get().family == "moodle"


def test_an_lms_from_which_somebody_came_is_not_removed(school: School, lms: LMS) -> None:
    lms.click(Client(), "t1", lms.platform.add_assignment(lms.tool))
    browser, path = school.browser(school.administrator), f"/platforms/{lms.row.pk}/"

    answer = browser.post(path, {"what": "remove"})

    assert Platform.objects.filter(pk=lms.row.pk).exists()
    assert "Remove it" not in text_of(answer)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("own", "says"),
    [
        ("https://attest.example.edu", ""),
        ("http://attest.example.edu", "without https"),
        ("http://localhost:8000", "only this machine reaches"),
        ("http://[::1]:8000", "only this machine reaches"),
    ],
)
def test_an_address_that_no_lms_reaches_is_named_before_it_is_copied(own: str, says: str) -> None:
    assert says in own_trouble(own) if says else own_trouble(own) == ""


def test_who_starts_without_an_address_reads_it_on_every_page_of_lmss(school: School, lms: LMS) -> None:
    browser = school.browser(school.administrator)

    for path in ("/platforms/", "/platforms/new/?family=canvas", f"/platforms/{lms.row.pk}/"):
        assert "--url https://" in text_of(browser.get(path))  # type: ignore[arg-type]
    assert "not yet This portal's address" in connection_of(school, lms)


def connection_of(school: School, lms: LMS) -> str:
    path = f"/platforms/{lms.row.pk}/"
    return text_of(school.browser(school.administrator).post(path, {"what": "test"}))  # type: ignore[arg-type]


def test_the_connection_is_tested_step_by_step(school: School, lms: LMS) -> None:
    before = connection_of(school, lms)
    link = lms.platform.add_assignment(lms.tool)
    context = LinkedContext.objects.create(
        platform=lms.row, deployment_id="1", context_id=lms.platform.course.id, course=school.course
    )
    LinkedResource.objects.create(context=context, resource_link_id=link.id, assignment=school.assignment)
    lms.click(Client(), "s1", link)
    after = connection_of(school, lms)

    assert "works Its public keys : 1 key of use" in before
    assert "works An access token" in before
    assert "not yet A roster" in before
    assert "not yet A launch" in before
    assert "works A roster : 6 people" in after
    assert "works A column of the gradebook : “Attention”, of 20 points" in after
    assert "works A launch : 1 person" in after


@pytest.mark.parametrize(
    ("broken", "says"),
    [("jwks", "does not work Its public keys"), ("token", "does not work An access token")],
)
def test_what_does_not_work_is_named(school: School, lms: LMS, broken: str, says: str) -> None:
    lms.platform.broken[broken] = faults.answer(b"out of order", 500)

    said = connection_of(school, lms)

    assert says in said
    assert "500" in said


def test_keys_of_no_use_are_not_called_well(school: School, lms: LMS) -> None:
    lms.platform.broken["jwks"] = faults.answer({"keys": []})

    said = connection_of(school, lms)

    assert "does not work Its public keys" in said
    assert "no key of use" in said


def test_who_gets_no_token_reads_what_is_usually_wrong(school: School, lms: LMS) -> None:
    lms.platform.broken["token"] = faults.answer({"error": "invalid_client"}, 400)

    said = connection_of(school, lms)

    assert "invalid_client" in said
    assert (
        f"{OURS}/lti/jwks.json" in said.partition("does not work An access token")[2].partition("not yet")[0]
    )


@pytest.mark.parametrize(
    ("name", "value", "says"),
    [
        ("jwks_url", "/nothing", "Compare the public keyset URL below"),
        ("auth_token_url", "/nothing", "token URL or the audience below is not what the LMS shows"),
        ("client_id", "another", "the client ID, the access token URL"),
        ("token_audience", "https://another", "the audience below"),
    ],
)
def test_each_wrong_value_leads_to_the_field_that_holds_it(
    school: School, lms: LMS, name: str, value: str, says: str
) -> None:
    value = f"{lms.platform.url}{value}" if value.startswith("/") else value
    Platform.objects.filter(pk=lms.row.pk).update(**{name: value})

    assert says in connection_of(school, lms)


def test_a_token_from_no_such_page_says_which_address_is_wrong(school: School, lms: LMS) -> None:
    lms.platform.broken["token"] = faults.answer(b"Not Found", 404, "text/plain")

    said = connection_of(school, lms)

    assert "Not Found. Compare the access token URL below with the LMS's." in said


def test_what_an_administrator_switches_is_in_the_trail(school: School, lms: LMS) -> None:
    browser, path = school.browser(school.administrator), f"/platforms/{lms.row.pk}/"
    deployment = Deployment.objects.create(platform=lms.row, deployment_id="1")

    for what in ("known-only", "out-of-use"):
        browser.post(path, {"what": what})
    for _ in range(2):  # as two who look at the page at once
        browser.post(path, {"what": "deployment", "deployment": str(deployment.pk), "to": "out-of-use"})
    browser.post(path, {**BY_HAND, "what": "change", "name": "Another name"})

    lms.row.refresh_from_db()
    deployment.refresh_from_db()
    assert (lms.row.is_active, lms.row.accepts_new_deployments, deployment.is_active) == (False, False, False)
    assert lms.row.name == "Another name"
    assert Entry.objects.filter(action="LMS changed").count() == 3
    assert Entry.objects.filter(action="deployment changed").count() == 1
