"""What a platform has the portal ask: nothing inside its own network, and nothing for ever."""

from __future__ import annotations

import re
import socket
import threading
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest

from tests.lti.platform import Platform, faults
from tests.portal.launching import Registered, Visitor, invitation, register
from tests.portal.running import Answer, Browser, Portal, new_database
from tests.portal.test_serving import first_administrator

_CLICKS = 25  # at each of two platforms: more than a portal has threads
METADATA = "http://169.254.169.254/latest/meta-data/"


@pytest.fixture(scope="module")
def public(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Portal, Browser]]:
    """A portal as it is by default: platforms are on the internet."""
    data = tmp_path_factory.mktemp("public") / "data"
    with Portal(data, "--workers", "0", env=new_database()) as running:
        yield running, first_administrator(running)


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
    invited = invitation(administrator)
    visitor = Visitor(portal)
    answer = visitor.own_page(invited, {"openid_configuration": address, "registration_token": "x"})
    assert answer.status == 400
    assert canary.visits == 0
    assert '"level": "error"' not in portal.said()


@pytest.mark.parametrize(
    "url", [METADATA, "http://[fd00:ec2::254]/latest/", "http://[fe80::1%25lo]/", "http://0/"]
)
def test_not_even_in_a_schools_network_is_a_clouds_memory_asked(
    portal: Portal, administrator: Browser, url: str
) -> None:
    began = time.monotonic()
    answer = Visitor(portal).own_page(
        invitation(administrator), {"openid_configuration": url, "registration_token": "x"}
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
            invitation(administrator), school.platform.registering.parameters()
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
    invited = invitation(administrator)
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
    first, second = invitation(administrator), invitation(administrator)
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
