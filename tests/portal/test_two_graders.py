"""Two people mark the same answers: neither sees the other's first, and what differs is settled."""

from __future__ import annotations

import random

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from attest.portal.grading.standing import standing
from attest.portal.handing_in.models import Submission
from attest.portal.marking.agreement import agreement_of, weighted_kappa
from attest.portal.marking.counting import takes_two
from attest.portal.marking.models import Finding, Mark, MarkingRules, WrittenAnswer
from attest.portal.marking.reading import lines_of
from attest.portal.people.models import Person
from tests.portal.prose import WHEN, WHY, another_grader, answer_of, keep_words, send, write
from tests.portal.school import School


@pytest.fixture
def second(school: School) -> Person:
    """Another grader, where two mark each answer; the classmate has written one."""
    MarkingRules.objects.create(assignment=school.assignment, second_share=100)
    write(school, school.classmate, "It is added.")
    return another_grader(school)


def points(school: School) -> float | None:
    return standing(Submission.objects.filter(person=school.classmate).latest("pk")).points


def both(school: School, second: Person, item: str, first_gives: float, second_gives: float) -> None:
    answer = answer_of(school.classmate)
    assert send(school, school.grader, answer, item, first_gives, words="Of the first.")[0] == 200
    assert send(school, second, answer, item, second_gives, words="Of the second.")[0] == 200


def test_nothing_counts_until_both_have_given_the_same(school: School, second: Person) -> None:
    answer = answer_of(school.classmate)
    send(school, school.grader, answer, WHY, 2)
    assert points(school) == 5

    send(school, second, answer, WHY, 2)

    assert points(school) == 7
    assert sorted(Mark.objects.values_list("seat", "by")) == [(1, school.grader.pk), (2, second.pk)]


def test_neither_sees_the_others_mark(school: School, second: Person) -> None:
    answer = answer_of(school.classmate)
    send(school, school.grader, answer, WHY, 2, words="Of the first.")

    text = school.browser(second).get(f"/answers/{answer.key}/").content.decode()
    agreement = f"/assignments/{school.assignment.pk}/marking/agreement/"

    assert "Of the first." not in text
    assert 'aria-pressed="true"' not in text
    assert "2 and" not in school.browser(second).get(agreement).content.decode()
    (line,) = lines_of(school.assignment, "doubling", second)
    assert (line.seat, line.is_done, line.own_points) == (2, False, None)


def test_a_third_finds_nothing_to_do_where_two_agree(school: School, second: Person) -> None:
    for item in (WHY, WHEN):
        both(school, second, item, 1, 1)

    status, said = send(school, school.instructor, answer_of(school.classmate), WHY, 2)

    (line,) = lines_of(school.assignment, "doubling", school.instructor)
    assert (line.seat, line.is_done) == (None, True)
    assert status == 400
    assert "Two others" in str(said["refused"])


def test_what_differs_is_listed_and_settled_by_who_is_neither(school: School, second: Person) -> None:
    both(school, second, WHY, 2, 1)
    answer = answer_of(school.classmate)
    assert points(school) == 5
    third = another_grader(school, "third")
    path = f"/assignments/{school.assignment.pk}/marking/agreement/"
    assert "2 and 1 of 2" in school.browser(third).get(path).content.decode()
    assert f"/answers/{answer.key}/?settle" not in school.browser(second).get(path).content.decode()

    assert send(school, second, answer, WHY, 2, settles="1")[0] == 400
    shown = school.browser(third).get(f"/answers/{answer.key}/?settle").content.decode()
    assert "Of the first." in shown
    assert "Of the second." in shown
    assert send(school, third, answer, WHEN, 1, settles="1")[0] == 400  # nobody differs there
    assert send(school, third, answer, WHY, 1, settles="1")[0] == 200

    assert points(school) == 6
    assert "2 and 1 of 2" not in school.browser(third).get(path).content.decode()


def test_an_instructor_settles_what_they_marked_themselves(school: School, second: Person) -> None:
    answer = answer_of(school.classmate)
    send(school, school.instructor, answer, WHY, 2)
    send(school, second, answer, WHY, 1)

    assert send(school, school.instructor, answer, WHY, 2, settles="1")[0] == 200

    assert points(school) == 7


def test_where_one_is_enough_again_the_first_mark_counts(school: School, second: Person) -> None:
    both(school, second, WHY, 2, 1)

    MarkingRules.objects.update(second_share=0)

    assert points(school) == 7


@pytest.mark.parametrize("name", ["marking", "agreement"])
def test_a_page_asks_as_little_for_many_questions_as_for_one(school: School, name: str) -> None:
    graded = keep_words(school.submission, "As it is.")
    MarkingRules.objects.create(assignment=school.assignment, second_share=100)

    def asked(title: str) -> int:
        with CaptureQueriesContext(connection) as queries:
            page = school.browser(school.grader).get(reverse(name, args=[school.assignment.pk]))
        assert title in page.content.decode()
        return len(queries)

    few = asked("Doubling")
    for number in range(5):
        answer = WrittenAnswer.objects.create(
            assignment=school.assignment,
            person=school.student,
            exercise=f"tripling{number}",
            pieces=[["a cell", "As it is."]],
            is_answered=True,
        )
        item = {"id": f"tripling{number}/why", "title": "Says why", "max_points": 2.0}
        Finding.objects.create(graded=graded, answer=answer, title=f"Tripling {number}", items=[item])

    assert asked("Tripling 4") == few


def test_a_larger_share_takes_in_those_of_a_smaller_one() -> None:
    answers = [WrittenAnswer(key=f"{number:016x}", is_answered=True) for number in range(400)]
    taken = {share: {a.key for a in answers if takes_two(a, share)} for share in (0, 20, 50, 100)}

    assert len(taken[0]) == 0
    assert len(taken[100]) == 400
    assert taken[20] < taken[50] < taken[100]
    assert 50 < len(taken[20]) < 110
    assert not takes_two(WrittenAnswer(key="a", is_answered=False), 100)


def test_weighted_kappa_is_that_of_scikit_learn() -> None:
    metrics = pytest.importorskip("sklearn.metrics")
    chance = random.Random(7)
    for _ in range(30):
        size = chance.randint(2, 60)
        points = chance.sample([0, 0.5, 1, 1.5, 2, 3], chance.randint(2, 5))
        firsts = [chance.choice(points) for _ in range(size)]
        seconds = [one if chance.random() < 0.6 else chance.choice(points) for one in firsts]
        if len({*firsts, *seconds}) < 2:
            continue
        expected = metrics.cohen_kappa_score(
            [str(one) for one in firsts],
            [str(one) for one in seconds],
            weights="quadratic",
            labels=[str(one) for one in sorted({*firsts, *seconds})],
        )
        assert weighted_kappa(list(zip(firsts, seconds, strict=True))) == pytest.approx(expected)


def test_agreement_of_nothing_and_of_all_alike() -> None:
    assert agreement_of([]) is None
    alike = agreement_of([(1, 1), (1, 1)])
    assert alike is not None
    assert (alike.pairs, alike.percent, alike.kappa) == (2, 100, None)
    assert weighted_kappa([(0, 0), (1, 1), (2, 2)]) == 1
