"""The Names and Role Provisioning Services 2.0: who is in a course of a platform, page by page."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from attest.lti.errors import Unreachable
from attest.lti.service import Service

MEMBERS_READ = "https://purl.imsglobal.org/spec/lti-nrps/scope/contextmembership.readonly"
MOST_MEMBERS = 50_000
_MEMBERS = "application/vnd.ims.lti-nrps.v2.membershipcontainer+json"
_MOST_SUBJECT = 255  # LTI 1.3 Core, section 5.3.6
_MOST_TEXT = 500  # characters of a name


@dataclass(frozen=True)
class Member:
    """Somebody in a course, as the platform tells of them; what it does not tell is ""."""

    subject: str
    roles: frozenset[str]
    name: str = ""
    given_name: str = ""
    family_name: str = ""
    email: str = ""
    is_active: bool = True


def members(service: Service, url: str) -> list[Member]:
    """Return everybody in a course, each once. Raises `Answered` or `Unreachable`."""
    found: dict[str, Member] = {}
    for page in service.pages(url, (MEMBERS_READ,), accept=_MEMBERS):
        listed = page.get("members") if isinstance(page, dict) else None
        if not isinstance(listed, list):
            raise Unreachable(f"{url.partition('?')[0]} answered without a list of members.")
        for one in listed:
            member = _member(one)
            if member is not None:
                found[member.subject] = member
        if len(found) > MOST_MEMBERS:
            raise Unreachable(f"{url.partition('?')[0]} lists more than {MOST_MEMBERS:,} people.")
    return list(found.values())


def _member(found: Any) -> Member | None:
    """Return a member; None for what names nobody."""
    if not isinstance(found, dict):
        return None
    subject = found.get("user_id")
    subject = str(subject) if isinstance(subject, int) and not isinstance(subject, bool) else subject
    if not isinstance(subject, str) or not 0 < len(subject) <= _MOST_SUBJECT or "\0" in subject:
        return None
    roles = found.get("roles")
    return Member(
        subject=subject,
        roles=frozenset(one for one in roles if isinstance(one, str))
        if isinstance(roles, list)
        else frozenset(),
        name=_told(found, "name"),
        given_name=_told(found, "given_name"),
        family_name=_told(found, "family_name"),
        email=_told(found, "email"),
        is_active=found.get("status", "Active") == "Active",
    )


def _told(found: dict[str, Any], name: str) -> str:
    """Return a text without what a database does not keep; "" for an unsubstituted `$Variable`."""
    value = found.get(name)
    if not isinstance(value, str) or value.startswith("$"):
        return ""
    return value.replace("\0", "").strip()[:_MOST_TEXT]
