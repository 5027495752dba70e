"""Marks go out as the table of `attest rubric`, and come back, all or none."""

from __future__ import annotations

import csv
import io

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from attest.portal.audit.models import Entry
from attest.portal.grading.standing import standing
from attest.portal.handing_in.models import Submission
from attest.portal.marking.models import Level, Mark, MarkingRules
from attest.portal.people.models import Person
from tests.portal.prose import WHEN, WHY, answer_of, classmates, send, write
from tests.portal.school import School

Rows = list[dict[str, str]]


@pytest.fixture
def people(school: School) -> list[Person]:
    """Two students who wrote, the first marked for one item."""
    people = classmates(school, 2)
    for person in people:
        write(school, person, f"Words of {person.pk}.")
    send(school, school.grader, answer_of(people[0]), WHY, 1, words="Say more.")
    return people


def table(school: School) -> Rows:
    path = f"/assignments/{school.assignment.pk}/marking/table/"
    text = school.browser(school.instructor).get(path).content.decode("utf-8-sig")
    return list(csv.DictReader(io.StringIO(text)))


def give(school: School, rows: Rows) -> tuple[int, str]:
    out = io.StringIO()
    writer = csv.DictWriter(out, rows[0])
    writer.writeheader()
    writer.writerows(rows)
    file = SimpleUploadedFile("marks.csv", out.getvalue().encode())
    path = f"/assignments/{school.assignment.pk}/marking/table/"
    answer = school.browser(school.instructor).post(path, {"sheet": file}, follow=True)
    return answer.status_code, answer.content.decode()


def points(person: Person) -> float | None:
    return standing(Submission.objects.filter(person=person).latest("pk")).points


def test_the_table_has_a_row_for_each_student_and_item(school: School, people: list[Person]) -> None:
    rows = table(school)

    told = [(row["student"], row["item"], row["points"], row["comment"]) for row in rows]
    assert told == [
        ("id-Person0", WHY, "1", "Say more."),
        ("id-Person1", WHY, "", ""),
        ("id-Person0", WHEN, "", ""),
        ("id-Person1", WHEN, "", ""),
    ]
    assert rows[1]["answer"] == f"Words of {people[1].pk}."


def test_what_comes_back_counts_and_what_did_not_change_changes_nothing(
    school: School, people: list[Person]
) -> None:
    rows = table(school)
    rows[1] |= {"points": "1,5", "comment": "Nearly."}
    rows[3] |= {"points": "1"}

    status, text = give(school, rows)

    assert (status, "2 marks have changed." in text) == (200, True)
    assert [points(person) for person in people] == [6, 7.5]
    assert Level.objects.filter(item=WHY, points=1.5).exists()
    assert Entry.objects.filter(action="answer marked", who=school.instructor.pk).count() == 2
    again = table(school)
    assert (again[1]["points"], again[1]["comment"]) == ("1.5", "Nearly.")
    assert "0 marks have changed." in give(school, again)[1]


@pytest.mark.parametrize("change", [{"points": "3"}, {"points": "half"}, {"student": "nobody"}])
def test_one_wrong_line_and_nothing_counts(
    school: School, people: list[Person], change: dict[str, str]
) -> None:
    rows = table(school)
    rows[3] |= {"points": "1"}
    rows[1] |= {"points": "1", **change}

    status, text = give(school, rows)

    assert (status, "line 3" in text) == (400, True)
    assert Mark.objects.count() == 1


def test_where_two_mark_a_table_settles_only_what_differs(school: School, people: list[Person]) -> None:
    MarkingRules.objects.create(assignment=school.assignment, second_share=100)
    rows = table(school)
    assert rows[0]["points"] == ""
    rows[0] |= {"points": "2"}

    status, text = give(school, rows)

    assert (status, "nothing to settle" in text) == (400, True)
    send(school, school.instructor, answer_of(people[0]), WHY, 2)
    assert give(school, rows)[0] == 200
    assert points(people[0]) == 7
