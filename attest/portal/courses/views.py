"""Courses: the list, one course, its roster, and what is handed in for it."""

from __future__ import annotations

from django.contrib import messages
from django.db import transaction
from django.db.models import Count
from django.http import HttpResponse
from django.shortcuts import redirect

from attest.installed import installed_assignments
from attest.portal.audit.trail import note
from attest.portal.courses.adding import add_assignment
from attest.portal.courses.forms import AssignmentForm, CourseForm
from attest.portal.courses.links import may_have_a_link, without_a_way_in
from attest.portal.courses.models import Course, CourseAssignment, Membership, Role
from attest.portal.courses.rosters import enrol
from attest.portal.grading.standing import counting, own_attempts, shows_results
from attest.portal.handing_in.taking import rules_for
from attest.portal.meanwhile import is_valid, sent_over
from attest.portal.pages import page
from attest.portal.people.models import Person
from attest.portal.people.views import ZONES, password_address
from attest.portal.permissions import Asking, administers, administrators, courses_of, members, signed_in
from attest.portal.uploads.removing import held
from graders.reading.cohort import CohortError
from graders.reading.names import listed
from graders.reading.roster import roster_of

MOST_ROSTER_BYTES = 5 * 2**20


@signed_in
def courses(asking: Asking) -> HttpResponse:
    """The courses that the person sees."""
    found = courses_of(asking.person).annotate(assignment_count=Count("assignments", distinct=True))
    return page(asking, "courses/courses.html.jinja", {"courses": found})


@administrators
def new_course(asking: Asking) -> HttpResponse:
    """Make a course; whoever makes it is an instructor of it."""
    request = asking.request
    form = CourseForm(request.POST if request.method == "POST" else None)
    if request.method == "POST" and form.is_valid():
        with transaction.atomic():
            course = Course.objects.create(**form.cleaned_data)
            Membership.objects.create(course=course, person=asking.person, role=Role.INSTRUCTOR)
            note(asking.person, "course made", f"course {course.pk}", course=course)
        return redirect("course", course_id=course.pk)
    values = {"form": form, "zones": ZONES}
    return page(asking, "courses/new_course.html.jinja", values, 400 if form.errors else 200)


@members(Role.INSTRUCTOR)
def edit_course(asking: Asking, course: Course) -> HttpResponse:
    """Change what a course is called, and in which time zone its due dates are written."""
    request = asking.request
    before = {"title": course.title, "zone": course.zone}
    sent = sent_over(request.POST, before)
    form = CourseForm(sent.fields if request.method == "POST" else before)
    if request.method == "POST" and is_valid(form, sent):
        changed = {
            name: form.cleaned_data[name] for name in sent.touched if form.cleaned_data[name] != before[name]
        }
        if changed:
            with transaction.atomic():
                Course.objects.filter(pk=course.pk).update(**changed)
                was = {name: before[name] for name in changed}
                note(
                    asking.person,
                    "course changed",
                    f"course {course.pk}",
                    course=course,
                    before=was,
                    after=changed,
                )
        messages.success(request, "Changed; due dates that are set stay the same moment.")
        return redirect("course", course_id=course.pk)
    values = {"form": form, "zones": ZONES, "now": before}
    return page(asking, "courses/edit_course.html.jinja", values, 400 if form.errors else 200)


@members(Role.STUDENT)
def course(asking: Asking, course: Course) -> HttpResponse:
    """One course: what is to be handed in, and for a student how it stands."""
    assignments = list(course.assignments.all())
    lines = [
        {
            "assignment": assignment,
            "rules": rules_for(assignment, asking.person),
            "best": counting(assignment, own_attempts(assignment, asking.person)),
            "shown": shows_results(assignment),
        }
        for assignment in assignments
    ]
    return page(asking, "courses/course.html.jinja", {"lines": lines})


@members(Role.INSTRUCTOR)
def roster(asking: Asking, course: Course) -> HttpResponse:
    """Who is in the course; a CSV brings more in."""
    request = asking.request
    problems: list[str] = []
    if request.method == "POST":
        given = request.FILES.get("roster")
        if given is None:
            problems = ["Choose the roster's file first."]
        elif (given.size or 0) > MOST_ROSTER_BYTES:
            problems = ["This file is too large for a roster."]
        else:
            try:
                read = roster_of(given.read(), "roster.csv")
                done = enrol(course, read, asking.person)
            except CohortError as error:
                problems = [str(error)]
            else:
                messages.success(request, f"{done.new} new, {done.changed} brought up to date.")
                if read.unused:
                    messages.warning(request, f"Not used: the columns {listed(read.unused)}.")
                if any(line.extension for line in read.people):
                    messages.warning(
                        request,
                        "Extensions are for one assignment: give this file on its page Extensions too.",
                    )
                problems = list(done.problems)
                if not problems:
                    return redirect("roster", course_id=course.pk)
    people = course.memberships.select_related("person", "section").prefetch_related("person__told")
    values = {
        "memberships": people,
        "problems": problems,
        "roles": Role,
        "without": len(without_a_way_in(course, asking.person)),
    }
    return page(asking, "courses/roster.html.jinja", values, 400 if problems else 200)


@members(Role.INSTRUCTOR)
def link(asking: Asking, membership: Membership) -> HttpResponse:
    """Show the link by which somebody sets a password; only for who has none yet.

    An instructor who could do so for everybody could sign in as anybody: as an administrator, or as somebody
    of another's course whom they put on their own roster.
    """
    person: Person = membership.person
    if asking.request.method != "POST" or not may_have_a_link(person):
        return redirect("roster", course_id=membership.course_id)
    if not administers(asking.person, person):
        messages.error(
            asking.request, f"{person} is in another course too; an administrator makes their link."
        )
        return redirect("roster", course_id=membership.course_id)
    note(asking.person, "password link made", f"person {person.pk}", course=asking.course, whom=person)
    address = password_address(asking.request, person)
    return page(asking, "courses/link.html.jinja", {"member": membership, "address": address})


@members(Role.INSTRUCTOR)
def new_assignment(asking: Asking, course: Course) -> HttpResponse:
    """Add an assignment to the course."""
    request = asking.request
    form = AssignmentForm(course, request.POST if request.method == "POST" else None)
    if request.method == "POST" and form.is_valid():
        found = form.assignment
        assert found is not None
        with transaction.atomic():
            if form.uploaded is None or held(form.uploaded) is not None:
                rules = {name: value for name, value in form.cleaned_data.items() if name != "folder"}
                folder = form.cleaned_data["folder"]
                added = add_assignment(
                    course, folder, found, asking.person, rules=rules, uploaded=form.uploaded
                )
                return redirect("assignment", assignment_id=added.pk)
        form.add_error("folder", "This upload was removed just now.")
    values = {
        "form": form,
        "folder": form["folder"].value() or request.GET.get("folder", ""),
        "installed": installed_assignments(),
        "kinds": CourseAssignment,
    }
    return page(asking, "courses/new_assignment.html.jinja", values, 400 if form.errors else 200)
