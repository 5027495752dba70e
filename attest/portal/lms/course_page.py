"""What an instructor sees of the LMSs that a course is linked with."""

from __future__ import annotations

from django.contrib import messages
from django.db import transaction
from django.http import HttpResponse
from django.shortcuts import redirect

from attest.portal.audit.trail import note
from attest.portal.courses.models import Course, Role
from attest.portal.lms.linking import code_of
from attest.portal.lms.models import LinkedContext, Platform
from attest.portal.lms.rosters import ask_for_roster
from attest.portal.numbers import row_number
from attest.portal.pages import page
from attest.portal.permissions import Asking, members


@members(Role.INSTRUCTOR)
def course_lms(asking: Asking, course: Course) -> HttpResponse:
    """What is linked, and who came of it; buttons read the LMS's roster, and take links back."""
    contexts = course.contexts.select_related("platform").prefetch_related("resources__assignment")
    if asking.request.method == "POST":
        given = asking.request.POST
        context = contexts.filter(pk=row_number(given.get("context", ""))).first()
        if context is not None and given.get("what") == "unlink":
            _unlink(asking, context, row_number(given.get("resource", "")))
        elif context is not None:
            ask_for_roster(context, asking.person)
            messages.success(asking.request, "The roster is being read; look at this page again in a minute.")
        return redirect("course-lms", course_id=course.pk)
    lines = [
        {
            "context": context,
            "reading": context.readings.select_related("errand").first(),
            "people": context.people.filter(has_left=False).count(),
            "left": [
                one.told.person for one in context.people.filter(has_left=True).select_related("told__person")
            ],
        }
        for context in contexts
    ]
    registered = Platform.objects.filter(is_active=True)
    values = {"lines": lines, "code": code_of(course), "registered": registered}
    return page(asking, "lms/course.html.jinja", values)


@transaction.atomic
def _unlink(asking: Asking, context: LinkedContext, resource: int) -> None:
    """Take back a link, or with `resource` 0 that of the whole course. Who came by it stays in the course."""
    if not resource:
        note(asking.person, "LMS course unlinked", f"course {context.course_id}", course=context.course)
        LinkedContext.objects.filter(pk=context.pk).delete()
        messages.success(asking.request, "Unlinked. Whoever teaches it in the LMS is asked again.")
        return
    found = context.resources.filter(pk=resource).first()
    if found is not None:
        subject = f"assignment {found.assignment_id}"
        note(asking.person, "LMS link taken back", subject, course=context.course)
        found.delete()
        messages.success(asking.request, "Unlinked. The next instructor who clicks the link chooses again.")
