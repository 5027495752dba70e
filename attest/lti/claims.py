"""What a launch says: who comes, from which course and link, and which services the platform offers.

Everything here is told by a platform whose signature was checked. It is still only told: texts are cut and
made visible, a `$Variable` that the platform did not fill in counts as nothing.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from attest.lti import members
from attest.lti.errors import Refused
from attest.lti.members import Members

LTI = "https://purl.imsglobal.org/spec/lti/claim/"
MESSAGE_TYPE, VERSION, DEPLOYMENT_ID = LTI + "message_type", LTI + "version", LTI + "deployment_id"
TARGET_LINK_URI = LTI + "target_link_uri"
AGS = "https://purl.imsglobal.org/spec/lti-ags/claim/endpoint"
NRPS = "https://purl.imsglobal.org/spec/lti-nrps/claim/namesroleservice"
DEEP_LINKING = "https://purl.imsglobal.org/spec/lti-dl/claim/deep_linking_settings"
CONTENT_ITEMS = "https://purl.imsglobal.org/spec/lti-dl/claim/content_items"
DATA = "https://purl.imsglobal.org/spec/lti-dl/claim/data"

RESOURCE_LINK_REQUEST = "LtiResourceLinkRequest"
DEEP_LINKING_REQUEST = "LtiDeepLinkingRequest"
MESSAGE_TYPES = (RESOURCE_LINK_REQUEST, DEEP_LINKING_REQUEST)

_MOST_CUSTOM = 100
_LONGEST_CUSTOM = 1000
_LONGEST_DATA = 20_000
_NO_HALF = re.compile("[^\x00\ud800-\udfff]*")  # neither NUL nor half a character: no database has those


@dataclass(frozen=True)
class AGSEndpoint:
    """Where scores go. `lineitem` is there when the link has exactly one."""

    scopes: frozenset[str]
    lineitems: str | None
    lineitem: str | None


@dataclass(frozen=True)
class DeepLinkingSettings:
    """What the platform lets an instructor choose, and where the choice goes."""

    return_url: str
    accept_types: frozenset[str]
    accept_multiple: bool
    data: str | None = None  # the platform's own; goes back as it came


@dataclass(frozen=True)
class Launch:
    """One launch that was checked. A text that was not told is empty."""

    registration_key: str
    deployment_id: str
    subject: str  # the person, at this registration only
    message_type: str
    target_link_uri: str
    roles: frozenset[str]
    name: str = ""
    given_name: str = ""
    family_name: str = ""
    email: str = ""  # to show; never to find anybody by
    resource_link_id: str = ""
    resource_link_title: str = ""
    context_id: str = ""
    context_label: str = ""
    context_title: str = ""
    custom: dict[str, str] = field(default_factory=dict)
    ags: AGSEndpoint | None = None
    nrps: str | None = None
    deep_linking: DeepLinkingSettings | None = None
    return_url: str | None = None
    person_sourced_id: str = ""


def read(registration_key: str, claims: Members) -> Launch:
    """Return the launch that these claims describe.

    Raises:
        Refused: a claim that this kind of launch must have is missing, or is not what it should be.
    """
    if claims.get(VERSION) != "1.3.0":
        raise Refused("version", f"the LTI version is {claims.get(VERSION)!r:.40}, expected '1.3.0'.")
    message_type = members.identifier(claims, MESSAGE_TYPE, "message_type")
    if message_type not in MESSAGE_TYPES:
        expected = " or ".join(MESSAGE_TYPES)
        raise Refused("message_type", f"the message type is {message_type!r}, expected {expected}.")
    link = members.section(claims, LTI + "resource_link")
    context = members.section(claims, LTI + "context")
    opens_link = message_type == RESOURCE_LINK_REQUEST
    return Launch(
        registration_key=registration_key,
        deployment_id=members.identifier(claims, DEPLOYMENT_ID, "deployment_id"),
        subject=_subject(claims),
        message_type=message_type,
        target_link_uri=_target(claims),
        roles=_roles(claims),
        name=members.words(claims, "name"),
        given_name=members.words(claims, "given_name"),
        family_name=members.words(claims, "family_name"),
        email=members.words(claims, "email", members.LONGEST_EMAIL),
        resource_link_id=members.identifier(link, "id", "resource_link.id") if opens_link else "",
        resource_link_title=members.words(link, "title"),
        context_id=members.identifier(context, "id", "context.id") if context else "",
        context_label=members.words(context, "label"),
        context_title=members.words(context, "title"),
        custom=_custom(claims),
        ags=_ags(claims),
        nrps=members.address(members.section(claims, NRPS), "context_memberships_url"),
        deep_linking=None if opens_link else _deep_linking(claims),
        return_url=_return_url(members.section(claims, LTI + "launch_presentation")),
        person_sourced_id=members.words(members.section(claims, LTI + "lis"), "person_sourcedid"),
    )


def _subject(claims: Members) -> str:
    if claims.get("sub") in (None, ""):
        raise Refused("sub", "the launch is anonymous: sub is missing. Let the platform tell who comes.")
    return members.identifier(claims, "sub")


def _target(claims: Members) -> str:
    target = members.address(claims, TARGET_LINK_URI, "target_link_uri")
    if target is None:
        raise Refused("target_link_uri", "target_link_uri is missing.")
    return target


def _roles(claims: Members) -> frozenset[str]:
    if claims.get(LTI + "roles") is None:
        raise Refused("roles", "roles is missing; it may be empty, but must be there.")
    return members.strings(claims, LTI + "roles")


def _custom(claims: Members) -> dict[str, str]:
    told = members.section(claims, LTI + "custom")
    filled = {}
    for name in list(told)[:_MOST_CUSTOM]:
        if len(name) > members.LONGEST_IDENTIFIER or not name.isprintable():
            continue
        value = told[name]
        if isinstance(value, int | float) and not isinstance(value, bool):
            value = str(value)
        if said := members.words({name: value}, name, _LONGEST_CUSTOM):
            filled[name] = said
    return filled


def _ags(claims: Members) -> AGSEndpoint | None:
    told = members.section(claims, AGS)
    if not told:
        return None
    return AGSEndpoint(
        members.strings(told, "scope"),
        members.address(told, "lineitems"),
        members.address(told, "lineitem"),
    )


def _deep_linking(claims: Members) -> DeepLinkingSettings:
    told = members.section(claims, DEEP_LINKING)
    return_url = members.address(told, "deep_link_return_url")
    if return_url is None:
        raise Refused(
            "deep_linking_settings", "deep_link_return_url is missing: the choice has nowhere to go."
        )
    return DeepLinkingSettings(
        return_url=return_url,
        accept_types=members.strings(told, "accept_types"),
        accept_multiple=members.said_true(told, "accept_multiple"),
        data=_data(told),
    )


def _data(told: Members) -> str | None:
    found = told.get("data")
    if found is None:
        return None
    if not isinstance(found, str) or len(found) > _LONGEST_DATA or not _NO_HALF.fullmatch(found):
        raise Refused("data", "the data of deep_linking_settings is not a text that can go back as it came.")
    return found


def _return_url(presentation: Members) -> str | None:
    """Return where "back" leads. One that is no web address, such as `javascript:…`, is not shown."""
    told = presentation.get("return_url")
    return told if isinstance(told, str) and members.parsed(told) is not None else None
