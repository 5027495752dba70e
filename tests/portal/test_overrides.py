"""Points given by hand: for a check or the whole, read by the student with the reason, and taken back."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.urls import reverse
from django.utils import timezone

from attest.portal.audit.models import Entry
from attest.portal.courses.models import CourseAssignment
from attest.portal.grading.models import Graded, Override
from attest.portal.grading.standing import Standing, standing
from attest.portal.handing_in.models import Submission
from graders.result import COMPUTED, Status
from tests.portal.school import School, keep_result

CHECK = "doubling/test_values"


def send(school: School, **fields: str) -> int:
    path = reverse("override", args=[school.submission.pk])
    return school.browser(school.instructor).post(path, fields).status_code


def now_of(school: School) -> Standing:
    return standing(Submission.objects.get(pk=school.submission.pk))


def student_reads(school: School, name: str = "report") -> str:
    text: str = (
        school.browser(school.student).get(reverse(name, args=[school.submission.pk])).content.decode()
    )
    return text


def test_points_for_one_check_count_at_once_and_stand_in_the_report_with_the_reason(school: School) -> None:
    keep_result(school.submission, (2, 0))

    assert send(school, part=CHECK, points="2,5", reason="The <idea> is right.") == 302

    assert now_of(school).points == 4.5
    page = student_reads(school, "submission")
    assert "Every element is doubled: <b>2.5 points</b>" in page
    assert "The &lt;idea&gt; is right." in page
    report = student_reads(school)
    assert "Your instructor gave 2.5 points in place of 0." in report
    assert "The reason: The &lt;idea&gt; is right." in report
    assert "4.5<span> of 5" in report
    entry = Entry.objects.get(action="points given")
    assert (entry.who, entry.whom) == (school.instructor.pk, school.student.pk)
    assert (entry.before, entry.after, entry.why) == ({"points": 0}, {"points": 2.5}, "The <idea> is right.")
    assert entry.subject == f"submission {school.submission.pk}, check {CHECK}"


def test_a_reason_is_read_when_the_check_is_and_the_points_are(school: School) -> None:
    keep_result(school.submission, (2, 0), kept=True)
    send(school, part=CHECK, points="1", reason="Half of it.")
    assert "Half of it." not in student_reads(school, "submission")  # before the due date
    assert "Half of it." not in student_reads(school)
    school.assignment.due_at = timezone.now() - timedelta(hours=1)
    school.assignment.save()
    assert "Half of it." in student_reads(school, "submission")
    assert "Half of it." in student_reads(school)

    school.assignment.feedback = CourseAssignment.Feedback.ON_RELEASE
    school.assignment.save()

    assert "Half of it." not in student_reads(school, "submission")


def test_points_for_the_whole_stand_whatever_the_checks_come_to(school: School) -> None:
    keep_result(school.submission, (2, 0))

    assert send(school, part="", points="5", reason="Shown in the tutorial.") == 302

    assert now_of(school).points == 5
    assert "5<span> of 5 points" in student_reads(school, "submission")
    report = student_reads(school)
    assert "Your instructor gave 5 points, whatever its parts come to." in report
    assert "The reason: Shown in the tutorial." in report


def test_what_was_given_is_taken_back(school: School) -> None:
    keep_result(school.submission, (2, 0))
    send(school, part=CHECK, points="3", reason="Right.")

    assert send(school, what="take-back", part=CHECK, reason="On second thoughts.") == 302

    assert now_of(school).points == 2
    assert "Your instructor gave" not in student_reads(school)
    entry = Entry.objects.get(action="points taken back")
    assert (entry.before, entry.after, entry.why) == ({"points": 3}, None, "On second thoughts.")
    assert send(school, what="take-back", part=CHECK, reason="Again.") == 400


def test_a_whole_submission_that_could_not_be_graded_can_have_points(school: School) -> None:
    assert send(school, part="", points="4", reason="Our machine failed; it was read by hand.") == 302

    assert now_of(school).points == 4
    school.submission.jobs.update(state="poisoned")
    assert "4<span> of 5 points" in student_reads(school, "submission")


def test_a_result_that_came_to_nothing_shows_the_points_that_were_given(school: School) -> None:
    graded = keep_result(school.submission, (0, 0))
    result = graded.result.model_copy(update={"status": Status.NOT_GRADED, "checks": ()})
    Graded.objects.update(
        document=result.model_dump_json(exclude=COMPUTED), status=Status.NOT_GRADED, max_points=5
    )

    assert send(school, part="", points="4", reason="Read by hand.") == 302

    report = student_reads(school)
    assert "4<span> points" in report
    assert "The reason: Read by hand." in report


@pytest.mark.parametrize(
    "fields",
    [
        {"part": CHECK, "points": "3.5", "reason": "More than it is worth."},
        {"part": CHECK, "points": "-1", "reason": "Less than nothing."},
        {"part": CHECK, "points": "nan", "reason": "No number."},
        {"part": CHECK, "points": "", "reason": "Nothing."},
        {"part": CHECK, "points": "1", "reason": "  "},
        {"part": CHECK, "points": "1", "reason": "x" * 2001},
        {"part": "doubling/test_unknown", "points": "1", "reason": "No such check."},
        {"part": "", "points": "5.5", "reason": "More than all."},
        {"what": "take-back", "part": CHECK, "reason": "Nothing was given."},
    ],
)
def test_what_makes_no_sense_gives_nothing(school: School, fields: dict[str, str]) -> None:
    keep_result(school.submission, (2, 0))

    assert send(school, **fields) == 400
    assert not Override.objects.exists()
    assert not Entry.objects.filter(action__startswith="points").exists()


def test_points_for_a_check_that_is_worth_less_by_now_are_at_most_that(school: School) -> None:
    keep_result(school.submission, (2, 0))
    Override.objects.create(submission=school.submission, check_id=CHECK, points=30, reason="Once.")

    assert now_of(school).points == 5


def test_what_was_given_for_a_check_that_is_gone_changes_nothing_and_can_be_taken_back(
    school: School,
) -> None:
    keep_result(school.submission, (2, 0))
    Override.objects.create(submission=school.submission, check_id="doubling/gone", points=1, reason="Once.")
    browser = school.browser(school.instructor)

    text = browser.get(reverse("override", args=[school.submission.pk])).content.decode()

    assert "which is no longer asked" in text
    assert now_of(school).points == 2
    assert send(school, what="take-back", part="doubling/gone", reason="It is gone.") == 302
    assert not now_of(school).given
