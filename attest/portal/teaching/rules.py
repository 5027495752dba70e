"""Changing the rules of an assignment that people may have handed in for already."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from django.contrib import messages
from django.db import IntegrityError, transaction
from django.http import HttpResponse
from django.shortcuts import redirect

from attest.portal.audit.trail import note
from attest.portal.courses.forms import RulesForm
from attest.portal.courses.models import CourseAssignment, Role
from attest.portal.meanwhile import is_valid, sent_over
from attest.portal.pages import page
from attest.portal.permissions import Asking, members

MOST_WORDS = 2000
HANDED_IN = "Somebody has handed in for it or has points, so it stays in the course."
FIELDS = (
    *("title", "opens_at", "due_at", "closes_at", "late_policy", "attempts", "attempts_an_hour"),
    *("counts", "hidden_checks", "feedback"),
)


@members(Role.INSTRUCTOR)
def rules(asking: Asking, assignment: CourseAssignment) -> HttpResponse:
    """The rules as they are, to be changed."""
    request = asking.request
    removes = request.method == "POST" and request.POST.get("what") == "remove"
    changes = request.method == "POST" and not removes
    trouble: list[str] = []
    if removes:
        why = request.POST.get("why", "").strip()[:MOST_WORDS]
        try:
            trouble = remove(asking, assignment, why) if why else ["Say why: it is kept in the audit trail."]
        except IntegrityError:  # a submission came at the same moment
            trouble = [HANDED_IN]
        if not trouble:
            messages.success(request, f"{assignment.title} is no longer in the course.")
            return redirect("course", course_id=assignment.course_id)
    now = as_written(assignment)
    sent = sent_over(request.POST, now)
    form = RulesForm(assignment.course, sent.fields if changes else now)
    valid = not changes or is_valid(form, sent)
    if changes and valid:
        touched = {name: form.cleaned_data[name] for name in sent.touched}
        changed = change(asking, assignment, touched)
        messages.success(request, "Changed; it counts at once." if changed else "Nothing was changed.")
        return redirect("rules", assignment_id=assignment.pk)
    values = {
        "assignment": assignment,
        "form": form,
        "now": now,
        "kinds": CourseAssignment,
        "trouble": trouble,
        "stays": why_it_stays(assignment),
    }
    failed = bool(trouble) or (changes and not valid)
    return page(asking, "teaching/rules.html.jinja", values, 400 if failed else 200)


def why_it_stays(assignment: CourseAssignment) -> str:
    """Return why an assignment cannot be removed from its course; "" where it can."""
    if assignment.submissions.exists():
        return HANDED_IN
    if assignment.resources.exists():
        return "It is linked in an LMS, so it stays in the course."
    return ""


@transaction.atomic
def remove(asking: Asking, assignment: CourseAssignment, why: str) -> list[str]:
    """Remove an assignment for which nobody has handed in, with its rules; return why not."""
    now = CourseAssignment.objects.select_for_update().get(pk=assignment.pk)
    if stays := why_it_stays(now):
        return [stays]
    before = {"title": now.title, "folder": now.folder}
    note(
        asking.person,
        "assignment removed",
        f"assignment {now.pk}",
        course=asking.course,
        before=before,
        why=why,
    )
    now.delete()
    return []


@transaction.atomic
def change(asking: Asking, assignment: CourseAssignment, wanted: dict[str, Any]) -> bool:
    """Set what is wanted of the rules; False where nothing of it is new."""
    now = CourseAssignment.objects.select_for_update().select_related("course").get(pk=assignment.pk)
    new = {name: wanted[name] for name in FIELDS if name in wanted and getattr(now, name) != wanted[name]}
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
