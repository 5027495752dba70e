"""The dashboard, the list of a class and one student's page, for many as quickly as for few."""

from __future__ import annotations

import re
from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from attest.portal.audit.trail import note
from attest.portal.courses.models import Extension, Membership, Section
from attest.portal.grading.models import Job, Override
from attest.portal.handing_in.models import Submission
from attest.portal.handing_in.taking import take
from attest.portal.people.models import Person
from attest.portal.teaching import submissions
from attest.portal.teaching.roll import State, roll_of
from graders.result import COMPUTED, Diagnosis
from tests.attest.conftest import WRONG
from tests.portal.prose import WHY, keep_words
from tests.portal.school import School, keep_result, make_person


def page_of(school: School, name: str = "submissions", query: str = "", by: Person | None = None) -> str:
    number = school.membership.pk if name == "member" else school.assignment.pk
    answer = school.browser(by or school.instructor).get(f"{reverse(name, args=[number])}{query}")
    assert answer.status_code == 200
    text: str = answer.content.decode()
    return text


def names(text: str) -> list[str]:
    """The students of the list, in order."""
    table = text.partition("<tbody>")[2].partition("</tbody>")[0]
    return re.findall(r'<th scope="row"><a [^>]*><bdi>([^<]+)', table)


def join(school: School, name: str, section: str = "") -> Person:
    person = make_person(name)
    made = Section.objects.get_or_create(course=school.course, name=section)[0] if section else None
    Membership.objects.create(course=school.course, person=person, section=made, student_id=name)
    return person


def hand_in(school: School, person: Person, points: tuple[float, float] | None) -> Submission:
    submission = take(school.assignment, person, [("double.py", WRONG.encode())])
    if points is not None:
        keep_result(submission, points)
    return submission


def states(school: School) -> dict[str, State]:
    return {line.name: line.state for line in roll_of(school.assignment).lines}


def test_every_student_has_a_state(school: School) -> None:
    assert states(school) == {"Classmate": State.NOTHING, "Student": State.WAITING}

    keep_result(school.submission, (2, 3))
    hand_in(school, school.classmate, None)
    Job.objects.filter(submission__person=school.classmate).update(state=Job.State.POISONED)
    assert states(school) == {"Classmate": State.TROUBLE, "Student": State.GRADED}

    Override.objects.create(
        submission=Submission.objects.get(person=school.classmate), points=3, reason="read by hand"
    )
    assert states(school)["Classmate"] is State.GRADED


def test_the_list_is_filtered_by_section_state_name_and_what_is_special(school: School) -> None:
    hand_in(school, join(school, "ada", "A"), (2, 3))
    hand_in(school, join(school, "ben", "B"), (2, 0))
    carl = join(school, "carl", "B")
    school.assignment.due_at = timezone.now() + timedelta(days=1)
    school.assignment.save()
    Extension.objects.create(assignment=school.assignment, person=carl, until="1 day", reason="ill")

    assert names(page_of(school)) == ["Ada", "Ben", "Carl", "Classmate", "Student"]
    assert names(page_of(school, query="?section=B")) == ["Ben", "Carl"]
    assert names(page_of(school, query="?section=B&state=nothing")) == ["Carl"]
    assert names(page_of(school, query="?state=graded")) == ["Ada", "Ben"]
    assert names(page_of(school, query="?state=handed-in")) == ["Ada", "Ben", "Student"]
    assert names(page_of(school, query="?state=extended")) == ["Carl"]
    assert names(page_of(school, query="?state=asked")) == ["Student"]
    assert names(page_of(school, query="?q=BEN@example")) == ["Ben"]
    assert names(page_of(school, query="?failing=doubling/test_values")) == ["Ben"]
    assert "Does not pass: Every element is doubled." in page_of(
        school, query="?failing=doubling/test_values"
    )
    assert names(page_of(school, query="?state=unknown")) == []


def test_the_list_is_sorted_both_ways(school: School) -> None:
    hand_in(school, join(school, "ada", "B"), (2, 0))
    hand_in(school, join(school, "ben", "A"), (2, 3))

    assert names(page_of(school, query="?sort=-points"))[:2] == ["Ben", "Ada"]
    assert names(page_of(school, query="?sort=points"))[-2:] == ["Ada", "Ben"]
    assert names(page_of(school, query="?sort=-name")) == ["Student", "Classmate", "Ben", "Ada"]
    assert names(page_of(school, query="?sort=section"))[-2:] == ["Ben", "Ada"]
    assert 'aria-sort="descending"' in page_of(school, query="?sort=-points")
    assert names(page_of(school, query="?sort=nonsense")) == ["Ada", "Ben", "Classmate", "Student"]


def test_a_large_class_has_several_pages_and_keeps_its_filter(
    school: School, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(submissions, "ON_A_PAGE", 2)
    for name in ("ada", "ben", "carl"):
        join(school, name, "A & B")

    text = page_of(school, query="?section=A+%26+B&sort=-name")

    assert names(text) == ["Carl", "Ben"]
    assert 'href="?section=A+%26+B&amp;sort=-name&amp;page=2"' in text
    assert names(page_of(school, query="?section=A+%26+B&sort=-name&page=2")) == ["Ada"]


@pytest.mark.parametrize("name", ["dashboard", "submissions", "release", "downloads", "extensions"])
def test_a_page_of_a_class_asks_the_database_as_often_for_many_as_for_few(school: School, name: str) -> None:
    school.assignment.due_at = timezone.now() - timedelta(hours=1)
    school.assignment.save()
    hand_in(school, join(school, "ada", "A"), (2, 3))
    page_of(school, name)
    with CaptureQueriesContext(connection) as few:
        page_of(school, name)
    for number in range(8):
        hand_in(school, join(school, f"student{number}", "A"), (2, 0))
    page_of(school, name)
    with CaptureQueriesContext(connection) as many:
        page_of(school, name)

    assert len(many) == len(few)


def test_the_dashboard_says_who_handed_in_and_how_the_class_did(school: School) -> None:
    keep_result(school.submission, (2, 0))
    hand_in(school, join(school, "ada"), (2, 3))

    text = page_of(school, "dashboard", by=school.grader)

    assert "2<span> of 3 students handed in" in text
    assert "20 to 30" not in text
    assert "40 to 50 percent: 1 submission; 90 to 100 percent: 1 submission" in text
    assert "Mean 70 %, median 70 %." in text
    listed = reverse("submissions", args=[school.assignment.pk])
    assert f"{listed}?failing=doubling%2Ftest_values" in text
    assert "No submission behaves like a known error." in text
    assert "style=" not in text  # which the policy forbids


def test_what_the_class_misunderstood_leads_to_an_example(school: School) -> None:
    graded = keep_result(school.submission, (2, 0))
    result = graded.result
    square = Diagnosis(variant="square", title="a square & no double")
    checks = (result.checks[0], result.checks[1].model_copy(update={"diagnosis": square}))
    shown = result.model_copy(update={"checks": checks})
    graded.document = shown.model_dump_json(exclude=COMPUTED)
    graded.save()

    text = page_of(school, "dashboard")

    assert "a square &amp; no double" in text
    assert f"{reverse('report', args=[school.submission.pk])}#check-2" in text
    listed = reverse("submissions", args=[school.assignment.pk])
    assert f"{listed}?shows=a+square+%26+no+double" in text
    assert names(page_of(school, query="?shows=a+square+%26+no+double")) == ["Student"]


def test_what_is_given_by_hand_or_taken_for_lateness_is_in_the_statistics_at_once(school: School) -> None:
    keep_result(school.submission, (2, 0))
    assert "Mean 40 %" in page_of(school, "dashboard")

    Override.objects.create(submission=school.submission, points=5, reason="shown in the tutorial")
    assert "Mean 100 %" in page_of(school, "dashboard")
    Override.objects.create(submission=school.submission, points=None, reason="it was another's")
    assert "Mean 40 %" in page_of(school, "dashboard")
    school.assignment.due_at = timezone.now() - timedelta(hours=1)
    school.assignment.late_policy = "50% per day"
    school.assignment.save()
    assert "Mean 20 %" in page_of(school, "dashboard")


def test_a_document_is_read_once_for_the_statistics(school: School) -> None:
    keep_result(school.submission, (2, 0))
    page_of(school, "dashboard")

    with CaptureQueriesContext(connection) as queries:
        page_of(school, "dashboard")

    assert not [one for one in queries if '"document"' in one["sql"]]


def test_the_queue_says_how_much_waits_and_for_how_long(school: School) -> None:
    path = reverse("queue", args=[school.assignment.pk])
    grader = school.browser(school.grader)
    assert "1 in the queue, 0 being graded." in grader.get(path).content.decode()
    assert "hx-trigger" in grader.get(path).content.decode()

    for number in range(3):
        hand_in(school, join(school, f"student{number}"), (2, 3))
    Job.objects.filter(state=Job.State.DONE).update(finished_at=timezone.now() - timedelta(minutes=3))
    text = grader.get(path).content.decode()
    assert "1.0 a minute lately, done in about 1 minute." in text

    keep_result(school.submission)
    text = grader.get(path).content.decode()
    assert "Nothing waits to be graded." in text
    assert "hx-trigger" not in text


def test_it_is_said_where_nobody_grades(school: School) -> None:
    Job.objects.update(created_at=timezone.now() - timedelta(minutes=5))

    assert "Is a worker running?" in page_of(school, "dashboard")


def test_what_was_given_up_is_named_with_the_reason(school: School) -> None:
    Job.objects.update(state=Job.State.POISONED, trouble="the sandbox <ended>")

    text = page_of(school, "dashboard")

    assert "the sandbox &lt;ended&gt;" in text
    assert reverse("submission", args=[school.submission.pk]) in text


def test_one_students_page_has_all_that_is_known_of_them_here(school: School) -> None:
    keep_result(school.submission, (2, 0))
    Extension.objects.create(
        assignment=school.assignment, person=school.student, until="2 days", reason="was <ill>"
    )
    Override.objects.create(
        submission=school.submission, check_id="doubling/test_values", points=1, reason="half is right"
    )
    note(school.instructor, "points given", "submission 1", course=school.course, whom=school.student)

    text = page_of(school, "member")

    assert "3 of 5 points" in text
    assert "was &lt;ill&gt;" in text
    assert "half is right" in text
    assert "points given: submission 1" in text
    assert reverse("override", args=[school.submission.pk]) in text
    assert reverse("regrade-request", args=[school.regrade_request.pk]) in text
    for_grader = page_of(school, "member", by=school.grader)
    assert "3 of 5 points" in for_grader
    assert "points given: submission 1" not in for_grader  # the trail is the instructor's
    assert reverse("override", args=[school.submission.pk]) not in for_grader


def test_one_students_page_names_checks_by_their_titles_and_others_by_their_ids(school: School) -> None:
    keep_result(school.submission, (2, 0))
    for check in ("doubling/test_values", "doubling/test_dropped"):
        Override.objects.create(submission=school.submission, check_id=check, points=1, reason="half")
    ask = reverse("regrade-request", args=[school.regrade_request.pk])

    text = page_of(school, "member")
    for_grader = page_of(school, "member", by=school.grader)

    assert f'<a href="{ask}">Every element is doubled</a>' in text
    assert "attempt 1, Every element is doubled <span" in for_grader
    for each in (text, for_grader):
        assert "Every element is doubled: <b>1 point</b>" in each
        assert "<code>doubling/test_dropped</code>: <b>1 point</b>" in each
        assert "doubling/test_values" not in each


def test_one_students_page_names_items_of_a_rubric_by_their_titles(school: School) -> None:
    keep_words(school.submission, "A sum.", (2, 0))
    Override.objects.create(submission=school.submission, check_id=WHY, points=2, reason="said aloud")

    assert "Says why: <b>2 points</b>" in page_of(school, "member")
