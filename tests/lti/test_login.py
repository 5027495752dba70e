"""A login that a platform initiates: what we ask it, what we remember, and whom we do not follow."""

from __future__ import annotations

from dataclasses import replace

import pytest

from attest.lti.errors import Refused
from attest.lti.login import begin
from tests.lti.forging import ISSUER, LAUNCH_URL, MOODLE, NOW, asked, opened
from tests.lti.memory import MemoryStore


def test_the_browser_goes_back_with_our_question() -> None:
    begun = opened(MemoryStore(MOODLE))

    assert begun.redirect_url.startswith(f"{ISSUER}/mod/lti/auth.php?")
    assert asked(begun) == {
        "scope": "openid",
        "response_type": "id_token",
        "response_mode": "form_post",
        "prompt": "none",
        "client_id": "client-1",
        "redirect_uri": LAUNCH_URL,
        "login_hint": "42",
        "lti_message_hint": "link 7",
        "state": begun.state.value,
        "nonce": begun.state.nonce,
    }


def test_the_state_is_kept_for_five_minutes() -> None:
    store = MemoryStore(MOODLE)

    state = opened(store).state

    assert state.registration_key == MOODLE.key
    assert state.target_link_uri == LAUNCH_URL
    assert store.look_at_state(state.value, NOW + 299) == state
    assert store.look_at_state(state.value, NOW + 300) is None


def test_no_two_logins_share_a_state_or_a_nonce() -> None:
    store = MemoryStore(MOODLE)
    states = [opened(store).state for _ in range(50)]

    secrets = [state.value for state in states] + [state.nonce for state in states]
    assert len(set(secrets)) == 100
    assert min(len(secret) for secret in secrets) >= 43  # 256 bits


def test_the_query_of_a_login_address_stays() -> None:
    platform = replace(MOODLE, auth_login_url=f"{ISSUER}/auth?tenant=7")

    assert asked(opened(MemoryStore(platform), platform))["tenant"] == "7"


@pytest.mark.parametrize("missing", ["iss", "login_hint", "target_link_uri"])
def test_a_parameter_that_is_missing_is_named(missing: str) -> None:
    with pytest.raises(Refused, match=f"no {missing}") as refused:
        opened(MemoryStore(MOODLE), **{missing: ""})

    assert refused.value.claim == missing


def test_what_is_too_long_is_named() -> None:
    with pytest.raises(Refused, match=r"login_hint has 6,001 characters, expected at most 6,000"):
        opened(MemoryStore(MOODLE), login_hint="x" * 6001)


def test_of_a_login_that_is_refused_nothing_is_kept() -> None:
    store = MemoryStore(MOODLE)
    with pytest.raises(Refused, match="lti_message_hint"):
        opened(store, lti_message_hint="x" * 6001)
    assert not store.states


@pytest.mark.parametrize(
    ("issuer", "client_id"),
    [("https://other.example", "client-1"), (ISSUER + "/", "client-1"), (ISSUER, "client-2")],
)
def test_a_platform_that_is_not_registered_is_not_followed(issuer: str, client_id: str) -> None:
    store = MemoryStore(MOODLE)

    with pytest.raises(Refused, match="is registered here") as refused:
        opened(store, iss=issuer, client_id=client_id)

    assert refused.value.claim == "iss"
    assert store.states == {}


@pytest.mark.parametrize(
    "target",
    [
        "https://evil.example/lti/launch",
        "https://attest.example.evil.example/",
        "https://attest.example@evil.example/",
        "https://evil.example@attest.example/",
        "https://attest.example:8443/lti/launch",
        "http://attest.example/lti/launch",
        "//evil.example/",
        "/lti/launch",
        "https:evil.example",
        "https:///evil.example",
        "https://evil.example\\@attest.example/",
        "https://attest.example\\.evil.example/",
        "https://attest.example\t.evil.example/",
        "javascript:alert(1)//https://attest.example/",
        "data:text/html,https://attest.example",
        "https://attest.example\r\nLocation: https://evil.example/",
        "https://attest。example/",
        "https://attest.example:notaport/",
        "https://[attest.example/",
    ],
)
def test_a_target_that_is_not_ours_is_refused(target: str) -> None:
    store = MemoryStore(MOODLE)

    with pytest.raises(Refused) as refused:
        opened(store, target_link_uri=target)

    assert refused.value.claim == "target_link_uri"
    assert store.states == {}


@pytest.mark.parametrize(
    "target",
    ["https://attest.example/assignments/7/?a=b", "https://ATTEST.example:443/", "https://attest.example"],
)
def test_a_target_of_ours_may_be_any_page(target: str) -> None:
    assert opened(MemoryStore(MOODLE), target_link_uri=target).state.target_link_uri == target


class TestSeveralRegistrationsAtOneIssuer:
    """Blackboard's and Canvas's clouds have one issuer for every school."""

    other = replace(MOODLE, key="2", client_id="client-2", deployment_ids=frozenset({"deployment-2"}))

    def begun(self, **told: str) -> str:
        store = MemoryStore(MOODLE, self.other)
        parameters = {"iss": ISSUER, "login_hint": "42", "target_link_uri": LAUNCH_URL, **told}
        return begin(store, parameters, launch_url=LAUNCH_URL, now=NOW).registration.key

    def test_the_client_id_says_which(self) -> None:
        assert self.begun(client_id="client-2") == "2"

    def test_else_the_deployment_does(self) -> None:
        assert self.begun(lti_deployment_id="deployment-2") == "2"

    def test_a_deployment_that_none_knows_goes_to_the_one_that_takes_new_ones(self) -> None:
        open_one = replace(MOODLE, key="3", client_id="client-3", deployment_ids=None)
        store = MemoryStore(MOODLE, open_one, self.other)
        parameters = {"iss": ISSUER, "login_hint": "42", "target_link_uri": LAUNCH_URL}

        for deployment, key in (("deployment-9", "3"), ("deployment-2", "2")):
            told = {**parameters, "lti_deployment_id": deployment}
            assert begin(store, told, launch_url=LAUNCH_URL, now=NOW).registration.key == key
        with pytest.raises(Refused, match="3 registrations are known"):
            begin(store, parameters, launch_url=LAUNCH_URL, now=NOW)

    def test_a_deployment_that_none_takes_does_not_hide_the_registrations(self) -> None:
        with pytest.raises(Refused, match="2 registrations are known"):
            self.begun(lti_deployment_id="deployment-9")

    def test_else_none_is_guessed(self) -> None:
        with pytest.raises(Refused, match="2 registrations are known") as refused:
            self.begun()

        assert refused.value.claim == "client_id"

    def test_a_client_id_is_not_passed_over_for_a_deployment(self) -> None:
        with pytest.raises(Refused, match="client-3"):
            self.begun(client_id="client-3", lti_deployment_id="deployment-2")


def test_a_deployment_is_judged_at_the_launch_and_not_before() -> None:
    """Nobody has signed what a login says."""
    assert opened(MemoryStore(MOODLE), lti_deployment_id="deployment-2").registration == MOODLE


@pytest.mark.parametrize(
    ("told", "kept"), [("_parent", "_parent"), ("lti_storage", "lti_storage"), ("a b", ""), ("<", "")]
)
def test_the_frame_of_a_platforms_storage_is_kept_when_it_is_a_name(told: str, kept: str) -> None:
    assert opened(MemoryStore(MOODLE), lti_storage_target=told).state.storage_target == kept
