"""A launch is taken once, from the browser that began it, when all of it is right; each attack is named."""

from __future__ import annotations

import threading
from dataclasses import replace

import pytest

from attest.lti.claims import LTI
from attest.lti.errors import Refused
from attest.lti.launch import PlatformError, finish
from tests.lti.forging import (
    LAUNCH_URL,
    MOODLE,
    NOW,
    Published,
    claims_of,
    launched,
    opened,
    refused,
    signed,
)
from tests.lti.memory import MemoryStore


@pytest.fixture
def store() -> MemoryStore:
    return MemoryStore(MOODLE)


def test_a_launch_says_who_comes_and_from_where(store: MemoryStore) -> None:
    begun = opened(store)

    launch = launched(store, begun, signed(claims_of(begun)))

    assert (launch.registration_key, launch.deployment_id, launch.subject) == ("1", "deployment-1", "2")
    assert (launch.name, launch.email) == ("Lena Novak", "lena@school.example")
    assert (launch.context_id, launch.context_title) == ("course-3", "Natural language")
    assert (launch.resource_link_id, launch.resource_link_title) == ("link-7", "Attention")
    assert launch.target_link_uri == LAUNCH_URL


# Whose it is


@pytest.mark.parametrize(
    "issuer", ["https://evil.example", "https://moodle.example/", None, ["https://moodle.example"], 7]
)
def test_another_issuer(store: MemoryStore, issuer: object) -> None:
    begun = opened(store)

    assert refused(store, signed(claims_of(begun, iss=issuer)), begun=begun) == "iss"


@pytest.mark.parametrize(
    "audience", ["client-2", [], ["client-2"], None, 7, {"client-1": 1}, "client-1 ", ["client-1x"]]
)
def test_another_audience(store: MemoryStore, audience: object) -> None:
    begun = opened(store)

    assert refused(store, signed(claims_of(begun, aud=audience)), begun=begun) == "aud"


@pytest.mark.parametrize("authorised", [None, "client-2", 7, ["client-1"]])
def test_several_audiences_and_not_ours_as_the_party(store: MemoryStore, authorised: object) -> None:
    begun = opened(store)

    assert (
        refused(store, signed(claims_of(begun, aud=["client-1", "client-2"], azp=authorised)), begun=begun)
        == "azp"
    )


@pytest.mark.parametrize(
    "parties",
    [
        {"aud": ["client-1"]},
        {"aud": ["client-2", "client-1"], "azp": "client-1"},
        {"aud": "client-1", "azp": "client-1"},
    ],
)
def test_an_audience_that_is_ours(store: MemoryStore, parties: dict[str, object]) -> None:
    begun = opened(store)

    assert launched(store, begun, signed(claims_of(begun, **parties))).subject == "2"


class TestTwoPlatforms:
    """What one platform may say, it may not say for another."""

    canvas = replace(
        MOODLE,
        key="2",
        issuer="https://canvas.example",
        jwks_url="https://canvas.example/keys",
        client_id="10",
    )
    keys = Published(canvas=["canvas"])

    @pytest.fixture
    def both(self) -> MemoryStore:
        return MemoryStore(MOODLE, self.canvas)

    def test_a_launch_with_the_state_of_another_registration(self, both: MemoryStore) -> None:
        at_moodle, at_canvas = opened(both), opened(both, self.canvas)
        token = signed(claims_of(at_canvas), by="canvas")

        assert refused(both, token, begun=at_moodle, keys=self.keys) == "kid"

    def test_a_platform_that_signs_for_another_issuer(self, both: MemoryStore) -> None:
        at_canvas = opened(both, self.canvas)
        token = signed(claims_of(at_canvas, iss=MOODLE.issuer, aud=MOODLE.client_id), by="canvas")

        assert refused(both, token, begun=at_canvas, keys=self.keys) == "iss"

    def test_another_client_of_the_same_issuer(self) -> None:
        other = replace(MOODLE, key="3", client_id="client-3", deployment_ids=frozenset({"deployment-3"}))
        store = MemoryStore(MOODLE, other)
        theirs = opened(store, other)
        token = signed(claims_of(theirs, aud=MOODLE.client_id))

        assert refused(store, token, begun=theirs) == "aud"

    def test_a_platform_that_was_taken_out_meanwhile(self, both: MemoryStore) -> None:
        begun = opened(both)
        del both.known[MOODLE.key]

        assert refused(both, signed(claims_of(begun)), begun=begun) == "iss"


@pytest.mark.parametrize(
    "deployment", ["deployment-2", "", None, 1, ["deployment-1"], "deployment-1\x00", "d" * 256]
)
def test_another_deployment_even_for_an_instructor(store: MemoryStore, deployment: object) -> None:
    begun = opened(store)
    roles = ["http://purl.imsglobal.org/vocab/lis/v2/membership#Instructor"]

    assert (
        refused(store, signed(claims_of(begun, deployment_id=deployment, roles=roles)), begun=begun)
        == "deployment_id"
    )


def test_any_deployment_where_the_registration_takes_new_ones() -> None:
    store = MemoryStore(replace(MOODLE, deployment_ids=None))
    begun = opened(store)

    assert launched(store, begun, signed(claims_of(begun, deployment_id="new"))).deployment_id == "new"


def test_no_deployment_where_none_is_known() -> None:
    store = MemoryStore(replace(MOODLE, deployment_ids=frozenset()))
    begun = opened(store)

    assert refused(store, signed(claims_of(begun)), begun=begun) == "deployment_id"


# Once, and from one browser


def test_a_launch_that_is_replayed(store: MemoryStore) -> None:
    begun = opened(store)
    token = signed(claims_of(begun))
    launched(store, begun, token)

    assert refused(store, token, begun=begun) == "state"


def test_a_launch_that_is_replayed_with_a_state_of_its_own(store: MemoryStore) -> None:
    begun = opened(store)
    token = signed(claims_of(begun))
    launched(store, begun, token)

    assert refused(store, token) == "nonce"


def test_a_nonce_that_was_used(store: MemoryStore) -> None:
    """Even if a state could be used twice, its nonce could not."""
    begun = opened(store)
    token = signed(claims_of(begun))
    launched(store, begun, token)
    store.keep_state(begun.state)

    assert refused(store, token, begun=begun) == "nonce"
    assert store.nonces == {("1", begun.state.nonce): NOW + 120}  # as long as the token counts


@pytest.mark.parametrize("nonce", ["", "guessed", 7, ["x"], "é", "\x00"])
def test_a_nonce_that_is_not_ours(store: MemoryStore, nonce: object) -> None:
    begun = opened(store)

    assert refused(store, signed(claims_of(begun, nonce=nonce)), begun=begun) == "nonce"


@pytest.mark.parametrize("browser", [None, "", "another", "é", "\ud800"])
def test_a_launch_that_is_slipped_to_another_browser(store: MemoryStore, browser: str | None) -> None:
    """Somebody begins a login and has a victim's browser post what came of it."""
    begun = opened(store)

    assert refused(store, signed(claims_of(begun)), begun=begun, browser=browser) == "state"
    assert (
        launched(store, begun, signed(claims_of(begun))).subject == "2"
    )  # and the login is not spoilt by it


@pytest.mark.parametrize("state", ["", "invented", "é"])
def test_a_state_that_nobody_began(store: MemoryStore, state: str) -> None:
    begun = opened(store)
    form = {"state": state, "id_token": signed(claims_of(begun))}

    with pytest.raises(Refused, match="this login is over" if state else "has no state") as error:
        finish(store, Published(), form, state_from_browser=state, now=NOW)

    assert error.value.claim == "state"


def test_a_login_that_is_too_old(store: MemoryStore) -> None:
    begun = opened(store)

    assert refused(store, signed(claims_of(begun, now=NOW + 300)), begun=begun, now=NOW + 300) == "state"


def test_a_failed_launch_uses_its_state_up(store: MemoryStore) -> None:
    begun = opened(store)
    refused(store, signed(claims_of(begun), by="stranger"), begun=begun)

    assert refused(store, signed(claims_of(begun)), begun=begun) == "state"


def test_of_many_at_the_same_moment_one_is_taken(store: MemoryStore) -> None:
    begun = opened(store)
    token = signed(claims_of(begun))
    outcomes: list[str] = []
    start = threading.Barrier(8)

    def launch() -> None:
        start.wait()
        try:
            outcomes.append(launched(store, begun, token).subject)
        except Refused as error:
            outcomes.append(error.claim)

    threads = [threading.Thread(target=launch) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert sorted(outcomes) == ["2"] + ["state"] * 7


# Where it leads


@pytest.mark.parametrize(
    "target",
    [
        "https://attest.example/other",
        "https://evil.example/lti/launch",
        f"{LAUNCH_URL}?assignment=8",
        f"{LAUNCH_URL}/",
        "javascript:alert(1)",
        "/lti/launch",
        "",
        None,
        7,
        [LAUNCH_URL],
    ],
)
def test_a_launch_that_leads_elsewhere_than_its_login(store: MemoryStore, target: object) -> None:
    begun = opened(store)

    assert refused(store, signed(claims_of(begun, target_link_uri=target)), begun=begun) == "target_link_uri"


def test_the_same_target_may_be_written_in_another_way(store: MemoryStore) -> None:
    begun = opened(store, target_link_uri="https://attest.example")

    token = signed(claims_of(begun, target_link_uri="https://ATTEST.example:443/"))

    assert launched(store, begun, token).subject == "2"


# What kind of message it is


@pytest.mark.parametrize("version", ["1.1", "1.3", "1.3.1", None, 1.3, ["1.3.0"]])
def test_another_version(store: MemoryStore, version: object) -> None:
    begun = opened(store)

    assert refused(store, signed(claims_of(begun, version=version)), begun=begun) == "version"


@pytest.mark.parametrize("kind", ["LtiSubmissionReviewRequest", "LtiDeepLinkingResponse", "", None, 7])
def test_another_message(store: MemoryStore, kind: object) -> None:
    begun = opened(store)

    assert refused(store, signed(claims_of(begun, message_type=kind)), begun=begun) == "message_type"


def test_an_answer_of_ours_is_no_launch(store: MemoryStore) -> None:
    """What a tool signs for a platform has the same shape: it may not come back as a launch."""
    begun = opened(store)
    told = claims_of(begun, iss=MOODLE.client_id, aud=MOODLE.issuer, message_type="LtiDeepLinkingResponse")

    assert refused(store, signed(told, by="our own", kid="platform"), begun=begun) == "signature"
    begun = opened(store)
    assert refused(store, signed({**told, "nonce": begun.state.nonce}), begun=begun) == "iss"


# What the platform says instead


def test_an_error_of_the_platform_is_told(store: MemoryStore) -> None:
    begun = opened(store)
    form = {
        "state": begun.state.value,
        "error": "login_required",
        "error_description": "Sign in\r\nfirst \x1b[31m<b>now</b>",
    }

    with pytest.raises(PlatformError) as error:
        finish(store, Published(), form, state_from_browser=begun.state.value, now=NOW)

    assert error.value.code == "login_required"
    assert str(error.value) == "the platform answered 'login_required': Sign in first <b>now</b>"
    assert store.states == {}


def test_an_error_from_elsewhere_is_not_believed(store: MemoryStore) -> None:
    begun = opened(store)
    form = {"state": begun.state.value, "error": "login_required"}

    with pytest.raises(Refused) as error:
        finish(store, Published(), form, state_from_browser=None, now=NOW)

    assert not isinstance(error.value, PlatformError)
    assert error.value.claim == "state"


def test_every_refusal_is_one_line_that_names_what_was_found(store: MemoryStore) -> None:
    begun = opened(store)

    with pytest.raises(Refused) as error:
        launched(store, begun, signed(claims_of(begun, iss="https://evil.example\r\nforged log line\x1b[2J")))

    assert str(error.value).isprintable()
    assert "https://evil.example" in str(error.value)
    assert LTI not in str(error.value)
