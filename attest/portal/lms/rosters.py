"""Reading an LMS's roster in the background: who is new comes in, roles follow, nobody is put out."""

from __future__ import annotations

from django.db import transaction

from attest.lti.errors import LTIError
from attest.lti.nrps import Member, members
from attest.lti.roles import course_role
from attest.portal.audit.trail import note
from attest.portal.courses.models import Role
from attest.portal.errands.line import finish
from attest.portal.errands.models import Errand
from attest.portal.errands.process import CannotDo
from attest.portal.lms.arriving import name_of, take_in, told_person
from attest.portal.lms.models import ContextPerson, LinkedContext, RosterReading, contexts_in_use
from attest.portal.lms.reaching import service
from attest.portal.people.models import Person

_AT_ONCE = 50


def ask_for_roster(context: LinkedContext, by: Person) -> RosterReading:
    """Have a roster read; one that is still under way is enough."""
    waiting = (Errand.State.WAITING, Errand.State.RUNNING)
    under_way = context.readings.filter(errand__state__in=waiting).first()
    if under_way is not None:
        return under_way
    with transaction.atomic():
        note(by, "roster asked for", f"context {context.pk}", course=context.course)
        errand = Errand.objects.create(kind=Errand.Kind.ROSTER)
        return RosterReading.objects.create(context=context, errand=errand, by=by)


def read_roster(errand: Errand, who: str) -> None:
    """Read the roster of an errand, and take everybody in. Raises CannotDo."""
    reading = RosterReading.objects.select_related("context__course", "context__platform").get(errand=errand)
    context = reading.context
    if not contexts_in_use().filter(pk=context.pk).exists():
        raise CannotDo("This LMS, or this part of it, is out of use here.")
    if not context.nrps_url:
        raise CannotDo(
            "The LMS does not tell where its roster is. Let it share names and roles with the tool."
        )
    known = set(context.people.values_list("pk", flat=True))  # who comes meanwhile has not left
    try:
        listed = members(service(context.platform), context.nrps_url)
    except LTIError as error:
        raise CannotDo(str(error)) from None
    listed = [one for one in listed if one.is_active and course_role(one.roles) != "none"]
    if known and not listed:
        raise CannotDo("The LMS's roster lists nobody with a role in the course; nothing was changed here.")
    counted = _take_in_all(context, listed, known)
    with transaction.atomic():
        if finish(errand, who):
            RosterReading.objects.filter(pk=reading.pk).update(**counted)
            note(reading.by, "roster read", f"context {context.pk}", course=context.course, after=counted)


def _take_in_all(context: LinkedContext, listed: list[Member], known: set[int]) -> dict[str, int]:
    """Take in a roster, some at a time, so that others get to write in between; begun again it ends alike."""
    counted = {"members": 0, "new": 0, "changed": 0, "left": 0}
    there = set()
    for start in range(0, len(listed), _AT_ONCE):
        with transaction.atomic():
            for one in listed[start : start + _AT_ONCE]:
                told = told_person(context.platform, one.subject, name_of(one), one.email)
                there.add(told.pk)
                counted["members"] += 1
                if change := take_in(context, told, Role(course_role(one.roles))):
                    counted[change] += 1
    before = ContextPerson.objects.filter(pk__in=known).values_list("told", flat=True)
    gone = ContextPerson.objects.filter(context=context, told__in=set(before) - there)
    counted["left"] = gone.update(has_left=True)
    return counted
