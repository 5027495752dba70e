"""Changing the rules of an assignment that people may have handed in for already."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from django.contrib import messages
from django.db import transaction
from django.http import HttpResponse
from django.shortcuts import redirect

from attest.portal.audit.trail import note
from attest.portal.courses.forms import RulesForm
from attest.portal.courses.models import CourseAssignment, Role
from attest.portal.pages import page
from attest.portal.permissions import Asking, members

FIELDS = (
    *("title", "opens_at", "due_at", "closes_at", "late_policy", "attempts", "attempts_an_hour"),
    *("counts", "hidden_checks", "feedback"),
)


@members(Role.INSTRUCTOR)
def rules(asking: Asking, assignment: CourseAssignment) -> HttpResponse:
    """The rules as they are, to be changed."""
    request = asking.request
    form = RulesForm(assignment.course, request.POST if request.method == "POST" else as_written(assignment))
    valid = form.is_valid()
    if request.method == "POST" and valid:
        changed = change(asking, assignment, form.cleaned_data)
        messages.success(request, "Changed; it counts at once." if changed else "Nothing was changed.")
        return redirect("rules", assignment_id=assignment.pk)
    values = {"assignment": assignment, "form": form, "kinds": CourseAssignment}
    return page(
        asking, "teaching/rules.html.jinja", values, 400 if request.method == "POST" and not valid else 200
    )


@transaction.atomic
def change(asking: Asking, assignment: CourseAssignment, wanted: dict[str, Any]) -> bool:
    """Set what is wanted; False where nothing of it is new."""
    now = CourseAssignment.objects.select_for_update().select_related("course").get(pk=assignment.pk)
    new = {name: wanted[name] for name in FIELDS if getattr(now, name) != wanted[name]}
    if not new:
        return False
    before = as_written(now)
    for name, value in new.items():
        setattr(now, name, value)
    now.save(update_fields=list(new))
    after = as_written(now)
    note(
        asking.person,
        "rules changed",
        f"assignment {now.pk}",
        course=now.course,
        before={name: before[name] for name in new},
        after={name: after[name] for name in new},
    )
    return True


def as_written(assignment: CourseAssignment) -> dict[str, Any]:
    """Return the rules as somebody would write them into the form: times in the course's zone."""
    return {name: _written(getattr(assignment, name), assignment) for name in FIELDS}


def _written(value: Any, assignment: CourseAssignment) -> Any:
    if not isinstance(value, datetime):
        return value
    local = value.astimezone(assignment.course.time_zone)
    text = f"{local:%Y-%m-%d %H:%M:%S}" if local.second else f"{local:%Y-%m-%d %H:%M}"
    return f"{text}{local:%z}" if local.fold else text  # of the hour that there is twice, the second
