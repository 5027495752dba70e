"""Whatever a token holds, a launch is taken or refused by name; nothing else ever comes of it."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from attest.lti.claims import AGS, DEEP_LINKING, LTI, NRPS, Launch
from attest.lti.errors import Refused
from attest.lti.roles import role_of
from tests.lti.forging import MOODLE, claims_of, launched, opened, signed
from tests.lti.memory import MemoryStore

_CLAIMS = [
    *("iss", "aud", "azp", "sub", "exp", "iat", "nbf", "nonce", "name", "email", "locale"),
    *(
        LTI + name
        for name in (
            *("message_type", "version", "deployment_id", "target_link_uri", "roles", "resource_link"),
            *("context", "custom", "launch_presentation", "tool_platform", "lis", "ext"),
        )
    ),
    *(AGS, NRPS, DEEP_LINKING),
]
_MEMBERS = [
    *("id", "title", "label", "return_url", "locale", "document_target", "scope", "lineitems", "lineitem"),
    *("context_memberships_url", "deep_link_return_url", "accept_types", "accept_multiple", "data"),
    *("person_sourcedid", "user_username", "product_family_code", "$x"),
]
_TEXTS = st.text(st.characters(), max_size=20) | st.sampled_from(
    ["$User.id", "https://a.example/", "javascript:1", "\x00", "https://[", "LtiDeepLinkingRequest", "1.3.0"]
)
_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | _TEXTS,
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from(_MEMBERS) | _TEXTS, inner, max_size=4)
    ),
    max_leaves=8,
)


def outcome(told: dict[str, Any] | str) -> Launch | str:
    """The launch that comes of these claims in place of an honest one's, or the claim that fails."""
    store = MemoryStore(MOODLE)
    begun = opened(store)
    token = told if isinstance(told, str) else signed({**claims_of(begun), **told}, by="platform", typ="JWT")
    try:
        return launched(store, begun, token)
    except Refused as error:
        return f"{error.claim}: {error}"


def look_at(launch: Launch) -> None:
    """Every text can be kept by a database, which knows neither half a character nor NUL."""
    role_of(launch)
    for text in texts_in(asdict(launch)):
        text.encode()
        assert "\x00" not in text


def texts_in(value: object) -> Iterator[str]:
    """Every text of a launch, as a database would get it."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for pair in value.items():
            yield from texts_in(pair)
    elif isinstance(value, list | tuple | frozenset):
        for one in value:
            yield from texts_in(one)


@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.dictionaries(st.sampled_from(_CLAIMS), _VALUES, min_size=1, max_size=4))
def test_odd_claims_are_read_or_refused(told: dict[str, Any]) -> None:
    launch = outcome(told)

    if isinstance(launch, str):
        assert launch.isprintable()
    else:
        look_at(launch)


@settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.dictionaries(_TEXTS, _TEXTS, max_size=3), st.lists(_TEXTS), st.lists(_TEXTS), _TEXTS, _TEXTS)
def test_odd_texts_are_made_such_that_they_can_be_kept(
    custom: dict[str, str], roles: list[str], scopes: list[str], name: str, family: str
) -> None:
    launch = outcome(
        {
            f"{LTI}custom": custom,
            f"{LTI}roles": roles,
            AGS: {"scope": scopes},
            "name": name,
            f"{LTI}tool_platform": {"product_family_code": family},
            f"{LTI}lis": {"person_sourcedid": name},
        }
    )

    assert isinstance(launch, Launch)
    look_at(launch)


@settings(max_examples=200, deadline=None)
@given(
    st.dictionaries(
        st.sampled_from(["alg", "kid", "typ", "crit", "jku", "jwk", "x5c", "b64", "zip"]), _VALUES
    ),
    st.binary(max_size=40),
)
def test_odd_headers_are_refused(header: dict[str, Any], signature: bytes) -> None:
    parts = [json.dumps({"alg": "RS256", "kid": "platform", **header}).encode(), b"{}", signature]

    token = ".".join(base64.urlsafe_b64encode(part).rstrip(b"=").decode() for part in parts)

    assert isinstance(outcome(token), str)


@settings(max_examples=200, deadline=None)
@given(st.text(st.characters(), max_size=200) | st.lists(st.text(max_size=20), max_size=6).map(".".join))
def test_what_is_no_token_is_refused(token: str) -> None:
    assert isinstance(outcome(token), str)
