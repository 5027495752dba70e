"""Launches from each LMS made for tests, over HTTP: its keys are read where it publishes them."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import pytest

from attest.lti.claims import Launch
from attest.lti.deep_linking import AssignmentLink, response
from attest.lti.errors import Refused, Unreachable
from attest.lti.keys import new_key, public_jwks
from attest.lti.launch import PlatformError, finish
from attest.lti.login import begin
from attest.lti.platform_keys import PlatformKeys
from attest.lti.roles import role_of
from attest.lti.web import Web
from tests.lti.memory import MemoryStore
from tests.lti.platform import Link, Platform, Tool, faults
from tests.lti.platform.keys import new_key as a_strangers_key
from tests.lti.platform.keys import sign

LOGIN, LAUNCH = "https://attest.example/lti/login", "https://attest.example/lti/launch"
MODES = ["moodle", "canvas", "blackboard", "brightspace", "other"]


class Clock:
    """Hours that pass at once; what is read by the real clock stays as it is."""

    def __init__(self) -> None:
        self.now = time.time()

    def __call__(self) -> float:
        return self.now


class Visit:
    """A tool registered with one platform, and somebody who clicks there."""

    def __init__(self, platform: Platform, **tool: Any) -> None:
        self.platform = platform
        self.own_key = new_key(time.time())
        self.tool: Tool = platform.add_tool(LOGIN, LAUNCH, public_jwks([self.own_key]), **tool)
        self.link: Link = platform.add_assignment(self.tool)
        self.store = MemoryStore(platform.registration(self.tool))
        self.keys_clock = Clock()
        self.keys = PlatformKeys(
            Web(allow_private=True, read_seconds=0.5, total_seconds=1.5), self.keys_clock
        )

    def launch(self, subject: str = "s1", *, chooses: bool = False, deployment: str = "") -> Launch:
        """From the click to the launch."""
        link = None if chooses else self.link
        clicked = self.platform.launches.begin(self.tool, subject, link, deployment=deployment)
        now = self.platform.clock()
        begun = begin(self.store, clicked, launch_url=LAUNCH, now=now)
        asked = dict(parse_qsl(urlsplit(begun.redirect_url).query))
        form = self.platform.launches.authenticate(asked)
        return finish(self.store, self.keys, form.fields, state_from_browser=begun.state.value, now=now)


@pytest.fixture
def visit() -> Iterator[Visit]:
    with Platform("moodle") as platform:
        yield Visit(platform)


@pytest.mark.parametrize("mode", MODES)
def test_a_student_comes_from_each_lms(mode: str) -> None:
    with Platform(mode) as platform:
        visit = Visit(platform)
        launch = visit.launch("s1")
        visit.launch("s2")

    assert role_of(launch) == "student"
    assert launch.subject == "s1"
    assert launch.resource_link_id == visit.link.id
    assert launch.ags is not None
    assert (launch.ags.lineitem is None) == (mode == "brightspace")
    assert [name for name, _ in platform.asked].count("jwks") == 1


@pytest.mark.parametrize("mode", MODES)
def test_what_a_teacher_chooses_becomes_a_link_that_says_which_assignment_it_is(mode: str) -> None:
    with Platform(mode) as platform:
        visit = Visit(platform)
        launch = visit.launch("t1", chooses=True)
        chosen = AssignmentLink("7", "Masks", LAUNCH, 40)
        registration = platform.registration(visit.tool)
        answer = response(visit.own_key, registration, launch, [chosen], platform.clock())
        (visit.link,) = platform.launches.chosen(platform.course.id, answer)
        opened = visit.launch("s1")

    assert role_of(launch) == "instructor"
    assert opened.custom == {"attest_assignment": "7"}


def test_a_platform_that_changes_its_key_is_followed(visit: Visit) -> None:
    visit.launch()
    visit.platform.keys.rotate()
    visit.keys_clock.now += 10

    assert visit.launch().subject == "s1"


def test_a_key_that_was_lost_counts_no_more(visit: Visit) -> None:
    lost = visit.platform.keys.signing
    visit.launch()
    visit.platform.keys.rotate(keep=False)
    visit.keys_clock.now += 3601
    visit.launch()
    visit.platform.launches.make = lambda claims: sign(claims, lost)

    with pytest.raises(Refused) as error:
        visit.launch()

    assert error.value.claim == "kid"


def test_a_stranger_who_publishes_the_platforms_kid_is_not_the_platform(visit: Visit) -> None:
    stranger = a_strangers_key(str(visit.platform.keys.signing.kid))
    visit.platform.launches.make = lambda claims: sign(claims, stranger)

    with pytest.raises(Refused) as error:
        visit.launch()

    assert error.value.claim == "signature"


@pytest.mark.parametrize(
    "fault",
    [
        faults.endless(),
        faults.drip(),
        faults.drip_headers(),
        faults.silent(),
        faults.redirect("http://169.254.169.254/latest/meta-data/"),
        faults.redirect("file:///etc/passwd"),
        faults.answer(b"<html>Sign in</html>", content_type="text/html"),
        faults.answer({"keys": "none"}),
        faults.answer(b"", 503),
    ],
    ids=["endless", "drip", "slow headers", "silence", "metadata", "file", "page", "no keys", "503"],
)
def test_keys_that_cannot_be_read_stop_a_launch_in_seconds_and_only_until_they_can(
    visit: Visit, fault: faults.Fault
) -> None:
    visit.platform.broken["jwks"] = fault
    began = time.monotonic()
    with pytest.raises(Unreachable):
        visit.launch()
    assert time.monotonic() - began < 15

    visit.platform.broken.clear()
    visit.keys_clock.now += 10
    assert visit.launch().subject == "s1"


def test_a_second_deployment_is_refused_until_it_is_registered() -> None:
    with Platform("canvas") as platform:
        visit = Visit(platform, deployments=("1", "2"))
        known = platform.registration(visit.tool)
        assert visit.launch("t1", deployment="2").deployment_id == "2"

        visit.tool.deployments.append("3")
        with pytest.raises(Refused) as error:
            visit.launch("t1", deployment="3")

    assert error.value.claim == "deployment_id"
    assert known.deployment_ids == {"1", "2"}


def test_somebody_who_is_not_signed_in_is_told_so(visit: Visit) -> None:
    visit.platform.launches.login_required = True

    with pytest.raises(PlatformError) as error:
        visit.launch()

    assert error.value.code == "login_required"
