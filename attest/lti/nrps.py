"""The Names and Role Provisioning Services 2.0: who is in a course of a platform, page by page."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from attest.lti.errors import Refused, Unreachable
from attest.lti.members import LONGEST_EMAIL, identifier, strings, words
from attest.lti.service import Service
from attest.lti.web import bare

MEMBERS_READ = "https://purl.imsglobal.org/spec/lti-nrps/scope/contextmembership.readonly"
MOST_MEMBERS = 50_000
_MEMBERS = "application/vnd.ims.lti-nrps.v2.membershipcontainer+json"


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
            raise Unreachable(f"{bare(url)} answered without a list of members.")
        for one in listed:
            member = _member(one)
            if member is not None:
                found[member.subject] = member
        if len(found) > MOST_MEMBERS:
            raise Unreachable(f"{bare(url)} lists more than {MOST_MEMBERS:,} people.")
    return list(found.values())


def _member(found: Any) -> Member | None:
    """Return a member; None for what names nobody."""
    if not isinstance(found, dict):
        return None
    number = found.get("user_id")
    if isinstance(number, int) and not isinstance(number, bool):
        found = {**found, "user_id": str(number)}
    try:
        subject, roles = identifier(found, "user_id"), strings(found, "roles")
    except Refused:
        return None
    return Member(
        subject=subject,
        roles=roles,
        name=words(found, "name"),
        given_name=words(found, "given_name"),
        family_name=words(found, "family_name"),
        email=words(found, "email", LONGEST_EMAIL),
        is_active=found.get("status", "Active") == "Active",
    )
