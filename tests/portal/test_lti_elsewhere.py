"""Where a launch or a platform would lead the portal, or a browser: not elsewhere, and not for ever."""

from __future__ import annotations

import re
import socket
import threading
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import pytest

from tests.lti.platform import Platform, faults, keys
from tests.lti.platform.launches import CLAIM, DEEP
from tests.portal.launching import PRIVATE, Registered, Visitor, hidden, register
from tests.portal.running import Answer, Browser, Portal, new_database
from tests.portal.test_serving import first_administrator

_CLICKS = 25  # at each of two platforms: more than a portal has threads
METADATA = "http://169.254.169.254/latest/meta-data/"


@pytest.fixture(scope="module")
def portal(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Portal]:
    """A portal in a school's network, whose LMS is there, too."""
    data = tmp_path_factory.mktemp("portal") / "data"
    running = Portal(data, "--workers", "0", env={**new_database(), **PRIVATE})
    yield running
    running.end()


@pytest.fixture(scope="module")
def administrator(portal: Portal) -> Browser:
    return first_administrator(portal)


@pytest.fixture(scope="module")
def public(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Portal, Browser]]:
    """A portal as it is by default: platforms are on the internet."""
    data = tmp_path_factory.mktemp("public") / "data"
    running = Portal(data, "--workers", "0", env=new_database())
    yield running, first_administrator(running)
    running.end()


@pytest.fixture
def school(portal: Portal, administrator: Browser) -> Iterator[Registered]:
    with Platform() as platform:
        yield register(portal, administrator, platform)


class Canary:
    """A service inside the network: counts who connects."""

    def __init__(self) -> None:
        self.visits = 0
        self._listening = socket.create_server(("::", 0), family=socket.AF_INET6, dualstack_ipv6=True)
        self.port = self._listening.getsockname()[1]
        threading.Thread(target=self._count, daemon=True).start()

    def _count(self) -> None:
        while True:
            try:
                connection, _ = self._listening.accept()
            except OSError:
                return
            self.visits += 1
            connection.close()

    def end(self) -> None:
        self._listening.close()


@pytest.fixture
def canary() -> Iterator[Canary]:
    inside = Canary()
    yield inside
    inside.end()


def test_the_canary_sees_who_comes(canary: Canary) -> None:
    socket.create_connection(("127.0.0.1", canary.port)).close()
    until = time.monotonic() + 5
    while canary.visits != 1:
        assert time.monotonic() < until
        time.sleep(0.02)


INSIDE = [
    "http://127.0.0.1:{}/",
    "https://127.0.0.1:{}/",
    "https://localhost:{}/",
    "https://[::1]:{}/",
    "https://0.0.0.0:{}/",
    "https://2130706433:{}/",
    "https://0x7f000001:{}/",
    "https://127.1:{}/",
    "https://[::ffff:127.0.0.1]:{}/",
    "https://[::]:{}/",
]


@pytest.mark.parametrize("url", INSIDE)
def test_a_registration_does_not_have_the_portal_knock_inside(
    public: tuple[Portal, Browser], canary: Canary, url: str
) -> None:
    portal, administrator = public
    address = url.format(canary.port)
    with Platform() as platform:
        named = {"jwks_url": address, "auth_token_url": address}
        register(portal, administrator, platform, **named)
    number = portal.rows("select max(id) from lms_platform")[0][0]
    tested = administrator.post(f"/platforms/{number}/", {"what": "test"})
    assert tested.status == 200
    assert "ttest" in tested.text
    assert canary.visits == 0
    invited = _invitation(administrator)
    visitor = Visitor(portal)
    answer = visitor.own_page(invited, {"openid_configuration": address, "registration_token": "x"})
    assert answer.status == 400
    assert canary.visits == 0
    assert '"level": "error"' not in portal.said()


def _invitation(administrator: Browser) -> str:
    shown = administrator.post("/platforms/", {"name": "Another", "family": "moodle"})
    found = re.search(r"/lti/register/[\w-]+", shown.text)
    assert found, shown.text
    return found[0]


@pytest.mark.parametrize(
    "url", [METADATA, "http://[fd00:ec2::254]/latest/", "http://[fe80::1%25lo]/", "http://0/"]
)
def test_not_even_in_a_schools_network_is_a_clouds_memory_asked(
    portal: Portal, administrator: Browser, url: str
) -> None:
    began = time.monotonic()
    answer = Visitor(portal).own_page(
        _invitation(administrator), {"openid_configuration": url, "registration_token": "x"}
    )
    assert answer.status == 400
    assert time.monotonic() - began < 20
    assert "Registered" not in answer.text


@pytest.mark.parametrize("name", ["openid", "jwks"])
def test_a_redirect_does_not_lead_to_a_clouds_memory(
    school: Registered, administrator: Browser, name: str
) -> None:
    school.platform.broken[name] = faults.redirect(METADATA)
    if name == "jwks":
        answer = school.click(Visitor(school.portal), "t1", school.platform.add_assignment(school.tool))
    else:
        answer = Visitor(school.portal).own_page(
            _invitation(administrator), school.platform.registering.parameters()
        )
    assert answer.status == 400
    assert "private network" in answer.text
    assert "169.254.169.254" in answer.text


def test_a_guessed_invitation_asks_nobody(school: Registered) -> None:
    parameters = school.platform.registering.parameters()
    answer = Visitor(school.portal).own_page("/lti/register/guessed", parameters)
    assert answer.status == 404
    assert ("openid", "GET") not in school.platform.asked


def test_an_invitation_is_used_by_a_press_of_a_button_of_ours(
    school: Registered, administrator: Browser
) -> None:
    invited = _invitation(administrator)
    parameters = school.platform.registering.parameters()
    visitor = Visitor(school.portal)
    assert visitor.send(invited, parameters).status == 200
    assert visitor.send(invited, parameters, {"Origin": "http://elsewhere.example"}).status == 200
    assert ("openid", "GET") not in school.platform.asked
    done = visitor.own_page(invited, parameters)
    assert "Registered" in done.text
    assert visitor.own_page(invited, parameters).status == 404


@pytest.mark.parametrize(
    ("fault", "says"),
    [
        (faults.endless(), "more than"),
        (faults.bomb(500), "more than"),
        (faults.hang_up(), "could not be asked"),
        (faults.answer(b"<html>sign in</html>", content_type="text/html"), "JSON was expected"),
        (faults.answer(b"", 500), "500"),
        (faults.answer([1, 2]), ""),
        (faults.answer({"keys": {"a": 1}}), ""),
        (faults.answer({"keys": [None, 7, {"kty": "oct", "k": "AA"}, {"kty": "RSA"}]}), ""),
        (faults.answer(b'{"keys":' + b"[" * 100_000), ""),
        (
            faults.answer(
                {"keys": [{"kty": "RSA", "kid": f"k{one}", "n": "AQAB", "e": "AQAB"} for one in range(9999)]}
            ),
            "",
        ),
    ],
)
def test_keys_that_are_none_let_nobody_in(school: Registered, fault: faults.Fault, says: str) -> None:
    school.platform.broken["jwks"] = fault
    link = school.platform.add_assignment(school.tool)
    before, began = _memory(school.portal), time.monotonic()
    visitor = Visitor(school.portal)
    answer = school.click(visitor, "t1", link)
    assert answer.status == 400
    assert says in answer.text
    assert visitor.session is None
    assert time.monotonic() - began < 20
    assert _memory(school.portal) - before < 100_000_000
    assert '"level": "error"' not in school.portal.said()


def _memory(portal: Portal) -> int:
    """The most that the portal's own process has had, in bytes."""
    told = Path(f"/proc/{portal.process.pid}/status").read_text()
    found = re.search(r"VmHWM:\s+(\d+) kB", told)
    assert found
    return int(found[1]) * 1024


def test_platforms_that_drip_keep_nobody_else_waiting(
    school: Registered, portal: Portal, administrator: Browser
) -> None:
    school.platform.broken["jwks"] = faults.drip(0.2)
    with Platform() as platform:
        other = register(portal, administrator, platform)
        platform.broken["jwks"] = faults.drip_headers(0.2)
        came: list[Answer] = []
        waiting = []
        for one in (school, other):
            link = one.platform.add_assignment(one.tool)
            for _ in range(_CLICKS):
                visitor = Visitor(portal)
                form = one.form(visitor, "t1", link)
                click = partial(visitor.send, "/lti/launch", form)
                waiting.append(threading.Thread(target=lambda click=click: came.append(click())))
        for thread in waiting:
            thread.start()
        began = time.monotonic()
        while any(thread.is_alive() for thread in waiting):
            asked = time.monotonic()
            assert Visitor(portal).get("/sign-in/").status == 200
            assert time.monotonic() - asked < 10
            assert time.monotonic() - began < 100
            time.sleep(2)
        assert [answer.status for answer in came] == [400] * len(waiting)


def test_a_registration_that_drips_is_the_only_one_at_a_time(
    school: Registered, portal: Portal, administrator: Browser
) -> None:
    school.platform.broken["openid"] = faults.drip(0.2)
    first, second = _invitation(administrator), _invitation(administrator)
    parameters = school.platform.registering.parameters()
    came: list[Answer] = []
    waiting = threading.Thread(target=lambda: came.append(Visitor(portal).own_page(first, parameters)))
    waiting.start()
    while ("openid", "GET") not in school.platform.asked:
        time.sleep(0.02)
    began = time.monotonic()
    answer = Visitor(portal).own_page(second, parameters)
    assert answer.status == 400
    assert "Another LMS is being registered" in answer.text
    assert time.monotonic() - began < 5
    waiting.join()
    assert "took too long" in came[0].text


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
        by_itself = Visitor(school.portal).own_page(
            _invitation(administrator), thief.registering.parameters()
        )
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
