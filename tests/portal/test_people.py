"""Signing in, passwords, the first administrator, and what is kept of them."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from django.conf import settings
from django.test import Client
from django.urls import reverse

from attest.portal.audit.models import Entry
from attest.portal.courses.models import Course, Membership
from attest.portal.people import rates
from attest.portal.people.models import Person, PersonalToken, Tried
from attest.portal.people.views import PASSWORD_LINKS, first_link, password_link
from tests.portal.school import PASSWORD, School, make_person

SIGN_IN = "/sign-in/"


@pytest.fixture
def lena(db: None) -> Person:
    return make_person("lena", password=PASSWORD, zone="Asia/Tokyo")


def sign_in(browser: Client, password: str = PASSWORD, email: str = "lena@example.edu", **fields: str) -> int:
    return browser.post(SIGN_IN, {"email": email, "password": password, **fields}).status_code


def test_a_password_is_kept_as_argon2id_with_bounded_memory(lena: Person) -> None:
    assert lena.password.startswith("argon2$argon2id$v=19$m=19456,t=2,p=1$")


def test_email_and_password_sign_in_whatever_the_capitals(client: Client, lena: Person) -> None:
    assert sign_in(client, email="LENA@Example.edu") == 302
    assert client.get("/").status_code == 200


@pytest.mark.parametrize("email", ["lena@example.edu", "nobody@example.edu"])
def test_a_wrong_password_and_an_unknown_person_read_alike(client: Client, lena: Person, email: str) -> None:
    answer = client.post(SIGN_IN, {"email": email, "password": "wrong"})

    assert answer.status_code == 400
    assert "Email and password do not fit together." in answer.content.decode()


def test_who_may_not_sign_in_any_more_is_put_out(client: Client, lena: Person) -> None:
    sign_in(client)
    Person.objects.filter(pk=lena.pk).update(is_active=False)

    assert client.get("/").status_code == 302
    assert sign_in(client) == 400


def test_guessing_is_slowed_for_one_person_and_not_for_another(client: Client, lena: Person) -> None:
    make_person("omar", password=PASSWORD)
    for _ in range(rates.SIGN_IN_HERE.times):
        assert sign_in(client, "wrong") == 400

    answer = client.post(SIGN_IN, {"email": "lena@example.edu", "password": PASSWORD})

    assert answer.status_code == 429
    assert "Too many tries. Try again in" in answer.content.decode()
    assert sign_in(client, email="omar@example.edu") == 302


def test_wrong_passwords_from_elsewhere_keep_nobody_out(client: Client, lena: Person) -> None:
    for _ in range(rates.SIGN_IN_HERE.times + 1):
        sign_in(Client(REMOTE_ADDR="192.0.2.1"), "wrong")

    assert sign_in(client) == 302


def test_guessing_from_everywhere_is_slowed_too(
    client: Client, lena: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rates, "SIGN_IN_PERSON", rates.Rate("from everywhere", 3, 900))
    for number in range(3):
        assert sign_in(Client(REMOTE_ADDR=f"192.0.2.{number}"), "wrong") == 400

    assert sign_in(client) == 429


def test_what_an_address_sends_that_is_stopped_counts_against_nobody(
    client: Client, lena: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rates, "SIGN_IN_ADDRESS", rates.Rate("from an address", 2, 900))
    monkeypatch.setattr(rates, "SIGN_IN_PERSON", rates.Rate("from everywhere", 3, 900))
    for _ in range(6):
        sign_in(Client(REMOTE_ADDR="192.0.2.1"), "wrong")

    assert sign_in(client) == 302


def test_one_household_is_one_address() -> None:
    assert rates.network_of("2001:db8::1") == rates.network_of("2001:db8::ffff:1")
    assert rates.network_of("2001:db8::1") != rates.network_of("2001:db8:0:1::1")
    assert rates.network_of("192.0.2.1") != rates.network_of("192.0.2.2")


def test_counts_hold_no_address_and_are_forgotten(client: Client, lena: Person) -> None:
    sign_in(client, "wrong")

    assert not [row for row in Tried.objects.values_list("what", flat=True) if "lena" in row or "127" in row]
    assert rates.forget_past() == 0
    Tried.objects.update(until=lena.joined_at)
    assert rates.forget_past() == 3


@pytest.mark.parametrize("wanted", ["https://elsewhere.example/", "//elsewhere.example/", "javascript:1"])
def test_signing_in_leads_nowhere_else(client: Client, lena: Person, wanted: str) -> None:
    answer = client.post(SIGN_IN, {"email": lena.email, "password": PASSWORD, "next": wanted})

    assert answer["Location"] == "/"


def test_a_session_is_another_after_signing_in(client: Client, lena: Person) -> None:
    client.get(SIGN_IN)
    sign_in(client)

    cookie = client.cookies["sessionid"]
    assert cookie["httponly"]
    assert cookie["samesite"] == "Lax"


def test_signing_out_needs_the_form(client: Client, lena: Person) -> None:
    sign_in(client)
    client.get("/sign-out/")
    assert client.get("/").status_code == 200
    client.post("/sign-out/")
    assert client.get("/").status_code == 302


def test_without_a_csrf_token_nothing_is_changed(lena: Person) -> None:
    browser = Client(enforce_csrf_checks=True)
    browser.force_login(lena)

    answer = browser.post("/me/", {"name": "Another", "zone": "UTC"})

    assert answer.status_code == 403
    assert "This form is too old" in answer.content.decode()
    lena.refresh_from_db()
    assert lena.name == "Lena"


@pytest.mark.django_db
def test_the_first_administrator_is_made_once(client: Client) -> None:
    link = first_link()
    fields = {"email": "Ada@example.edu", "name": "Ada", "zone": "Europe/Berlin"}
    weak = client.post(link, {**fields, "password": "password", "again": "password"})
    assert "at least 10 characters" in weak.content.decode()
    assert not Person.objects.exists()

    client.post(link, {**fields, "password": PASSWORD, "again": PASSWORD})

    ada = Person.objects.get()
    assert (ada.email, ada.is_administrator, ada.zone) == ("ada@example.edu", True, "Europe/Berlin")
    assert client.get("/courses/new/").status_code == 200
    assert Client().get(link).status_code == 404
    assert Entry.objects.get().action == "first administrator"


def test_a_link_sets_a_password_once_and_tells_it_to_nobody_else(client: Client, db: None) -> None:
    omar = make_person("omar")
    link = password_link(omar)
    assert sign_in(client, email=omar.email) == 400

    differing = client.post(link, {"password": PASSWORD, "again": "another"})
    assert "not the same" in differing.content.decode()
    client.post(link, {"password": PASSWORD, "again": PASSWORD, "zone": "Asia/Tokyo"})

    assert client.get("/").status_code == 200
    assert Client().get(link).status_code == 404
    of_somebody_else = password_link(make_person("eve")).split("/")[-2]
    assert Client().get(re.sub(r"[^/]+/$", f"{of_somebody_else}/", link)).status_code == 404


def test_of_two_who_set_a_password_by_one_link_at_once_one_does(
    db: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    omar = make_person("omar")
    link = password_link(omar)
    looked_at = PASSWORD_LINKS.check_token

    def somebody_is_quicker(person: Person, token: str) -> bool:
        found = looked_at(person, token)
        if found:
            monkeypatch.undo()
            Client().post(link, {"password": PASSWORD, "again": PASSWORD})
        return found

    monkeypatch.setattr(PASSWORD_LINKS, "check_token", somebody_is_quicker)
    late = Client().post(link, {"password": "another long one", "again": "another long one"})

    assert late.status_code == 404
    omar.refresh_from_db()
    assert omar.check_password(PASSWORD)


def test_a_link_for_a_student_is_none_for_an_administrator(client: Client, db: None) -> None:
    omar = make_person("omar")
    link = password_link(omar)
    assert client.get(link).status_code == 200

    Person.objects.update(is_administrator=True)

    assert client.get(link).status_code == 404


def test_a_link_names_the_portal_as_it_is_configured(school: School, monkeypatch: pytest.MonkeyPatch) -> None:
    known = replace(settings.CONFIGURATION, url="https://attest.example.edu")
    monkeypatch.setattr(settings, "CONFIGURATION", known)
    browser = school.browser(school.instructor)

    answer = browser.post(reverse("link", args=[school.membership.pk]), headers={"Host": "localhost:8000"})

    assert "https://attest.example.edu/password/" in answer.content.decode()
    assert "localhost" not in answer.content.decode()


def test_an_instructor_makes_no_link_for_who_has_a_password(school: School) -> None:
    school.student.set_password(PASSWORD)
    school.student.save()
    browser = school.browser(school.instructor)

    answer = browser.post(reverse("link", args=[school.membership.pk]))

    assert answer.status_code == 302


def test_an_instructor_makes_no_link_for_who_is_in_anothers_course_too(school: School) -> None:
    Membership.objects.create(course=Course.objects.get(title="Elsewhere"), person=school.student)
    address = reverse("link", args=[school.membership.pk])

    refused = school.browser(school.instructor).post(address, follow=True).content.decode()
    made = school.browser(school.administrator).post(address).content.decode()

    assert "an administrator makes their link" in refused
    assert "/password/" not in refused
    assert "/password/" in made


def test_changing_a_password_needs_the_present_one_and_signs_other_devices_out(lena: Person) -> None:
    here, there = Client(), Client()
    for browser in (here, there):
        sign_in(browser)
    new = {"what": "password", "password": "another long one", "again": "another long one"}

    wrong = here.post("/me/", {**new, "present": "wrong"})
    assert "not your present password" in wrong.content.decode()
    here.post("/me/", {**new, "present": PASSWORD})

    assert here.get("/").status_code == 200
    assert there.get("/").status_code == 302


@pytest.mark.parametrize(("fields", "left"), [({}, 0), ({"keep_tokens": "on"}, 2)])
def test_tokens_end_with_the_password_unless_they_are_to_be_kept(
    client: Client, lena: Person, fields: dict[str, str], left: int
) -> None:
    omars = PersonalToken.issue(make_person("omar"), "laptop")
    for name in ("laptop", "lab machine"):
        PersonalToken.issue(lena, name)
    client.force_login(lena)
    assert "Keep my 2 tokens" in client.get("/me/").content.decode()
    new = {
        "what": "password",
        "present": PASSWORD,
        "password": "another long one",
        "again": "another long one",
    }

    page = client.post("/me/", {**new, **fields}, follow=True).content.decode()

    assert lena.tokens.count() == left
    assert ("2 tokens removed" in page) == (left == 0)
    assert Entry.objects.filter(action="tokens removed", whom=lena.pk).count() == (0 if left else 1)
    assert PersonalToken.holder(omars) is not None


def test_who_sets_a_password_by_a_link_ends_every_token(client: Client, lena: Person) -> None:
    token = PersonalToken.issue(lena, "laptop")

    page = client.post(
        password_link(lena), {"password": "another long one", "again": "another long one"}, follow=True
    )

    assert PersonalToken.holder(token) is None
    assert "1 token removed" in page.content.decode()


def test_a_present_password_is_not_guessed_in_an_open_session(client: Client, lena: Person) -> None:
    sign_in(client)
    new = {"what": "password", "password": "another long one", "again": "another long one"}
    for _ in range(rates.SIGN_IN_HERE.times):
        client.post("/me/", {**new, "present": "wrong"})

    answer = client.post("/me/", {**new, "present": PASSWORD})

    assert "Too many tries" in answer.content.decode()
    lena.refresh_from_db()
    assert lena.check_password(PASSWORD)


def test_another_name_is_in_the_trail_without_being_said(client: Client, lena: Person) -> None:
    sign_in(client)
    client.post("/me/", {"name": "Lena", "zone": "UTC"})
    assert not Entry.objects.exists()

    client.post("/me/", {"name": "Somebody Else", "zone": "UTC"})

    assert [(one.action, one.who, one.before, one.after) for one in Entry.objects.all()] == [
        ("name changed", lena.pk, None, None)
    ]


def test_a_token_is_kept_as_a_hash(lena: Person) -> None:
    text = PersonalToken.issue(lena, "laptop")

    assert PersonalToken.holder(text) == lena
    assert PersonalToken.holder(text + "x") is None
    assert text not in str(list(PersonalToken.objects.values()))
    Person.objects.update(is_active=False)
    assert PersonalToken.holder(text) is None
