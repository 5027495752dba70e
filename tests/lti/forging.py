"""A platform without a network: its keys, its answers to a login, and everybody else's forgeries of them."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
from collections.abc import Mapping
from functools import cache
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import pytest
from joserfc import jwt
from joserfc.jwk import RSAKey

from attest.lti.claims import LTI, Launch
from attest.lti.errors import Refused
from attest.lti.launch import finish
from attest.lti.login import Begun, begin
from attest.lti.registrations import Registration
from tests.lti.memory import MemoryStore

NOW = 1_796_000_000.0
LAUNCH_URL = "https://attest.example/lti/launch"
ISSUER = "https://moodle.example"
MEMBERSHIP = "http://purl.imsglobal.org/vocab/lis/v2/membership"

MOODLE = Registration(
    key="1",
    issuer=ISSUER,
    client_id="client-1",
    auth_login_url=f"{ISSUER}/mod/lti/auth.php",
    auth_token_url=f"{ISSUER}/mod/lti/token.php",
    jwks_url=f"{ISSUER}/mod/lti/certs.php",
    deployment_ids=frozenset({"deployment-1"}),
)


@cache
def key_pair(name: str) -> RSAKey:
    """A key that is made once, by its name; its kid is that name."""
    return RSAKey.generate_key(2048, {"kid": name})


class Published:
    """The keys that each platform publishes, by its issuer: where `PlatformKeys` would find them."""

    def __init__(self, **issuers: list[str]) -> None:
        self.names = {
            ISSUER: ["platform"],
            **{f"https://{name}.example": keys for name, keys in issuers.items()},
        }

    def key_for(self, registration: Registration, kid: str) -> RSAKey:
        if kid not in self.names[registration.issuer]:
            raise Refused("kid", f"no key {kid!r}")
        return RSAKey.import_key(key_pair(kid).as_dict(private=False))


def opened(store: MemoryStore, at: Registration = MOODLE, now: float = NOW, **more: str) -> Begun:
    """A login that this platform has sent somebody to."""
    parameters = {
        "iss": at.issuer,
        "client_id": at.client_id,
        "login_hint": "42",
        "lti_message_hint": "link 7",
        "target_link_uri": LAUNCH_URL,
        **more,
    }
    return begin(store, parameters, launch_url=LAUNCH_URL, now=now)


def asked(begun: Begun) -> dict[str, str]:
    """What our redirect asks of the platform."""
    return dict(parse_qsl(urlsplit(begun.redirect_url).query))


def claims_of(begun: Begun, now: float = NOW, **changed: Any) -> dict[str, Any]:
    """What Moodle answers to a login; `changed` by the claim's name, LTI's own without their prefix.

    A claim that is changed to None is left out.
    """
    told: dict[str, Any] = {
        "iss": begun.registration.issuer,
        "aud": begun.registration.client_id,
        "sub": "2",
        "exp": int(now) + 60,
        "iat": int(now),
        "nonce": begun.state.nonce,
        "name": "Lena Novak",
        "given_name": "Lena",
        "family_name": "Novak",
        "email": "lena@school.example",
        f"{LTI}message_type": "LtiResourceLinkRequest",
        f"{LTI}version": "1.3.0",
        f"{LTI}deployment_id": "deployment-1",
        f"{LTI}target_link_uri": LAUNCH_URL,
        f"{LTI}roles": [f"{MEMBERSHIP}#Learner"],
        f"{LTI}resource_link": {"id": "link-7", "title": "Attention"},
        f"{LTI}context": {
            "id": "course-3",
            "label": "NLP",
            "title": "Natural language",
            "type": ["CourseSection"],
        },
    }
    for name, value in changed.items():
        told[f"{LTI}{name}" if f"{LTI}{name}" in told or name in _OWN else name] = value
    return {name: value for name, value in told.items() if value is not None}


_OWN = {"custom", "lis", "ext", "launch_presentation", "tool_platform"}


def signed(claims: Mapping[str, Any], by: str = "platform", **header: Any) -> str:
    """The claims as a token that this key signs; `header` adds to its header, or replaces."""
    told = {"alg": "RS256", "kid": by, **header}
    key = key_pair(by)
    if not header:
        return jwt.encode(told, dict(claims), key)
    return _put_together(told, claims, lambda message: _rsa(key, message))


def unsigned(claims: Mapping[str, Any], algorithm: str = "none") -> str:
    """A token that nobody signed."""
    return _put_together({"alg": algorithm, "kid": "platform"}, claims, lambda message: b"")


def signed_by_public_key(claims: Mapping[str, Any]) -> str:
    """An HMAC whose secret is the platform's public key, which everybody knows."""
    secret = key_pair("platform").as_pem(private=False)
    header = {"alg": "HS256", "kid": "platform"}
    return _put_together(header, claims, lambda message: hmac.new(secret, message, hashlib.sha256).digest())


def launched(
    store: MemoryStore,
    begun: Begun,
    token: str,
    *,
    now: float = NOW,
    browser: str | None = "same",
    **more: Any,
) -> Launch:
    """What comes of a form with this token; the browser is the one that began, unless told otherwise."""
    kept = begun.state.value if browser == "same" else browser
    form = {"state": begun.state.value, "id_token": token}
    return finish(store, more.pop("keys", Published()), form, state_from_browser=kept, now=now, **more)


def refused(store: MemoryStore, token: str, *, begun: Begun | None = None, **how: Any) -> str:
    """The claim by which a launch with this token fails."""
    with pytest.raises(Refused) as error:
        launched(store, begun or opened(store), token, **how)
    assert str(error.value)
    return error.value.claim


def _put_together(header: Mapping[str, Any], claims: Mapping[str, Any], sign: Any) -> str:
    message = b".".join(_written(json.dumps(part).encode()) for part in (header, claims))
    return (message + b"." + _written(sign(message))).decode()


def _written(data: bytes) -> bytes:
    return base64.urlsafe_b64encode(data).rstrip(b"=")


def _rsa(key: RSAKey, message: bytes) -> bytes:
    from cryptography.hazmat.primitives.asymmetric.padding import PKCS1v15
    from cryptography.hazmat.primitives.hashes import SHA256

    assert key.private_key is not None
    return key.private_key.sign(message, PKCS1v15(), SHA256())
