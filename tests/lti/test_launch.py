"""A launch is taken once, from the browser that began it, when all of it is right; each attack is named."""

from __future__ import annotations

import threading
from dataclasses import replace
from typing import Any

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
    signed,
    signed_by_public_key,
    unsigned,
)
from tests.lti.memory import MemoryStore


@pytest.fixture
def store() -> MemoryStore:
    return MemoryStore(MOODLE)


def refused(store: MemoryStore, token: str, **how: Any) -> str:
    """The claim that a launch with this token fails by."""
    begun = how.pop("begun", None) or opened(store)
    with pytest.raises(Refused) as error:
        launched(store, begun, token, **how)
    assert str(error.value)
    return error.value.claim


def test_a_launch_says_who_comes_and_from_where(store: MemoryStore) -> None:
    begun = opened(store)

    launch = launched(store, begun, signed(claims_of(begun)))

    assert (launch.registration_key, launch.deployment_id, launch.subject) == ("1", "deployment-1", "2")
    assert (launch.name, launch.email) == ("Lena Novak", "lena@school.example")
    assert (launch.context_id, launch.context_title) == ("course-3", "Natural language")
    assert (launch.resource_link_id, launch.resource_link_title) == ("link-7", "Attention")
    assert launch.target_link_uri == LAUNCH_URL


# Who signed it, and how


@pytest.mark.parametrize("algorithm", ["none", "None", "NONE", "nOnE", ""])
def test_a_token_that_nobody_signed(store: MemoryStore, algorithm: str) -> None:
    begun = opened(store)

    assert refused(store, unsigned(claims_of(begun), algorithm), begun=begun) == "alg"


def test_a_token_that_claims_our_algorithm_and_has_no_signature(store: MemoryStore) -> None:
    begun = opened(store)

    assert refused(store, unsigned(claims_of(begun), "RS256"), begun=begun) == "signature"


def test_a_token_whose_secret_is_the_public_key(store: MemoryStore) -> None:
    begun = opened(store)

    assert refused(store, signed_by_public_key(claims_of(begun)), begun=begun) == "alg"


@pytest.mark.parametrize("algorithm", ["RS384", "PS256", "ES256", "HS256", "EdDSA", ["RS256"], None, 256])
def test_an_algorithm_that_is_not_on_the_list(store: MemoryStore, algorithm: object) -> None:
    begun = opened(store)

    assert refused(store, signed(claims_of(begun), alg=algorithm), begun=begun) == "alg"


def test_a_stranger_who_signs_as_the_platform(store: MemoryStore) -> None:
    begun = opened(store)

    assert refused(store, signed(claims_of(begun), by="stranger", kid="platform"), begun=begun) == "signature"


def test_a_key_that_the_platform_does_not_publish(store: MemoryStore) -> None:
    begun = opened(store)

    assert refused(store, signed(claims_of(begun), by="stranger"), begun=begun) == "kid"


@pytest.mark.parametrize("kid", [None, "", 7, ["platform"], {"platform": 1}])
def test_a_token_that_names_no_key(store: MemoryStore, kid: object) -> None:
    begun = opened(store)

    with pytest.raises(Refused, match="does not say which key"):
        launched(store, begun, signed(claims_of(begun), kid=kid))


def test_a_key_that_the_token_brings_with_it(store: MemoryStore) -> None:
    begun = opened(store)
    brought = {"jwk": {"kty": "RSA"}, "jku": "https://evil.example/keys", "x5u": "https://evil.example/cert"}

    assert (
        refused(store, signed(claims_of(begun), by="stranger", kid="platform", **brought), begun=begun)
        == "signature"
    )


def test_extensions_that_must_be_understood(store: MemoryStore) -> None:
    begun = opened(store)

    assert refused(store, signed(claims_of(begun), crit=["b64"], b64=False), begun=begun) == "crit"
    begun = opened(store)
    assert refused(store, signed(claims_of(begun), crit=7), begun=begun) == "crit"


def test_a_header_that_only_says_more_is_no_fault(store: MemoryStore) -> None:
    begun = opened(store)

    token = signed(claims_of(begun), x5c=["A" * 4000], tenant="school")

    assert launched(store, begun, token).subject == "2"


def test_claims_that_were_changed_after_signing(store: MemoryStore) -> None:
    begun = opened(store)
    header, _, signature = signed(claims_of(begun)).split(".")
    _, payload, _ = signed(claims_of(begun, sub="teacher"), by="stranger").split(".")

    assert refused(store, f"{header}.{payload}.{signature}", begun=begun) == "signature"


@pytest.mark.parametrize(
    "token",
    [
        "",
        "x",
        "a.b",
        "a.b.c",
        "a.b.c.d.e",
        "....",
        "bnVsbA.e30.",  # null
        "WyJhbGciXQ.e30.",  # ["alg"]
        "NQ.e30.",  # 5
        "é.é.é",
        "\ud800.e30.",
        "\x00",
        "W1tb" * 3000 + ".e30.",  # a list in a list in a list …
        "x" * 100_001,
    ],
)
def test_what_is_no_token(store: MemoryStore, token: str) -> None:
    assert refused(store, token) == "id_token"


@pytest.mark.parametrize(
    ("token", "said"),
    [("", "has no id_token"), ("x" * 100_001, "at most 100,000 are read"), ("x", "three parts")],
)
def test_what_is_no_token_is_told_apart(store: MemoryStore, token: str, said: str) -> None:
    with pytest.raises(Refused, match=said):
        launched(store, opened(store), token)


@pytest.mark.parametrize("cut", [1, 2, 4, 5])
def test_a_token_of_another_number_of_parts(store: MemoryStore, cut: int) -> None:
    begun = opened(store)
    parts = [*signed(claims_of(begun)).split("."), "e30", "e30"][:cut]

    assert refused(store, ".".join(parts), begun=begun) == "id_token"


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


# When it was made


@pytest.mark.parametrize("late", [0, 59.5, 119])
def test_a_platform_whose_clock_is_behind(store: MemoryStore, late: float) -> None:
    """Its tokens end after 60 s, and 60 s are allowed for clocks."""
    begun = opened(store)

    assert launched(store, begun, signed(claims_of(begun)), now=NOW + late).subject == "2"


@pytest.mark.parametrize("late", [120, 121, 299])
def test_a_launch_that_has_expired(store: MemoryStore, late: float) -> None:
    begun = opened(store)

    assert refused(store, signed(claims_of(begun)), begun=begun, now=NOW + late) == "exp"


@pytest.mark.parametrize(("name", "claim"), [("iat", "iat"), ("nbf", "nbf")])
def test_a_launch_from_the_future(store: MemoryStore, name: str, claim: str) -> None:
    begun = opened(store)
    told = {"exp": NOW + 600, name: NOW + 60}
    assert launched(store, begun, signed(claims_of(begun, **told))).subject == "2"

    begun = opened(store)
    told[name] = NOW + 61
    assert refused(store, signed(claims_of(begun, **told)), begun=begun) == claim


def test_the_leeway_can_be_set(store: MemoryStore) -> None:
    begun = opened(store)
    assert refused(store, signed(claims_of(begun)), begun=begun, now=NOW + 60, leeway=0) == "exp"

    begun = opened(store)
    assert launched(store, begun, signed(claims_of(begun)), now=NOW + 250, leeway=200).subject == "2"


@pytest.mark.parametrize("name", ["exp", "iat", "nbf"])
@pytest.mark.parametrize(
    "told", ["1796000000", True, [], {}, float("nan"), float("inf"), -1, 10**400, "soon"]
)
def test_a_time_that_is_none(store: MemoryStore, name: str, told: object) -> None:
    begun = opened(store)

    assert refused(store, signed(claims_of(begun, **{name: told})), begun=begun) == name


@pytest.mark.parametrize("name", ["exp", "iat", "nonce"])
def test_what_a_token_must_have(store: MemoryStore, name: str) -> None:
    begun = opened(store)

    assert refused(store, signed(claims_of(begun, **{name: None})), begun=begun) == name


def test_a_token_that_would_be_good_for_years(store: MemoryStore) -> None:
    begun = opened(store)

    assert refused(store, signed(claims_of(begun, exp=int(NOW) + 86_401)), begun=begun) == "exp"


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
