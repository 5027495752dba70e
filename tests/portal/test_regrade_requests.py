"""A student asks about one check; an instructor answers; both are in the trail, and points follow at once."""

from __future__ import annotations

import re
from datetime import timedelta

import pytest
from django.urls import reverse
from django.utils import timezone

from attest.portal.audit.models import Entry
from attest.portal.audit.trail import note
from attest.portal.courses.models import CourseAssignment, Extension
from attest.portal.grading import queue, requests
from attest.portal.grading.models import Override, RegradeRequest
from attest.portal.grading.results import keep
from attest.portal.grading.standing import standing
from graders.result import Status
from tests.portal.school import School, keep_result, result_of

CHECK = "doubling/test_values"


@pytest.fixture
def asked(school: School) -> School:
    """A school in which the student's second check has failed, and nobody has asked yet."""
    school.regrade_request.delete()
    keep_result(school.submission, (2, 0))
    return school


def ask(school: School, check: str = CHECK, sentence: str = "It is <b>right</b>.") -> int:
    path = reverse("ask-for-regrade", args=[school.submission.pk])
    return school.browser(school.student).post(path, {"check": check, "sentence": sentence}).status_code


def answer(school: School, **fields: str) -> int:
    path = reverse("regrade-request", args=[RegradeRequest.objects.get().pk])
    return school.browser(school.instructor).post(path, fields).status_code


def receipt(school: School) -> str:
    path = reverse("submission", args=[school.submission.pk])
    return school.browser(school.student).get(path).content.decode()


def test_a_student_asks_once_about_a_check_that_is_short_of_points(asked: School) -> None:
    assert reverse("ask-for-regrade", args=[asked.submission.pk]) in receipt(asked)

    assert ask(asked) == 302
    assert ask(asked, sentence="Again.") == 302

    assert RegradeRequest.objects.get().sentence == "It is <b>right</b>."
    assert "It is &lt;b&gt;right&lt;/b&gt;." in receipt(asked)
    assert Entry.objects.get(action="regrade asked for").whom == asked.student.pk
    assert "right" not in str(list(Entry.objects.values()))  # what a student wrote is not in the trail


def test_nothing_is_asked_about_an_attempt_of_which_nothing_could_be_read(school: School) -> None:
    school.regrade_request.delete()
    said = "double.py holds binary data, not a Python script (.py) or a notebook (.ipynb)."
    unread = result_of(school.submission, (0, 0)).model_copy(
        update={"status": Status.UNREADABLE, "message": said}
    )
    job = queue.claim("a test")
    assert job is not None
    keep(job, "a test", unread)

    assert said in receipt(school)
    assert "Ask a person to look" not in receipt(school)
    assert ask(school) == 302
    assert not RegradeRequest.objects.exists()


@pytest.mark.parametrize("check", ["doubling/test_public", "doubling/test_unknown", ""])
def test_only_a_check_that_lost_points_is_asked_about(asked: School, check: str) -> None:
    assert ask(asked, check) == 400
    assert not RegradeRequest.objects.exists()


@pytest.mark.parametrize("sentence", ["", "   ", "x" * 2001])
def test_a_sentence_is_asked_for(asked: School, sentence: str) -> None:
    assert ask(asked, sentence=sentence) == 400
    assert not RegradeRequest.objects.exists()


def test_checks_that_are_kept_are_neither_named_nor_asked_about(school: School) -> None:
    school.regrade_request.delete()
    keep_result(school.submission, (0, 0), kept=True)
    path = reverse("ask-for-regrade", args=[school.submission.pk])

    form = school.browser(school.student).get(path).content.decode()

    assert "double(3) is 6." in form
    assert "Every element" not in form
    assert ask(school, CHECK) == 400


def test_before_reports_are_released_nothing_is_asked(asked: School) -> None:
    asked.assignment.feedback = CourseAssignment.Feedback.ON_RELEASE
    asked.assignment.save()

    assert ask(asked) == 302
    assert not RegradeRequest.objects.exists()
    assert "test_values" not in receipt(asked)


def test_nobody_asks_for_somebody_else(asked: School) -> None:
    path = reverse("ask-for-regrade", args=[asked.submission.pk])

    for person, status in ((asked.classmate, 404), (asked.instructor, 302)):
        answer = asked.browser(person).post(path, {"check": CHECK, "sentence": "It is right."})
        assert answer.status_code == status
    assert not RegradeRequest.objects.exists()


def test_what_is_granted_gives_points_at_once_and_is_in_the_trail(asked: School) -> None:
    ask(asked)
    listed = reverse("regrade-requests", args=[asked.assignment.pk])
    assert "It is &lt;b&gt;right&lt;/b&gt;." in asked.browser(asked.grader).get(listed).content.decode()

    assert answer(asked, state="granted", points="2,5", answer="The check was too strict.") == 302

    assert standing(asked.submission).points == 4.5
    entry = Entry.objects.get(action="regrade granted")
    assert (entry.who, entry.whom) == (asked.instructor.pk, asked.student.pk)
    assert (entry.before, entry.after) == (
        {"state": "open", "points": 0.0},
        {"state": "granted", "points": 2.5},
    )
    assert entry.why == "The check was too strict."
    assert "The check was too strict." in receipt(asked)


def test_a_release_that_is_taken_back_takes_the_answers_with_it(asked: School) -> None:
    ask(asked)
    answer(asked, state="granted", points="2.5", answer="You get 2.5 points.")
    assert "You get 2.5 points." in receipt(asked)

    asked.assignment.feedback = CourseAssignment.Feedback.ON_RELEASE
    asked.assignment.save()

    assert "It is &lt;b&gt;right&lt;/b&gt;." in receipt(asked)  # their own words
    assert "2.5" not in receipt(asked)
    assert "granted" not in receipt(asked)
    path = reverse("submission", args=[asked.submission.pk])
    assert "You get 2.5 points." in asked.browser(asked.grader).get(path).content.decode()


def test_the_answer_about_a_check_that_is_kept_again_is_kept_too(school: School) -> None:
    keep_result(school.submission, (2, 0), kept=True)
    school.assignment.due_at = timezone.now() - timedelta(hours=1)
    school.assignment.save()
    answer(school, state="declined", answer="The second row is wrong.")
    assert "The second row is wrong." in receipt(school)

    Extension.objects.create(assignment=school.assignment, person=school.student, until="2 days")

    assert "The second row is wrong." not in receipt(school)


def test_an_id_longer_than_the_trail_keeps_is_cut_in_it(school: School) -> None:
    entry = "doubling/" + "x" * 250
    note(school.instructor, "points given", f"submission {school.submission.pk}, check {entry}")

    assert Entry.objects.get(action="points given").subject.endswith("xxx")


def test_what_is_declined_changes_no_points(asked: School) -> None:
    ask(asked)

    assert answer(asked, state="declined", points="3", answer="A square is no double.") == 302

    assert not Override.objects.exists()
    assert RegradeRequest.objects.get().state == RegradeRequest.State.DECLINED
    assert Entry.objects.filter(action="regrade declined").count() == 1


def test_an_answer_is_given_once(asked: School) -> None:
    ask(asked)
    answer(asked, state="declined", answer="A square is no double.")
    answer(asked, state="granted", points="3", answer="On second thoughts.")

    assert RegradeRequest.objects.get().answer == "A square is no double."
    assert not Override.objects.exists()


@pytest.mark.parametrize(
    "fields",
    [
        {"state": "granted", "points": "3.5", "answer": "Yes."},
        {"state": "granted", "points": "-1", "answer": "Yes."},
        {"state": "granted", "points": "nan", "answer": "Yes."},
        {"state": "granted", "points": "all", "answer": "Yes."},
        {"state": "open", "answer": "Yes."},
        {"state": "granted", "answer": ""},
    ],
)
def test_an_answer_that_makes_no_sense_changes_nothing(asked: School, fields: dict[str, str]) -> None:
    ask(asked)

    assert answer(asked, **fields) == 400
    assert RegradeRequest.objects.get().state == RegradeRequest.State.OPEN
    assert not Override.objects.exists()


def test_a_long_list_of_requests_comes_in_pages(asked: School) -> None:
    made = RegradeRequest.objects.bulk_create(
        RegradeRequest(
            submission=asked.submission,
            check_id=f"doubling/check_{number:03}",
            sentence="Look again.",
            state=RegradeRequest.State.OPEN if number < 120 else RegradeRequest.State.DECLINED,
            answered_at=None if number < 120 else asked.submission.received_at,
        )
        for number in range(180)
    )
    browser = asked.browser(asked.instructor)
    listed = reverse("regrade-requests", args=[asked.assignment.pk])
    seen: list[str] = []
    for number, on_it in ((1, 50), (2, 50), (3, 20)):
        text = browser.get(f"{listed}?page={number}").content.decode()
        waiting, _, answered = text.partition("60 answered")
        seen += re.findall(r"doubling/check_\d+", waiting)
        assert "120 waiting" in waiting
        assert waiting.count("Look again.") == on_it
        assert answered.count("<tr>") == 1 + 50
    assert seen == [one.check_id for one in made[:120]]

    last = browser.get(f"{listed}?page=2&answered=2").content.decode()
    assert last.partition("60 answered")[2].count("<tr>") == 1 + 10
    assert "?answered=2&amp;page=3" in last
    assert "?page=2&amp;answered=1" in last


def test_a_check_is_named_by_its_title_and_by_its_id_where_nothing_of_it_is_told(school: School) -> None:
    keep_result(school.submission, (2, 0), kept=True)
    shown = "<p>Every element is doubled. <span"
    assert shown not in receipt(school)

    CourseAssignment.objects.update(hidden_checks="always")

    assert shown in receipt(school)
    listed = reverse("regrade-requests", args=[school.assignment.pk])
    assert ">Every element is doubled.</a>" in school.browser(school.instructor).get(listed).content.decode()


def test_what_a_check_is_worth_is_said_in_words_that_fit(asked: School) -> None:
    path = reverse("ask-for-regrade", args=[asked.submission.pk])

    assert "(0 of 3 points)" in asked.browser(asked.student).get(path).content.decode()
    check = standing(asked.submission).result.checks[0]
    assert requests._of(check.model_copy(update={"points": 0.0, "max_points": 1.0})) == "0 of 1 point"


def test_a_report_leads_back_to_its_attempt(asked: School) -> None:
    path = reverse("report", args=[asked.submission.pk])
    back = reverse("submission", args=[asked.submission.pk])

    text = asked.browser(asked.student).get(path).content.decode()

    assert f'<a href="{back}">Back to attempt 1</a>' in text
