"""Many marks in one request: each is kept or refused by itself, and once however often it is sent."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from attest.portal.audit.models import Entry
from attest.portal.marking import one_answer
from attest.portal.marking.many import MOST_MARKS
from attest.portal.marking.models import Mark
from attest.portal.people.models import Person
from tests.portal.prose import WHEN, WHY, answer_of, classmates, level, send, write
from tests.portal.school import School, make_assignment

UNREADABLE = "What was sent cannot be read. Load this page again."


@pytest.fixture
def people(school: School) -> list[Person]:
    people = classmates(school, 3)
    for person in people:
        write(school, person, "It is added to itself.")
    return people


def given(person: Person, item: str = WHY, points: float = 2, **fields: object) -> dict[str, object]:
    return {
        "answer": answer_of(person).key,
        "item": item,
        "level": str(level(item, points).pk),
        "comments": [],
        "words": "So it is.",
        "version": "0",
        "edit": f"{person.pk} {item}",
        "earlier": "",
        "settles": "",
        **fields,
    }


def send_all(
    school: School, marks: Sequence[object], by: Person | None = None, assignment: int = 0
) -> list[dict[str, Any]]:
    path = f"/assignments/{assignment or school.assignment.pk}/marking/marks/"
    said = school.browser(by or school.grader).post(path, {"marks": json.dumps(marks)})
    assert said.status_code == 200
    found: list[dict[str, Any]] = said.json()["marks"]
    return found


def kept() -> list[tuple[object, ...]]:
    return list(
        Mark.objects.order_by("answer__person", "item").values_list(
            "answer__person", "item", "points", "version"
        )
    )


def test_all_are_kept_and_answered_to_in_their_order(school: School, people: list[Person]) -> None:
    marks = [given(person, item, points) for person in people for item, points in ((WHEN, 1), (WHY, 2))]

    said = send_all(school, marks)

    assert [one["saved"]["points"] for one in said] == [1, 2] * 3
    assert kept() == [(one.pk, item, points, 1) for one in people for item, points in ((WHEN, 1), (WHY, 2))]
    assert Entry.objects.filter(action="answer marked").count() == 6


def test_what_is_sent_again_is_kept_once(school: School, people: list[Person]) -> None:
    marks = [given(person) for person in people]
    first = send_all(school, marks)

    assert send_all(school, marks) == first
    assert [one[3] for one in kept()] == [1, 1, 1]
    assert Entry.objects.filter(action="answer marked").count() == 3


def test_what_somebody_else_marked_meanwhile_stays_and_the_rest_is_kept(
    school: School, people: list[Person]
) -> None:
    send(school, school.instructor, answer_of(people[1]), WHY, 0)

    said = send_all(school, [given(person) for person in people])

    assert ["saved" in one for one in said] == [True, False, True]
    assert "has marked this meanwhile" in said[1]["refused"]
    assert (said[1]["meanwhile"]["points"], said[1]["meanwhile"]["by"]) == (0, "Instructor")
    assert [one[2] for one in kept()] == [2, 0, 2]


def test_what_was_kept_before_something_broke_stays_and_the_rest_follows(
    school: School, people: list[Person], monkeypatch: pytest.MonkeyPatch
) -> None:
    marks = [given(person) for person in people]
    keep = one_answer.save

    def break_off(*arguments: Any, **options: Any) -> Mark:
        if Mark.objects.count() == 2:
            raise SystemExit
        return keep(*arguments, **options)

    with monkeypatch.context() as breaking:
        breaking.setattr(one_answer, "save", break_off)
        with pytest.raises(SystemExit):
            send_all(school, marks)
    assert len(kept()) == 2

    said = send_all(school, marks)

    assert ["saved" in one for one in said] == [True] * 3
    assert [one[3] for one in kept()] == [1, 1, 1]


def test_one_that_cannot_be_kept_keeps_none_of_the_others_back(school: School, people: list[Person]) -> None:
    other = make_assignment(school.course, Path(school.assignment.folder))
    odd: list[object] = [
        "a mark",
        given(people[0], edit="\0"),
        given(people[0], words="\ud800"),
        given(people[0], version=0),
        given(people[0], comments="12"),
        given(people[0], comments=["999999"]),
        given(people[0], answer="nobody's"),
        given(people[0], level="999999"),
    ]

    said = send_all(school, [*odd, given(people[1])])

    assert [one.get("refused") == UNREADABLE for one in said] == [True] * 5 + [False] * 4
    assert all(one["refused"] for one in said[:-1])
    assert said[-1]["saved"]["points"] == 2
    assert kept() == [(people[1].pk, WHY, 2, 1)]
    assert send_all(school, [given(people[2])], assignment=other.pk) == [
        {"refused": "This answer is not there any more."}
    ]


@pytest.mark.parametrize("sent", ["", "{}", "[", "1", "[" * 50_000, json.dumps([{}] * (MOST_MARKS + 1))])
def test_what_is_no_list_of_marks_is_refused_as_a_whole(school: School, sent: str) -> None:
    path = f"/assignments/{school.assignment.pk}/marking/marks/"

    said = school.browser(school.grader).post(path, {"marks": sent})

    assert (said.status_code, said.json()) == (400, {"refused": UNREADABLE})
