"""What an entry of the trail is about, in words: entries name by numbers and ids, and are never changed."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from django.db.models import Max

from attest.portal.audit.models import Entry
from attest.portal.courses.models import CourseAssignment
from attest.portal.grading.models import Graded
from attest.portal.grading.results import titles_in
from attest.portal.handing_in.models import Submission
from graders.result import Status

_SUBJECT = re.compile(
    r"(?P<what>submission|assignment) (?P<number>\d{1,18})(?:, check (?P<check>.+))?", re.DOTALL
)
_MOST_VERSIONS = 20  # of an assignment's tests, whose titles are looked through


@dataclass(frozen=True)
class Named:
    """An entry's subject, with what the things are called that it names."""

    subject: str  # "submission 17"
    assignment: str = ""  # its title, as far as it is still there
    check: str = ""  # the id of a check or rubric item
    title: str = ""  # of that, as far as a Result knows it


def named(entries: Iterable[Entry]) -> dict[int, Named]:
    """Return what entries are about, by their numbers."""
    found = {entry.pk: (entry, _SUBJECT.fullmatch(entry.subject)) for entry in entries}
    numbers: dict[str, set[int]] = {"submission": set(), "assignment": set()}
    for _, match in found.values():
        if match:
            numbers[match["what"]].add(int(match["number"]))
    of = dict(Submission.objects.filter(pk__in=numbers["submission"]).values_list("pk", "assignment_id"))
    known = numbers["assignment"] | set(of.values())
    assignments = dict(CourseAssignment.objects.filter(pk__in=known).values_list("pk", "title"))

    places: dict[int, tuple[str, int | None, str]] = {}
    wanted: dict[int, set[str]] = {}
    for key, (entry, match) in found.items():
        if match is None:
            places[key] = (entry.subject, None, "")
            continue
        number = int(match["number"])
        assignment = of.get(number) if match["what"] == "submission" else number
        check = match["check"] or _check_in(entry.after)
        places[key] = (f"{match['what']} {number}", assignment, check)
        if check and assignment in assignments:
            wanted.setdefault(assignment, set()).add(check)
    titles = {assignment: _titles(assignment, checks) for assignment, checks in wanted.items()}
    return {
        key: Named(
            subject,
            assignments.get(assignment, "") if assignment else "",
            check,
            titles.get(assignment, {}).get(check, "") if assignment else "",
        )
        for key, (subject, assignment, check) in places.items()
    }


def _check_in(after: object) -> str:
    """Return the check whose not passing chose what was graded again."""
    check = after.get("check") if isinstance(after, dict) else None
    return check if isinstance(check, str) else ""


def _titles(assignment: int, checks: set[str]) -> Mapping[str, str]:
    """Return titles by ids: the newest that a Result has, since tests change and an entry stays."""
    graded = Graded.objects.filter(submission__assignment=assignment, status=Status.GRADED)
    newest = graded.order_by().values("assignment_hash").annotate(newest=Max("pk")).order_by("-newest")
    titles: dict[str, str] = {}
    for number in newest.values_list("newest", flat=True)[:_MOST_VERSIONS]:
        titles = {**titles_in(Graded.objects.get(pk=number).result), **titles}
        if checks <= titles.keys():
            break
    return {check: title.rstrip(".") for check, title in titles.items() if title != check}
