"""What an instructor sees of the LMSs that a course is linked with."""

from __future__ import annotations

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect

from attest.portal.courses.models import Course, Role
from attest.portal.lms.linking import code_of
from attest.portal.lms.models import Platform
from attest.portal.lms.rosters import ask_for_roster
from attest.portal.pages import page
from attest.portal.permissions import Asking, members


@members(Role.INSTRUCTOR)
def course_lms(asking: Asking, course: Course) -> HttpResponse:
    """What is linked, and who came of it; a button reads the LMS's roster."""
    contexts = course.contexts.select_related("platform").prefetch_related("resources__assignment")
    if asking.request.method == "POST":
        number = asking.request.POST.get("context", "")
        context = contexts.filter(pk=int(number)).first() if number.isdecimal() and len(number) < 19 else None
        if context is not None:
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
