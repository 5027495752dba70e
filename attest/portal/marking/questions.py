"""The questions of an assignment that people mark, how they are marked, and the answers to one of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from django.contrib import messages
from django.db import transaction
from django.http import Http404, HttpResponse, HttpResponseRedirect
from django.shortcuts import redirect
from django.urls import reverse

from attest.portal.addresses import own_path
from attest.portal.audit.trail import note
from attest.portal.courses.models import CourseAssignment, Role
from attest.portal.marking.counting import rules_of
from attest.portal.marking.models import Finding, MarkingRules, Reader
from attest.portal.marking.reading import Line, as_read_by, lines_by_exercise, lines_of
from attest.portal.meanwhile import sent_over
from attest.portal.pages import page
from attest.portal.permissions import Asking, members


@dataclass(frozen=True)
class Question:
    """One exercise that asks for words, and how far its marking is for one grader."""

    exercise: str
    title: str
    lines: list[Line]

    @property
    def answered(self) -> int:
        """Answers that have words."""
        return sum(line.answer.is_answered for line in self.lines)

    @property
    def to_do(self) -> int:
        """Answers that wait for this grader."""
        return sum(not line.is_done for line in self.lines)

    @property
    def waits(self) -> int:
        """Answers that wait for anybody."""
        return sum(line.waits for line in self.lines)

    @property
    def differing(self) -> int:
        """Answers of which two marks differ."""
        return sum(bool(line.differing) for line in self.lines)


def titles_of(assignment: CourseAssignment) -> dict[str, str]:
    """Return the exercises with prose, in the assignment's order, and what they are called."""
    found = Finding.objects.filter(answer__assignment=assignment)
    newest = found.order_by("-graded").values_list("graded", flat=True).first()
    titles = dict(found.filter(graded=newest).order_by("pk").values_list("answer__exercise", "title"))
    others = found.exclude(answer__exercise__in=titles).order_by("answer__exercise", "-pk")
    for exercise, title in others.values_list("answer__exercise", "title"):
        titles.setdefault(exercise, title)
    return titles


@members(Role.GRADER)
def marking(asking: Asking, assignment: CourseAssignment) -> HttpResponse:
    """What is to be marked in an assignment, and how far it is."""
    return marking_page(asking, assignment)


def marking_page(asking: Asking, assignment: CourseAssignment, problems: Sequence[str] = ()) -> HttpResponse:
    """Show the questions of an assignment; `problems` are those of a table of marks."""
    lines = lines_by_exercise(assignment, asking.person)
    questions = [
        Question(exercise, title, lines.get(exercise, []))
        for exercise, title in titles_of(assignment).items()
    ]
    values = {**as_read_by(asking.person, assignment), "questions": questions, "problems": problems}
    return page(asking, "marking/marking.html.jinja", values, 400 if problems else 200)


@members(Role.GRADER)
def question(asking: Asking, assignment: CourseAssignment, exercise: str) -> HttpResponse:
    """All answers to one question, those first that wait for whoever looks."""
    found = question_of(asking, assignment, exercise)
    values = {
        **as_read_by(asking.person, assignment),
        "question": found,
        "lines": sorted(
            found.lines, key=lambda line: (line.is_done, not line.answer.is_answered, line.number)
        ),
    }
    return page(asking, "marking/question.html.jinja", values)


@members(Role.GRADER)
def next_answer(asking: Asking, assignment: CourseAssignment, exercise: str) -> HttpResponse:
    """Go to the next answer that waits, after the one named in `after`, and from the end to the beginning."""
    lines = question_of(asking, assignment, exercise).lines
    after = next((line.number for line in lines if line.answer.key == asking.request.GET.get("after")), 0)
    waiting = [line for line in lines if not line.is_done and line.number != after]
    if not waiting:
        return redirect("question", assignment_id=assignment.pk, exercise=exercise)
    line = next((one for one in waiting if one.number > after), waiting[0])
    return redirect("answer", answer_id=line.answer.key)


@members(Role.INSTRUCTOR)
def marking_rules(asking: Asking, assignment: CourseAssignment) -> HttpResponse:
    """Say how many answers two people mark, and whether everybody marks without names."""
    request = asking.request
    if request.method == "POST":
        now = rules_of(assignment)
        sent = sent_over(request.POST, {"second_share": now.second_share, "is_blind": now.is_blind})
        share, blind = sent.fields["second_share"], sent.fields["is_blind"] == "on"
        if sent.meanwhile:
            messages.error(request, "Somebody has changed these rules meanwhile; nothing was changed.")
            return redirect("marking", assignment_id=assignment.pk)
        if not (share.isascii() and share.isdigit() and int(share) <= 100):
            messages.error(request, f"{share[:20]!r} was found; a whole number from 0 to 100 is expected.")
            return redirect("marking", assignment_id=assignment.pk)
        with transaction.atomic():
            rules, _ = MarkingRules.objects.select_for_update().get_or_create(assignment=assignment)
            before = {"two": rules.second_share, "blind": rules.is_blind}
            rules.second_share, rules.is_blind = int(share), blind
            rules.save()
            note(
                asking.person,
                "marking rules changed",
                f"assignment {assignment.pk}",
                course=assignment.course,
                before=before,
                after={"two": int(share), "blind": blind},
            )
        messages.success(request, "These rules hold from now on.")
    return redirect("marking", assignment_id=assignment.pk)


@members(Role.GRADER)
def blind(asking: Asking, assignment: CourseAssignment) -> HttpResponse:
    """Show names, or show them no longer, to whoever asks. Asked twice, it stays so."""
    request = asking.request
    wanted = request.POST.get("names")
    if request.method == "POST" and wanted in ("hide", "show") and not rules_of(assignment).is_blind:
        with transaction.atomic():
            reader, _ = Reader.objects.get_or_create(assignment=assignment, person=asking.person)
            if reader.is_blind != (wanted == "hide"):
                reader.is_blind = wanted == "hide"
                reader.save()
                action = "names hidden while marking" if reader.is_blind else "names shown while marking"
                note(asking.person, action, f"assignment {assignment.pk}", course=assignment.course)
    otherwise = reverse("marking", args=[assignment.pk])
    return HttpResponseRedirect(own_path(request.POST.get("back", ""), otherwise))


def question_of(asking: Asking, assignment: CourseAssignment, exercise: str) -> Question:
    """Return a question of an assignment. Raises Http404 where it asks for no words."""
    title = titles_of(assignment).get(exercise)
    if title is None:
        raise Http404
    return Question(exercise, title, lines_of(assignment, exercise, asking.person))
