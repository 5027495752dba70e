"""What is graded again counts once it is accepted; who changes, by how much and why is shown before."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from attest.portal.audit.models import Entry
from attest.portal.courses.models import CourseAssignment
from attest.portal.errands.models import Errand
from attest.portal.errands.process import do_all
from attest.portal.grading import queue
from attest.portal.grading.models import Graded, Job, Override
from attest.portal.grading.results import keep
from attest.portal.grading.standing import own_attempts, standing
from attest.portal.handing_in.models import Submission
from attest.portal.handing_in.taking import take
from attest.portal.regrading.accepting import accept, bring_into_force
from attest.portal.regrading.models import Regrade, RegradedAttempt
from tests.attest.conftest import RIGHT, WRONG
from tests.portal.prose import WHY, answer_of, keep_words, send
from tests.portal.school import School, keep_result, result_of


def path_of(school: School) -> str:
    return f"/assignments/{school.assignment.pk}/regrade/"


def ask(school: School, which: str = "all", **fields: str) -> Regrade:
    """Ask for grading again as an instructor does."""
    browser = school.browser(school.instructor)
    answer = browser.post(path_of(school), {"which": which, "why": "A check was mended.", **fields})
    assert answer.status_code == 302, answer.content.decode()
    return Regrade.objects.latest("pk")


def page_of(school: School, regrade: Regrade) -> str:
    return school.browser(school.instructor).get(f"/regrades/{regrade.pk}/").content.decode()


def decide(school: School, regrade: Regrade, what: str, *people: int) -> None:
    browser = school.browser(school.instructor)
    browser.post(f"/regrades/{regrade.pk}/", {"what": what, "person": [str(one) for one in people]})
    do_errands()


def do_errands() -> None:
    """Bring into force what was accepted, as a process of its own does."""
    do_all({Errand.Kind.ACCEPTANCE: bring_into_force})


def points(submission: Submission) -> float | None:
    return standing(Submission.objects.get(pk=submission.pk)).points


@pytest.fixture
def other(school: School) -> Submission:
    """A classmate's attempt, graded."""
    submission = take(school.assignment, school.classmate, [("double.py", WRONG.encode())])
    keep_result(school.submission, (2, 0))
    keep_result(submission, (0, 0))
    return submission


def test_the_check_that_was_asked_for_is_named_by_its_title(school: School, other: Submission) -> None:
    regrade = ask(school, "check", check="doubling/test_values")

    assert "Every element is doubled.</dd>" in page_of(school, regrade)
    decide(school, regrade, "discard")
    earlier = school.browser(school.instructor).get(path_of(school)).content.decode().partition("Earlier")[2]
    assert "Every element is doubled.</td>" in earlier
    assert "doubling/test_values" not in earlier


def test_nothing_counts_before_it_is_accepted(school: School, other: Submission) -> None:
    regrade = ask(school)
    assert Job.objects.filter(again=True).count() == 2
    assert "0 of 2 attempts have been graded again." in page_of(school, regrade)
    keep_result(school.submission, (2, 3))
    keep_result(other, (0, 0))

    text = page_of(school, regrade)

    assert (points(school.submission), points(other)) == (2, 0)
    assert "1 of 2 students changes: 1 gains, 0 lose." in text
    assert "2 of 5" in text
    assert "5 of 5" in text
    assert "failed, 0 of 3 → passed, 3 of 3" in text
    student = school.browser(school.student).get(f"/submissions/{school.submission.pk}/").content.decode()
    assert "2<span> of 5 points" in student
    decide(school, regrade, "accept-all")

    assert (points(school.submission), points(other)) == (5, 0)
    assert Graded.objects.filter(stands=True).count() == 2
    assert set(RegradedAttempt.objects.values_list("decision", flat=True)) == {"accepted"}
    regrade.refresh_from_db()
    assert regrade.settled_at is not None
    entry = Entry.objects.get(action="regrade accepted", subject=f"submission {school.submission.pk}")
    assert (entry.who, entry.whom) == (school.instructor.pk, school.student.pk)
    assert (entry.before, entry.after) == ({"points": 2.0}, {"points": 5.0})
    assert entry.why == "A check was mended."


def test_it_is_accepted_for_some_and_discarded_for_the_others(school: School, other: Submission) -> None:
    regrade = ask(school)
    keep_result(school.submission, (2, 3))
    keep_result(other, (2, 0))

    decide(school, regrade, "accept", school.student.pk)
    assert (points(school.submission), points(other)) == (5, 0)
    assert "1 of 1 student changes" in page_of(school, regrade)
    decide(school, regrade, "discard")

    assert (points(school.submission), points(other)) == (5, 0)
    text = page_of(school, regrade)
    assert "1 accepted, 1 discarded" in text
    decide(school, regrade, "accept-all")  # too late
    assert points(other) == 0


def test_students_and_graders_see_nothing_of_it_meanwhile(school: School, other: Submission) -> None:
    ask(school)
    for text in (
        school.browser(school.student).get(f"/submissions/{school.submission.pk}/").content.decode(),
        school.browser(school.student).get(f"/assignments/{school.assignment.pk}/").content.decode(),
    ):
        assert "queue" not in text
    assert "2<span> of 5 points" in text or "2 of 5" in text
    assert standing(Submission.objects.get(pk=other.pk)).job.state == Job.State.DONE  # type: ignore[union-attr]


def test_new_submissions_go_on_and_are_graded_first(school: School, other: Submission) -> None:
    regrade = ask(school)
    new = take(school.assignment, school.classmate, [("double.py", RIGHT.encode())])
    first = queue.claim("worker")
    assert first is not None
    assert first.submission == new
    keep(first, "worker", result_of(new, (2, 3)))
    keep_result(school.submission, (2, 3))
    keep_result(other, (2, 0))

    decide(school, regrade, "accept-all")

    assert (points(school.submission), points(other), points(new)) == (5, 2, 5)


def test_points_that_people_gave_stay_on_both_sides(school: School, other: Submission) -> None:
    Override.objects.create(submission=other, check_id="doubling/test_public", points=1, reason="half of it")
    regrade = ask(school)
    keep_result(school.submission, (2, 0))
    keep_result(other, (2, 3))

    text = page_of(school, regrade)
    decide(school, regrade, "accept-all")

    assert "1 of 5" in text
    assert "4 of 5" in text
    assert points(other) == 4


def test_marks_of_answers_in_words_stay_on_both_sides(school: School) -> None:
    keep_words(school.submission, "It is added to itself.", (2, 0))
    send(school, school.grader, answer_of(school.student), WHY, 2.0)
    assert points(school.submission) == 4
    regrade = ask(school)
    keep_words(school.submission, "It is added to itself.", (2, 3))

    text = page_of(school, regrade)
    decide(school, regrade, "accept-all")

    assert "4 of 8" in text
    assert "7 of 8" in text
    assert points(school.submission) == 7


def test_only_who_failed_a_check_or_one_student_is_graded_again(school: School, other: Submission) -> None:
    for which, fields, expected in (
        ("check", {"check": "doubling/test_public"}, [other]),
        ("check", {"check": "doubling/test_values"}, [school.submission, other]),
        ("student", {"person": str(school.student.pk)}, [school.submission]),
    ):
        regrade = ask(school, which, **fields)
        assert [one.submission for one in regrade.attempts.order_by("submission_id")] == expected
        decide(school, regrade, "discard")
    assert not Job.objects.filter(again=True).exists()  # what nobody had begun is not graded


def test_where_the_last_attempt_counts_the_others_are_left(school: School, other: Submission) -> None:
    CourseAssignment.objects.update(counts=CourseAssignment.Counts.LAST)
    later = take(school.assignment, school.classmate, [("double.py", RIGHT.encode())])
    keep_result(later)

    regrade = ask(school)

    assert {one.submission for one in regrade.attempts.all()} == {school.submission, later}


def test_where_the_first_attempt_counts_the_others_are_left(school: School, other: Submission) -> None:
    CourseAssignment.objects.update(counts=CourseAssignment.Counts.FIRST)
    keep_result(take(school.assignment, school.classmate, [("double.py", RIGHT.encode())]))

    regrade = ask(school)

    assert {one.submission for one in regrade.attempts.all()} == {school.submission, other}


def test_which_attempt_counts_is_chosen_again(school: School, other: Submission) -> None:
    better = take(school.assignment, school.classmate, [("double.py", f"{WRONG}# again\n".encode())])
    keep_result(better, (2, 0))
    regrade = ask(school, "student", person=str(school.classmate.pk))
    keep_result(other, (2, 3))
    keep_result(better, (2, 0))

    text = page_of(school, regrade)

    assert "attempt 1 counts, not 2" in text
    assert "2 of 5" in text
    assert "5 of 5" in text
    decide(school, regrade, "accept", school.classmate.pk)
    attempts = own_attempts(CourseAssignment.objects.get(), school.classmate)
    assert [one.points for one in attempts] == [2, 5]


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"which": "all", "why": " "}, "Say in a sentence why"),
        ({"which": "half", "why": "x"}, "Choose one of these."),
        ({"which": "check", "check": "no/such", "why": "x"}, "Choose one of these checks."),
        ({"which": "student", "person": "99999", "why": "x"}, "Choose one of these students."),
        ({"which": "student", "person": "9" * 40, "why": "x"}, "Choose one of these students."),
        ({"which": "given_up", "why": "x"}, "No attempt is as you ask"),
    ],
)
def test_what_cannot_be_asked_is_said_beside_it(
    school: School, other: Submission, fields: dict[str, str], said: str
) -> None:
    answer = school.browser(school.instructor).post(path_of(school), fields)

    assert answer.status_code == 400
    assert said in answer.content.decode()
    assert not Regrade.objects.exists()


def test_one_regrade_at_a_time(school: School, other: Submission) -> None:
    regrade = ask(school)

    again = school.browser(school.administrator).post(path_of(school), {"which": "all", "why": "x"})

    assert again["Location"] == f"/regrades/{regrade.pk}/"
    assert Regrade.objects.count() == 1


def test_tests_that_have_changed_are_noticed_and_the_assignment_is_brought_up_to_date(
    school: School, other: Submission, tmp_path: Path
) -> None:
    folder = Path(shutil.copytree(school.assignment.folder, tmp_path / "doubling"))
    CourseAssignment.objects.update(folder=str(folder))
    browser = school.browser(school.instructor)
    assert "The tests have changed" not in browser.get(path_of(school)).content.decode()
    tests = folder / "tests" / "test_hidden.py"
    tests.write_text(tests.read_text().replace("@points(3", "@points(2"))
    table = folder / "assignment.toml"
    table.write_text(table.read_text().replace("points = 5", "points = 4"))
    assert (
        "2 attempts were graded by others than those of today"
        in browser.get(path_of(school)).content.decode()
    )

    regrade = ask(school, "outdated")

    assert regrade.attempts.count() == 2
    assert CourseAssignment.objects.get().max_points == 4
    entry = Entry.objects.get(action="assignment changed")
    assert (entry.before["max_points"], entry.after["max_points"]) == (5, 4)  # type: ignore[index]


def test_what_was_given_up_is_graded_again_and_stands_at_once(school: School) -> None:
    Job.objects.update(state=Job.State.POISONED, trouble="the grader died")
    regrade = ask(school, "given_up")
    keep_result(school.submission, (2, 3))

    assert points(school.submission) == 5
    decide(school, regrade, "discard")

    assert points(school.submission) == 5
    assert RegradedAttempt.objects.get().decision == "accepted"
    regrade.refresh_from_db()
    assert regrade.settled_at is not None


def test_what_cannot_be_graded_again_keeps_what_stands(school: School, other: Submission) -> None:
    regrade = ask(school)
    keep_result(school.submission, (2, 3))
    Job.objects.filter(submission=other, again=True).update(state=Job.State.POISONED, trouble="it died")

    text = page_of(school, regrade)
    decide(school, regrade, "accept-all")

    assert "1 attempt could not be graded" in text
    assert (points(school.submission), points(other)) == (5, 0)
    regrade.refresh_from_db()
    assert regrade.settled_at is not None


def test_the_report_of_what_does_not_stand_yet_is_the_instructors(school: School, other: Submission) -> None:
    ask(school)
    new = keep_result(school.submission, (2, 3))
    path = f"/results/{new.pk}/report/"

    def fetch(person: object) -> int:
        return school.browser(person).get(path).status_code  # type: ignore[arg-type]

    assert [fetch(one) for one in (school.instructor, school.grader, school.student)] == [200, 404, 404]
    text = school.browser(school.instructor).get(path).content.decode()
    assert "It is not doubled" not in text


def looked_at(school: School, **fields: str) -> str:
    path = f"/assignments/{school.assignment.pk}/adjustments/"
    answer = school.browser(school.instructor).post(path, {"why": "The check was wrong.", **fields})
    return answer.content.decode()


@pytest.mark.parametrize(
    ("what", "theirs", "others"), [("dropped", (2, 2), (0, 2)), ("given", (5, 5), (3, 5))]
)
def test_a_check_found_wrong_is_shown_then_counts_otherwise_for_everybody(
    school: School, other: Submission, what: str, theirs: tuple[int, int], others: tuple[int, int]
) -> None:
    check = {"check": "doubling/test_values", "what": what}

    text = looked_at(school, **check)
    assert points(school.submission) == 2  # nothing before one is sure
    looked_at(school, sure="yes", **check)

    assert "of 2 students" in text
    for submission, (got, most) in ((school.submission, theirs), (other, others)):
        found = standing(Submission.objects.get(pk=submission.pk))
        assert (found.points, found.max_points) == (got, most)
    report = school.browser(school.student).get(f"/submissions/{school.submission.pk}/report/")
    assert "The check was wrong." in report.content.decode()
    entry = Entry.objects.get(action="check adjusted")
    assert (entry.after, entry.why) == ({"kind": what}, "The check was wrong.")
    new = take(school.assignment, school.classmate, [("double.py", f"{WRONG}# new\n".encode())])
    keep_result(new, (0, 0))  # also what comes later
    assert points(new) == others[0]

    text = looked_at(school, check="doubling/test_values", what="take-back")
    looked_at(school, check="doubling/test_values", what="take-back", sure="yes")

    found = standing(Submission.objects.get(pk=school.submission.pk))
    assert (found.points, found.max_points) == (2, 5)
    assert Entry.objects.filter(action="check adjusted").count() == 2


def test_a_check_that_is_dropped_counts_nothing_whatever_points_were_given(
    school: School, other: Submission
) -> None:
    Override.objects.create(submission=other, check_id="doubling/test_values", points=3, reason="by hand")

    looked_at(school, check="doubling/test_values", what="dropped", sure="yes")

    found = standing(Submission.objects.get(pk=other.pk))
    assert (found.points, found.max_points) == (0, 2)


@pytest.mark.parametrize("fields", [{"what": "dropped"}, {"check": "doubling/test_values", "what": "x"}])
def test_no_check_is_adjusted_by_a_slip(school: School, other: Submission, fields: dict[str, str]) -> None:
    assert "Choose one of" in looked_at(school, sure="yes", **fields)
    assert (points(school.submission), points(other)) == (2, 0)


def test_a_class_is_accepted_with_as_many_updates_as_one_student(school: School, other: Submission) -> None:
    regrade = ask(school)
    keep_result(school.submission, (2, 3))
    keep_result(other, (2, 0))
    assert accept(regrade, school.instructor) == 2

    with CaptureQueriesContext(connection) as queries:
        do_errands()

    asked = [one["sql"] for one in queries]
    assert (points(school.submission), points(other)) == (5, 2)
    assert sum('FROM "marking_markingrules"' in sql for sql in asked) == 1
    assert sum(sql.startswith('UPDATE "grading_graded"') for sql in asked) == 2
    assert sum(sql.startswith('UPDATE "regrading_regradedattempt"') for sql in asked) == 1
