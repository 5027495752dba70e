"""What is known of a platform that Attest is registered with."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Registration:
    """One client_id at one platform, with the platform's addresses.

    Source: 1EdTech Security Framework 1.0, section 5.1; LTI 1.3 Core, section 3.1.3.
    """

    key: str  # by which the store knows it; part of no message
    issuer: str
    client_id: str
    auth_login_url: str  # where an authentication request goes
    auth_token_url: str  # where access tokens come from
    jwks_url: str  # the platform's public keys
    token_audience: str = ""  # `aud` of our assertions where it is not auth_token_url (Brightspace)
    deployment_ids: frozenset[str] | None = None  # those that are known; None accepts any (see the store)
