"""Where a launch would lead somebody's browser: nowhere but to us and to the platform that is registered."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from tests.lti.platform import Platform, keys
from tests.lti.platform.launches import CLAIM, DEEP
from tests.portal.launching import Registered, Visitor, hidden, invitation, register
from tests.portal.running import Answer, Browser, Portal


@pytest.fixture
def school(portal: Portal, administrator: Browser) -> Iterator[Registered]:
    with Platform() as platform:
        yield register(portal, administrator, platform)


OPEN_REDIRECTS = [
    "https://evil.example/",
    "//evil.example/",
    "http://evil.example\\@{host}/lti/launch",
    "http://{host}@evil.example/",
    "http://{host}.evil.example/",
    "http://{host}%2eevil.example/",
    "http://{host}\\.evil.example/",
    "http://localhost:1/lti/launch",
    "javascript:alert(1)//{host}",
    "\thttps://evil.example/",
    "data:text/html,hello",
    "/lti/launch",
    "",
]


@pytest.mark.parametrize("target", OPEN_REDIRECTS)
def test_a_target_that_is_not_ours_leads_nowhere(school: Registered, target: str) -> None:
    visitor = Visitor(school.portal)
    told = school.platform.launches.begin(school.tool, "s1", school.platform.add_assignment(school.tool))
    told["target_link_uri"] = target.format(host=visitor.root.removeprefix("http://"))
    for answer in (
        visitor.send("/lti/login", told),
        visitor.send("/lti/login", told, {"Sec-Fetch-Dest": "iframe"}),
    ):
        assert answer.status == 400
        assert "Location" not in answer.headers
        assert 'href="https://evil' not in answer.text
    assert not list(visitor.cookies)


@pytest.mark.parametrize(
    "change",
    [
        {"iss": "https://evil.example"},
        {"client_id": "another"},
        {"iss": ""},
        {"login_hint": ""},
        {"login_hint": "x" * 1_000_000},
        {"lti_message_hint": "x" * 1_000_000},
    ],
)
def test_a_login_of_nobody_we_know_leads_nowhere(school: Registered, change: dict[str, str]) -> None:
    told = school.platform.launches.begin(school.tool, "s1", school.platform.add_assignment(school.tool))
    before = school.portal.rows("select count(*) from lms_loginstate")
    answer = Visitor(school.portal).send("/lti/login", {**told, **change})
    assert answer.status in (400, 413)
    assert "Location" not in answer.headers
    assert school.portal.rows("select count(*) from lms_loginstate") == before


def test_what_a_platform_is_asked_is_written_safely(school: Registered) -> None:
    visitor = Visitor(school.portal)
    told = school.platform.launches.begin(school.tool, "s1", school.platform.add_assignment(school.tool))
    told["login_hint"] = "a&redirect_uri=https://evil.example\r\nSet-Cookie: x=1#"
    answer = visitor.send("/lti/login", told)
    assert answer.status == 302
    assert answer.headers["Location"].count("redirect_uri=") == 1
    assert "evil.example\r" not in str(answer.headers)
    assert answer.headers["Location"].startswith(f"{school.platform.url}/auth?")


@pytest.mark.parametrize(
    "back",
    [
        "javascript:alert(1)",
        "https://evil.example; script-src *",
        "https://evil.example\r\nX-Injected: 1",
        "https://user@evil.example/",
        "data:text/html,x",
    ],
)
def test_the_way_back_is_an_address_of_the_web_and_no_policy(school: Registered, back: str) -> None:
    link = school.platform.add_assignment(school.tool)
    school.platform.launches.change = lambda claims: {
        **claims,
        f"{CLAIM}/launch_presentation": {"return_url": back, "document_target": "iframe"},
    }
    visitor = Visitor(school.portal)
    form = school.form(visitor, "s1", link)
    answer = visitor.send("/lti/launch", form, {"Sec-Fetch-Dest": "iframe"})
    assert answer.status == 200, answer.text
    assert back not in answer.text
    policy = answer.headers["Content-Security-Policy"]
    assert "evil.example" not in policy
    assert policy.count("script-src") == 1
    assert "X-Injected" not in answer.headers


@pytest.mark.parametrize(
    "back", ["javascript:alert(1)", 'https://evil.example/"><script>', "ftp://evil.example/", 7, None]
)
def test_a_choice_goes_back_to_an_address_of_the_web(school: Registered, back: object) -> None:
    def change(claims: dict[str, object]) -> dict[str, object]:
        settings = claims[f"{DEEP}/deep_linking_settings"]
        assert isinstance(settings, dict)
        return {**claims, f"{DEEP}/deep_linking_settings": {**settings, "deep_link_return_url": back}}

    school.platform.launches.change = change
    answer = school.click(Visitor(school.portal), "t1", None)
    assert answer.status == 400
    assert "deep_link_return_url" in answer.text or "deep_linking_settings" in answer.text


def test_a_ticket_is_good_once_and_from_a_page_of_ours(school: Registered) -> None:
    link = school.platform.add_assignment(school.tool)
    school.link_course(Visitor(school.portal), link)
    visitor = Visitor(school.portal)
    form = school.form(visitor, "s1", link)
    framed = visitor.send("/lti/launch", form, {"Sec-Fetch-Dest": "iframe"})
    assert visitor.session is None
    ticket = hidden(framed, "ticket")
    thief = Visitor(school.portal)
    refused: list[Callable[[], Answer]] = [
        lambda: thief.send("/lti/open", {"ticket": ticket}),
        lambda: thief.send("/lti/open", {"ticket": ticket}, {"Origin": school.platform.url}),
        lambda: thief.send("/lti/open", {"ticket": ticket}, {"Origin": "null"}),
        lambda: thief.send(f"/lti/open?ticket={ticket}"),
        lambda: thief.own_page("/lti/open", {"ticket": ticket[:-1]}),
        lambda: thief.own_page("/lti/choose", {"ticket": ticket, "assignment": "installed:basics"}),
    ]
    for attempt in refused:
        assert attempt().status in (400, 405)
        assert thief.session is None
    assert visitor.own_page("/lti/open", {"ticket": ticket}).status == 302
    assert visitor.session
    assert thief.own_page("/lti/open", {"ticket": ticket}).status == 400
    assert thief.session is None


def test_no_platform_gets_what_is_signed_for_another_ones_client(
    school: Registered, administrator: Browser
) -> None:
    """A client id is all that tells who we are: Moodle takes what was signed for anybody."""
    taken = school.tool.client_id
    with Platform() as thief:
        page = "/platforms/new/?family=moodle"
        fields = {"family": "moodle", "name": "A", "issuer": thief.issuer, "client_id": taken}
        for name in ("auth_login_url", "auth_token_url", "jwks_url"):
            fields[name] = f"{thief.url}/{name}"
        by_hand = administrator.post(page, fields)
        assert by_hand.status == 400
        assert "registered already" in by_hand.text
        thief.registering.client_id = taken
        by_itself = Visitor(school.portal).own_page(invitation(administrator), thief.registering.parameters())
        assert by_itself.status == 400
        assert "registered already" in by_itself.text
        other = register(school.portal, administrator, thief)
        number = school.portal.rows("select max(id) from lms_platform")[0][0]
        changed = administrator.post(
            f"/platforms/{number}/", {**fields, "what": "change", "name": "The school's LMS"}
        )
        assert changed.status == 400
        known = school.portal.rows("select count(distinct client_id), count(*) from lms_platform")[0]
        assert known[0] == known[1]
        administrator.post(f"/platforms/{number}/", {"what": "test"})
        told = keys.unverified(other.platform.tokens.asked[-1]["client_assertion"])
        assert (told["sub"], told["aud"]) == (other.tool.client_id, f"{thief.url}/token")
