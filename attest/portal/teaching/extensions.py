"""How much longer single students have for an assignment: given, taken back, or read from a table."""

from __future__ import annotations

from collections.abc import Sequence

from django.contrib import messages
from django.db import transaction
from django.http import HttpResponse
from django.shortcuts import redirect

from attest.portal.audit.trail import note
from attest.portal.courses.models import CourseAssignment, Extension, Membership, Role
from attest.portal.courses.views import MOST_ROSTER_BYTES
from attest.portal.grading.requests import words_trouble
from attest.portal.pages import page
from attest.portal.people.models import Person
from attest.portal.permissions import Asking, members
from attest.portal.teaching.roll import roll_of
from graders.late import LateError, extension_text, read_extension
from graders.reading.cohort import CohortError
from graders.reading.roster import Roster, roster_of
from reports.amounts import count_text

MOST_REASON, MOST_UNTIL = 1000, 100  # characters that are kept
NOT_DUE = "This assignment has no due date, so there is nothing to extend. Set one under Rules first."


@members(Role.INSTRUCTOR)
def extensions(asking: Asking, assignment: CourseAssignment) -> HttpResponse:
    """Who has longer; give somebody more, take it back, or read a table of them."""
    request = asking.request
    trouble: dict[str, list[str]] = {}
    problems: Sequence[str] = ()
    what = request.POST.get("what", "") if request.method == "POST" else ""
    students = assignment.course.memberships.filter(role=Role.STUDENT).select_related("person")
    if what:
        reason = request.POST.get("reason", "").strip()
        why = "Say in a sentence why; it is kept in the audit trail."
        trouble = words_trouble("reason", reason, why, MOST_REASON)
        if assignment.due_at is None:
            trouble["until"] = [NOT_DUE]
        if what == "table":
            done, problems = _from_table(asking, assignment, reason) if not trouble else (0, ())
            if done:
                messages.success(request, f"{count_text(done, 'extension')} given.")
        else:
            trouble |= _one(asking, assignment, list(students), reason, trouble)
        if not trouble and not problems:
            return redirect("extensions", assignment_id=assignment.pk)
    values = {
        "assignment": assignment,
        "roll": roll_of(assignment),
        "students": [
            (str(one.pk), f"{one.person} ({name})" if name else str(one.person))
            for one in students.prefetch_related("person__told")
            for name in [one.student_id or one.person.address]
        ],
        "what": what,
        "trouble": trouble,
        "problems": problems,
        "form": request.POST if request.method == "POST" else request.GET,
        "not_due": NOT_DUE if assignment.due_at is None else "",
    }
    return page(asking, "teaching/extensions.html.jinja", values, 400 if trouble or problems else 200)


def _one(
    asking: Asking,
    assignment: CourseAssignment,
    students: Sequence[Membership],
    reason: str,
    known: dict[str, list[str]],
) -> dict[str, list[str]]:
    """Give one student an extension, or take it back; return what was wrong beside what is `known` to be."""
    request = asking.request
    wanted = request.POST.get("student", "")
    member = next((one for one in students if str(one.pk) == wanted), None)
    trouble: dict[str, list[str]] = {}
    if member is None:
        trouble["student"] = ["Choose a student of the course."]
    until = request.POST.get("until", "").strip()
    if request.POST.get("what") == "take-back":
        if member is not None and not known:
            take_back(assignment, member.person, reason, asking.person)
            messages.success(request, f"{member.person} has no extension any more.")
        return trouble
    trouble |= words_trouble("until", until, "Say how much longer, or until when.", MOST_UNTIL)
    try:
        read_extension(until)
    except LateError as error:
        trouble.setdefault("until", [f"{error}."])
    if member is not None and not trouble and not known:
        give(assignment, member.person, until, reason, asking.person)
        messages.success(request, f"{member.person} has longer now.")
    return trouble


@transaction.atomic
def give(assignment: CourseAssignment, person: Person, until: str, reason: str, by: Person) -> None:
    """Give somebody longer, in place of an extension that they may have."""
    before = Extension.objects.filter(assignment=assignment, person=person).last()
    Extension.objects.create(assignment=assignment, person=person, until=until, reason=reason, by=by)
    note(
        by,
        "extension given",
        f"assignment {assignment.pk}",
        course=assignment.course,
        whom=person,
        before=None if before is None else {"until": before.until},
        after={"until": until},
        why=reason,
    )


@transaction.atomic
def take_back(assignment: CourseAssignment, person: Person, reason: str, by: Person) -> None:
    """Take an extension back: the due date of all others is this student's again."""
    found = Extension.objects.filter(assignment=assignment, person=person)
    before = found.last()
    if before is None:
        return
    found.delete()
    note(
        by,
        "extension taken back",
        f"assignment {assignment.pk}",
        course=assignment.course,
        whom=person,
        before={"until": before.until},
        why=reason,
    )


def _from_table(asking: Asking, assignment: CourseAssignment, reason: str) -> tuple[int, list[str]]:
    """Give the extensions of a table; return how many, and what is wrong with the other lines."""
    given = asking.request.FILES.get("table")
    if given is None:
        return 0, ["Choose the table's file first."]
    if (given.size or 0) > MOST_ROSTER_BYTES:
        return 0, ["This file is too large for a roster."]
    try:
        roster = roster_of(given.read(), "table.csv")
    except CohortError as error:
        return 0, [str(error)]
    return give_all(assignment, roster, reason, asking.person)


@transaction.atomic
def give_all(assignment: CourseAssignment, roster: Roster, reason: str, by: Person) -> tuple[int, list[str]]:
    """Give everybody the extension that the roster has for them, unless they have just this one."""
    members = assignment.course.memberships.filter(role=Role.STUDENT).select_related("person")
    known = {one.student_id.casefold(): one.person for one in members if one.student_id}
    known |= {one.person.email: one.person for one in members}
    have = {one.person_id: one.until for one in Extension.objects.filter(assignment=assignment)}
    lines = [line for line in roster.people if line.extension is not None]
    done, problems = 0, []
    for line in lines:
        student = line.student
        person = known.get(student.email.strip().lower()) or known.get(student.id.casefold())
        if person is None:
            problems.append(f"Line {line.line}: {student.email or student.id} is no student of this course.")
            continue
        assert line.extension is not None
        until = extension_text(line.extension)
        if have.get(person.pk) != until:
            give(assignment, person, until, reason, by)
            done += 1
    if not lines:
        problems.append("No line of this table has anything in a column called extension.")
    return done, problems
