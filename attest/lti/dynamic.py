"""Dynamic registration: an administrator gives a platform one address of ours, and the two agree on the rest.

The platform says where its description is; we read it, describe ourselves, and are told our client id.
Whoever calls this has made sure that an administrator of ours asked for it.

Source: 1EdTech LTI Dynamic Registration 1.0; OpenID Connect Dynamic Client Registration 1.0.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from attest.lti import ags, members, nrps
from attest.lti.claims import DEEP_LINKING_REQUEST, RESOURCE_LINK_REQUEST
from attest.lti.errors import Refused, Unreachable
from attest.lti.keys import ALGORITHM
from attest.lti.members import Members
from attest.lti.registrations import Registration
from attest.lti.web import Web
from reports.visible_text import one_line

PLATFORM = "https://purl.imsglobal.org/spec/lti-platform-configuration"
TOOL = "https://purl.imsglobal.org/spec/lti-tool-configuration"
SCOPES = (ags.LINE_ITEMS, ags.RESULTS_READ, ags.SCORES, nrps.MEMBERS_READ)
CLAIMS = ("iss", "sub", "name", "given_name", "family_name", "email")
FAMILIES = {
    "moodle": "moodle",
    "canvas": "canvas",
    "blackboardlearn": "blackboard",
    "blackboard": "blackboard",
    "desire2learn": "brightspace",
    "brightspace": "brightspace",
    "sakai": "sakai",
}
_LONGEST_ISSUER = 500  # characters
# Canvas shows a tool nowhere that it was not registered for, and tells a name only where it is asked to.
# Source: Canvas LMS documentation, LTI dynamic registration.
CANVAS_PLACEMENTS = ("assignment_selection", "link_selection")
_CANVAS_PRIVACY = "https://canvas.instructure.com/lti/privacy_level"
# Clouds with one issuer for every school, which is described at another host.
_DESCRIBED_AT = {
    "blackboard.com": "developer.blackboard.com",
    "canvas.instructure.com": "sso.canvaslms.com",
    "canvas.beta.instructure.com": "sso.beta.canvaslms.com",
    "canvas.test.instructure.com": "sso.test.canvaslms.com",
}


@dataclass(frozen=True)
class Tool:
    """What we say of ourselves. Addresses are absolute."""

    name: str
    description: str
    url: str
    login_url: str
    launch_url: str
    jwks_url: str


@dataclass(frozen=True)
class Registered(Registration):
    """A registration that a platform has just made; its `key` is empty, for no store has it yet."""

    family: str = "other"  # a value of FAMILIES, or other


def register(web: Web, openid_configuration_url: str, registration_token: str, tool: Tool) -> Registered:
    """Read the platform's description, register with it, and return what was agreed.

    Raises:
        Refused: the description lacks something, or speaks for another host than its own.
        Unreachable: one of the platform's addresses gave no usable answer.
    """
    described = _object(web, "GET", openid_configuration_url, {}, None)
    issuer = _address(described, "issuer")
    if len(issuer) > _LONGEST_ISSUER:
        raise Refused(
            "issuer", f"the issuer has {len(issuer):,} characters, expected at most {_LONGEST_ISSUER}."
        )
    if not _speaks_for(openid_configuration_url, issuer):
        raise Refused(
            "issuer",
            f"the description at {one_line(openid_configuration_url, 200)} is for the issuer {issuer!r}, on "
            "another host. If that is right, register the platform by hand.",
        )
    found = {
        "issuer": issuer,
        "auth_login_url": _address(described, "authorization_endpoint"),
        "auth_token_url": _address(described, "token_endpoint"),
        "jwks_url": _address(described, "jwks_uri"),
    }
    endpoint = _address(described, "registration_endpoint")
    headers = {"Authorization": f"Bearer {_checked(registration_token)}"} if registration_token else {}
    body = json.dumps(_application(tool, described)).encode()
    answer = _object(web, "POST", endpoint, {**headers, "Content-Type": "application/json"}, body)
    deployment = _deployment(members.section(answer, TOOL))
    return Registered(
        key="",
        client_id=members.identifier(answer, "client_id"),
        token_audience=_token_audience(described),
        deployment_ids=frozenset({deployment} if deployment else ()),
        family=_family(described),
        **found,
    )


def _application(tool: Tool, described: Members) -> Mapping[str, Any]:
    messages: list[dict[str, Any]] = [
        {"type": RESOURCE_LINK_REQUEST, "target_link_uri": tool.launch_url, "label": tool.name},
        {"type": DEEP_LINKING_REQUEST, "target_link_uri": tool.launch_url, "label": tool.name},
    ]
    is_canvas = _family(described) == "canvas"
    if is_canvas:
        messages[1]["placements"] = list(CANVAS_PLACEMENTS)
    offered = members.strings(described, "scopes_supported")
    return {
        "application_type": "web",
        "response_types": ["id_token"],
        "grant_types": ["implicit", "client_credentials"],
        "initiate_login_uri": tool.login_url,
        "redirect_uris": [tool.launch_url],
        "client_name": tool.name,
        "client_uri": tool.url,
        "jwks_uri": tool.jwks_url,
        "token_endpoint_auth_method": "private_key_jwt",
        "id_token_signed_response_alg": ALGORITHM,
        "scope": " ".join(scope for scope in SCOPES if not offered or scope in offered),
        TOOL: {
            "domain": urlsplit(tool.url).netloc,
            "description": tool.description,
            "target_link_uri": tool.launch_url,
            "claims": list(CLAIMS),
            "messages": messages,
            **({_CANVAS_PRIVACY: "public"} if is_canvas else {}),
        },
    }


def _family(described: Members) -> str:
    told = members.words(members.section(described, PLATFORM), "product_family_code", 50)
    return FAMILIES.get(told.lower(), "other")


def _deployment(told: Members) -> str:
    """Return the deployment that was made, which some platforms write as a number; "" where none is told."""
    found = told.get("deployment_id")
    if isinstance(found, int) and not isinstance(found, bool):
        return str(found)
    return members.identifier(told, "deployment_id") if found else ""


def _speaks_for(url: str, issuer: str) -> bool:
    here, meant = urlsplit(url).hostname or "", urlsplit(issuer).hostname or ""
    return here == meant or _DESCRIBED_AT.get(meant) == here


def _token_audience(described: Members) -> str:
    told = described.get("authorization_server")
    return (
        told
        if isinstance(told, str) and len(told) <= members.LONGEST_IDENTIFIER and told.isprintable()
        else ""
    )


def _address(described: Members, name: str) -> str:
    found = members.address(described, name)
    if found is None:
        raise Refused(name, f"the platform's description has no {name}.")
    return found


def _checked(token: str) -> str:
    if not token.isascii() or not token.isprintable() or len(token) > 8000:
        raise Refused(
            "registration_token", "the registration token holds characters that no header can carry."
        )
    return token


def _object(web: Web, method: str, url: str, headers: Mapping[str, str], body: bytes | None) -> Members:
    reply = web.request(method, url, headers={"Accept": "application/json", **headers}, body=body)
    if reply.status not in (200, 201):
        raise Unreachable(f"{one_line(url, 200)} answered {reply.status}: {one_line(reply.beginning, 200)}")
    found = reply.json()
    if not isinstance(found, dict):
        raise Unreachable(f"{one_line(url, 200)} did not answer with an object of JSON.")
    return found
