"""Launches that are not to be trusted, at a portal that really runs: nobody comes in, and nothing breaks."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import pytest

from tests.lti.platform import Link, Platform, keys
from tests.lti.platform.launches import AGS_CLAIM, CLAIM
from tests.lti.platform.world import INSTRUCTOR
from tests.portal.launching import Registered, Visitor, hidden, register
from tests.portal.running import Browser, Portal
from tests.portal.test_serving import PASSWORD

THIEF = keys.new_key("platform-1")  # named as the platform's own


@pytest.fixture(scope="module")
def school(portal: Portal, administrator: Browser) -> Iterator[Registered]:
    """The school's platform."""
    with Platform() as platform:
        yield register(portal, administrator, platform)


@pytest.fixture(scope="module")
def other(portal: Portal, administrator: Browser) -> Iterator[Registered]:
    """Another platform that the portal knows, whose administrator is not to be trusted."""
    with Platform() as platform:
        yield register(portal, administrator, platform)


@pytest.fixture(scope="module")
def link(school: Registered) -> Link:
    """What is clicked in the school's course; it opens an assignment."""
    made = school.platform.add_assignment(school.tool)
    school.link_course(Visitor(school.portal), made)
    return made


@pytest.fixture(autouse=True)
def _honest_again(school: Registered, other: Registered) -> Iterator[None]:
    yield
    for one in (school, other):
        one.platform.launches.change = one.platform.launches.make = None


def people(portal: Portal) -> int:
    return int(portal.rows("select count(*) from people_person")[0][0])


def is_refused(school: Registered, link: Link, subject: str = "s1") -> str:
    """Click; nobody comes in by it. Return the claim that the page names."""
    visitor, before = Visitor(school.portal), people(school.portal)
    answer = school.click(visitor, subject, link)
    assert answer.status == 400, answer.text
    assert "This did not open" in answer.text
    assert visitor.session is None
    assert people(school.portal) == before
    assert '"level": "error"' not in school.portal.said()
    return answer.text.partition("did not fit: <code>")[2].partition("<")[0]


def hand_made(header: Mapping[str, Any], payload: bytes, sign: Callable[[bytes], bytes]) -> str:
    message = b".".join(_written(part) for part in (json.dumps(header).encode(), payload))
    return (message + b"." + _written(sign(message))).decode()


def _written(data: bytes) -> bytes:
    return base64.urlsafe_b64encode(data).rstrip(b"=")


def test_a_launch_that_is_right_comes_in(school: Registered, link: Link) -> None:
    visitor = Visitor(school.portal)
    answer = school.click(visitor, "s2", link)
    assert answer.status == 302, answer.text
    page = visitor.get(answer.headers["Location"])
    assert page.status == 200
    assert "Bo Lund" in page.text


def test_signed_by_another_key_of_the_same_name(school: Registered, link: Link) -> None:
    school.platform.launches.make = lambda claims: keys.sign(claims, THIEF)
    assert is_refused(school, link) == "signature"


def test_signed_by_nobody(school: Registered, link: Link) -> None:
    for name in ("none", "None", "NONE", ""):
        school.platform.launches.make = lambda claims, name=name: keys.unsigned(
            claims, alg=name, kid="platform-1"
        )
        assert is_refused(school, link) == "alg"


def test_signed_with_the_public_key_as_a_secret(school: Registered, link: Link) -> None:
    public = school.platform.keys.signing.as_pem(private=False)

    def make(claims: dict[str, Any]) -> str:
        header = {"alg": "HS256", "typ": "JWT", "kid": "platform-1"}
        return hand_made(
            header,
            json.dumps(claims).encode(),
            lambda message: hmac.new(public, message, hashlib.sha256).digest(),
        )

    school.platform.launches.make = make
    assert is_refused(school, link) == "alg"


@pytest.mark.parametrize("name", ["jwk", "jku", "x5u", "x5c"])
def test_signed_by_a_key_that_the_token_brings_along(school: Registered, link: Link, name: str) -> None:
    brought = {
        "jwk": THIEF.as_dict(private=False),
        "jku": "http://127.0.0.1:1/jwks",
        "x5u": "http://127.0.0.1:1/certificate",
        "x5c": ["MIIB"],
    }
    school.platform.launches.make = lambda claims: hand_made(
        {"alg": "RS256", "kid": "platform-1", name: brought[name]},
        json.dumps(claims).encode(),
        _signature,
    )
    assert is_refused(school, link) == "signature"


def _signature(message: bytes) -> bytes:
    from cryptography.hazmat.primitives.asymmetric.padding import PKCS1v15
    from cryptography.hazmat.primitives.hashes import SHA256

    return THIEF.private_key.sign(message, PKCS1v15(), SHA256())


@pytest.mark.parametrize(
    ("claim", "changed"),
    [
        ("exp", lambda now: now - 120),
        ("exp", lambda now: None),
        ("exp", lambda now: now + 10 * 365 * 86_400),
        ("exp", lambda now: "tomorrow"),
        ("exp", lambda now: float("inf")),
        ("iat", lambda now: now + 3600),
        ("iat", lambda now: None),
        ("aud", lambda now: "another-tool"),
        ("aud", lambda now: None),
        ("iss", lambda now: "https://elsewhere.example"),
        ("nonce", lambda now: "a-nonce-of-somebody"),
        ("nonce", lambda now: None),
        ("azp", lambda now: "another-tool"),
        ("sub", lambda now: None),
        ("sub", lambda now: ""),
        ("sub", lambda now: 7),
        ("sub", lambda now: "s" * 300),
        ("sub", lambda now: "s1\0"),
        ("sub", lambda now: "s1\n"),
        ("version", lambda now: "1.1"),
        ("message_type", lambda now: "LtiSubmissionReviewRequest"),
        ("deployment_id", lambda now: None),
        ("target_link_uri", lambda now: "https://elsewhere.example/"),
        ("roles", lambda now: INSTRUCTOR),
        ("resource_link", lambda now: "1"),
        ("context", lambda now: ["c7"]),
    ],
)
def test_a_claim_that_is_wrong(
    school: Registered, link: Link, claim: str, changed: Callable[[float], object]
) -> None:
    def change(claims: dict[str, Any]) -> dict[str, Any]:
        name = claim if claim in claims else f"{CLAIM}/{claim}"
        assert name in claims
        told = {**claims, name: changed(time.time())}
        return {name: value for name, value in told.items() if value is not None}

    school.platform.launches.change = change
    told = is_refused(school, link)
    assert told.removeprefix(CLAIM).strip("/").partition(".")[0] == claim


def test_another_platform_signs_for_the_schools(school: Registered, other: Registered, link: Link) -> None:
    theirs = other.platform.keys.signing
    school.platform.launches.make = lambda claims: keys.sign(claims, theirs)
    assert is_refused(school, link) == "signature"
    school.platform.launches.make = lambda claims: keys.sign({**claims, "iss": other.platform.issuer}, theirs)
    assert is_refused(school, link) == "signature"


def test_another_platforms_launch_in_the_schools_login(
    school: Registered, other: Registered, link: Link
) -> None:
    visitor = Visitor(school.portal)
    theirs = other.form(Visitor(school.portal), "s1", other.platform.add_assignment(other.tool))
    form = school.form(visitor, "s1", link)
    answer = visitor.send("/lti/launch", {**form, "id_token": theirs["id_token"]})
    assert answer.status == 400
    assert visitor.session is None


def test_a_launch_is_good_once(school: Registered, link: Link) -> None:
    visitor = Visitor(school.portal)
    form = school.form(visitor, "s1", link)
    assert visitor.send("/lti/launch", form).status == 302
    assert visitor.send("/lti/launch", form).status == 400
    form = school.form(visitor, "s1", link)
    again = school.form(visitor, "s1", link)
    mixed = visitor.send("/lti/launch", {"state": again["state"], "id_token": form["id_token"]})
    assert mixed.status == 400
    assert "nonce" in mixed.text


def test_of_ten_who_bring_a_launch_at_once_one_comes_in(school: Registered, link: Link) -> None:
    visitor = Visitor(school.portal)
    form = school.form(visitor, "s1", link)
    copies = [Visitor(school.portal) for _ in range(10)]
    start = threading.Barrier(len(copies))
    came: list[int] = []

    def bring(copy: Visitor) -> None:
        for cookie in visitor.cookies:
            copy.cookies.set_cookie(cookie)
        start.wait()
        came.append(copy.send("/lti/launch", form).status)

    threads = [threading.Thread(target=bring, args=(copy,)) for copy in copies]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(came) == [302] + [400] * 9
    assert [copy.session is not None for copy in copies].count(True) == 1


def test_a_launch_counts_in_the_browser_that_began_it(school: Registered, link: Link) -> None:
    victim = Visitor(school.portal)
    form = school.form(Visitor(school.portal), "s1", link)
    assert victim.send("/lti/launch", form).status == 400
    assert victim.session is None
    school.form(victim, "s2", link)  # it has begun a login of its own
    assert victim.send("/lti/launch", form).status == 400
    assert victim.session is None


def test_a_session_that_was_there_before_is_another_one_afterwards(
    school: Registered, link: Link, administrator: Browser
) -> None:
    visitor = Visitor(school.portal)
    visitor.post("/sign-in/", {"email": "ada@example.edu", "password": PASSWORD})
    before = visitor.session
    assert before
    assert visitor.get("/platforms/").status == 200
    assert school.click(visitor, "s1", link).status == 302
    assert visitor.session not in (None, before)
    assert visitor.get("/platforms/").status == 404


@pytest.mark.parametrize(
    "payload",
    [
        b"",
        b"null",
        b"[]",
        b"{",
        b'{"a":' * 50_000,
        b"\xff\xfe",
        b'{"exp": 1e999, "iat": NaN}',
        b'{"iss": "\\ud800"}',
    ],
)
def test_a_token_that_is_no_object(school: Registered, link: Link, payload: bytes) -> None:
    from cryptography.hazmat.primitives.asymmetric.padding import PKCS1v15
    from cryptography.hazmat.primitives.hashes import SHA256

    private = school.platform.keys.signing.private_key
    header = {"alg": "RS256", "kid": school.platform.keys.signing.kid}
    school.platform.launches.make = lambda claims: hand_made(
        header, payload, lambda message: private.sign(message, PKCS1v15(), SHA256())
    )
    is_refused(school, link)


@pytest.mark.parametrize(
    "token",
    ["", "a", "a.b.c", "...", "\x01", "é.é.é", ".".join(["e30"] * 5), "e30." + "A" * 200_000 + ".AA"],
)
def test_a_token_that_is_none(school: Registered, link: Link, token: str) -> None:
    school.platform.launches.make = lambda claims: token
    is_refused(school, link)


MARKUP = "<script>alert(1)</script><img src=x onerror=alert(1)>{{ 7 * 7 }}{% raw %}"


@pytest.mark.parametrize(
    "name", [MARKUP, "\u202egnp.exe", "a\0b\r\nSet-Cookie: x=1", "x" * 10_000, "=cmd|' /C calc'!A0"]
)
def test_a_name_with_anything_in_it_is_shown_as_text(school: Registered, link: Link, name: str) -> None:
    where = {"id": "c7", "title": name}
    school.platform.launches.change = lambda claims: {
        **claims,
        "name": name,
        f"{CLAIM}/context": where,
        f"{CLAIM}/resource_link": {"id": link.id, "title": name},
    }
    visitor = Visitor(school.portal)
    answer = school.click(visitor, "s3", link)
    assert answer.status == 302, answer.text
    page = visitor.get(answer.headers["Location"])
    assert page.status == 200
    assert "<script>alert" not in page.text
    assert "<img src=x" not in page.text
    assert "\0" not in page.text
    assert name * 2 not in page.text
    form = school.form(visitor, "s3", link)
    framed = visitor.send("/lti/launch", form, {"Sec-Fetch-Dest": "iframe"})
    assert framed.status == 200
    assert "<script>alert" not in framed.text
    assert "Set-Cookie: x" not in str(framed.headers)


def test_who_teaches_in_another_deployment_is_nobody_in_this_course(school: Registered, link: Link) -> None:
    visitor = Visitor(school.portal)
    opened = school.click(visitor, "t1", link).headers["Location"]
    assert visitor.get(f"{opened}submissions/").status == 200
    stranger = Visitor(school.portal)
    school.platform.course.add("x1", "Xaver Thief", INSTRUCTOR)
    answer = school.click(stranger, "x1", link, deployment="2")
    assert answer.status == 200, answer.text
    assert "Which course is this?" in answer.text
    assert stranger.get(opened).status in (302, 404)
    assert stranger.get(f"{opened}submissions/").status in (302, 404)
    ticket = hidden(answer, "ticket")
    number = school.portal.rows("select course_id from lms_linkedcontext order by id limit 1")[0][0]
    told = stranger.own_page("/lti/choose", {"ticket": ticket, "course": str(number), "zone": "UTC"})
    assert told.status == 400
    assert "Choose a course" in told.text


def test_the_same_person_at_another_platform_is_somebody_else(
    school: Registered, other: Registered, link: Link
) -> None:
    opened = school.click(Visitor(school.portal), "t1", link).headers["Location"]
    theirs = other.platform.add_assignment(other.tool, attest_assignment=opened.strip("/").split("/")[-1])
    theirs.id = link.id
    thief = Visitor(school.portal)
    answer = other.click(thief, "t1", theirs)  # the same sub, name, email, context, link and number
    assert "Which course is this?" in answer.text
    assert "with the assignments of" not in answer.text
    assert thief.get(opened).status in (302, 404)
    student = Visitor(school.portal)
    answer = other.click(student, "s1", theirs)
    assert student.get(opened).status in (302, 404)


def test_roles_of_the_institution_teach_no_course(school: Registered, link: Link) -> None:
    institution = "http://purl.imsglobal.org/vocab/lis/v2/institution/person"
    system = "http://purl.imsglobal.org/vocab/lis/v2/system/person"
    roles = [f"{institution}#Administrator", f"{institution}#Instructor", f"{system}#SysAdmin"]
    school.platform.launches.change = lambda claims: {**claims, f"{CLAIM}/roles": roles}
    assert is_refused(school, link, "s1") == "roles"


def test_a_link_names_services_elsewhere(school: Registered, link: Link) -> None:
    for wrong in ("javascript:alert(1)", "file:///etc/passwd", "https://user:word@school.example/", "//x"):
        school.platform.launches.change = lambda claims, wrong=wrong: {
            **claims,
            AGS_CLAIM: {"scope": [], "lineitems": wrong, "lineitem": wrong},
        }
        assert is_refused(school, link).startswith("lineitem")


def test_a_deployment_that_is_not_known_where_none_is_taken(portal: Portal, administrator: Browser) -> None:
    with Platform() as platform:
        strict = register(portal, administrator, platform)
        number = portal.rows("select max(id) from lms_platform")[0][0]
        place = f"/platforms/{number}/"
        first = strict.platform.add_assignment(strict.tool)
        assert strict.click(Visitor(portal), "t1", first).status == 200
        administrator.post(place, {"what": "known-only"})
        assert strict.click(Visitor(portal), "t1", first).status == 200
        strict.platform.launches.change = lambda claims: {**claims, f"{CLAIM}/deployment_id": "99"}
        assert is_refused(strict, first) == "deployment_id"
