"""One answer exactly as it was written, with its rubric beside it; and keeping what a grader gives."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from django.contrib import messages
from django.http import HttpResponse, JsonResponse, QueryDict
from django.shortcuts import redirect
from django.urls import reverse

from attest.portal.courses.models import Role
from attest.portal.marking.models import MOST_WORDS, Level, Mark, ReusableComment, WrittenAnswer
from attest.portal.marking.questions import question_of
from attest.portal.marking.reading import Line, as_read_by, place_of
from attest.portal.marking.saving import Given, MarkedMeanwhile, NotYours, may_settle, save
from attest.portal.pages import page
from attest.portal.permissions import Asking, members
from graders.result import Result
from reports.prose_view import MAX_ANSWER, MAX_ANSWER_LINES
from reports.visible_text import Excerpt, excerpt, one_line

UNREADABLE = "What was sent cannot be read. Load this page again."


@members(Role.GRADER)
def answer(asking: Asking, answer: WrittenAnswer) -> HttpResponse:
    """One answer, with those before and after it in the reader's own order."""
    question = question_of(asking, answer.assignment, answer.exercise)
    place = next((n for n, line in enumerate(question.lines) if line.answer.pk == answer.pk), None)
    if place is None:  # another attempt of the student's is the one to be marked
        messages.warning(asking.request, "This answer is not the one of its author that is to be marked.")
        return redirect("question", assignment_id=answer.assignment_id, exercise=answer.exercise)
    line = question.lines[place]
    instructs = asking.may(Role.INSTRUCTOR)
    may = line.two and may_settle(asking.person, line.answer.marks.all(), instructs=instructs)
    settles = may and "settle" in asking.request.GET
    values = as_read_by(asking.person, answer.assignment)
    values |= {
        "question": question,
        "line": line,
        "before": question.lines[place - 1].answer.key if place else "",
        "after": question.lines[place + 1].answer.key if place + 1 < len(question.lines) else "",
        "settles": settles,
        "may_settle": may and bool(line.differing),
    }
    result = line.finding.graded.result
    values |= {
        "pieces": pieces_of(answer, blind=values["blind"]),
        "checks": [check for check in result.checks if check.exercise == answer.exercise],
        "items": item_views(line, result, settles=settles),
    }
    return page(asking, "marking/answer.html.jinja", values)


@members(Role.GRADER)
def mark(asking: Asking, answer: WrittenAnswer) -> HttpResponse:
    """Keep what a grader gives for one item; answer the page's script in JSON, and a form by its page."""
    request = asking.request
    back = redirect("answer", answer_id=answer.key)
    if request.method != "POST":
        return back
    settles = request.POST.get("settles") == "1"
    status, said = kept_or_refused(asking, answer, request.POST)
    if request.headers.get("Accept") == "application/json":
        return JsonResponse(said, status=status)
    if status == 200:
        messages.success(request, "Saved.")
    else:
        messages.error(request, said["refused"])
    return redirect(f"{reverse('answer', args=[answer.key])}?settle") if settles else back


def kept_or_refused(asking: Asking, answer: WrittenAnswer, fields: QueryDict) -> tuple[int, dict[str, Any]]:
    """Keep what was sent for one item, and return the status and what the page's script is told."""
    try:
        kept = save(
            asking.person,
            answer,
            given_of(fields, answer),
            settles=fields.get("settles") == "1",
            instructs=asking.may(Role.INSTRUCTOR),
        )
    except MarkedMeanwhile as meanwhile:
        return 409, {
            "refused": "Somebody else has marked this meanwhile; look at it and mark it again.",
            "meanwhile": _as_json(meanwhile.mark),
        }
    except NotYours as refused:
        return 400, {"refused": str(refused)}
    return 200, {"saved": _as_json(kept)}


def given_of(fields: QueryDict, answer: WrittenAnswer) -> Given:
    """Read what was sent. Raises NotYours where it names what is not of this assignment."""
    item, level = fields.get("item", ""), fields.get("level", "")
    comments = fields.getlist("comments")
    words = fields.get("words", "").replace("\r\n", "\n").strip()
    if len(words) > MOST_WORDS:
        raise NotYours(f"The comment has {len(words):,} characters; {MOST_WORDS:,} are kept. Shorten it.")
    version = fields.get("version", "0")
    if not all(
        one.isascii() and one.isdigit() and len(one) < 16 for one in (level or "0", version, *comments)
    ):
        raise NotYours(UNREADABLE)
    found = None
    if level:
        found = Level.objects.filter(pk=level, assignment=answer.assignment_id, item=item).first()
        if found is None:
            raise NotYours("These points are no longer offered. Load this page again.")
    known = ReusableComment.objects.filter(course=answer.assignment.course_id, pk__in=comments)
    if len(known) != len(set(comments)):
        raise NotYours("One of these comments is not of this course. Load this page again.")
    return Given(
        item=item,
        level=found,
        comments=tuple(known),
        words=words,
        version=int(version),
        edit=fields.get("edit", "")[:40],
        earlier=tuple(one[:40] for one in fields.get("earlier", "").split(",")[:50] if one),
    )


def _as_json(mark: Mark | None) -> dict[str, Any]:
    if mark is None:
        return {"version": 0, "level": "", "comments": [], "words": "", "points": None, "by": "somebody"}
    return {
        "version": mark.version,
        "level": str(mark.level_id or ""),
        "comments": [str(one.pk) for one in mark.comments.all()],
        "words": mark.words,
        "points": mark.points,
        "by": str(mark.by or "somebody who is gone"),
        "said": [str(one) for one in mark.comments.all()],
    }


def pieces_of(answer: WrittenAnswer, *, blind: bool) -> list[tuple[str, Excerpt]]:
    """Return where the pieces of an answer stood, and their words as reports show them."""
    return [
        (
            one_line(place_of(where, blind=blind), 200),
            excerpt(text, limit=MAX_ANSWER, max_lines=MAX_ANSWER_LINES),
        )
        for where, text in answer.pieces
    ]


def item_views(line: Line, result: Result, *, settles: bool) -> list[dict[str, Any]]:
    """Return the rubric items of an answer as one grader sees them, with what is offered for each."""
    guidance = {item.id: item.guidance for item in result.rubric}
    offered = offered_for(line.answer)
    return [_item(line, item, guidance.get(item["id"], ""), offered, settles=settles) for item in line.items]


Offered = tuple[dict[str, list[Level]], list[ReusableComment]]


def offered_for(answer: WrittenAnswer) -> Offered:
    """Return the levels of each item, and the comments of the course."""
    levels: dict[str, list[Level]] = {}
    for level in Level.objects.filter(assignment=answer.assignment_id).order_by("points"):
        levels.setdefault(level.item, []).append(level)
    return levels, list(ReusableComment.objects.filter(course=answer.assignment.course_id).order_by("pk"))


def _item(
    line: Line, item: dict[str, Any], guidance: str, offered: Offered, *, settles: bool
) -> dict[str, Any]:
    marks = line.marks[item["id"]]
    seat = Mark.Seat.SETTLED if settles else line.seat
    own = next((mark for mark in marks if mark.seat == seat), None)
    chosen = {one.pk for one in own.comments.all()} if own else set()
    settled = next((mark for mark in marks if mark.seat == Mark.Seat.SETTLED), None)
    levels, comments = offered
    open_to = seat is not None and (not settles or item["id"] in line.differing or settled is not None)
    return {
        **item,
        "guidance": guidance,
        "own": own,
        "chosen": chosen,
        "levels": _offer(levels.get(item["id"], ()), {own.level_id} if own else set()),
        "comments": sorted(_offer(comments, chosen), key=lambda one: one.item != item["id"]),
        "open": open_to,
        "others": [mark for mark in marks if mark.seat != Mark.Seat.SETTLED] if settles else [],
        "settled": settled,
    }


def _offer(some: Iterable[Any], chosen: Iterable[int | None]) -> list[Any]:
    kept = set(chosen)
    return [one for one in some if not one.is_retired or one.pk in kept]
