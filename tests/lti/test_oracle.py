"""The same launches, before Attest and before pylti1p3next: judged alike, or the reason stands here.

Where the two differ and Attest is the stricter one, the other lets in what the specifications refuse.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest

from attest.lti.claims import AGS, DEEP_LINKING, LTI
from attest.lti.errors import Refused
from tests.lti.forging import (
    MEMBERSHIP,
    MOODLE,
    asked,
    claims_of,
    launched,
    opened,
    signed,
    signed_by_public_key,
    unsigned,
)
from tests.lti.memory import MemoryStore
from tests.lti.oracle import Oracle

Claims = dict[str, Any]
SETTINGS = {
    "deep_link_return_url": "https://moodle.example/return",
    "accept_types": ["ltiResourceLink"],
    "accept_presentation_document_targets": ["iframe"],
}


@dataclass(frozen=True)
class Case:
    """One launch: how its token comes of the claims of an honest one, and who takes it."""

    name: str
    made: Callable[[Claims], str]
    ours: bool
    theirs: bool
    why: str = ""  # they differ


def but(**changed: Any) -> Callable[[Claims], str]:
    """An honest token but for these claims; None leaves one out."""

    def make(claims: Claims) -> str:
        named = {LTI + name if LTI + name in claims else name: value for name, value in changed.items()}
        return signed({name: value for name, value in {**claims, **named}.items() if value is not None})

    return make


def later(**seconds: float) -> Callable[[Claims], str]:
    """An honest token whose times are so many seconds from when it was made."""

    def make(claims: Claims) -> str:
        return signed({**claims, **{name: claims["iat"] + more for name, more in seconds.items()}})

    return make


def choosing(**settings: Any) -> Callable[[Claims], str]:
    """A deep linking launch with these settings besides."""
    told = {name: value for name, value in {**SETTINGS, **settings}.items() if value is not None}
    return but(message_type="LtiDeepLinkingRequest", resource_link=None, **{DEEP_LINKING: told})


def tampered(claims: Claims) -> str:
    header, _, signature = signed(claims).split(".")
    return f"{header}.{signed({**claims, 'sub': 'teacher'}).split('.')[1]}.{signature}"


CASES = [
    # Taken by both
    Case("an honest launch", but(), True, True),
    Case("an audience in a list", but(aud=["client-1"]), True, True),
    Case("our client as the party of two", but(aud=["client-1", "other"], azp="client-1"), True, True),
    Case("a header that says more", lambda claims: signed(claims, typ="JWT", x5t="abc"), True, True),
    Case("an instructor", but(roles=[f"{MEMBERSHIP}#Instructor"]), True, True),
    Case("nobody in the course", but(roles=[]), True, True),
    Case("no name and no email", but(name=None, given_name=None, family_name=None, email=None), True, True),
    Case("outside of a course", but(context=None), True, True),
    Case("a choice to be made", choosing(), True, True),
    # Refused by both
    Case("not signed", unsigned, False, False),
    Case("signed by nothing", lambda claims: unsigned(claims, "RS256"), False, False),
    Case("the public key as a secret", signed_by_public_key, False, False),
    Case(
        "a stranger as the platform",
        lambda claims: signed(claims, by="stranger", kid="platform"),
        False,
        False,
    ),
    Case("a stranger's key", lambda claims: signed(claims, by="stranger"), False, False),
    Case("no name of a key", lambda claims: signed(claims, kid=None), False, False),
    Case("another algorithm", lambda claims: signed(claims, alg="RS512"), False, False),
    Case("changed after signing", tampered, False, False),
    Case("no token", lambda claims: "token", False, False),
    Case("another issuer", but(iss="https://evil.example"), False, False),
    Case("another audience", but(aud="client-2"), False, False),
    Case("another deployment", but(deployment_id="deployment-2"), False, False),
    Case("no deployment", but(deployment_id=None), False, False),
    Case("no nonce", but(nonce=None), False, False),
    Case("another nonce", but(nonce="guessed"), False, False),
    Case("expired for long", later(exp=-600, iat=-660), False, False),
    Case("from the future", later(exp=900, iat=600), False, False),
    Case("not yet", later(nbf=600), False, False),
    Case("another version", but(version="1.1"), False, False),
    Case("another message", but(message_type="LtiStartProctoring"), False, False),
    Case("nobody", but(sub=None), False, False),
    Case("no roles", but(roles=None), False, False),
    Case("no link", but(resource_link=None), False, False),
    Case("a choice without settings", but(message_type="LtiDeepLinkingRequest"), False, False),
    # Ours takes it
    Case(
        "a clock 30 s behind", later(exp=-30, iat=-90), True, False, "60 s are allowed for clocks that differ"
    ),
    Case("a clock 30 s ahead", later(exp=90, iat=30), True, False, "60 s are allowed for clocks that differ"),
    Case(
        "our client second in a list",
        but(aud=["other", "client-1"], azp="client-1"),
        True,
        False,
        "an audience is a set (RFC 7519, 4.1.3); they look at the first",
    ),
    Case(
        "a choice without targets",
        choosing(accept_presentation_document_targets=None),
        True,
        False,
        "where the platform shows a link is its own affair",
    ),
    Case(
        "a choice of other things",
        choosing(accept_types=["html"]),
        True,
        False,
        "it is refused when something was chosen, with a sentence that says what the platform takes",
    ),
    # Theirs takes it
    Case("no end", but(exp=None), False, True, "exp is required (OpenID Connect Core, 2)"),
    Case("no beginning", but(iat=None), False, True, "iat is required (OpenID Connect Core, 2)"),
    Case("good for a year", later(exp=31_536_000), False, True, "a nonce cannot be remembered as long"),
    Case(
        "two audiences and no party",
        but(aud=["client-1", "other"]),
        False,
        True,
        "azp is required then (Security Framework, 5.1.3)",
    ),
    Case(
        "another party",
        but(azp="client-2"),
        False,
        True,
        "azp must be our client (Security Framework, 5.1.3)",
    ),
    Case(
        "it leads elsewhere",
        but(target_link_uri="https://attest.example/other"),
        False,
        True,
        "the target is the one of the login (LTI Core, 5.3.4)",
    ),
    Case(
        "it leads nowhere", but(target_link_uri=None), False, True, "the target is required (LTI Core, 5.3.4)"
    ),
    Case(
        "a submission to review",
        but(
            message_type="LtiSubmissionReviewRequest",
            **{f"{LTI}for_user": {"user_id": "3"}, AGS: {"lineitem": "https://moodle.example/items/1"}},
        ),
        False,
        True,
        "no page of Attest is offered for this message",
    ),
    Case(
        "a link with a number",
        but(resource_link={"id": 7}),
        False,
        True,
        "the id is a string (LTI Core, 5.3.5)",
    ),
    Case("an endless subject", but(sub="x" * 300), False, True, "at most 255 characters (LTI Core, 5.3.6.1)"),
    Case(
        "a choice that goes nowhere",
        choosing(deep_link_return_url=None),
        False,
        True,
        "the address is required (Deep Linking, 4.4.1)",
    ),
]


def we_take(case: Case) -> bool:
    store = MemoryStore(MOODLE)
    now = time.time()
    begun = opened(store, now=now)
    try:
        launched(store, begun, case.made(claims_of(begun, now)), now=now)
    except Refused:
        return False
    return True


def they_take(case: Case) -> bool:
    oracle = Oracle(MOODLE)
    question = oracle.begin()
    assert question is not None
    honest = claims_of(opened(MemoryStore(MOODLE)), time.time())
    return oracle.accepts(question["state"], case.made({**honest, "nonce": question["nonce"]}))


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_a_launch_is_judged_alike_or_the_difference_is_known(case: Case) -> None:
    assert we_take(case) == case.ours
    assert they_take(case) == case.theirs
    assert (case.ours != case.theirs) == bool(case.why)


def test_they_take_a_launch_twice_and_we_do_not() -> None:
    """The nonce of pylti1p3next is never used up, and a state that was valid stays so without its cookie."""
    oracle = Oracle(MOODLE)
    question = oracle.begin()
    assert question is not None
    honest = claims_of(opened(MemoryStore(MOODLE)), time.time())
    token = signed({**honest, "nonce": question["nonce"]})
    assert oracle.accepts(question["state"], token)
    oracle.jar.clear()
    assert oracle.accepts(question["state"], token)

    store = MemoryStore(MOODLE)
    now = time.time()
    begun = opened(store, now=now)
    ours = signed(claims_of(begun, now))
    launched(store, begun, ours, now=now)
    with pytest.raises(Refused):
        launched(store, begun, ours, now=now)


def test_they_begin_a_login_that_leads_elsewhere_and_we_do_not() -> None:
    assert Oracle(MOODLE).begin("https://evil.example/") is not None
    with pytest.raises(Refused):
        opened(MemoryStore(MOODLE), target_link_uri="https://evil.example/")


def test_both_ask_the_platform_the_same() -> None:
    theirs = Oracle(MOODLE).begin()
    ours = asked(opened(MemoryStore(MOODLE), lti_message_hint=""))

    assert theirs is not None
    for question in (ours, theirs):
        assert len(question.pop("state")) > 30
        assert len(question.pop("nonce")) > 30
    assert ours == theirs
