"""How a submission stands: which attempt counts, what lateness and instructors make of it, who sees what."""

from __future__ import annotations

import re
from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from attest.portal.courses.models import CourseAssignment, Extension
from attest.portal.grading import queue
from attest.portal.grading.models import Graded, Override, Release
from attest.portal.grading.results import keep, of_attempt, same_work
from attest.portal.grading.standing import counting, own_attempts, shows_kept_checks, standing
from attest.portal.handing_in.models import Submission
from attest.portal.handing_in.taking import take
from attest.portal.people.models import Person
from graders.result import Status
from tests.attest.conftest import RIGHT, WRONG
from tests.portal.prose import write
from tests.portal.school import School, keep_result, result_of


def attempt(school: School, points: tuple[float, float]) -> Submission:
    submission = take(school.assignment, school.classmate, [("double.py", f"# {points}".encode())])
    keep_result(submission, points)
    return submission


def test_the_best_attempt_counts_and_of_equals_the_later(school: School) -> None:
    for points in ((2, 0), (2, 3), (2, 3), (0, 0)):
        attempt(school, points)

    best = counting(school.assignment, own_attempts(school.assignment, school.classmate))

    assert best is not None
    assert (best.points, best.submission.attempt) == (5, 3)


def test_or_the_last(school: School) -> None:
    school.assignment.counts = CourseAssignment.Counts.LAST
    for points in ((2, 3), (2, 0)):
        attempt(school, points)

    last = counting(school.assignment, own_attempts(school.assignment, school.classmate))

    assert last is not None
    assert last.points == 2


def test_or_the_first_even_while_it_is_not_graded(school: School) -> None:
    school.assignment.counts = CourseAssignment.Counts.FIRST
    take(school.assignment, school.classmate, [("double.py", b"# early")])
    attempt(school, (2, 3))

    first = counting(school.assignment, own_attempts(school.assignment, school.classmate))

    assert first is not None
    assert (first.points, first.submission.attempt) == (None, 1)
    assert counting(school.assignment, []) is None


def test_lateness_is_worked_out_when_somebody_looks(school: School) -> None:
    submission = attempt(school, (2, 3))
    school.assignment.due_at = timezone.now() - timedelta(hours=30)
    school.assignment.late_policy = "10% per day"
    school.assignment.save()
    submission.refresh_from_db()

    assert standing(submission).points == 4  # 30 hours: two days begun
    Extension.objects.create(
        assignment=school.assignment, person=school.classmate, until="1 day", reason="ill"
    )
    assert standing(submission).points == 4.5
    Extension.objects.create(
        assignment=school.assignment, person=school.classmate, until="2 days", reason="ill"
    )
    assert standing(submission).points == 5
    assert standing(submission).late is None


def test_lateness_without_a_policy_is_shown_and_costs_nothing(school: School) -> None:
    submission = attempt(school, (2, 3))
    school.assignment.due_at = timezone.now() - timedelta(hours=30)
    school.assignment.save()
    submission.refresh_from_db()

    found = standing(submission)

    assert found.points == 5
    assert found.late is not None
    assert found.late.percent == 0


def test_the_latest_override_counts_and_can_be_taken_back(school: School) -> None:
    submission = attempt(school, (0, 0))

    def override(check: str, points: float | None) -> float | None:
        Override.objects.create(submission=submission, check_id=check, points=points, reason="looked at it")
        return standing(Submission.objects.get(pk=submission.pk)).points

    assert override("doubling/test_values", 3) == 3
    assert override("doubling/test_values", 1.5) == 1.5
    assert override("", 4) == 4
    assert override("", None) == 1.5
    assert override("doubling/test_values", None) == 0


def test_a_job_is_kept_once_and_by_who_holds_it(school: School) -> None:
    job = queue.claim("first")
    assert job is not None
    result = result_of(school.submission, (2, 3))

    assert keep(job, "another", result) is None
    assert keep(job, "first", result) is not None
    assert keep(job, "first", result) is None
    assert Graded.objects.count() == 1


def test_what_is_graded_again_waits_to_be_accepted(school: School) -> None:
    first = keep_result(school.submission, (2, 0))
    queue.enqueue(school.submission, by=school.instructor, again=True)

    again = keep_result(school.submission, (2, 3))

    assert (first.stands, again.stands) == (True, False)
    assert standing(school.submission).points == 2


def test_the_same_files_of_the_same_student_are_known(school: School) -> None:
    graded = keep_result(school.submission)
    same = take(school.assignment, school.student, [("double.py", RIGHT.encode())])
    other = take(school.assignment, school.student, [("double.py", WRONG.encode())])
    anothers = take(school.assignment, school.classmate, [("double.py", RIGHT.encode())])

    assert same_work(same, graded.assignment_hash) == graded
    assert same_work(same, "sha256:of other tests") is None
    assert same_work(other, graded.assignment_hash) is None
    assert same_work(anothers, graded.assignment_hash) is None
    assert of_attempt(graded.result, same).submission.attempt == 2


def test_with_other_versions_nothing_is_known(school: School) -> None:
    graded = keep_result(school.submission)
    same = take(school.assignment, school.student, [("double.py", RIGHT.encode())])
    Graded.objects.update(versions="attest 0.0.1, torch 1.0")

    assert same_work(same, graded.assignment_hash) is None


def test_reports_wait_for_the_release_where_that_is_asked(school: School) -> None:
    keep_result(school.submission)
    school.assignment.feedback = CourseAssignment.Feedback.ON_RELEASE
    school.assignment.save()
    student, grader = school.browser(school.student), school.browser(school.grader)
    receipt = f"/submissions/{school.submission.pk}/"

    assert student.get(f"{receipt}report/").status_code == 404
    assert "when your instructor releases it" in student.get(receipt).content.decode()
    assert "5 of 5" not in student.get(f"/assignments/{school.assignment.pk}/").content.decode()
    assert grader.get(f"{receipt}report/").status_code == 200

    Release.objects.create(assignment=school.assignment, by=school.instructor)

    assert student.get(f"{receipt}report/").status_code == 200


@pytest.mark.parametrize(
    ("policy", "before", "after"),
    [("never", False, False), ("after_due", False, True), ("always", True, True)],
)
def test_kept_checks_are_shown_by_policy(school: School, policy: str, before: bool, after: bool) -> None:
    school.assignment.hidden_checks = policy
    school.assignment.due_at = timezone.now() + timedelta(hours=1)
    assert shows_kept_checks(school.assignment, school.student) is before
    school.assignment.due_at = timezone.now() - timedelta(hours=1)
    assert shows_kept_checks(school.assignment, school.student) is after
    Extension.objects.create(assignment=school.assignment, person=school.student, until="1 day", reason="ill")
    assert shows_kept_checks(school.assignment, school.student) is before


def test_before_it_is_due_no_score_tells_of_the_checks_that_are_kept(school: School) -> None:
    school.assignment.due_at = timezone.now() + timedelta(hours=1)
    school.assignment.save()
    keep_result(school.submission, (2, 1), kept=True)
    receipt = f"/submissions/{school.submission.pk}/"

    def seen(person: Person) -> str:
        browser = school.browser(person)
        return "".join(
            browser.get(path).content.decode()
            for path in (receipt, f"/assignments/{school.assignment.pk}/", f"/courses/{school.course.pk}/")
        )

    text = seen(school.student)
    assert text.count("2 of 2") == 2
    assert "2<span> of 2 points" in text
    assert "of 5" not in text
    assert "3<span> of 5 points" in seen(school.grader)

    CourseAssignment.objects.update(due_at=timezone.now() - timedelta(hours=1))
    school.submission.refresh_from_db()
    assert seen(school.student).count("3 of 5") == 2


def test_a_list_of_a_whole_class_reads_no_documents(school: School) -> None:
    keep_result(school.submission, (2, 1))
    browser = school.browser(school.instructor)

    with CaptureQueriesContext(connection) as queries:
        text = browser.get(f"/assignments/{school.assignment.pk}/submissions/").content.decode()

    assert "3 of 5" in text
    assert not [one for one in queries if '"document"' in one["sql"]]


def test_a_document_is_read_once_for_however_many_looks_at_its_points(
    school: School, monkeypatch: pytest.MonkeyPatch
) -> None:
    keep_result(school.submission, (2, 0))
    Override.objects.create(
        submission=school.submission, check_id="doubling/test_values", points=1, reason="looked at it"
    )
    found, read = standing(school.submission), []
    document = Graded.result.fget  # type: ignore[attr-defined]
    monkeypatch.setattr(Graded, "result", property(lambda one: read.append(one) or document(one)))

    assert [(found.points, found.max_points) for _ in range(3)] == [(3, 5)] * 3
    assert len(read) == 1


def test_what_waits_for_a_person_is_said_wherever_a_student_reads_points(school: School) -> None:
    submission = write(school, school.classmate, "It is added to itself.")
    assert standing(submission).undecided == "3 wait for a person"
    browser = school.browser(school.classmate)

    for path in (
        f"/submissions/{submission.pk}/",
        f"/assignments/{school.assignment.pk}/",
        f"/courses/{school.course.pk}/",
    ):
        text = " ".join(browser.get(path).content.decode().split())
        assert re.search(r"5(<span>)? of 8( points)?, 3 wait for a person", text), path

    Override.objects.create(submission=submission, points=6, reason="all of it")
    submission = Submission.objects.get(pk=submission.pk)
    assert standing(submission).undecided == ""


def test_why_nothing_could_be_read_is_on_the_receipt(school: School) -> None:
    said = "double.docx is a Word document; hand in the .py itself."
    submission = take(school.assignment, school.classmate, [("double.docx", b"PK")])
    job = queue.claim("a test", job_id=submission.jobs.latest("id").pk)
    assert job is not None
    unread = result_of(submission, (0, 0)).model_copy(update={"status": Status.UNREADABLE, "message": said})
    keep(job, "a test", unread)

    assert said in school.browser(school.classmate).get(f"/submissions/{submission.pk}/").content.decode()
