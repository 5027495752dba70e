"""How a platform sends a person to a tool: third-party login, authentication, the launch, deep linking.

Sources: 1EdTech Security Framework 1.0, section 5.1; LTI 1.3 Core; Deep Linking 2.0.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tests.lti.platform import keys
from tests.lti.platform.world import Course, Link, Member, Tool

if TYPE_CHECKING:
    from tests.lti.platform.server import Platform

CLAIM = "https://purl.imsglobal.org/spec/lti/claim"
AGS_CLAIM = "https://purl.imsglobal.org/spec/lti-ags/claim/endpoint"
NRPS_CLAIM = "https://purl.imsglobal.org/spec/lti-nrps/claim/namesroleservice"
_ASKED = {"scope": "openid", "response_type": "id_token", "response_mode": "form_post", "prompt": "none"}
DEEP = "https://purl.imsglobal.org/spec/lti-dl/claim"


class BadRequest(Exception):
    """A request that the platform answers with a page of its own, since it trusts no address in it."""


@dataclass(frozen=True)
class Form:
    """A form that a browser posts by itself."""

    action: str
    fields: Mapping[str, str]


@dataclass(frozen=True)
class Pending:
    """A launch that has begun: what the message hint stands for."""

    tool: Tool
    member: Member
    course: Course
    link: Link | None  # None asks the tool to choose something: deep linking
    deployment: str


class Launches:
    """The launches of one platform. `change` may alter the claims of each, `make` the whole token."""

    lasts = 60.0

    def __init__(self, platform: Platform) -> None:
        self.platform = platform
        self.change: Callable[[dict[str, Any]], dict[str, Any]] | None = None
        self.make: Callable[[dict[str, Any]], str] | None = None
        self.login_required = False  # as in a frame, when nobody is signed in
        self.storage_target: str | None = None  # what is told as lti_storage_target
        self._pending: dict[str, Pending] = {}

    def begin(
        self, tool: Tool, subject: str, link: Link | None, course: Course | None = None, deployment: str = ""
    ) -> dict[str, str]:
        """What the browser is to send to the tool's login address."""
        hint = secrets.token_urlsafe(12)
        course = course or self.platform.course
        member = course.members[subject]
        deployment = deployment or tool.deployments[0]
        self._pending[hint] = Pending(tool, member, course, link, deployment)
        told = {
            "iss": self.platform.issuer,
            "target_link_uri": link.url if link else tool.deep_linking_url,
            "login_hint": subject,
            "lti_message_hint": hint,
            "client_id": tool.client_id,
            "lti_deployment_id": deployment,
        }
        if self.storage_target:
            told["lti_storage_target"] = self.storage_target
        return told

    def authenticate(self, asked: Mapping[str, str]) -> Form:
        """Answer an authentication request with the form that goes to the tool's redirect_uri."""
        tool = self.platform.tools.get(asked.get("client_id", ""))
        if tool is None or asked.get("redirect_uri") not in tool.redirect_urls:
            raise BadRequest(
                f"client_id or redirect_uri: {asked.get('client_id')}, {asked.get('redirect_uri')}"
            )
        state = {"state": asked["state"]} if "state" in asked else {}
        error = self._error(asked, tool)
        if error:
            return Form(asked["redirect_uri"], {"error": error[0], "error_description": error[1], **state})
        claims = self.claims(self._pending.pop(asked["lti_message_hint"]), asked["nonce"])
        if self.change:
            claims = self.change(claims)
        token = self.make(claims) if self.make else keys.sign(claims, self.platform.keys.signing)
        return Form(asked["redirect_uri"], {"id_token": token, **state})

    def _error(self, asked: Mapping[str, str], tool: Tool) -> tuple[str, str] | None:
        wrong = [name for name, value in _ASKED.items() if asked.get(name) != value]
        if wrong or not asked.get("nonce"):
            return "invalid_request", f"{wrong or 'nonce'}"
        if self.login_required:
            return "login_required", "nobody is signed in"
        pending = self._pending.get(asked.get("lti_message_hint", ""))
        if pending is None or pending.tool is not tool:
            return "invalid_request", "lti_message_hint"
        if pending.member.subject != asked.get("login_hint"):
            return "access_denied", "login_hint"
        return None

    def claims(self, pending: Pending, nonce: str) -> dict[str, Any]:
        """Everything that a launch says."""
        now = self.platform.clock()
        tool, member, course, link = pending.tool, pending.member, pending.course, pending.link
        claims: dict[str, Any] = {
            "iss": self.platform.issuer,
            "aud": [tool.client_id] if self.platform.mode == "blackboard" else tool.client_id,
            "azp": tool.client_id,
            "sub": member.subject,
            "iat": int(now),
            "exp": int(now + self.lasts),
            "nonce": nonce,
            "name": member.name,
            "given_name": member.given_name,
            "family_name": member.family_name,
            "email": member.email,
            "locale": "en",
            f"{CLAIM}/version": "1.3.0",
            f"{CLAIM}/deployment_id": pending.deployment,
            f"{CLAIM}/roles": member.roles,
            f"{CLAIM}/context": {"id": course.id, "label": course.id, "title": course.title},
            f"{CLAIM}/tool_platform": {
                "guid": self.platform.issuer,
                "product_family_code": self.platform.family_code,
                "version": "1",
            },
            f"{CLAIM}/launch_presentation": {
                "locale": "en",
                "document_target": "iframe",
                "return_url": f"{self.platform.url}/course/{course.id}",
            },
            NRPS_CLAIM: {
                "context_memberships_url": self.platform.service_url(course.id, "memberships"),
                "service_versions": ["1.0", "2.0"],
            },
            AGS_CLAIM: {
                "scope": sorted(scope for scope in self.platform.tokens.granted if "lti-ags" in scope),
                "lineitems": self.platform.service_url(course.id, "lineitems", tool.client_id),
            },
        }
        if not member.email:
            del claims["email"]
        if link is None:
            claims |= {
                f"{CLAIM}/message_type": "LtiDeepLinkingRequest",
                f"{CLAIM}/target_link_uri": tool.deep_linking_url,
                f"{DEEP}/deep_linking_settings": {
                    "deep_link_return_url": f"{self.platform.url}/deep-linking/{course.id}",
                    "accept_types": ["ltiResourceLink"],
                    "accept_presentation_document_targets": ["iframe", "window"],
                    "accept_multiple": True,
                    "data": f"data of {course.id}",
                },
            }
            return claims
        claims |= {
            f"{CLAIM}/message_type": "LtiResourceLinkRequest",
            f"{CLAIM}/target_link_uri": link.url,
            f"{CLAIM}/resource_link": {"id": link.id, "title": link.title},
            f"{CLAIM}/custom": {
                name: self._substituted(value, pending) for name, value in link.custom.items()
            },
        }
        if link.line_item:
            item = course.line_items[link.line_item]
            claims[AGS_CLAIM]["lineitem"] = self.platform.services.item_url(course, item)
        return claims

    def _substituted(self, value: str, pending: Pending) -> str:
        """A custom parameter; a variable that no platform of this kind knows goes back as it came."""
        known = {"$Context.id": pending.course.id, "$User.id": pending.member.subject}
        return known.get(value, value)

    def chosen(self, course_id: str, token: str) -> list[Link]:
        """Make the links that a tool returns from deep linking, with their columns."""
        course = self.platform.courses[course_id]
        client_id = keys.unverified(token).get("iss")
        tool = self.platform.tools.get(client_id) if isinstance(client_id, str) else None
        if tool is None:
            raise BadRequest(f"iss: {client_id!r} is no client_id")
        claims = keys.read(token, tool.jwks)
        audience = claims.get("aud")
        expected = {
            f"{CLAIM}/message_type": "LtiDeepLinkingResponse",
            f"{CLAIM}/version": "1.3.0",
            f"{DEEP}/data": f"data of {course.id}",
        }
        wrong = [name for name, value in expected.items() if claims.get(name) != value]
        if self.platform.issuer not in (audience if isinstance(audience, list) else [audience]):
            wrong.append("aud")
        if claims.get(f"{CLAIM}/deployment_id") not in tool.deployments:
            wrong.append("deployment_id")
        now = self.platform.clock()
        if not claims.get("nonce") or not claims.get("exp", 0) > now >= claims.get("iat", 0) - 60:
            wrong.append("nonce, exp or iat")
        if wrong:
            raise BadRequest(f"the response is wrong in: {', '.join(wrong)}")
        return [self._make(course, tool, item) for item in claims.get(f"{DEEP}/content_items", [])]

    def _make(self, course: Course, tool: Tool, item: Mapping[str, Any]) -> Link:
        if item.get("type") != "ltiResourceLink":
            raise BadRequest(f"a content item of type {item.get('type')!r}")
        link = course.add_link(item.get("title", "Untitled"), item.get("url", tool.redirect_urls[0]))
        link.custom = dict(item.get("custom", {}))
        column = item.get("lineItem")
        if column and self.platform.mode != "brightspace":
            made = course.add_line_item(
                tool.client_id,
                column.get("label", link.title),
                float(column["scoreMaximum"]),
                resource_link_id=link.id,
                resource_id=column.get("resourceId", ""),
                tag=column.get("tag", ""),
            )
            link.line_item = made.id
        return link
