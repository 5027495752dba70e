"""The trail, for instructors and administrators to read."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from django.core.paginator import Paginator
from django.db.models import QuerySet
from django.http import HttpResponse

from attest.portal.audit.models import Entry
from attest.portal.audit.naming import named
from attest.portal.courses.models import Course, Role
from attest.portal.pages import page
from attest.portal.people.models import Person
from attest.portal.permissions import Asking, administrators, members

_ON_A_PAGE = 100


@members(Role.INSTRUCTOR)
def trail(asking: Asking, course: Course) -> HttpResponse:
    """Who did what in this course, the latest first."""
    return _page(asking, Entry.objects.filter(course=course.pk))


@administrators
def whole_trail(asking: Asking) -> HttpResponse:
    """Who did what on the whole site."""
    return _page(asking, Entry.objects.all())


def _page(asking: Asking, found: QuerySet[Entry]) -> HttpResponse:
    entries = Paginator(found, _ON_A_PAGE).get_page(asking.request.GET.get("page"))
    return page(asking, "audit/trail.html.jinja", {"entries": entries, **names_in(entries)})


def names_in(entries: Iterable[Entry]) -> dict[str, dict[int, Any]]:
    """Return what a page needs to say in words what entries name by numbers."""
    return {"people": _people_in(entries), "named": named(entries)}


def _people_in(entries: Iterable[Entry]) -> dict[int, str]:
    """Return what those are called, by their numbers, whom entries name and who are still there."""
    numbers = {number for one in entries for number in (one.who, one.whom) if number is not None}
    return {person.pk: str(person) for person in Person.objects.filter(pk__in=numbers)}
