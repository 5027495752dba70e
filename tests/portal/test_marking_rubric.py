"""Points and comments of a rubric: offered to everybody, and changed with a look at who changes."""

from __future__ import annotations

import re

import pytest

from attest.portal.audit.models import Entry
from attest.portal.grading import queue
from attest.portal.grading.standing import standing
from attest.portal.handing_in.models import Submission
from attest.portal.marking.answers import first_levels
from attest.portal.marking.models import Level, Mark, ReusableComment
from attest.portal.people.models import Person
from tests.portal.prose import WHEN, WHY, answer_of, classmates, keep_words, level, send, write
from tests.portal.school import School


@pytest.fixture
def people(school: School) -> list[Person]:
    """Three students who wrote."""
    people = classmates(school, 3)
    for person in people:
        write(school, person, f"Words of {person.pk}.")
    return people


def points(person: Person) -> float | None:
    return standing(Submission.objects.filter(person=person).latest("pk")).points


def add_comment(school: School, text: str, worth: str = "0") -> ReusableComment:
    path = f"/assignments/{school.assignment.pk}/marking/rubric/comments/new/"
    school.browser(school.grader).post(path, {"item": WHY, "text": text, "points": worth})
    return ReusableComment.objects.get(text=text)


def change(school: School, by: Person, path: str, **fields: str) -> tuple[int, str]:
    answer = school.browser(by).post(path, fields)
    return answer.status_code, answer.content.decode()


def seen(text: str) -> str:
    found = re.search(r'name="seen" value="(\w+)"', text)
    assert found, text
    return found[1]


@pytest.mark.parametrize(
    ("most", "offered"),
    [
        (2, [0, 1, 2]),
        (9, list(range(10))),
        (1.5, [0, 0.5, 1, 1.5]),
        (10, [0, 2.5, 5, 7.5, 10]),
        (0.75, [0, 0.1875, 0.375, 0.5625, 0.75]),
    ],
)
def test_points_are_offered_from_the_beginning(most: float, offered: list[float]) -> None:
    assert first_levels(most) == offered


def test_comments_add_and_take_points_within_what_the_item_is_worth(
    school: School, people: list[Person]
) -> None:
    unclear, more = add_comment(school, "Unclear.", "-0.5"), add_comment(school, "A proof!", "+2")
    first, second, third = (answer_of(person) for person in people)

    send(school, school.grader, first, WHY, 2, comments=[str(unclear.pk)])
    send(school, school.grader, second, WHY, 1, comments=[str(more.pk)])
    send(school, school.grader, third, WHY, 0, comments=[str(unclear.pk)])

    assert [points(person) for person in people] == [6.5, 7, 5]
    report = school.browser(people[0]).get(f"/submissions/{people[0].submissions.get().pk}/report/")
    assert "Unclear." in report.content.decode()


def test_changing_a_comments_points_shows_who_changes_and_then_changes_them(
    school: School, people: list[Person]
) -> None:
    comment = add_comment(school, "Unclear.", "-1")
    for person in people[:2]:
        send(school, school.grader, answer_of(person), WHY, 2, comments=[str(comment.pk)])
    path = f"/assignments/{school.assignment.pk}/marking/rubric/comments/{comment.pk}/"

    status, preview = change(school, school.instructor, path, text="Unclear!", points="-0,5")

    assert (status, preview.count("<td>1.5</td>")) == (200, 2)
    assert "Person0" in preview
    assert "Person2" not in preview
    assert [points(person) for person in people] == [6, 6, 5]
    assert ReusableComment.objects.get().text == "Unclear."
    given = {"text": "Unclear!", "points": "-0.5", "seen": seen(preview)}
    assert change(school, school.instructor, path, **given)[0] == 302
    assert [points(person) for person in people] == [6.5, 6.5, 5]
    recomputed = Entry.objects.filter(action="mark recomputed")
    assert {one.whom for one in recomputed} == {person.pk for person in people[:2]}
    assert {(one.before["points"], one.after["points"]) for one in recomputed} == {(1.0, 1.5)}
    told = Entry.objects.get(action="comment changed")
    assert (told.before["points"], told.after["points"], told.after["marks changed"]) == (-1, -0.5, 2)


def test_what_is_graded_again_bounds_no_mark_before_it_is_accepted(
    school: School, people: list[Person]
) -> None:
    unclear, student = add_comment(school, "Unclear.", "-0.5"), people[0]
    send(school, school.grader, answer_of(student), WHY, 2, comments=[str(unclear.pk)])
    submission = student.submissions.get()
    queue.enqueue(submission, again=True)
    keep_words(submission, f"Words of {student.pk}.", items=((WHY, "Says why", 1.0),))
    path = f"/assignments/{school.assignment.pk}/marking/rubric/comments/{unclear.pk}/"
    fields = {"points": "-0.25", "text": unclear.text}

    _, shown = change(school, school.instructor, path, **fields)
    change(school, school.instructor, path, **fields, seen=seen(shown))

    assert Mark.objects.get().points == 1.75


def test_changing_offered_points_changes_everybody_who_has_them(school: School, people: list[Person]) -> None:
    for person in people:
        send(school, school.grader, answer_of(person), WHY, 1)
    path = f"/levels/{level(WHY, 1).pk}/"

    _, preview = change(school, school.instructor, path, points="1.5", text="Nearly")
    change(school, school.instructor, path, points="1.5", text="Nearly", seen=seen(preview))

    assert [points(person) for person in people] == [6.5] * 3
    assert set(Mark.objects.values_list("version", flat=True)) == {2}


def test_who_marks_meanwhile_is_shown_before_anything_changes(school: School, people: list[Person]) -> None:
    send(school, school.grader, answer_of(people[0]), WHY, 1)
    path = f"/levels/{level(WHY, 1).pk}/"
    _, preview = change(school, school.instructor, path, points="1.5", text="")
    send(school, school.grader, answer_of(people[1]), WHY, 1)

    status, again = change(school, school.instructor, path, points="1.5", text="", seen=seen(preview))

    assert status == 200
    assert "2 marks would change" in again
    assert points(people[0]) == 6


def test_a_grader_changes_no_points_that_marks_have(school: School, people: list[Person]) -> None:
    send(school, school.grader, answer_of(people[0]), WHY, 1)

    status, text = change(school, school.grader, f"/levels/{level(WHY, 1).pk}/", points="0.5", text="")

    assert status == 400
    assert "an instructor changes" in text
    assert change(school, school.grader, f"/levels/{level(WHEN, 0).pk}/", points="0.5", text="")[0] == 302


@pytest.mark.parametrize("given", ["3", "-1", "nan", "inf", "", "two"])
def test_points_are_within_what_the_item_is_worth(school: School, people: list[Person], given: str) -> None:
    assert change(school, school.instructor, f"/levels/{level(WHY, 1).pk}/", points=given, text="")[0] == 400
    path = f"/assignments/{school.assignment.pk}/marking/rubric/levels/new/"
    before = Level.objects.count()
    change(school, school.instructor, path, item=WHY, points=given)
    assert Level.objects.count() == before


def test_points_that_are_there_are_not_offered_twice(school: School, people: list[Person]) -> None:
    assert change(school, school.instructor, f"/levels/{level(WHY, 1).pk}/", points="2", text="")[0] == 400
    path = f"/assignments/{school.assignment.pk}/marking/rubric/levels/new/"
    for given in ("1.5", "1.5", "2"):
        change(school, school.grader, path, item=WHY, points=given, label="Nearly")
    assert list(Level.objects.filter(item=WHY).values_list("points", flat=True)) == [0, 1, 1.5, 2]


def test_what_is_retired_is_kept_by_marks_and_offered_to_nobody_else(
    school: School, people: list[Person]
) -> None:
    comment = add_comment(school, "Say more of it.")
    send(school, school.grader, answer_of(people[0]), WHY, 1, comments=[str(comment.pk)])
    path = f"/assignments/{school.assignment.pk}/marking/rubric/comments/{comment.pk}/"

    assert change(school, school.grader, path, text=comment.text, points="0", is_retired="on")[0] == 302

    browser = school.browser(school.grader)
    texts = [browser.get(f"/answers/{answer_of(person).key}/").content.decode() for person in people[:2]]
    assert ["<span>Say more of it.</span>" in text for text in texts] == [True, False]


def test_comments_are_shared_in_the_course_and_not_beyond(school: School, people: list[Person]) -> None:
    add_comment(school, "Say more.")
    other = ReusableComment.objects.create(
        course=school.stranger.memberships.get().course, item=WHY, text="Of elsewhere."
    )

    text = school.browser(school.instructor).get(f"/answers/{answer_of(people[0]).key}/").content.decode()
    path = f"/assignments/{school.assignment.pk}/marking/rubric/comments/{other.pk}/"

    assert "Say more." in text
    assert "Of elsewhere." not in text
    assert school.browser(school.instructor).get(path).status_code == 404
