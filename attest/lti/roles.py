"""Who somebody is in the course that a launch comes from.

Only roles in the course count. A professor of the institution, or an administrator of the whole platform,
is nobody in a course that gives them no role.

Source: LTI 1.3 Core, appendix A.2.3 (context roles, sub-roles) and A.2.4 (the simple names, deprecated).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

from attest.lti.claims import Launch

CourseRole = Literal["instructor", "grader", "student", "none"]

_CONTEXT = "http://purl.imsglobal.org/vocab/lis/v2/membership"
_SIMPLE = frozenset({"Instructor", "Learner", "Administrator", "TeachingAssistant"})
_ASSISTANTS = ("TeachingAssistant", "Grader")  # and TeachingAssistantSection, …Group, …


def role_of(launch: Launch) -> CourseRole:
    """Return what the person of this launch may be in the course that is linked to its context."""
    return course_role(launch.roles)


def course_role(roles: Iterable[str]) -> CourseRole:
    """Return the role that these URIs amount to.

    A platform sends the principal role beside a sub-role: an assistant comes as Instructor and as
    TeachingAssistant. So the sub-role counts first.
    """
    held = {pair for role in roles if (pair := _context_role(role)) is not None}
    if any(sub.startswith(_ASSISTANTS) for _, sub in held):
        return "grader"
    principals = {principal for principal, _ in held}
    if principals & {"Instructor", "Administrator"}:
        return "instructor"
    if "Learner" in principals:
        return "student"
    return "none"


def _context_role(role: str) -> tuple[str, str] | None:
    """Return the principal role and the sub-role of a role in a course; None of any other."""
    if role in _SIMPLE:
        return ("Instructor", role) if role == "TeachingAssistant" else (role, "")
    if role.startswith(_CONTEXT + "#"):
        name = role.removeprefix(_CONTEXT + "#")
        return name, name  # some platforms write membership#TeachingAssistant
    if role.startswith(_CONTEXT + "/"):
        principal, _, sub = role.removeprefix(_CONTEXT + "/").partition("#")
        return principal, sub
    return None
