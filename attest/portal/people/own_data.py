"""All that a portal knows of one person, as a file for them; and forgetting them."""

from __future__ import annotations

import json
import re
import tempfile
import zipfile
from collections.abc import Mapping
from typing import IO, Any

from django.conf import settings
from django.db import transaction
from django.db.models import Count, Q

from attest.portal.audit.models import Entry
from attest.portal.audit.trail import note
from attest.portal.contents import named_digests
from attest.portal.courses.models import Membership
from attest.portal.grading.models import Graded, RegradeRequest
from attest.portal.grading.standing import seen_parts, shows_kept_checks, shows_results, standing
from attest.portal.handing_in.keeping import Store
from attest.portal.handing_in.models import Submission, SubmittedFile
from attest.portal.likeness.models import LikePair
from attest.portal.marking.models import Mark
from attest.portal.people.models import Person
from attest.portal.permissions import still_administrator
from graders.reading.names import relative_name
from reports import student_html

_ABOUT = """This is all that the portal keeps of you: what you gave and what came of it.

person.json     your account, your courses, extensions, requests, and what was noted of you in the audit trail
submissions/    each attempt: the files as you handed them in, and the report as you may see it
"""


def own_data(person: Person) -> IO[bytes]:
    """Return a zip of what is known of a person, on the disk: it may be larger than the memory.

    Raises Missing where a file of theirs is gone.
    """
    store = Store(settings.CONFIGURATION.files)
    packed = tempfile.TemporaryFile(dir=settings.CONFIGURATION.data)  # noqa: SIM115 - closed by the reader
    seen: dict[int, frozenset[str]] = {}
    marks: list[dict[str, Any]] = []
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("README.txt", _ABOUT)
        for submission in person.submissions.select_related("assignment__course", "person").order_by("pk"):
            folder = f"submissions/{submission.pk}"
            for file in submission.files.all():
                name = relative_name(file.name) or "file"
                archive.writestr(f"{folder}/files/{name}", store.read(file.digest))
            found = standing(submission)
            if shows_results(submission.assignment):
                kept = shows_kept_checks(submission.assignment, person)
                seen[submission.pk] = seen_parts(found, kept=kept)
                marks += [
                    {
                        "submission": submission.pk,
                        "item": one.item,
                        "points": one.points,
                        "comment": one.comment,
                    }
                    for one in found.marks
                ]
                if found.graded is not None:
                    archive.writestr(f"{folder}/report.html", student_html(found.result, after_due=kept))
        archive.writestr(
            "person.json", json.dumps({**_about(person, seen), "marks": marks}, indent=1, default=str)
        )
    packed.seek(0)
    return packed


def _about(person: Person, seen: Mapping[int, frozenset[str]]) -> dict[str, Any]:
    """Return what the tables know. `seen` are the parts of each submission whose points they may see."""
    trail = Entry.objects.filter(who=person.pk) | Entry.objects.filter(whom=person.pk)
    return {
        "email": person.email,
        "name": person.name,
        "time_zone": person.zone,
        "joined_at": person.joined_at,
        "last_signed_in": person.last_login,
        "administrator": person.is_administrator,
        "courses": _courses(person),
        "lms": _known_to_lms(person),
        "extensions": list(person.extensions.values("assignment__title", "until", "reason", "at")),
        "submissions": list(
            person.submissions.order_by("pk").values(
                "pk", "assignment__title", "attempt", "content_hash", "received_at", "way"
            )
        ),
        "overrides": [
            one
            for one in person.submissions.exclude(overrides=None).values(
                "pk", "overrides__check_id", "overrides__points", "overrides__reason", "overrides__at"
            )
            if one["overrides__check_id"] in seen.get(one["pk"], ())
        ],
        "regrade_requests": [
            _told(one, seen)
            for one in RegradeRequest.objects.filter(submission__person=person).values(
                "submission", "check_id", "sentence", "asked_at", "state", "answer"
            )
        ],
        "marks_given": [
            {"assignment": title, "marks": number}
            for title, number in Mark.objects.filter(by=person)
            .values_list("answer__assignment__title")
            .annotate(number=Count("pk"))
            .order_by("answer__assignment")
        ],
        "likeness": _likenesses(person),
        "tokens": list(person.tokens.values("name", "created_at", "used_at")),
        "audit_trail": [
            {"at": one.at, "action": one.action, "subject": one.subject, "why": one.why}
            for one in trail.order_by("pk")
            if one.who == person.pk or _may_read(one.subject, seen)
        ],
    }


def _courses(person: Person) -> list[dict[str, Any]]:
    """Return the courses that they are a member of, and as what."""
    return [
        {
            "course": member.course.title,
            "role": member.role,
            "section": str(member.section or ""),
            "id": member.student_id,
            "ids": member.ids,
        }
        for member in Membership.objects.filter(person=person).select_related("course", "section")
    ]


def _known_to_lms(person: Person) -> list[dict[str, Any]]:
    """Return what each LMS has told of them, and what it was told."""
    return [
        {
            "lms": one.platform.name,
            "subject": one.subject,
            "name": one.name,
            "email": one.email,
            "told_at": one.told_at,
            "courses": [
                {"course": place.context.title, "role": place.role, "has_left": place.has_left}
                for place in one.contexts.select_related("context")
            ],
            "scores_sent": list(
                one.scores.exclude(sent_at=None).values(
                    "resource__assignment__title", "sent_points", "sent_max", "sent_at"
                )
            ),
        }
        for one in person.told.select_related("platform")
    ]


def _likenesses(person: Person) -> list[dict[str, Any]]:
    """Return how like their submissions are to those of others, who are not named."""
    return [
        {
            "submission": one.first_id if one.first.person_id == person.pk else one.second_id,
            "likeness": one.likeness,
            "compared_at": one.comparison.at,
        }
        for one in LikePair.objects.filter(Q(first__person=person) | Q(second__person=person)).select_related(
            "first", "comparison"
        )
    ]


def _told(asked: Mapping[str, Any], seen: Mapping[int, frozenset[str]]) -> dict[str, Any]:
    """Return a regrade request: what became of it where they see the points that it is about."""
    if asked["check_id"] in seen.get(asked["submission"], ()):
        return dict(asked)
    return {name: value for name, value in asked.items() if name not in ("state", "answer")}


def _may_read(subject: str, seen: Mapping[int, frozenset[str]]) -> bool:
    """Whether a person may read what was done to them: of points no more than their reports tell."""
    found = re.fullmatch(r"submission (\d+)(?:, check (.*))?", subject)
    return found is None or (found[2] or "") in seen.get(int(found[1]), ())


def forget(person: Person, by: Person, why: str) -> None:
    """Remove a person and all that they handed in. What the trail says of them it says of a number.

    A content that came within the hour goes with the next sweep: somebody else's row may be about to name it.
    A worker that grades one of their submissions just now finds that its job is gone, and keeps nothing.
    """
    digests = set(SubmittedFile.objects.filter(submission__person=person).values_list("digest", flat=True))
    with transaction.atomic():
        still_administrator(by, person)
        submissions = Submission.objects.filter(person=person)
        counted = {"submissions": submissions.count()}
        Graded.objects.filter(submission__person=person).delete()  # before the jobs that they protect
        submissions.delete()
        note(by, "person forgotten", f"person {person.pk}", whom=person, before=counted, why=why)
        person.delete()
    store = Store(settings.CONFIGURATION.files)
    for digest in digests - named_digests(digests):
        store.remove(digest)
