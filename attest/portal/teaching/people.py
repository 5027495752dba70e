"""Who is in a course and as what: one person added by hand, changed, or removed."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.db import transaction
from django.http import HttpResponse
from django.shortcuts import redirect

from attest.portal.audit.trail import note
from attest.portal.courses.forms import MemberForm, NewMemberForm
from attest.portal.courses.models import Course, Membership, Role, Section
from attest.portal.meanwhile import is_valid, sent_over
from attest.portal.pages import page
from attest.portal.people.models import Person
from attest.portal.permissions import Asking, members

LAST = "This is the course's last instructor. Make somebody else an instructor first."


@members(Role.INSTRUCTOR)
def new_member(asking: Asking, course: Course) -> HttpResponse:
    """Put one person into the course."""
    request = asking.request
    form = NewMemberForm(request.POST if request.method == "POST" else None)
    if request.method == "POST" and form.is_valid():
        found = form.cleaned_data
        with transaction.atomic():
            person = Person.objects.with_email(found["email"], name=found["name"], zone=course.zone)
            made, is_new = Membership.objects.get_or_create(
                course=course, person=person, defaults=_wanted(course, found)
            )
            if is_new:
                after = _known(made)
                note(
                    asking.person,
                    "put on the roster",
                    f"course {course.pk}",
                    course=course,
                    whom=person,
                    after=after,
                )
        if is_new:
            messages.success(request, f"{person} is in the course.")
            return redirect("roster", course_id=course.pk)
        form.add_error("email", "They are in this course already.")
    values = {"form": form, "roles": Role.choices, "sections": course.sections.all()}
    return page(asking, "teaching/new_member.html.jinja", values, 400 if form.errors else 200)


@members(Role.INSTRUCTOR)
def edit_member(asking: Asking, membership: Membership) -> HttpResponse:
    """Change what somebody is in the course, or remove them from it."""
    request = asking.request
    trouble: list[str] = []
    what = request.POST.get("what", "") if request.method == "POST" else ""
    now = _known(membership)
    sent = sent_over(request.POST, now)
    form = MemberForm(sent.fields if what == "change" else now)
    why = request.POST.get("why", "").strip()[:2000]
    if what == "change" and is_valid(form, sent):
        trouble = _change(asking, membership, form.cleaned_data)
        if not trouble:
            messages.success(request, "Changed; it counts at once.")
            return redirect("member", membership_id=membership.pk)
    elif what == "remove":
        trouble = _remove(asking, membership, why) if why else ["Say why: it is kept in the audit trail."]
        if not trouble:
            messages.success(request, f"{membership.person} is no longer in the course.")
            return redirect("roster", course_id=membership.course_id)
    values = {
        "member": membership,
        "form": form,
        "now": now,
        "trouble": trouble,
        "what": what,
        "why": why,
        "roles": Role.choices,
        "sections": membership.course.sections.all(),
        "handed_in": membership.person.submissions.filter(
            assignment__course=membership.course, attempt__gt=0
        ).count(),
    }
    failed = bool(trouble) or (what == "change" and not form.is_valid())
    return page(asking, "teaching/edit_member.html.jinja", values, 400 if failed else 200)


@transaction.atomic
def _change(asking: Asking, membership: Membership, found: dict[str, Any]) -> list[str]:
    """Change a membership; return why not. Somebody may have changed or removed it since it was looked up."""
    there = Membership.objects.select_for_update(of=("self",)).select_related("course", "person", "section")
    now = there.filter(pk=membership.pk).first()
    if now is None:
        return ["Somebody has removed them from the course in the meantime."]
    membership = now
    if found["role"] != Role.INSTRUCTOR and _is_last_instructor(membership):
        return [LAST]
    before = _known(membership)
    for name, value in _wanted(membership.course, found).items():
        setattr(membership, name, value)
    after = _known(membership)
    if before == after:
        return []
    membership.save()
    note(
        asking.person,
        "member changed",
        f"course {membership.course_id}",
        course=membership.course,
        whom=membership.person,
        before={name: value for name, value in before.items() if after[name] != value},
        after={name: value for name, value in after.items() if before[name] != value},
    )
    return []


@transaction.atomic
def _remove(asking: Asking, membership: Membership, why: str) -> list[str]:
    """Remove somebody from the course; return why not. What they handed in stays."""
    if _is_last_instructor(membership):
        return [LAST]
    note(
        asking.person,
        "member removed",
        f"course {membership.course_id}",
        course=membership.course,
        whom=membership.person,
        before=_known(membership),
        why=why,
    )
    Membership.objects.filter(pk=membership.pk).delete()
    return []


def _is_last_instructor(membership: Membership) -> bool:
    """Whether nobody else teaches the course. Call it in the transaction that takes the role away."""
    teaching = Membership.objects.select_for_update().filter(
        course=membership.course_id, role=Role.INSTRUCTOR
    )
    numbers = [one.pk for one in teaching.order_by("pk")]
    return membership.pk in numbers and len(numbers) == 1


def _wanted(course: Course, found: dict[str, Any]) -> dict[str, Any]:
    section = None
    if found["section"]:
        section, _ = Section.objects.get_or_create(course=course, name=found["section"])
    return {"role": found["role"], "section": section, "student_id": found["student_id"]}


def _known(membership: Membership) -> dict[str, str]:
    return {
        "role": str(membership.role),
        "section": str(membership.section or ""),
        "student_id": membership.student_id,
    }
