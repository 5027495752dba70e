"""Nobody is led elsewhere: not by an address in a request, and not by the name a request was sent to."""

from __future__ import annotations

import re
from dataclasses import replace
from urllib.parse import quote

import pytest
from django.conf import settings
from django.test import Client
from django.urls import get_resolver, reverse

from attest.portal.addresses import own_path
from attest.portal.people.views import first_link, password_link
from tests.portal.school import PASSWORD, School, make_person

EVIL = "evil.example"
ELSEWHERE = [
    f"https://{EVIL}/",
    f"//{EVIL}/",
    f"///{EVIL}/",
    f"////{EVIL}",
    f"\\\\{EVIL}/",
    f"/\\{EVIL}/",
    f"\\/{EVIL}/",
    f"https:{EVIL}",
    f"https:/{EVIL}",
    f"http:///{EVIL}",
    f"HtTpS://{EVIL}",
    f"ftp://{EVIL}/",
    f"javascript:alert('{EVIL}')",
    f"java\tscript:alert('{EVIL}')",
    f"data:text/html,{EVIL}",
    f"/\t/{EVIL}/",
    f"/\n/{EVIL}/",
    f"/\r\n/{EVIL}/",
    f"\t//{EVIL}/",
    f" //{EVIL}/",
    f"\x01//{EVIL}/",
    f"/\x7f/{EVIL}/",
    f"/\u3000/{EVIL}\n",
    f"/me/\r\nLocation: https://{EVIL}/",
    f"/me/\\..\\..//{EVIL}",
    f"@{EVIL}",
    f"{EVIL}/me",
    f".{EVIL}",
    f"http://testserver@{EVIL}/",
    f"//testserver@{EVIL}/",
    f"http://testserver.{EVIL}/",
    "courses",  # the name of a view, and no address
    "nothing",
    "",
    "/" + "x" * 3000,
]


@pytest.mark.parametrize("wanted", ELSEWHERE)
def test_what_may_lead_elsewhere_is_not_followed(wanted: str) -> None:
    assert own_path(wanted, "/") == "/"


@pytest.mark.parametrize(
    "wanted",
    ["/", "/me/", "/answers/x/?settle", "/a/?next=https://evil.example/", "/a/b%20c/?d=é#f", "/a//b"],
)
def test_our_own_pages_are(wanted: str) -> None:
    assert own_path(wanted, "/otherwise/") == wanted


@pytest.mark.parametrize("wanted", ELSEWHERE)
def test_signing_in_leads_nowhere_else(school: School, wanted: str) -> None:
    lena = make_person("lena")
    lena.set_password(PASSWORD)
    lena.save()
    fields = {"email": lena.email, "password": PASSWORD, "next": wanted}
    browser = Client()

    page = browser.get(reverse("sign-in"), {"next": wanted})
    signed_in = browser.post(reverse("sign-in"), fields)
    again = browser.get(reverse("sign-in"), {"next": wanted})

    assert '<input type="hidden" name="next" value="/">' in page.content.decode()
    assert (signed_in.status_code, signed_in["Location"]) == (302, "/")
    assert (again.status_code, again["Location"]) == (302, "/")


@pytest.mark.parametrize("wanted", ELSEWHERE)
def test_forms_that_lead_back_lead_nowhere_else(school: School, wanted: str) -> None:
    marking = reverse("marking", args=[school.assignment.pk])
    rubric = reverse("marking-rubric", args=[school.assignment.pk])
    browser = school.browser(school.grader)

    for name, otherwise in (("marking-blind", marking), ("new-comment", rubric), ("new-level", rubric)):
        answer = browser.post(reverse(name, args=[school.assignment.pk]), {"back": wanted})
        assert (name, answer.status_code, answer["Location"]) == (name, 302, otherwise)


def test_no_view_sends_anybody_where_the_request_says(school: School) -> None:
    """Every address, asked for with every name under which one might be sent on."""
    names = ("next", "back", "url", "to", "redirect", "return", "return_to", "continue", "target", "after")
    query = "&".join(f"{name}={quote(f'//{EVIL}/')}" for name in names)
    sent = dict.fromkeys(names, f"//{EVIL}/")
    headers = {"Referer": f"https://{EVIL}/", "Origin": "null", "HX-Current-URL": f"https://{EVIL}/"}
    led = 0
    for pattern in get_resolver().url_patterns:
        given = {
            name: 1 if "int" in type(kind).__name__.lower() else "x"
            for name, kind in (pattern.pattern.converters.items())
        }
        path = reverse(pattern.name, kwargs=given)
        for person in (None, school.administrator):
            browser = school.browser(person)
            for answer in (
                browser.get(f"{path}?{query}", headers=headers),
                browser.post(f"{path}?{query}", sent, headers=headers),
            ):
                where = answer.headers.get("Location", "")
                led += bool(where)
                assert re.match(r"(/(?!/)|\?|$)", where), (pattern.name, where)
                assert "HX-Redirect" not in answer.headers
    assert led > 100  # those who are not signed in are sent to sign in


@pytest.mark.parametrize(
    ("name", "headers"),
    [
        ("evil.example", {}),
        ("evil.example:8000", {}),
        ("localhost.evil.example", {}),
        ("evil.example@localhost", {}),
        ("evil.example/localhost", {}),
        ("", {"X-Forwarded-Host": "localhost"}),
    ],
)
@pytest.mark.parametrize("path", ["/", "/sign-in/", "/nothing/", "/courses/1/", "/static/x/portal.css"])
def test_a_request_for_a_foreign_name_gets_nothing(
    school: School, path: str, name: str, headers: dict[str, str]
) -> None:
    answer = school.browser(school.administrator).get(path, headers={"Host": name, **headers})

    assert answer.status_code == 400
    assert "This portal is not known by this name" in answer.content.decode()
    assert EVIL not in answer.content.decode() + str(answer.headers)
    assert "frame-ancestors 'none'" in answer["Content-Security-Policy"]


@pytest.mark.django_db
def test_machines_that_look_after_it_need_no_name(client: Client) -> None:
    assert client.get("/healthz", headers={"Host": "10.0.0.7:8000"}).status_code == 200


FORWARDED = {
    "X-Forwarded-Host": EVIL,
    "X-Forwarded-Server": EVIL,
    "X-Host": EVIL,
    "X-Original-Host": EVIL,
    "Forwarded": f"host={EVIL};proto=https",
    "X-Original-URL": f"https://{EVIL}/",
    "X-Rewrite-URL": f"https://{EVIL}/",
    "X-Forwarded-Prefix": f"//{EVIL}",
    "X-Script-Name": f"//{EVIL}",
}


def test_no_header_puts_a_foreign_name_into_a_page(school: School) -> None:
    fresh = make_person("fresh")
    paths = ["/", "/me/", "/courses/", f"/courses/{school.course.pk}/", password_link(fresh), first_link()]
    for browser in (Client(), school.browser(school.instructor)):
        for path in (*paths, "/sign-in/"):
            answer = browser.get(path, headers=FORWARDED)
            assert EVIL not in answer.content.decode() + str(answer.headers), path


@pytest.mark.parametrize("own", ["", "https://attest.example.edu"])
def test_no_header_puts_a_foreign_name_into_a_link_that_sets_a_password(
    school: School, monkeypatch: pytest.MonkeyPatch, own: str
) -> None:
    monkeypatch.setattr(settings, "CONFIGURATION", replace(settings.CONFIGURATION, url=own))
    fresh = make_person("fresh")
    school.membership.person = fresh
    school.membership.save()
    asked = [
        (school.instructor, reverse("link", args=[school.membership.pk]), {}),
        (school.administrator, reverse("person", args=[fresh.pk]), {"what": "link"}),
    ]
    for person, path, fields in asked:
        text = school.browser(person).post(path, fields, headers=FORWARDED).content.decode()
        found = re.search(r"https?://[^\s\"<]+/password/", text)
        assert found, text
        assert found[0].startswith(f"{own or 'http://testserver'}/password/")
        assert EVIL not in text
        refused = school.browser(person).post(path, fields, headers={"Host": EVIL})
        assert refused.status_code == 400
        assert "/password/" not in refused.content.decode()
