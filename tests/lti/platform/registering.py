"""Dynamic registration, the platform's side. Source: 1EdTech LTI Dynamic Registration 1.0."""

from __future__ import annotations

import json
import secrets
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from tests.lti.platform.gradebooks import Reply
from tests.lti.platform.tokens import SCOPES
from tests.lti.platform.world import Tool

if TYPE_CHECKING:
    from tests.lti.platform.server import Platform

PLATFORM = "https://purl.imsglobal.org/spec/lti-platform-configuration"
TOOL = "https://purl.imsglobal.org/spec/lti-tool-configuration"


class Registering:
    """Tells tools of the platform, and takes them in with a token that is good once."""

    def __init__(self, platform: Platform) -> None:
        self.platform = platform
        self.client_id = ""  # what the next tool is called, whatever others are
        self._open: set[str] = set()

    def parameters(self) -> dict[str, str]:
        """What an administrator's browser carries to the tool's registration address."""
        token = secrets.token_urlsafe(16)
        self._open.add(token)
        url = f"{self.platform.url}/.well-known/openid-configuration"
        return {"openid_configuration": url, "registration_token": token}

    def configuration(self) -> dict[str, Any]:
        url = self.platform.url
        told: dict[str, Any] = {
            "issuer": self.platform.issuer,
            "authorization_endpoint": f"{url}/auth",
            "token_endpoint": f"{url}/token",
            "token_endpoint_auth_methods_supported": ["private_key_jwt"],
            "token_endpoint_auth_signing_alg_values_supported": ["RS256"],
            "jwks_uri": f"{url}/jwks",
            "registration_endpoint": f"{url}/register",
            "scopes_supported": ["openid", *SCOPES],
            "response_types_supported": ["id_token"],
            "subject_types_supported": ["public", "pairwise"],
            "id_token_signing_alg_values_supported": ["RS256"],
            "claims_supported": ["sub", "iss", "name", "given_name", "family_name", "email"],
            PLATFORM: {
                "product_family_code": self.platform.family_code,
                "version": "1",
                "messages_supported": [
                    {"type": "LtiResourceLinkRequest"},
                    {"type": "LtiDeepLinkingRequest", "placements": ["ContentArea"]},
                ],
                "variables": ["Context.id", "User.id"],
            },
        }
        if self.platform.tokens.audience != f"{url}/token":
            told["authorization_server"] = self.platform.tokens.audience
        return told

    def register(self, headers: Mapping[str, str], body: bytes) -> Reply:
        """Take a tool in, as it describes itself."""
        scheme, _, token = headers.get("authorization", "").partition(" ")
        if scheme != "Bearer" or token not in self._open:
            return Reply(401, {"error": "invalid_token"})
        try:
            told: Any = json.loads(body)
            lti = told[TOOL]
            expected = {
                "application_type": "web",
                "response_types": ["id_token"],
                "token_endpoint_auth_method": "private_key_jwt",
            }
            wrong = [name for name, value in expected.items() if told.get(name) != value]
            wrong += [] if {"implicit", "client_credentials"} <= set(told["grant_types"]) else ["grant_types"]
            if wrong:
                raise ValueError(", ".join(wrong))
            deep = [one for one in lti["messages"] if one["type"] == "LtiDeepLinkingRequest"]
            tool = Tool(
                self.client_id or f"client-{secrets.token_hex(4)}",
                told["initiate_login_uri"],
                list(told["redirect_uris"]),
                told["jwks_uri"],
                deep_linking_url=deep[0].get("target_link_uri", lti["target_link_uri"]) if deep else "",
                name=told["client_name"],
            )
        except (ValueError, KeyError, TypeError) as error:
            return Reply(400, {"error": "invalid_client_metadata", "error_description": repr(error)})
        self._open.discard(token)
        self.platform.tools[tool.client_id] = tool
        return Reply(
            200, {**told, "client_id": tool.client_id, TOOL: {**lti, "deployment_id": tool.deployments[0]}}
        )
