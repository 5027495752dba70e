"""The points and reusable comments that marks are made of; changing them changes every mark that has them.

Before points change, whoever changes them sees whose marks change, and to what.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from django.contrib import messages
from django.db import IntegrityError, transaction
from django.db.models import Count, Prefetch
from django.http import HttpResponse, HttpResponseRedirect
from django.shortcuts import redirect
from django.urls import reverse

from attest.portal.addresses import own_path
from attest.portal.audit.trail import note
from attest.portal.courses.models import CourseAssignment, Role
from attest.portal.marking.models import MOST_LEVELS, Finding, Level, Mark, ReusableComment
from attest.portal.marking.reading import as_read_by
from attest.portal.marking.saving import max_points_of, note_mark, points_of, standing_last
from attest.portal.meanwhile import sent_over, sentence_of
from attest.portal.pages import page
from attest.portal.permissions import Asking, members
from reports.amounts import points_text

_MOST_POINTS = 1000.0
Part = Level | ReusableComment


@dataclass(frozen=True)
class Change:
    """A mark that gets other points."""

    mark: Mark
    points: float


@members(Role.GRADER)
def marking_rubric(asking: Asking, assignment: CourseAssignment) -> HttpResponse:
    """The rubric items of an assignment with the points and comments that are offered."""
    levels = Level.objects.filter(assignment=assignment).annotate(uses=Count("marks"))
    comments = ReusableComment.objects.filter(course=assignment.course).annotate(uses=Count("marks"))
    items = items_of(assignment)
    known = {item["id"] for item in items}
    values = {
        "assignment": assignment,
        "items": [
            {
                **item,
                "levels": [one for one in levels if one.item == item["id"]],
                "comments": [one for one in comments if one.item == item["id"]],
            }
            for item in items
        ],
        "elsewhere": [one for one in comments if one.item not in known],
        "most": MOST_LEVELS,
    }
    return page(asking, "marking/rubric.html.jinja", values)


@members(Role.GRADER)
def new_comment(asking: Asking, assignment: CourseAssignment) -> HttpResponse:
    """Add a reusable comment to the course."""
    request = asking.request
    if request.method == "POST":
        text, item = request.POST.get("text", "").strip(), request.POST.get("item", "")
        points, trouble = read_points(request.POST.get("points", "0"), -_MOST_POINTS)
        if not text or len(text) > 2000:
            trouble = f"The comment has {len(text):,} characters; 1 to 2,000 are expected."
        if item not in {one["id"] for one in items_of(assignment)}:
            trouble = f"There is no rubric item {item[:80]!r} in this assignment."
        if trouble:
            messages.error(request, trouble)
        else:
            with transaction.atomic():
                made = ReusableComment.objects.create(
                    course=assignment.course, item=item, text=text, points=points
                )
                _note(asking, "comment added", f"comment {made.pk}", after={"points": points, "item": item})
            messages.success(request, "The comment is offered to everybody who marks in this course.")
    return _back(request.POST.get("back", ""), assignment)


@members(Role.GRADER)
def new_level(asking: Asking, assignment: CourseAssignment) -> HttpResponse:
    """Offer other points for a rubric item."""
    request = asking.request
    if request.method == "POST":
        item, label = request.POST.get("item", ""), request.POST.get("label", "").strip()[:200]
        most = next((one["max_points"] for one in items_of(assignment) if one["id"] == item), None)
        points, trouble = read_points(request.POST.get("points", ""), 0, most or 0)
        if most is None:
            trouble = f"There is no rubric item {item[:80]!r} in this assignment."
        elif Level.objects.filter(assignment=assignment, item=item, is_retired=False).count() >= MOST_LEVELS:
            trouble = f"There are {MOST_LEVELS} already, one for each key. Retire one first."
        if not trouble:
            try:
                with transaction.atomic():
                    made = Level.objects.create(assignment=assignment, item=item, points=points, label=label)
                    _note(
                        asking, "points offered", f"level {made.pk}", after={"points": points, "item": item}
                    )
            except IntegrityError:
                trouble = f"{points_text(points)} points are there already, offered or retired."
        if trouble:
            messages.error(request, trouble)
    return _back(request.POST.get("back", ""), assignment)


@members(Role.GRADER)
def level(asking: Asking, level: Level) -> HttpResponse:
    """Change what points a rubric item is offered with."""
    return _edit(asking, level, level.assignment, level.item)


@members(Role.GRADER)
def comment(asking: Asking, assignment: CourseAssignment, comment: ReusableComment) -> HttpResponse:
    """Change a reusable comment."""
    return _edit(asking, comment, assignment, comment.item)


def items_of(assignment: CourseAssignment) -> list[dict[str, Any]]:
    """Return the rubric items of the assignment's latest Results, in their order."""
    found: dict[str, dict[str, Any]] = {}
    for exercise in (
        Finding.objects.filter(answer__assignment=assignment)
        .order_by("answer__exercise")
        .values_list("answer__exercise", flat=True)
        .distinct()
    ):
        newest = Finding.objects.filter(answer__assignment=assignment, answer__exercise=exercise).last()
        for item in newest.items if newest else ():
            found[item["id"]] = item
    return list(found.values())


def changes_of(part: Part, points: float) -> list[Change]:
    """Return the marks that get other points when a level or a comment is worth `points`."""
    marks = (
        part.marks.filter(level__isnull=False)
        .select_related("answer__person", "answer__assignment__course", "level", "by")
        .prefetch_related("comments", Prefetch("answer__findings", standing_last(Finding.objects.all())))
        .order_by("pk")
    )
    changes = []
    for mark in marks:
        level, comments = _with(mark, part, points)
        most = max_points_of(mark.answer.findings.all(), mark.item)
        worth = points_of(level, comments, most) if most is not None else None
        if worth is not None and worth != mark.points:
            changes.append(Change(mark, worth))
    return changes


def read_points(text: str, least: float, most: float = _MOST_POINTS) -> tuple[float, str]:
    """Return the points that were written, and what is wrong with them: "" for nothing."""
    try:
        points = float(text.strip().replace(",", ".").replace("−", "-"))
    except ValueError:
        points = math.nan
    if not least <= points <= most:
        expected = f"a number from {points_text(least)} to {points_text(most)} is expected"
        return 0.0, f"{text.strip()[:20]!r} was found; {expected}."
    return points, ""


def _edit(asking: Asking, part: Part, assignment: CourseAssignment, item: str) -> HttpResponse:
    request = asking.request
    now: dict[str, object] = {
        "points": points_text(part.points),
        "text": part.label if isinstance(part, Level) else part.text,
        "is_retired": part.is_retired,
    }
    given = now
    trouble: dict[str, list[str]] = {}
    changes: Sequence[Change] = ()
    seen = ""
    if request.method == "POST":
        sent = sent_over(request.POST, now)
        given = {
            "points": sent.fields["points"],
            "text": sent.fields["text"].strip(),
            "is_retired": sent.fields["is_retired"] == "on",
        }
        points, trouble = _read(part, given, item, assignment)
        for name, there in sent.meanwhile.items():
            trouble.setdefault(name, []).append(sentence_of(there))
        if not trouble:
            with transaction.atomic():
                changes = changes_of(part, points)
                seen = _seen(changes)
                if changes and not asking.may(Role.INSTRUCTOR):
                    trouble = {"points": ["Marks have it already; an instructor changes its points."]}
                elif not changes or request.POST.get("seen") == seen:
                    try:
                        with transaction.atomic():
                            _apply(asking, part, given, points, changes)
                    except IntegrityError:
                        trouble = {"points": ["These points are there already, offered or retired."]}
                    else:
                        messages.success(request, _done(changes))
                        return redirect("marking-rubric", assignment_id=assignment.pk)
    values = {
        **as_read_by(asking.person, assignment),
        "part": part,
        "is_level": isinstance(part, Level),
        "item": item,
        "given": given,
        "now": now,
        "trouble": trouble,
        "changes": () if trouble else changes,
        "seen": seen,
    }
    return page(asking, "marking/part.html.jinja", values, 400 if trouble else 200)


def _read(
    part: Part, given: dict[str, object], item: str, assignment: CourseAssignment
) -> tuple[float, dict[str, list[str]]]:
    text = str(given["text"])
    if isinstance(part, Level):
        most = next((one["max_points"] for one in items_of(assignment) if one["id"] == item), _MOST_POINTS)
        points, wrong = read_points(str(given["points"]), 0, float(str(most)))
        longest, shortest = 200, 0
    else:
        points, wrong = read_points(str(given["points"]), -_MOST_POINTS)
        longest, shortest = 2000, 1
    trouble = {"points": [wrong]} if wrong else {}
    if not shortest <= len(text) <= longest:
        trouble["text"] = [f"It has {len(text):,} characters; {shortest} to {longest:,} are expected."]
    return points, trouble


def _apply(
    asking: Asking, part: Part, given: dict[str, object], points: float, changes: Iterable[Change]
) -> None:
    """Change a level or a comment and every mark that has it. Call it in a transaction."""
    is_level = isinstance(part, Level)
    before = {"points": part.points, "retired": part.is_retired}
    part.points, part.is_retired = points, bool(given["is_retired"])
    if isinstance(part, Level):
        part.label = str(given["text"])
    else:
        part.text = str(given["text"])
    part.save()
    changed = list(changes)
    after = {"points": points, "retired": part.is_retired, "marks changed": len(changed)}
    what = "level" if is_level else "comment"
    _note(asking, f"{what} changed", f"{what} {part.pk}", before=before, after=after)
    for change in changed:
        mark, was = change.mark, change.mark.points
        mark.points, mark.version = change.points, mark.version + 1
        mark.save(update_fields=["points", "version"])
        note_mark(asking.person, mark, "mark recomputed", was, f"{what} {part.pk} is worth {points:g} now")


def _with(mark: Mark, part: Part, points: float) -> tuple[Level | None, list[ReusableComment]]:
    """Return a mark's level and comments as if `part` were worth `points`."""
    level, comments = mark.level, list(mark.comments.all())
    if isinstance(part, Level):
        level = Level(points=points)
    else:
        comments = [ReusableComment(points=points) if one.pk == part.pk else one for one in comments]
    return level, comments


def _seen(changes: Iterable[Change]) -> str:
    """Return what stands for exactly these changes: another one when a mark has changed meanwhile."""
    text = " ".join(f"{one.mark.pk}:{one.mark.version}:{one.points:g}" for one in changes)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def _done(changes: Sequence[Change]) -> str:
    if not changes:
        return "Kept. No mark has changed."
    return f"Kept. {len(changes)} {'mark has' if len(changes) == 1 else 'marks have'} other points now."


def _note(asking: Asking, action: str, subject: str, *, before: object = None, after: object = None) -> None:
    note(asking.person, action, subject, course=asking.course, before=before, after=after)


def _back(address: str, assignment: CourseAssignment) -> HttpResponse:
    return HttpResponseRedirect(own_path(address, reverse("marking-rubric", args=[assignment.pk])))
