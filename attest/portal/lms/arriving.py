"""Somebody arrives by a launch that was checked: who they are here, in which course, before which assignment.

Nobody is found by their email, and what an LMS says of a role counts in the courses that are linked to it.
"""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from datetime import timedelta

from django.db import IntegrityError, transaction
from django.utils import timezone

from attest.lti.claims import Launch
from attest.lti.deep_linking import ASSIGNMENT
from attest.lti.errors import Refused
from attest.lti.nrps import Member
from attest.lti.roles import role_of
from attest.portal.audit.trail import note
from attest.portal.courses.models import Course, CourseAssignment, Membership, Role
from attest.portal.lms.models import (
    ContextPerson,
    Deployment,
    LinkedContext,
    LinkedResource,
    Platform,
    PlatformPerson,
)
from attest.portal.numbers import row_number
from attest.portal.people.models import RESERVED, Person
from attest.portal.permissions import role_in

MOST_NAME = 200
_SEEN_AGAIN_AFTER = timedelta(minutes=5)


@dataclass(frozen=True)
class Arrived:
    """Who came, as what, and what of ours it is about; None where nothing is linked yet."""

    launch: Launch
    deployment: Deployment
    told: PlatformPerson
    role: Role
    context: LinkedContext | None
    resource: LinkedResource | None

    @property
    def platform(self) -> Platform:
        """Where they came from."""
        return self.deployment.platform

    @property
    def person(self) -> Person:
        """Whom the portal knows them as."""
        return self.told.person

    @property
    def may_choose(self) -> bool:
        """Whether they say what is linked: who teaches it there, and here where there is a course already."""
        here = self.role if self.context is None else role_in(self.person, self.context.course)
        return self.role == Role.INSTRUCTOR and here == Role.INSTRUCTOR


def arrive(launch: Launch) -> Arrived:
    """Take in who came. Raises Refused."""
    platform = Platform.objects.get(pk=int(launch.registration_key))
    deployment = _deployment(platform, launch.deployment_id)
    said = role_of(launch)
    if said == "none":
        raise Refused("roles", "your LMS gives you no role in this course.")
    role = Role(said)
    told = told_person(platform, launch.subject, name_of(launch), launch.email)
    if not told.person.is_active:
        raise Refused("person", "the portal's administrators keep this person out.")
    context = _context(platform, launch)
    resource = None
    if context is not None:
        take_in(context, told, role, launch.person_sourced_id)
        resource = _resource(context, launch)
    return Arrived(launch, deployment, told, role, context, resource)


def name_of(who: Launch | Member) -> str:
    """Return what a launch or a roster calls somebody; "" where it tells no name."""
    return who.name or f"{who.given_name} {who.family_name}".strip()


def _deployment(platform: Platform, deployment_id: str) -> Deployment:
    """Return a deployment. Raises Refused where it is out of use; unknown ones were refused before."""
    deployment, _ = platform.deployments.get_or_create(deployment_id=deployment_id)
    if not deployment.is_active:
        raise Refused("deployment_id", f"deployment {deployment_id} of {platform} is out of use here.")
    if deployment.seen_at is None or timezone.now() - deployment.seen_at > _SEEN_AGAIN_AFTER:
        Deployment.objects.filter(pk=deployment.pk).update(seen_at=timezone.now())
    return deployment


def told_person(platform: Platform, subject: str, name: str, email: str) -> PlatformPerson:
    """Return whom an LMS means, made where they are new, with what it tells of them now."""
    name = name[:MOST_NAME]
    found = PlatformPerson.objects.select_related("person").filter(platform=platform, subject=subject).first()
    if found is None:
        try:
            with transaction.atomic():
                return _made(platform, subject, name, email)
        except IntegrityError:  # they came twice at the same moment
            found = PlatformPerson.objects.select_related("person").get(platform=platform, subject=subject)
    if (found.name, found.email) != (name, email) and (name or email):
        if name and found.person.name in ("", found.name, _without_name(found.person)):
            found.person.name = name  # unless they have given themselves another one here
            found.person.save(update_fields=["name"])
        found.name, found.email, found.told_at = name or found.name, email or found.email, timezone.now()
        found.save(update_fields=["name", "email", "told_at"])
    return found


def _made(platform: Platform, subject: str, name: str, email: str) -> PlatformPerson:
    person = Person.objects.create(email=f"{secrets.token_hex(12)}{RESERVED}", name=name)
    if not name:
        person.name = _without_name(person)
        person.save(update_fields=["name"])
    note(None, "came from an LMS", f"person {person.pk}", whom=person, after={"platform": platform.pk})
    return PlatformPerson.objects.create(
        platform=platform, subject=subject, person=person, name=name, email=email
    )


def _without_name(person: Person) -> str:
    """Return what somebody is called whose LMS tells no name."""
    return f"Person {person.pk}"


def _context(platform: Platform, launch: Launch) -> LinkedContext | None:
    """Return the linked course, with what the launch tells of its services."""
    found = context_of(platform, launch)
    if found is not None:
        _bring_up_to_date(found, context_facts(launch))
    return found


def context_of(platform: Platform, launch: Launch) -> LinkedContext | None:
    """Return the linked course that a launch is in; None where it is not linked."""
    if not launch.context_id:
        return None
    known = {"deployment_id": launch.deployment_id, "context_id": launch.context_id}
    return LinkedContext.objects.select_related("course").filter(platform=platform, **known).first()


def context_facts(launch: Launch) -> dict[str, object]:
    """Return what a launch tells of its course, by the names of the fields; what it does not tell stays."""
    grades = launch.ags
    told: dict[str, object] = {
        "title": launch.context_title[:MOST_NAME],
        "nrps_url": launch.nrps or "",
        "lineitems_url": (grades.lineitems or "") if grades else "",
        "scopes": sorted(grades.scopes) if grades else [],
    }
    return {name: value for name, value in told.items() if value}


def resource_facts(launch: Launch) -> dict[str, object]:
    """Return what a launch tells of what was clicked, by the names of the fields."""
    told: dict[str, object] = {
        "title": launch.resource_link_title[:MOST_NAME],
        "lineitem_url": (launch.ags.lineitem or "") if launch.ags else "",
    }
    return {name: value for name, value in told.items() if value}


def _bring_up_to_date(row: LinkedContext | LinkedResource, facts: dict[str, object]) -> None:
    changed = [name for name, value in facts.items() if getattr(row, name) != value]
    for name in changed:
        setattr(row, name, facts[name])
    if changed:
        row.save(update_fields=changed)


def _resource(context: LinkedContext, launch: Launch) -> LinkedResource | None:
    """Return what was clicked; what says by itself which assignment it is becomes linked."""
    if not launch.resource_link_id:
        return None
    links = context.resources.select_related("assignment__course")
    found = links.filter(resource_link_id=launch.resource_link_id).first()
    if found is None:
        assignment = wanted_assignment(context.course, launch)
        return link_resource(context, launch, assignment) if assignment else None
    _bring_up_to_date(found, resource_facts(launch))
    return found


def link_resource(context: LinkedContext, launch: Launch, assignment: CourseAssignment) -> LinkedResource:
    """Link what was clicked with an assignment of the context's course."""
    made, _ = LinkedResource.objects.update_or_create(
        context=context,
        resource_link_id=launch.resource_link_id,
        defaults={**resource_facts(launch), "assignment": assignment},
    )
    return made


def wanted_assignment(course: Course, launch: Launch) -> CourseAssignment | None:
    """Return the assignment of this course that a link asks for; of a copied one, the course's own copy."""
    named = named_assignment(launch)
    if named is None or named.course_id == course.pk:
        return named
    copies = list(course.assignments.filter(folder=named.folder)[:2])
    return copies[0] if len(copies) == 1 else None


def named_assignment(launch: Launch) -> CourseAssignment | None:
    """Return the assignment that a link names by its number, in whichever course it is."""
    number = row_number(launch.custom.get(ASSIGNMENT, ""))
    return CourseAssignment.objects.select_related("course").filter(pk=number).first() if number else None


@transaction.atomic
def take_in(context: LinkedContext, told: PlatformPerson, role: Role, student_id: str = "") -> str:
    """Have somebody in the course as their LMS says; return what that changed: "new", "changed" or "".

    A role is set when somebody comes in, and again when the LMS says another one than before: what an
    instructor has changed here stays until then.
    """
    course = context.course
    seen, is_first = ContextPerson.objects.select_for_update().get_or_create(
        context=context, told=told, defaults={"role": role}
    )
    before = seen.role
    if not is_first and (before != role or seen.has_left):
        told_before = {"role": before, "has_left": seen.has_left}
        seen.role, seen.has_left = role, False
        seen.save(update_fields=["role", "has_left"])
        told_now = {"role": str(role), "has_left": False, "context": context.pk}
        note(
            None,
            "told by an LMS",
            f"course {course.pk}",
            course=course,
            whom=told.person,
            before=told_before,
            after=told_now,
        )
    member, is_new = Membership.objects.get_or_create(
        course=course,
        person_id=told.person_id,
        defaults={"role": role, "student_id": student_id[:120]},
    )
    subject = f"course {course.pk}"
    if is_new:
        if told.person.zone == "UTC":
            Person.objects.filter(pk=told.person_id, zone="UTC").update(zone=course.zone)
        after = {"role": str(role), "context": context.pk}
        note(None, "put on the roster", subject, course=course, whom=told.person, after=after)
        return "new"
    if is_first or role in (before, member.role) or _is_last_instructor(member):
        return ""
    changes = {"before": {"role": str(member.role)}, "after": {"role": str(role)}}
    note(None, "member changed", subject, course=course, whom=told.person, why="their LMS says so", **changes)
    Membership.objects.filter(pk=member.pk).update(role=role)
    return "changed"


def _is_last_instructor(member: Membership) -> bool:
    """Whether nobody else teaches the course."""
    others = Membership.objects.filter(course=member.course_id, role=Role.INSTRUCTOR).exclude(pk=member.pk)
    return member.role == Role.INSTRUCTOR and not others.exists()
