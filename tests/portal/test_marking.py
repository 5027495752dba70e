"""People mark answers in words: what they give counts at once, stays, and is never lost or written over."""

from __future__ import annotations

import io
import json
import re
from importlib import import_module

import pytest
from django.apps import apps
from django.db import connection
from django.test.utils import CaptureQueriesContext

from attest.portal import backup
from attest.portal.audit.models import Entry
from attest.portal.courses.models import CourseAssignment
from attest.portal.grading import queue
from attest.portal.grading.models import Override, Release
from attest.portal.grading.standing import counting, own_attempts, standing
from attest.portal.handing_in.models import Submission
from attest.portal.marking.models import (
    Finding,
    Level,
    Mark,
    MarkingRules,
    ReusableComment,
    WrittenAnswer,
)
from attest.portal.marking.reading import lines_of
from attest.portal.people.models import Person
from tests.portal.prose import WHEN, WHY, another_grader, answer_of, classmates, keep_words, send, write
from tests.portal.school import School
from tests.portal.test_own_data import exported, forget

WORDS = "  It is <b>added</b> & doubled:\n\n\tx + x\n"


def points_of(submission: Submission) -> tuple[float | None, float]:
    """The points that count, and those that wait."""
    found = standing(Submission.objects.get(pk=submission.pk))
    return found.points, found.sums.pending_points


def page_of(school: School, person: Person, answer: WrittenAnswer) -> str:
    return school.browser(person).get(f"/answers/{answer.key}/").content.decode()


def test_an_answer_is_shown_exactly_as_it_was_written_with_what_was_measured(school: School) -> None:
    write(school, school.classmate, WORDS)

    text = page_of(school, school.grader, answer_of(school.classmate))

    assert "<pre>  It is &lt;b&gt;added&lt;/b&gt; &amp; doubled:\n\n\tx + x</pre>" in text
    assert "66,048" in text
    assert "Look for the sum." in text


def test_a_mark_counts_at_once_and_pending_ends_when_all_is_marked(school: School) -> None:
    submission = write(school, school.classmate, WORDS)
    answer = answer_of(school.classmate)
    assert points_of(submission) == (5, 3)

    assert send(school, school.grader, answer, WHY, 1, words="Say more.")[0] == 200
    assert points_of(submission) == (6, 1)
    send(school, school.grader, answer, WHEN, 1)

    assert points_of(submission) == (7, 0)
    report = school.browser(school.classmate).get(f"/submissions/{submission.pk}/report/").content.decode()
    assert "Say more." in report
    assert "Look for the sum." not in report
    entry = Entry.objects.filter(action="answer marked").earliest("pk")
    assert (entry.who, entry.whom) == (school.grader.pk, school.classmate.pk)
    assert entry.subject == f"submission {submission.pk}, check {WHY}"
    assert (entry.before, entry.after) == ({"points": None}, {"points": 1.0, "seat": "first"})
    assert "doubled" not in str(list(Entry.objects.values()))


def test_what_an_instructor_gave_for_an_item_goes_before_its_mark(school: School) -> None:
    submission = write(school, school.classmate, WORDS)
    send(school, school.grader, answer_of(school.classmate), WHY, 1)

    Override.objects.create(submission=submission, check_id=WHY, points=2, reason="looked at it")

    assert points_of(submission) == (7, 1)


def test_a_mark_survives_grading_again_and_a_further_attempt_with_the_same_words(school: School) -> None:
    submission = write(school, school.classmate, WORDS)
    send(school, school.grader, answer_of(school.classmate), WHY, 2)

    queue.enqueue(submission, by=school.instructor, again=True)
    again = keep_words(submission, WORDS, (0, 3))
    submission.results.update(stands=False)
    again.stands = True
    again.save()
    further = write(school, school.classmate, WORDS, (2, 0))
    other = write(school, school.classmate, "Other words.", (2, 0))

    assert points_of(submission) == (5, 1)
    assert points_of(further) == (4, 1)
    assert points_of(other) == (2, 3)


def test_a_mark_that_is_more_than_its_item_is_worth_now_waits_again(school: School) -> None:
    write(school, school.classmate, WORDS)
    send(school, school.grader, answer_of(school.classmate), WHY, 2)

    less = write(school, school.classmate, WORDS, items=((WHY, "Says why", 1.0), (WHEN, "Says when", 2.0)))

    assert points_of(less) == (5, 3)


def test_what_is_taken_back_waits_again(school: School) -> None:
    submission = write(school, school.classmate, WORDS)
    answer = answer_of(school.classmate)
    send(school, school.grader, answer, WHY, 2)

    assert send(school, school.grader, answer, WHY, None, version="1")[0] == 200

    assert points_of(submission) == (5, 3)
    assert Entry.objects.filter(action="mark taken back").count() == 1


def test_nobody_writes_over_what_somebody_else_gave_meanwhile(school: School) -> None:
    submission = write(school, school.classmate, WORDS)
    answer = answer_of(school.classmate)
    other = another_grader(school)
    send(school, other, answer, WHY, 1, words="Half of it.")

    status, said = send(school, school.grader, answer, WHY, 2)

    assert status == 409
    assert isinstance(said["meanwhile"], dict)
    assert (said["meanwhile"]["points"], said["meanwhile"]["words"]) == (1.0, "Half of it.")
    assert said["meanwhile"]["by"] == "Second"
    assert points_of(submission)[0] == 6
    assert send(school, school.grader, answer, WHY, 2, version="1")[0] == 200
    assert points_of(submission)[0] == 7


def test_what_is_sent_again_because_no_answer_came_is_kept_once(school: School) -> None:
    write(school, school.classmate, WORDS)
    answer = answer_of(school.classmate)
    send(school, school.grader, answer, WHY, 1, edit="a")

    assert send(school, school.grader, answer, WHY, 1, edit="a")[0] == 200
    assert Mark.objects.get().version == 1
    assert send(school, school.grader, answer, WHY, 2, edit="b", earlier="a")[0] == 200

    assert Mark.objects.get().points == 2
    assert Entry.objects.filter(action="answer marked").count() == 2


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"item": "doubling/unknown", "level": ""}, "no rubric item"),
        ({"level": "999999"}, "no longer offered"),
        ({"level": "one"}, "cannot be read"),
        ({"comments": "999999"}, "not of this course"),
        ({"words": "x" * 5001}, "5,001 characters"),
        ({"settles": "1"}, "nothing to settle"),
    ],
)
def test_what_makes_no_sense_changes_nothing(school: School, fields: dict[str, str], said: str) -> None:
    write(school, school.classmate, WORDS)

    status, answer = send(school, school.grader, answer_of(school.classmate), WHY, 1, **fields)

    assert (status, said in str(answer["refused"])) == (400, True)
    assert not Mark.objects.exists()


def test_without_a_script_a_button_sends_its_form(school: School) -> None:
    write(school, school.classmate, WORDS)
    answer = answer_of(school.classmate)
    text = page_of(school, school.grader, answer)
    found = re.search(r'<button name="level" value="(\d+)" data-points="2.0"', text)
    assert found

    sent = {"item": WHY, "level": found[1], "version": "0", "words": "Well said."}
    gone = school.browser(school.grader).post(f"/answers/{answer.key}/mark/", sent)

    assert gone["Location"] == f"/answers/{answer.key}/"
    assert (Mark.objects.get().points, Mark.objects.get().words) == (2, "Well said.")


def test_before_reports_are_released_no_mark_is_seen(school: School) -> None:
    CourseAssignment.objects.update(feedback=CourseAssignment.Feedback.ON_RELEASE)
    school.assignment.refresh_from_db()
    submission = write(school, school.classmate, WORDS)
    send(school, school.grader, answer_of(school.classmate), WHY, 1, words="Say more.")

    def seen() -> str:
        receipt = school.browser(school.classmate).get(f"/submissions/{submission.pk}/").content
        return receipt.decode() + exported(school.classmate)["person.json"].decode()

    assert "Say more." not in seen()
    assert "6<span>" not in seen()
    assert "answer marked" not in seen()
    Release.objects.create(assignment=school.assignment)
    assert "Say more." in seen()
    assert "6<span>" in seen()
    assert "answer marked" in seen()


def test_who_wrote_nothing_waits_for_nobody_and_can_be_marked(school: School) -> None:
    submission = write(school, school.classmate, "")
    assert points_of(submission) == (5, 0)
    (line,) = lines_of(school.assignment, "doubling", school.grader)
    assert line.is_done

    send(school, school.grader, answer_of(school.classmate), WHY, 1)

    assert points_of(submission) == (6, 0)


def test_of_several_attempts_that_one_is_marked_that_counts(school: School) -> None:
    write(school, school.classmate, "First words.", (2, 3))
    write(school, school.classmate, "Second words.", (2, 3))
    write(school, school.classmate, "Third words.", (2, 0))

    def marked() -> str:
        (line,) = lines_of(school.assignment, "doubling", school.grader)
        return line.answer.text

    assert marked() == "Second words."
    school.assignment.counts = CourseAssignment.Counts.LAST
    assert marked() == "Third words."
    school.assignment.counts = CourseAssignment.Counts.FIRST
    assert marked() == "First words."


def test_an_attempt_that_came_late_is_marked_only_where_it_counts(school: School) -> None:
    school.assignment.due_at = school.submission.received_at
    school.assignment.late_policy = "50% per day"
    school.assignment.save()
    early = write(school, school.classmate, "In time.", (2, 1))
    Submission.objects.filter(pk=early.pk).update(received_at=school.assignment.due_at)
    write(school, school.classmate, "Late.", (2, 3))

    (line,) = lines_of(school.assignment, "doubling", school.grader)

    best = counting(school.assignment, own_attempts(school.assignment, school.classmate))
    assert best is not None
    assert (line.answer.text, best.submission.attempt) == ("In time.", 1)


def test_each_grader_has_an_order_of_their_own_that_stays(school: School) -> None:
    people = classmates(school, 8)
    for person in people:
        write(school, person, f"Words of {person.pk}.")

    def order(grader: Person) -> list[int]:
        return [line.answer.person_id for line in lines_of(school.assignment, "doubling", grader)]

    own, others = order(school.grader), order(school.instructor)

    assert own == order(school.grader)
    assert sorted(own) == sorted(others)
    assert own != others
    assert own != sorted(own)


def test_who_marks_blind_finds_no_name_id_or_address_on_any_page(school: School) -> None:
    for person in classmates(school, 3):
        write(school, person, "The same words." if person.pk % 2 else "The same words!")
    browser = school.browser(school.instructor)
    root = f"/assignments/{school.assignment.pk}/marking/"
    answer = WrittenAnswer.objects.earliest("pk")
    paths = [
        root,
        f"{root}of/doubling/",
        f"/answers/{answer.key}/",
        f"{root}of/doubling/alike/",
        f"{root}of/doubling/alike/?of={answer.key}",
        f"{root}agreement/",
        f"{root}rubric/",
    ]

    def told() -> str:
        texts = []
        for path in paths:
            page = browser.get(path)
            assert page.status_code == 200
            texts.append(page.content.decode())
        return "".join(texts)

    assert "Person1" in told()
    browser.post(f"{root}names/", {"names": "hide"})
    hidden = told()

    for word in ("Person", "person0", "id-", '@example.edu"', "lena_ito", "/submissions/1", "submission "):
        assert word not in hidden, word
    assert "notebook, Markdown cell 3" in hidden
    assert Entry.objects.filter(action="names hidden while marking").exists()


def test_names_that_are_hidden_from_everybody_are_shown_to_nobody(school: School) -> None:
    write(school, school.classmate, WORDS)
    root = f"/assignments/{school.assignment.pk}/marking/"
    school.browser(school.instructor).post(f"{root}rules/", {"second_share": "0", "is_blind": "on"})

    school.browser(school.grader).post(f"{root}names/", {"names": "show"})

    assert "Classmate" not in page_of(school, school.grader, answer_of(school.classmate))
    assert MarkingRules.objects.get().is_blind


@pytest.mark.parametrize("share", ["", "-1", "101", "half", "1.5", "²"])
def test_a_share_is_a_number_of_per_cent(school: School, share: str) -> None:
    path = f"/assignments/{school.assignment.pk}/marking/rules/"

    school.browser(school.instructor).post(path, {"second_share": share})

    assert not MarkingRules.objects.exists()


def test_next_goes_to_what_waits_and_from_the_end_to_the_beginning(school: School) -> None:
    for person in classmates(school, 4):
        write(school, person, f"Words of {person.pk}.")
    lines = lines_of(school.assignment, "doubling", school.grader)
    browser = school.browser(school.grader)
    path = f"/assignments/{school.assignment.pk}/marking/of/doubling/next/"
    for item in (WHY, WHEN):
        send(school, school.grader, lines[1].answer, item, 1)

    def after(number: int) -> str:
        return str(browser.get(path, {"after": lines[number].answer.key})["Location"])

    assert after(0) == f"/answers/{lines[2].answer.key}/"
    assert after(3) == f"/answers/{lines[0].answer.key}/"
    for line in lines:
        for item in (WHY, WHEN):
            send(school, school.grader, line.answer, item, 1)
    assert after(0) == f"/assignments/{school.assignment.pk}/marking/of/doubling/"


def test_pages_ask_as_little_for_many_answers_as_for_few(school: School) -> None:
    people = classmates(school, 24)
    browser = school.browser(school.grader)

    def asked(path: str) -> int:
        with CaptureQueriesContext(connection) as queries:
            assert browser.get(path).status_code == 200
        return len(queries)

    def counts() -> list[int]:
        root = f"/assignments/{school.assignment.pk}/"
        key = answer_of(people[0]).key
        paths = (f"{root}marking/", f"{root}marking/of/doubling/", f"/answers/{key}/", f"{root}submissions/")
        return [asked(path) for path in paths]

    for person in people[:4]:
        write(school, person, f"Words of {person.pk}.")
        send(school, school.grader, answer_of(person), WHY, 1)
    few = counts()
    for person in people[4:]:
        write(school, person, f"Words of {person.pk}.")
        send(school, school.grader, answer_of(person), WHY, 1)

    assert counts() == few


def test_marks_are_in_a_backup_and_come_back_with_their_comments(school: School) -> None:
    write(school, school.classmate, WORDS)
    comment = ReusableComment.objects.create(course=school.course, item=WHY, text="Say more.", points=-0.5)
    send(school, school.grader, answer_of(school.classmate), WHY, 2, comments=[str(comment.pk)])
    MarkingRules.objects.create(assignment=school.assignment, second_share=20)
    rows = io.BytesIO()
    backup._dump(rows)
    ours = [line for line in rows.getvalue().splitlines() if b'"model": "marking.' in line]
    assert len(ours) == 1 + 1 + 5 + 1 + 1 + 1  # answer, finding, levels, comment, mark, rules
    for model in (Mark, WrittenAnswer, Level, ReusableComment, MarkingRules):
        model.objects.all().delete()

    backup._load(io.BytesIO(b"\n".join(ours)))

    mark = Mark.objects.get()
    assert (mark.points, mark.comments.get().text, mark.by) == (1.5, "Say more.", school.grader)
    assert page_of(school, school.grader, answer_of(school.classmate)).count('aria-pressed="true"') == 1


def test_what_was_graded_before_there_was_marking_can_be_marked(school: School) -> None:
    write(school, school.classmate, WORDS)
    write(school, school.student, "")

    def rows() -> list[list[tuple[object, ...]]]:
        answers = WrittenAnswer.objects.order_by("person")
        found = Finding.objects.order_by("answer__person")
        levels = Level.objects.order_by("item", "points")
        return [
            list(answers.values_list("person", "exercise", "digest", "asks", "pieces", "is_answered")),
            list(found.values_list("graded", "answer__person", "title", "items")),
            list(levels.values_list("item", "points")),
        ]

    kept = rows()
    WrittenAnswer.objects.all().delete()
    Level.objects.all().delete()

    import_module("attest.portal.marking.migrations.0002_earlier_results").forward(apps, None)

    assert kept[0]
    assert rows() == kept


def test_what_was_marked_is_in_the_students_file_and_gone_when_they_are(school: School) -> None:
    write(school, school.student, WORDS)
    answer = answer_of(school.student)
    send(school, school.grader, answer, WHY, 1, words="Say more.")

    about = json.loads(exported(school.student)["person.json"])
    (mark,) = about["marks"]
    assert (mark["item"], mark["points"], mark["comment"]) == (WHY, 1.0, "Say more.")
    graders = json.loads(exported(school.grader)["person.json"])
    assert graders["marks_given"] == [{"assignment": "Doubling", "marks": 1}]

    assert forget(school) == 302
    assert not WrittenAnswer.objects.exists()
    assert not Mark.objects.exists()
