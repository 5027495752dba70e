"""Submissions joined with the roster, and of several attempts the ones that count.

A submission is joined by an id of the same kind, else by any id that one person alone has, else by a name
that is one person's and one submission's alone. Where that leaves a doubt it is not joined, and it is said.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Literal

from graders.late import LatePolicy
from graders.reading.cohort import Cohort, Found
from graders.reading.names import clean, listed, shown
from graders.reading.roster import Person, Roster
from graders.result import AttemptInfo, Student

Policy = Literal["best", "last", "first"]
_SAME = {"blackboard": "login", "nbgrader": "login"}  # the kinds of id that are one in a roster
_NUMBERS = frozenset({"canvas", "moodle", "gradescope"})  # an LMS's own numbers, which say nothing elsewhere
_MOST_NAMED = 20


@dataclass(frozen=True)
class Intake:
    """Who is graded, with which attempts, and who handed in nothing."""

    cohort: Cohort  # under `best`, all attempts: each under an id of its own
    nothing: tuple[Student, ...] = ()
    attempts: Mapping[str, tuple[Found, ...]] = field(
        default_factory=dict
    )  # of a student of whom several are graded


def take_in(
    cohort: Cohort, roster: Roster | None, policy: Policy = "last", late: LatePolicy | None = None
) -> Intake:
    """Join `cohort` with `roster`, choose attempts, and say how late each came."""
    problems, notes = list(cohort.problems), list(cohort.notes)
    people: dict[str, Person] = {}
    found = list(cohort.found)
    if roster is not None:
        joined = _joined(found, roster, problems, notes)
        found = [_as(each, person) if (person := joined.get(i)) else each for i, each in enumerate(found)]
        people = {person.student.id: person for person in joined.values()}
    groups: dict[str, list[Found]] = defaultdict(list)
    for each in found:
        groups[each.student.id].append(_timed(each, people.get(each.student.id), late))
    kept: list[Found] = []
    several: dict[str, tuple[Found, ...]] = {}
    for identity, attempts in groups.items():
        chosen = _chosen(attempts, policy)
        kept += chosen
        if len(chosen) > 1:
            several[identity] = tuple(chosen)
    many = sum(len(attempts) > 1 for attempts in groups.values())
    if many:
        notes.append(f"{many:,} handed in more than once; the {policy} attempt counts.")
    unknown = [each.student.id for each in kept if each.late and each.late.unknown]
    if unknown:
        problems.append(
            f"{listed(unknown)}: late, as the LMS says, but not by how much, so nothing is taken. Give the "
            "time in a column submitted_at of the roster."
        )
    absent = () if roster is None else tuple(p.student for p in roster.people if p.student.id not in people)
    whole = replace(cohort, found=tuple(kept), problems=tuple(problems), notes=tuple(notes))
    return Intake(whole, absent, several)


def _joined(
    found: Sequence[Found], roster: Roster, problems: list[str], notes: list[str]
) -> dict[int, Person]:
    """Return whose each submission is, by its place in `found`."""
    typed: dict[tuple[str, str], list[Person]] = defaultdict(list)
    anyhow: dict[str, list[Person]] = defaultdict(list)
    for person in roster.people:
        for kind, value in {("id", person.student.id), *person.student.ids}:
            typed[_SAME.get(kind, kind), _plain(value)].append(person)
            anyhow[_plain(value)].append(person)
    joined: dict[int, Person] = {}
    left: list[int] = []
    for index, each in enumerate(found):
        ids = [(_SAME.get(kind, kind), _plain(value)) for kind, value in each.student.ids]
        candidates = _different(person for key in ids for person in typed.get(key, ()))
        if not candidates:
            values = [_plain(each.student.id), *(v for kind, v in ids if kind not in _NUMBERS)]
            candidates = _different(person for value in values for person in anyhow.get(value, ()))
        if len(candidates) == 1:
            joined[index] = candidates[0]
        elif candidates:
            lines = listed([f"line {person.line}" for person in candidates])
            problems.append(
                f"{shown(each.student.id)} ({each.source}) may be several in the roster ({lines}); it is "
                "graded under its own id."
            )
        else:
            left.append(index)
    taken = {person.student.id for person in joined.values()}
    by_name = _by_name([(i, found[i]) for i in left], [p for p in roster.people if p.student.id not in taken])
    if by_name:
        who = listed([f"{found[i].student.id} as {person.student.id}" for i, person in by_name.items()])
        notes.append(f"Joined with the roster by name alone: {who}.")
    joined |= by_name
    strangers = [found[i] for i in left if i not in by_name]
    problems += [
        f"{shown(each.student.id)} ({each.source}) is not in the roster; it is graded under that id."
        for each in strangers[:_MOST_NAMED]
    ]
    if len(strangers) > _MOST_NAMED:
        problems.append(f"{len(strangers) - _MOST_NAMED:,} more submissions are not in the roster.")
    return joined


def _by_name(found: Sequence[tuple[int, Found]], people: Sequence[Person]) -> dict[int, Person]:
    """Return whose a submission is where exactly one person and one student have that name."""
    persons: dict[str, list[Person]] = defaultdict(list)
    for person in people:
        for name in spellings(person.student.name):
            persons[name].append(person)
    students: dict[str, set[str]] = defaultdict(set)
    for _, each in found:
        for name in spellings(each.student.name):
            students[name].add(each.student.id)
    joined: dict[int, Person] = {}
    for index, each in found:
        names = spellings(each.student.name)
        candidates = _different(person for name in names for person in persons.get(name, ()))
        if len(candidates) == 1 and all(len(students[name]) == 1 for name in names):
            joined[index] = candidates[0]
    claims: dict[int, set[str]] = defaultdict(set)
    for index, each in found:
        if index in joined:
            claims[joined[index].line].add(each.student.id)
    return {index: person for index, person in joined.items() if len(claims[person.line]) == 1}


def spellings(name: str) -> set[str]:
    """Return how a name may be written without blanks: "Doe, Jane" is "doejane" and "janedoe"."""
    last, comma, first = name.partition(",")
    words = name.replace(",", " ").split()
    ways = [words, [first, last]] if comma else [words, [*words[-1:], *words[:-1]]]
    return {text for way in ways if (text := re.sub(r"[\W_]+", "", "".join(way)).casefold())}


def _different(people: Iterable[Person]) -> list[Person]:
    return list({person.line: person for person in people}.values())


def _plain(value: str) -> str:
    return " ".join(clean(value).split()).casefold()


def _as(each: Found, person: Person) -> Found:
    """Return a submission as this person's."""
    known = person.student
    ids = dict(each.student.ids) | dict(known.ids)
    student = known.model_copy(
        update={
            "name": known.name or each.student.name,
            "email": known.email or each.student.email,
            "ids": tuple(ids.items()),
        }
    )
    return replace(each, student=student)


def _timed(each: Found, person: Person | None, late: LatePolicy | None) -> Found:
    """Return a submission with its time in a zone, and how late it is."""
    submitted = each.received.submitted_at or (person.submitted_at if person else None)
    if submitted is not None and submitted.tzinfo is None:
        submitted = submitted.replace(tzinfo=late.zone) if late else submitted.astimezone()
    received = each.received.model_copy(update={"submitted_at": submitted})
    if late is None:
        return replace(each, received=received)
    extension = person.extension if person else None
    return replace(
        each,
        received=received,
        late=late.late(submitted, extension, late_in_lms=received.late_in_lms),
    )


def _chosen(attempts: Sequence[Found], policy: Policy) -> list[Found]:
    """Return the attempts that are graded, numbered; under `best` each has an id of its own."""
    if len(attempts) == 1:
        return list(attempts)
    ordered = sorted(attempts, key=lambda each: (_moment(each.received.submitted_at), each.received.attempt))
    counts = {"last": len(ordered), "first": 1, "best": 0}[policy]
    infos = tuple(
        AttemptInfo(attempt=n, submitted_at=each.received.submitted_at, counts=n == counts)
        for n, each in enumerate(ordered, 1)
    )
    numbered = [
        replace(each, received=each.received.model_copy(update={"attempt": n, "attempts": infos}))
        for n, each in enumerate(ordered, 1)
    ]
    if counts:
        return [numbered[counts - 1]]
    return [
        replace(each, student=each.student.model_copy(update={"id": attempt_id(each.student.id, n)}))
        for n, each in enumerate(numbered, 1)
    ]


def attempt_id(identity: str, attempt: int) -> str:
    """Return the id under which one of several attempts is graded."""
    return f"{identity} (attempt {attempt})"


def _moment(submitted: datetime | None) -> float:
    return submitted.timestamp() if submitted else float("-inf")
