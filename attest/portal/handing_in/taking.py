"""Taking in one submission: every rule is looked at, the files are kept, and one transaction makes it true.

When `take` returns, the submission and its job are committed: only then may anybody say that it was received.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.conf import settings
from django.db import IntegrityError, transaction
from django.db.models import Max
from django.http import HttpRequest
from django.utils import timezone

from attest.portal.courses.due import due_for
from attest.portal.courses.models import CourseAssignment
from attest.portal.grading.queue import enqueue
from attest.portal.handing_in.keeping import Store
from attest.portal.handing_in.models import ONCE_LENGTH, Submission, SubmittedFile
from attest.portal.people import rates
from attest.portal.people.models import Person
from attest.portal.people.zones import moment_here
from graders.assignment import AssignmentError, find_assignment
from graders.late import span_text
from graders.reading import is_called_like_work, why_no_work
from graders.reading.names import relative_name, shown
from graders.reading.submission import ORDINARY, Words, content_hash
from reports.amounts import bytes_text, count_text

MOST_FILES = 50
_RACES = 5
_FEW = 10  # hand-ins without work that are left: from here on it is said
_WORDS_COME: Mapping[Words, str] = {
    "none": "",
    "answers": "Answers in words are read in a notebook or in a file called answers.md. ",
    "any": "Answers in words are read in a notebook or in a text file (.md or .txt). ",
}


class Refused(ValueError):
    """A submission is not taken. The message tells the student why, and what to do."""


@dataclass(frozen=True)
class Rules:
    """By which rules one student hands in, and how much of them is used up."""

    due_at: datetime | None  # with the student's extension
    extended: bool
    is_open: bool
    opens_at: datetime | None
    closes_at: datetime | None
    attempts: int  # so far
    most_attempts: int | None
    within_an_hour: int
    most_an_hour: int
    next_at: datetime | None  # from when on the next one is taken, where the hour's are used up

    @property
    def attempts_left(self) -> int | None:
        """How many attempts are left; None for any number."""
        return None if self.most_attempts is None else max(0, self.most_attempts - self.attempts)

    @property
    def time_left(self) -> timedelta | None:
        """How long it is until the due date; None where nothing is due any more."""
        if self.due_at is None or self.due_at <= timezone.now():
            return None
        return self.due_at - timezone.now()

    @property
    def refusal(self) -> str:
        """Why nothing is taken now; "" where it is."""
        if not self.is_open:
            if self.opens_at is not None and timezone.now() < self.opens_at:
                return f"Handing in opens on {moment_here(self.opens_at)}."
            return "Handing in is closed. Write to your instructor if you have a reason to hand in later."
        if self.attempts_left == 0:
            one = self.most_attempts == 1
            return "The one attempt is used up." if one else f"All {self.most_attempts} attempts are used up."
        if self.next_at is not None:
            wait = span_text(max(self.next_at - timezone.now(), timedelta(minutes=1)))
            return f"{count_text(self.most_an_hour, 'attempt')} an hour are taken; try again in {wait}."
        return ""


def rules_for(assignment: CourseAssignment, person: Person, now: datetime | None = None) -> Rules:
    """Return the rules as they are for this student now."""
    now = now or timezone.now()
    due_at, extended = due_for(assignment, person)
    closes_at = assignment.closes_at
    if closes_at is not None and extended and due_at is not None:
        closes_at = max(closes_at, due_at)  # an extension opens the door as well
    earlier = Submission.objects.filter(assignment=assignment, person=person, attempt__gt=0)
    recent = list(
        earlier.filter(received_at__gt=now - timedelta(hours=1))
        .order_by("received_at")
        .values_list("received_at", flat=True)
    )
    full = len(recent) >= assignment.attempts_an_hour
    return Rules(
        due_at=due_at,
        extended=extended,
        is_open=(assignment.opens_at is None or assignment.opens_at <= now)
        and (closes_at is None or now < closes_at),
        opens_at=assignment.opens_at,
        closes_at=closes_at,
        attempts=earlier.aggregate(Max("attempt"))["attempt__max"] or 0,
        most_attempts=assignment.attempts,
        within_an_hour=len(recent),
        most_an_hour=assignment.attempts_an_hour,
        next_at=recent[-assignment.attempts_an_hour] + timedelta(hours=1) if full and recent else None,
    )


def take(
    assignment: CourseAssignment,
    person: Person,
    files: Sequence[tuple[str, bytes]],
    way: Submission.Way = Submission.Way.PAGE,
    *,
    came_at: datetime | None = None,
    once: str = "",
) -> Submission:
    """Take in `files`, (name, content) each, which were all here at `came_at`. Raises Refused.

    The same content with the same `once` is one attempt, however often it comes: a button pressed twice,
    or a repetition because no answer came.
    """
    came_at = came_at or timezone.now()
    named = checked(files)
    known, once = content_hash(named), once[:ONCE_LENGTH]
    if before := _came_before(assignment, person, once, known):
        return before
    if refusal := rules_for(
        assignment, person, came_at
    ).refusal:  # before anything of it takes room on the disk
        raise Refused(refusal)
    if refusal := _no_work(assignment, person, named):
        raise Refused(refusal)
    store = Store(settings.CONFIGURATION.files)
    digests = {name: store.keep(data) for name, data in named.items()}
    for _ in range(_RACES):
        try:
            with transaction.atomic():
                # One student's attempts are counted one after another, whichever process counts.
                Person.objects.select_for_update().get(pk=person.pk)
                if before := _came_before(assignment, person, once, known):
                    return before
                rules = rules_for(assignment, person, came_at)
                if rules.refusal:
                    raise Refused(rules.refusal)
                submission = Submission.objects.create(
                    assignment=assignment,
                    person=person,
                    attempt=rules.attempts + 1,
                    content_hash=known,
                    received_at=came_at,
                    way=way,
                    once=once,
                )
                SubmittedFile.objects.bulk_create(
                    SubmittedFile(submission=submission, name=name, digest=digests[name], size=len(data))
                    for name, data in named.items()
                )
                enqueue(submission)
        except IntegrityError:  # the same student handed in at the same moment
            continue
        return submission
    raise Refused("Several attempts came at the same moment. This one was not taken; hand it in again.")


def _came_before(assignment: CourseAssignment, person: Person, once: str, known: str) -> Submission | None:
    """Return what came of the same sending, where it came before."""
    if not once:
        return None
    same = {"assignment": assignment, "person": person, "content_hash": known, "once": once}
    return Submission.objects.filter(**same).first()


def _no_work(assignment: CourseAssignment, person: Person, files: Mapping[str, bytes]) -> str:
    """Say why nothing in `files` can be graded, and what is expected; "" where anything might be work.

    What has to be opened to tell is opened so many times an hour as long as nothing is in it.
    """
    if is_called_like_work(files):
        return ""
    try:
        found = find_assignment(assignment.folder)
    except (AssignmentError, OSError):  # what it asks for is not known now
        return ""
    if is_called_like_work(files, found.files):
        return ""
    whom = str(person.pk)
    counted = rates.count(rates.NO_WORK, whom)
    if not counted.allowed:
        wait = span_text(timedelta(seconds=max(60, counted.again_in)))
        return (
            f"In this hour {rates.NO_WORK.times} hand-ins of yours held nothing that can be graded, so this "
            "one was not opened. Hand in your script (.py) or notebook (.ipynb) itself, or try again in "
            f"{wait}. This used up no attempt."
        )
    why = why_no_work(files, found.files)
    if not why:
        rates.take_back(rates.NO_WORK, whom)
        return ""
    more = rates.left(rates.NO_WORK, whom)
    few = f" {count_text(more, 'more such hand-in')} in this hour will be looked at." if more <= _FEW else ""
    return f"{why} {_WORDS_COME[found.words]}This used up no attempt.{few}"


def came_at(request: HttpRequest) -> datetime:
    """Return when all of a request was here. How long it then waited for its turn makes nobody late."""
    return getattr(request, "came_at", None) or timezone.now()


def checked(files: Sequence[tuple[str, bytes]]) -> Mapping[str, bytes]:
    """Return `files` by safe names. Raises Refused where they are none, too many or too large."""
    if not files:
        raise Refused("No file was chosen. Choose your script (.py) or notebook (.ipynb).")
    if len(files) > MOST_FILES:
        raise Refused(f"{len(files)} files are too many; at most {MOST_FILES} are taken. Send a zip instead.")
    named: dict[str, bytes] = {}
    for raw, data in files:
        name = relative_name(raw)
        if name is None:
            raise Refused(f"{shown(raw)} is no name for a file; rename it.")
        if name in named:
            raise Refused(f"Two files are called {shown(name)}; rename one of them.")
        if len(data) > ORDINARY.file_bytes:
            raise Refused(
                f"{shown(name)} has {bytes_text(len(data))}; at most {bytes_text(ORDINARY.file_bytes)} are "
                "taken. Leave out data and checkpoints."
            )
        named[name] = data
    if not any(named.values()):
        raise Refused("What came is empty. Save your file and choose it again.")
    return named
