"""Marks as the table of `attest rubric`: out for who marks in a spreadsheet, and back."""

from __future__ import annotations

from collections.abc import Mapping

from django.contrib import messages
from django.db import transaction
from django.http import HttpResponse
from django.shortcuts import redirect
from django.utils import timezone

from attest.marksheet import MOST_PROBLEMS, read_sheet, sheet_csv
from attest.portal.audit.trail import note
from attest.portal.courses.models import CourseAssignment, Role
from attest.portal.grading.models import Graded
from attest.portal.grading.standing import Standing, standings
from attest.portal.handing_in.views import to_save
from attest.portal.marking.counting import rules_of, takes_two
from attest.portal.marking.models import Finding, Level, Mark
from attest.portal.marking.questions import marking_page
from attest.portal.marking.reading import chosen_results
from attest.portal.marking.saving import Given, MarkedMeanwhile, NotYours, save
from attest.portal.permissions import Asking, members
from graders.marks import Mark as SheetMark
from graders.result import Result

MOST_SHEET_BYTES = 20 * 2**20


@members(Role.INSTRUCTOR)
def marks_sheet(asking: Asking, assignment: CourseAssignment) -> HttpResponse:
    """Give out the table of answers and marks; or take one in, all of it or nothing."""
    request = asking.request
    found = {result.student.id: (one, result) for one in _standings(assignment) if (result := one.result)}
    results = [result for _, result in found.values()]
    if request.method != "POST":
        return to_save(f"marks-{assignment.pk}.csv", sheet_csv(results))
    given = request.FILES.get("sheet")
    if given is None:
        return marking_page(asking, assignment, ["Choose the table's file first."])
    if (given.size or 0) > MOST_SHEET_BYTES:
        return marking_page(asking, assignment, ["This file is too large for a table of marks."])
    sheet = read_sheet(given.read(), results, timezone.now())
    if sheet.problems:
        return marking_page(asking, assignment, [str(one) for one in sheet.problems[:MOST_PROBLEMS]])
    try:
        with transaction.atomic():
            changed = sum(_take(asking, assignment, found, mark) for mark in sheet.marks)
            note(
                asking.person,
                "marks taken in",
                f"assignment {assignment.pk}",
                course=assignment.course,
                after={"marks changed": changed},
            )
    except (MarkedMeanwhile, NotYours) as refused:
        said = str(refused) or "somebody marked an answer just now; give out the table anew."
        return marking_page(asking, assignment, [said])
    messages.success(request, f"{changed} {'mark has' if changed == 1 else 'marks have'} changed.")
    return redirect("marking", assignment_id=assignment.pk)


def _standings(assignment: CourseAssignment) -> list[Standing]:
    """Return how the submissions stand whose answers are to be marked and that ask for words."""
    graded = set(
        Finding.objects.filter(answer__assignment=assignment, graded__stands=True).values_list(
            "graded", flat=True
        )
    )
    numbers = Graded.objects.filter(pk__in=graded & set(chosen_results(assignment).values())).values_list(
        "submission", flat=True
    )
    submissions = assignment.submissions.filter(pk__in=list(numbers)).select_related(
        "assignment__course", "person"
    )
    return standings(list(submissions))


def _take(
    asking: Asking,
    assignment: CourseAssignment,
    found: Mapping[str, tuple[Standing, Result]],
    given: SheetMark,
) -> bool:
    """Keep one row's mark where it says another thing than is there; return whether it did."""
    one, result = found[given.student]
    item = next(item for item in result.rubric if item.id == given.item)
    if item.marked_at and item.points == given.points and item.comment == given.comment:
        return False
    finding = Finding.objects.select_related("answer__person", "answer__assignment__course").get(
        graded=one.graded, answer__exercise=item.exercise
    )
    answer = finding.answer
    two = takes_two(answer, rules_of(assignment).second_share)
    level, _ = Level.objects.get_or_create(assignment=assignment, item=given.item, points=given.points)
    there = answer.marks.filter(item=given.item, seat=Mark.Seat.SETTLED if two else Mark.Seat.FIRST).first()
    said = given.comment.removeprefix(level.label).lstrip("\n") if level.label else given.comment
    version = there.version if there else 0
    save(
        asking.person,
        answer,
        Given(given.item, level, (), said, version),
        settles=two,
        instructs=True,
    )
    return True
