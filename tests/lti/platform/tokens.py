"""Where a tool gets access tokens: its assertion is looked at as strictly as the strictest platform does.

Sources: 1EdTech Security Framework 1.0, section 4.1; RFC 7523, section 3.
"""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from joserfc.errors import JoseError

from tests.lti.platform import keys
from tests.lti.platform.gradebooks import Reply
from tests.lti.platform.world import Tool

AGS = "https://purl.imsglobal.org/spec/lti-ags/scope"
LINE_ITEM, LINE_ITEM_READ = f"{AGS}/lineitem", f"{AGS}/lineitem.readonly"
SCORE, RESULT = f"{AGS}/score", f"{AGS}/result.readonly"
MEMBERS = "https://purl.imsglobal.org/spec/lti-nrps/scope/contextmembership.readonly"
SCOPES = (LINE_ITEM, LINE_ITEM_READ, SCORE, RESULT, MEMBERS)
_ASSERTION = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"
_AHEAD = 60  # Moodle refuses an assertion of 120 s ahead


@dataclass(frozen=True)
class Access:
    """What a token opens."""

    client_id: str
    scopes: frozenset[str]
    until: float


class Tokens:
    """The tokens of one platform. `granted` holds what it grants at most."""

    lasts = 3600.0

    def __init__(self, audience: str) -> None:
        self.audience = audience
        self.granted = frozenset(SCOPES)
        self.asked: list[Mapping[str, str]] = []
        self._open: dict[str, Access] = {}
        self._used: set[tuple[str, str]] = set()

    def give(
        self, tools: Mapping[str, Tool], form: Mapping[str, str], content_type: str, now: float
    ) -> Reply:
        """Answer a request for a token."""
        self.asked.append(form)
        if content_type.partition(";")[0].strip() != "application/x-www-form-urlencoded":
            return _no("invalid_request", f"Content-Type {content_type}")
        if form.get("grant_type") != "client_credentials" or form.get("client_assertion_type") != _ASSERTION:
            return _no("unsupported_grant_type", "grant_type or client_assertion_type")
        try:
            claims = self._claims(tools, form.get("client_assertion", ""), now)
        except (ValueError, JoseError, OSError) as error:
            return _no("invalid_client", str(error))
        scopes = self.granted.intersection(form.get("scope", "").split())
        if not scopes:
            return _no("invalid_scope", form.get("scope", ""))
        token = secrets.token_urlsafe(24)
        self._open[token] = Access(claims["sub"], scopes, now + self.lasts)
        body = {
            "access_token": token,
            "token_type": "Bearer",
            "expires_in": int(self.lasts),
            "scope": " ".join(sorted(scopes)),
        }
        return Reply(200, body, {"Cache-Control": "no-store"})

    def opened_by(self, authorization: str, now: float) -> Access | None:
        """What the header of a request opens."""
        scheme, _, token = authorization.partition(" ")
        access = self._open.get(token)
        return access if scheme == "Bearer" and access and access.until > now else None

    def forget(self) -> None:
        """Every token is worth nothing from now on."""
        self._open.clear()

    def _claims(self, tools: Mapping[str, Tool], assertion: str, now: float) -> dict[str, Any]:
        claimed = keys.unverified(assertion).get("sub")
        tool = tools.get(claimed) if isinstance(claimed, str) else None
        if tool is None:
            raise ValueError(f"sub: {claimed!r} is no client_id")
        claims = keys.read(assertion, tool.jwks)
        audience = claims.get("aud")
        if self.audience not in (audience if isinstance(audience, list) else [audience]):
            raise ValueError(f"aud: {audience!r}, expected {self.audience!r}")
        if claims.get("iss") != claimed:
            raise ValueError(f"iss: {claims.get('iss')!r}, expected {claimed!r}")
        made, until, number = claims.get("iat"), claims.get("exp"), claims.get("jti")
        if not isinstance(made, int | float) or made > now + _AHEAD:
            raise ValueError(f"iat: {made!r} lies ahead of {now:.0f}")
        if not isinstance(until, int | float) or not now < until <= made + 3600:
            raise ValueError(f"exp: {until!r} at {now:.0f}")
        if not isinstance(number, str) or (tool.client_id, number) in self._used:
            raise ValueError(f"jti: {number!r} is missing, or was used before")
        self._used.add((tool.client_id, number))
        return claims


def _no(error: str, why: str) -> Reply:
    return Reply(400, {"error": error, "error_description": why})
